"""The final option map, and where each of its values comes from (ATC options, d.8 and f)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from tools.atc.flag_values import FlagValues
from tools.atc.provenance import Given, Source
from tools.atc.tables import option_map_entries, raw_keys, registry_flags

FORBIDDEN_CLOSE_PASS = "forbidden_close_pass"
"""A pseudo pass, which ATC always switches on."""

_LEADING_INTEGER = re.compile(r"[ \t\n\v\f\r]*([+-]?[0-9]+)")
_SMALLEST_INT64, _LARGEST_INT64 = -(2**63), 2**63 - 1


class MapEntry(NamedTuple):
    """A value of the option map, its source, and the values that it won against (best first)."""

    value: str
    source: Source
    overrides: tuple[Given, ...]


OptionMap = Mapping[str, MapEntry]
"""Entries by GE option key, in byte order."""


def build_option_map(
    flags: FlagValues, lost: Mapping[str, tuple[Given, ...]], environment: Mapping[str, str], *, single_operator: bool
) -> OptionMap:
    """The option map of the modes that read a model, or of `--singleop`.

    `lost` are the values that raw files gave in vain, by flag.
    """
    entries: dict[str, MapEntry] = {}
    for key, rule, in_model_modes, with_single_operator in option_map_entries():
        presence = with_single_operator if single_operator else in_model_modes
        name, parenthesis, argument = rule.partition("(")
        flag = argument.removesuffix(")") if parenthesis else name
        if not _is_present(flags, flag, presence):
            continue
        if rule.startswith("="):
            entries[key] = MapEntry(rule[1:], Source.FIXED, ())
        elif not parenthesis:
            entries[key] = _entry(_value(flags, flag), flags, flag, lost)
        elif name in _CONVERSIONS:
            given = _value(flags, flag)
            entries[key] = _entry(Given(given.source, _CONVERSIONS[name](given.value)), flags, flag, lost)
        else:
            entries[key] = MapEntry(*_COMPUTED[name](environment), ())
    return dict(sorted(entries.items()))


def _is_present(flags: FlagValues, flag: str, presence: str) -> bool:
    match presence.split():
        case ["always"]:
            return True
        case ["non-empty"]:
            return flags[flag] != ""
        case ["set"]:
            return flags.is_given(flag)
        case ["with", other]:
            return flags[other] != ""
        case _:
            return False


def _value(flags: FlagValues, flag: str) -> Given:
    """The value that counts: of registry flags the command line's first text, of others its last."""
    if flag in registry_flags() and flag in flags.explicit.texts:
        return Given(Source.COMMAND_LINE, flags.explicit.texts[flag][0])
    return flags.given(flag)


def _entry(given: Given, flags: FlagValues, flag: str, lost: Mapping[str, tuple[Given, ...]]) -> MapEntry:
    texts = flags.explicit.texts.get(flag, ())
    others = texts[1:] if flag in registry_flags() else texts[-2::-1]
    repeated = tuple(Given(Source.COMMAND_LINE, text) for text in others)
    return MapEntry(given.value, given.source, (*repeated, *lost.get(flag, ())))


def _original_model_file(output: str) -> str:
    return f"{output}_original.om"


def _one_if_true(text: str) -> str:
    return "1" if text == "true" else "0"


def _true_if_one(text: str) -> str:
    return "true" if text == "1" else "false"


def _forbid_closing(text: str) -> str:
    return f"{text};{FORBIDDEN_CLOSE_PASS}:on" if text else f"{FORBIDDEN_CLOSE_PASS}:on"


_CONVERSIONS: Mapping[str, Callable[[str], str]] = {
    "original_model_file": _original_model_file,
    "one_if_true": _one_if_true,
    "true_if_one": _true_if_one,
    "lower_case": str.lower,
    "forbid_closing": _forbid_closing,
}
"""Functions of a flag's text that the table names."""


def _thread_count(environment: Mapping[str, str]) -> tuple[str, Source]:
    if (text := environment.get("MULTI_THREAD_COMPILE")) is None:
        return "1", Source.DEFAULT
    match = _LEADING_INTEGER.match(text)
    number = int(match[1][:_DIGITS]) if match else 0
    return str(min(max(number, _SMALLEST_INT64), _LARGEST_INT64)), Source.ENVIRONMENT


_DIGITS = 4000
"""Digits of an environment variable that are looked at."""


def _option_names(_: Mapping[str, str]) -> tuple[str, Source]:
    names = {key: f"--{flag}" for key, flag in raw_keys().items()}
    return json.dumps(names, separators=(",", ":")), Source.FIXED


_COMPUTED: Mapping[str, Callable[[Mapping[str, str]], tuple[str, Source]]] = {
    "thread_count": _thread_count,
    "option_names": _option_names,
}
"""Functions of the environment that the table names."""
