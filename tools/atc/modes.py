"""What a run of `tile-atc` does once the raw file is applied."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from tools.atc.entry_checks import DISPLAY, MODEL_MODES, PRE_CHECK
from tools.atc.messages import Message, failure
from tools.atc.option_output import print_explanation, print_options
from tools.atc.resolution import RawStage, Resolution, resolve

_GRAPH_EXTENSIONS = (".mlir", ".json", ".json.gz")
"""File names that `tile-atc` reads; a network of another framework is only checked for."""


def run(stage: RawStage, environment: Mapping[str, str]) -> None:
    """Check the options, then print the option map, or compile, convert or display the model as the mode says.

    Raises:
        AtcError: the options or the model are refused.
    """
    command_line = stage.flags.explicit
    resolution = resolve(stage, environment)
    _warn(resolution.reported)
    if command_line.value("emit"):
        print_options(resolution)
        if command_line.is_true("explain"):
            print_explanation(resolution)
        return
    is_model_mode = resolution.flags["mode"] in MODEL_MODES and not resolution.flags["singleop"]
    if is_model_mode:
        from tools.atc.core_checks import check_later

        _warn(check_later(resolution.flags))
    if command_line.is_true("check_only"):
        _check_model(resolution, is_model_mode=is_model_mode)
        if command_line.is_true("explain"):
            print_explanation(resolution)
    elif is_model_mode:
        _compile(resolution)
    elif resolution.flags["singleop"]:
        raise failure("E19999", "single operators are checked, not built; use --check-only or --emit=ge-options")
    else:
        _convert(resolution)


def _warn(messages: Sequence[Message]) -> None:
    for message in messages:
        print(f"tile-atc: warning: {message.text}", file=sys.stderr)


def _check_model(resolution: Resolution, *, is_model_mode: bool) -> None:
    """Check the options against the model if it is a tile graph."""
    if is_model_mode and resolution.flags["model"].lower().endswith(_GRAPH_EXTENSIONS):
        from tools.atc.compilation import check_model

        check_model(resolution)


def _compile(resolution: Resolution) -> None:
    from tools.atc.compilation import check_model, compile_model, display

    flags = resolution.flags
    _check_extension(flags["model"], _GRAPH_EXTENSIONS)
    if flags["mode"] == PRE_CHECK:
        from tools.atc.check_report import write_report

        try:
            functions = check_model(resolution)
        except Exception as error:
            write_report(flags["check_report"], flags["model"], str(error), ())
            raise
        write_report(flags["check_report"], flags["model"], None, functions)
        return
    output = f"{flags['output']}.mlir"
    os.makedirs(os.path.dirname(output) or ".", exist_ok=True)
    compile_model(resolution, output)
    if flags["display_model_info"] == "1":
        display(output)


def _convert(resolution: Resolution) -> None:
    from tools.atc.compilation import convert, display

    flags = resolution.flags
    _check_extension(flags["om"], (*_GRAPH_EXTENSIONS, ".txt"))
    if flags["mode"] == DISPLAY:
        display(flags["om"])
        return
    os.makedirs(os.path.dirname(flags["json"]) or ".", exist_ok=True)
    convert(flags["om"], flags["json"], with_shapes=flags["dump_mode"] == "1" or flags["mode"] != "1")


def _check_extension(path: str, known: tuple[str, ...]) -> None:
    if not path.lower().endswith(known):
        raise failure("E19999", f"'{path}' is no tile graph; tile-atc reads {', '.join(known)}")
