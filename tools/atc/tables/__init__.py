"""The tables of ATC's options, each read once (ATC options, sections a, c and f, appendices A and B)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

_FOLDER = os.path.dirname(__file__)


class Flag(NamedTuple):
    """A parameter of the command line.

    `type` is `string`, `int32` or `bool`; `range` the texts that are allowed, if they are enumerated, and `range_code`
    the error code of others; `allowed` says in words what is allowed elsewhere; `required` says when the flag must be
    given; `group` is its section of the help; `effect` what it does to a tile graph, empty if it is only recorded.
    """

    name: str
    type: str
    default: str
    range: tuple[str, ...]
    range_code: str
    allowed: str
    required: str
    group: str
    is_rejected_in_om2: bool
    effect: str
    meaning: str


class RegistryOption(NamedTuple):
    """An option that GE registers when it is loaded.

    `levels` are the optimization levels that it belongs to; `defaults` its value by level, where it has one; `members`
    the values that its checker takes, None without a checker.
    """

    key: str
    flag: str
    levels: tuple[str, ...]
    defaults: Mapping[str, str]
    members: tuple[str, ...] | None


class OptionMapEntry(NamedTuple):
    """A key of the final option map.

    `value` is a flag whose text is taken, a fixed text behind `=`, or a function of `tools.atc.option_map` with its
    flag in parentheses. The two others say when the key is present: `always`, `absent`, `non-empty` (flag), `set`
    (flag explicit or from the raw file), `with …` (another flag is not empty).
    """

    key: str
    value: str
    model_modes: str
    single_operator: str


class PassName(NamedTuple):
    """A GE pass: the lowest level at which it is on, and the registry option that it is bound to, if any."""

    name: str
    level: str
    bound_to: str


class AippField(NamedTuple):
    """A field of an AIPP operator: its type (a `word` is one of those in `rule`), and `once` or `not negative`."""

    name: str
    type: str
    rule: str


def _rows(name: str) -> Iterator[list[str]]:
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
        next(file)
        for line in file:
            yield line.rstrip("\n").split("\t")


@cache
def flags() -> Mapping[str, Flag]:
    """ATC's 90 flags by name, in the order of the specification."""
    return _flags("flags.tsv")


@cache
def own_flags() -> Mapping[str, Flag]:
    """The flags that `tile-atc` has and ATC has not."""
    return _flags("own_flags.tsv")


def _flags(file: str) -> Mapping[str, Flag]:
    table: dict[str, Flag] = {}
    for name, type, default, range, code, allowed, required, group, om2, effect, meaning in _rows(file):
        members = tuple(range.split(",")) if range else ()
        table[name] = Flag(
            name, type, default, members, code, allowed, required, group, om2 == "rejected", effect, meaning
        )
    return table


@cache
def static_keys() -> Mapping[str, str]:
    """The flag of each raw key that stands in ATC's static table."""
    return dict(_rows("raw_keys.tsv"))


@cache
def registry() -> Mapping[str, RegistryOption]:
    """The registry options by raw key."""
    table: dict[str, RegistryOption] = {}
    for key, flag, levels, default_o1, default_o3, members in _rows("registry.tsv"):
        defaults = {level: text for level, text in (("O1", default_o1), ("O3", default_o3)) if text != "-"}
        checked = None if members == "*" else tuple(members.split(","))
        table[key] = RegistryOption(key, flag, tuple(levels.split(",")), defaults, checked)
    return table


@cache
def raw_keys() -> Mapping[str, str]:
    """The flag of each of the 80 keys that a raw file may hold, in byte order of the keys."""
    keys = {**static_keys(), **{key: option.flag for key, option in registry().items()}}
    return dict(sorted(keys.items()))


@cache
def registry_flags() -> Mapping[str, str]:
    """The key of each registry option by its flag."""
    return {option.flag: key for key, option in registry().items()}


@cache
def option_map_entries() -> tuple[OptionMapEntry, ...]:
    """The rows of the final option map."""
    return tuple(OptionMapEntry(*row) for row in _rows("option_map.tsv"))


@cache
def pass_names() -> Mapping[str, PassName]:
    """The GE passes that are known by name."""
    return {name: PassName(name, level, bound_to) for name, level, bound_to in _rows("pass_names.tsv")}


@cache
def option_names() -> frozenset[str]:
    """Names of GE options, which can not be names of passes."""
    return frozenset(name for (name,) in _rows("option_names.tsv"))


@cache
def formats() -> frozenset[str]:
    """The tensor formats that a description of a single operator may name."""
    return frozenset(name for (name,) in _rows("formats.tsv"))


@cache
def data_types() -> frozenset[str]:
    """The data types that a configuration file may name."""
    return frozenset(name for (name,) in _rows("data_types.tsv"))


@cache
def aipp_fields() -> Mapping[str, AippField]:
    """The fields of an AIPP operator."""
    return {name: AippField(name, type, rule) for name, type, rule in _rows("aipp_fields.tsv")}


@cache
def message_texts() -> Mapping[str, tuple[str, tuple[str, ...]]]:
    """The text of each error code, and the names of its arguments in their order."""
    return {code: (text, tuple(arguments.split())) for code, text, arguments in _rows("messages.tsv")}
