"""What each option did, or why it did nothing: the text of `--explain` about GE and ATC options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tools.atc.messages import printable
from tools.atc.option_map import FORBIDDEN_CLOSE_PASS
from tools.atc.provenance import Given, Source
from tools.atc.resolution import Resolution
from tools.atc.switches import parse_switches
from tools.atc.tables import flags, pass_names, registry_flags

NO_EFFECT = "recorded, no effect on tile graphs"

_DEPRECATED: Mapping[str, str] = {
    "shape_generalized_build_mode": "deprecated",
    "input_shape_range": "deprecated, --input_shape takes ranges too",
    "op_select_implmode": "deprecated, --op_precision_mode replaces it",
    "optypelist_for_implmode": "deprecated, --op_precision_mode replaces it",
}


class Note(NamedTuple):
    """One sentence about an option; `kind` is for programs: `option`, `skipped` or `warning`."""

    kind: str
    text: str


def explain_options(resolution: Resolution) -> Iterator[Note]:
    """A note for each option that was given, for each raw entry without effect, and for what is suspicious."""
    given = resolution.flags
    for name, flag in flags().items():
        if given.is_given(name):
            yield Note("option", f"{_origin(resolution, name)}: {flag.effect or NO_EFFECT}{_remark(name)}")
    for entry in resolution.skipped:
        key, value = printable(entry.key), printable(entry.value)
        yield Note("skipped", f"raw option {key} = '{value}' ({entry.source}) is skipped: {entry.reason}")
    for key in resolution.raw.repeated_keys:
        yield Note("warning", f"the raw file has the key '{printable(key)}' twice in one object; the last one counts")
    yield from _repeated_flags(resolution)
    if "log" in given.raw:
        yield Note("warning", "raw option log comes too late: the log level was set before the raw file is read")
    for piece in parse_switches(given["optimization_switch"]).ignored:
        yield Note("warning", f"--optimization_switch: '{printable(piece.text)}' is ignored: {piece.reason}")


def _origin(resolution: Resolution, name: str) -> str:
    given = resolution.flags
    value, raw = given.original(name), given.raw.get(name)
    if name in registry_flags() and name in given.explicit.texts:
        value = Given(Source.COMMAND_LINE, given.explicit.texts[name][0])
    key = "" if raw is None else f" {raw.key}"
    lost = [f"'{printable(each.value)}' ({each.source})" for each in resolution.lost.get(name, ())]
    overrides = f", overrides {', '.join(lost)}" if lost else ""
    return f"--{name} = '{printable(value.value)}' ({value.source}{key}{overrides})"


def _remark(name: str) -> str:
    return f"; {_DEPRECATED[name]}" if name in _DEPRECATED else ""


def _repeated_flags(resolution: Resolution) -> Iterator[Note]:
    for name, texts in resolution.flags.explicit.texts.items():
        if len(texts) > 1 and name in flags():
            counts = "first" if name in registry_flags() else "last"
            yield Note("warning", f"--{name} is given {len(texts)} times; the {counts} one counts")


def explain_switch(name: str, state: bool) -> str:
    """Why a switch of the optimization text has no effect on a tile graph's pipeline; `name` is none of its passes."""
    word = "on" if state else "off"
    if name == FORBIDDEN_CLOSE_PASS:
        return f"'{name}:{word}' is for GE's engines, {NO_EFFECT}"
    if name in pass_names():
        return f"'{name}:{word}' switches a pass of GE, {NO_EFFECT}"
    return f"'{name}:{word}' names no pass of tile-opt, and none of GE that is known"
