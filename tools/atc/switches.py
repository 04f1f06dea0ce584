"""The text of `ge.optimizationSwitch`: which passes it switches, and what is ignored (ATC options, d.9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tools.atc.tables import option_names


class IgnoredPiece(NamedTuple):
    """A piece of the text that switches nothing, and why."""

    text: str
    reason: str


class Switches(NamedTuple):
    """Per pass name whether it is on, and what was ignored; of several pieces for one pass the last counts."""

    states: Mapping[str, bool]
    ignored: tuple[IgnoredPiece, ...]


def parse_switches(text: str) -> Switches:
    """The switches of `Name:on;Name:off`. Nothing is an error: a piece of another form is ignored."""
    states: dict[str, bool] = {}
    ignored: list[IgnoredPiece] = []
    for piece in text.split(";"):
        name, colon, state = piece.partition(":")
        if not piece:
            continue
        if not colon:
            ignored.append(IgnoredPiece(piece, "there is no ':'"))
        elif not name:
            ignored.append(IgnoredPiece(piece, "the name is empty"))
        elif state not in ("on", "off"):
            ignored.append(IgnoredPiece(piece, f"'{state}' is neither on nor off (no blanks, lower case)"))
        elif name in option_names():
            ignored.append(IgnoredPiece(piece, f"'{name}' is an option, not a pass"))
        else:
            states[name] = state == "on"
    return Switches(states, tuple(ignored))
