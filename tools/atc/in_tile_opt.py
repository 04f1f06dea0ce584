"""GE and ATC options among the arguments of `tile-opt`."""

from __future__ import annotations

import argparse
import os
import sys

from tools.atc.command_line import command_line_of
from tools.atc.core_checks import check_later
from tools.atc.entry_checks import MODEL_MODES
from tools.atc.messages import AtcError
from tools.atc.resolution import Resolution, apply_raw_file, resolve
from tools.atc.tables import Flag, flags
from tools.atc.value_check import check_value
from tools.driver.errors import UserError


def resolve_arguments(args: argparse.Namespace) -> Resolution:
    """The options of parsed arguments, checked as far as `tile-opt` needs them.

    `--model` and `--output` are put where the input file and `-o` are. With `--emit` the checks end where ATC's entry
    does, else what a build would find is checked too.

    Raises:
        UserError: an option is refused, with ATC's code, or only `tile-atc` does what it asks for.
    """
    occurrences: list[tuple[Flag, str]] = [(flags()[name], text) for name, text in args.atc_flags]
    given = dict(args.atc_flags)
    if args.soc_version is not None:
        if given.setdefault("soc_version", args.soc_version) != args.soc_version:
            raise UserError(f"--soc-version={args.soc_version} and --soc_version={given['soc_version']} differ")
        occurrences.append((flags()["soc_version"], args.soc_version))
    _take_place(args, given, "model", "input_file")
    _take_place(args, given, "output", "output_file")
    if given.get("singleop") or given.get("mode", "0") not in MODEL_MODES:
        raise UserError("--singleop and the modes 1, 5 and 6 are for tile-atc")
    try:
        for flag, text in occurrences:
            check_value(flag, text)
        stage = apply_raw_file(command_line_of(occurrences))
        resolution = resolve(stage, os.environ, needs_required=False, written=args.output_file or "")
        reported = resolution.reported if args.emit else (*resolution.reported, *check_later(resolution.flags))
    except AtcError as error:
        raise UserError(str(error)) from error
    for message in reported:
        print(f"tile-opt: warning: {message.text}", file=sys.stderr)
    return resolution


def _take_place(args: argparse.Namespace, given: dict[str, str], flag: str, argument: str) -> None:
    if flag not in given:
        return
    if getattr(args, argument) is not None:
        own = {"model": "the input file", "output": "-o"}[flag]
        raise UserError(f"--{flag}={given[flag]} and {own} '{getattr(args, argument)}' are both given")
    setattr(args, argument, given[flag])
