"""The values of all flags while a run goes on, and who gave them (ATC options, d.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tools.atc.command_line import CommandLine
from tools.atc.messages import failure
from tools.atc.provenance import Given, Source
from tools.atc.raw_file import RawOption, Skipped
from tools.atc.tables import flags, raw_keys

NOT_REPLACEABLE = frozenset({"model", "output", "framework", "soc_version"})
"""Flags that must be given on the command line; a raw option cannot stand for them (d.3)."""


@dataclass(frozen=True)
class FlagValues:
    """The text of each flag, the flags of the command line, and the raw options that were applied, by flag.

    `changed` are texts that a step of the run put in place of what was given, by flag.
    """

    explicit: CommandLine
    raw: Mapping[str, RawOption]
    changed: Mapping[str, Given]

    def __getitem__(self, name: str) -> str:
        return self.given(name).value

    def given(self, name: str) -> Given:
        """The value of a flag and its source."""
        return self.changed[name] if name in self.changed else self.original(name)

    def original(self, name: str) -> Given:
        """The value that was given for a flag, or its default, and its source."""
        if (text := self.explicit.value(name)) is not None:
            return Given(Source.COMMAND_LINE, text)
        if name in self.raw:
            return Given(self.raw[name].source, self.raw[name].value)
        return Given(Source.DEFAULT, flags()[name].default)

    def is_given(self, name: str) -> bool:
        """Whether the command line or an applied raw option gives the flag."""
        return name in self.explicit.texts or name in self.raw

    def with_changed(self, name: str, value: str, source: Source | None = None) -> FlagValues:
        """These values with another text for a flag; it keeps its source unless another one is stated."""
        given = Given(self.given(name).source if source is None else source, value)
        return replace(self, changed={**self.changed, name: given})


def apply_raw_options(explicit: CommandLine, options: tuple[RawOption, ...]) -> tuple[FlagValues, tuple[Skipped, ...]]:
    """The values of all flags, the command line over raw options over defaults, and the raw options that lost (d.1, 3).

    Raises:
        AtcError: E10001, a raw option stands for a flag that only the command line may give.
    """
    applied: dict[str, RawOption] = {}
    skipped: list[Skipped] = []
    for option in options:
        flag = raw_keys()[option.key]
        if flag in explicit.texts:
            skipped.append(Skipped(option.key, option.value, option.source, f"--{flag} is given"))
            continue
        if flag in NOT_REPLACEABLE:
            reason = f"raw option '{option.key}' cannot replace --{flag}, which must be given on the command line"
            raise failure("E10001", option.value, f"--{flag}", reason)
        if flag in applied:
            lost = applied[flag]
            skipped.append(Skipped(lost.key, lost.value, lost.source, f"'{option.key}' sets --{flag} too and wins"))
        applied[flag] = option
    return FlagValues(explicit, applied, {}), tuple(skipped)
