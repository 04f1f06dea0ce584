"""The raw file of `--raw_ge_options`: structure, levels, filter and validation (ATC options, b)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, cast

from tools.atc.messages import failure, printable
from tools.atc.paths import check_input_path
from tools.atc.provenance import LEVELS, Given, Source
from tools.atc.strict_json import JsonError, JsonValue, parse_json, read_limited
from tools.atc.tables import flags, raw_keys, registry
from tools.atc.value_check import check_value

_COMPILE_OPTIONS = "compile options"

STATIC_LIMIT_KEY = "ge.exec.static_model_ops_lower_limit"
"""The one raw key whose value has a check of its own."""

_LARGEST_INT64 = 2**63 - 1


class RawOption(NamedTuple):
    """An option of a raw file: the surviving value, the level it comes from, and the values that lost (best first)."""

    key: str
    value: str
    source: Source
    overridden: tuple[Given, ...]


class Skipped(NamedTuple):
    """An entry of a raw file that has no effect, and why."""

    key: str
    value: str
    source: Source
    reason: str


@dataclass(frozen=True)
class RawOptions:
    """What a raw file says: supported options in byte order of their keys, and what was skipped.

    `repeated_keys` are keys that stand twice in one JSON object, where the last one counts.
    """

    options: tuple[RawOption, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    repeated_keys: tuple[str, ...] = ()


def load_raw_options(path: str, *, ignore_unsupported: bool) -> RawOptions:
    """Read and validate the raw file; an empty `path` is no file.

    Raises:
        AtcError: the first failure in ATC's order (b.1 to b.4).
    """
    if not path:
        return RawOptions()
    check_input_path(path, "raw_ge_options")
    repeated: list[str] = []
    try:
        data = read_limited(path)
    except OSError as error:
        raise failure("E13001", path, error.strerror) from None
    except JsonError as error:
        raise failure("E10032", path, error) from None
    try:
        document = parse_json(data, repeated.append)
    except JsonError as error:
        raise failure("E10032", path, f"invalid JSON: {error}") from None
    options = flatten(levels_of(path, document))
    supported, skipped = filter_options(options, ignore_unsupported=ignore_unsupported)
    return RawOptions(supported, skipped, tuple(repeated))


def levels_of(path: str, document: JsonValue) -> Mapping[str, Mapping[str, str]]:
    """The options of each level of a raw file that is present, in byte order of their keys (b.2).

    Raises:
        AtcError: E10032, the structure is wrong; `path` is for the message.
    """
    if not isinstance(document, dict):
        raise failure("E10032", path, f"the file is {_kind(document)}, expected an object")
    top = cast("dict[str, JsonValue]", document)
    if _COMPILE_OPTIONS not in top:
        raise failure("E10032", path, f"'{_COMPILE_OPTIONS}' is missing{_did_you_mean(_COMPILE_OPTIONS, top)}")
    given = top[_COMPILE_OPTIONS]
    if not isinstance(given, dict):
        raise failure("E10032", path, f"'{_COMPILE_OPTIONS}' is {_kind(given)}, expected an object")
    levels = cast("dict[str, JsonValue]", given)
    for name in sorted(levels):
        if name not in LEVELS:
            expected = "expected global, session and graph"
            raise failure("E10032", path, f"unknown level '{printable(name)}' in '{_COMPILE_OPTIONS}', {expected}")
    return {name: _options_of_level(path, name, levels[name]) for name in LEVELS if name in levels}


def _options_of_level(path: str, level: str, given: JsonValue) -> Mapping[str, str]:
    if not isinstance(given, dict):
        raise failure("E10032", path, f"level '{level}' is {_kind(given)}, expected an object")
    options = cast("dict[str, JsonValue]", given)
    for key in sorted(options):
        if not key:
            raise failure("E10032", path, f"level '{level}' has an empty key")
        if not isinstance(options[key], str):
            shown = printable(key)
            raise failure("E10032", path, f"'{shown}' of level '{level}' is {_kind(options[key])}, expected a string")
    return cast("Mapping[str, str]", dict(sorted(options.items())))


def _kind(value: JsonValue) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a bool"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "an array"
        case _:
            return "an object"


def flatten(levels: Mapping[str, Mapping[str, str]]) -> tuple[RawOption, ...]:
    """The options of all levels, `graph` over `session` over `global`, in byte order of the keys (b.3)."""
    given: dict[str, list[Given]] = {}
    for level, source in LEVELS.items():
        for key, value in levels.get(level, {}).items():
            given.setdefault(key, []).insert(0, Given(source, value))
    return tuple(
        RawOption(key, values[0].value, values[0].source, tuple(values[1:])) for key, values in sorted(given.items())
    )


def filter_options(
    options: tuple[RawOption, ...], *, ignore_unsupported: bool
) -> tuple[tuple[RawOption, ...], tuple[Skipped, ...]]:
    """The supported options, validated, and the unsupported ones (b.4).

    Raises:
        AtcError: the first unsupported key, unless they are ignored, or the first value that its flag refuses.
    """
    supported: list[RawOption] = []
    skipped: list[Skipped] = []
    for option in options:
        if option.key in raw_keys():
            check_raw_value(option.key, option.value)
            supported.append(option)
        elif ignore_unsupported:
            skipped.append(Skipped(option.key, option.value, option.source, "unsupported"))
        else:
            raise failure("E10055", _unsupported(option))
    return tuple(supported), tuple(skipped)


def _unsupported(option: RawOption) -> str:
    level = option.source.removeprefix("raw ")
    key, value = printable(option.key), printable(option.value)
    hint = _did_you_mean(option.key, raw_keys()) or ";"
    return (
        f"raw option '{key}' with value '{value}' in '{level}'{hint} "
        "--raw_ge_options_ignore_unsupported=true skips such options"
    )


def _did_you_mean(name: str, candidates: Iterable[str]) -> str:
    from dialect.suggestions import did_you_mean

    return printable(did_you_mean(name, candidates))


def check_raw_value(key: str, value: str) -> None:
    """Raise `AtcError` if a supported raw key does not take the value (b.4, steps 2 to 4)."""
    check_value(flags()[raw_keys()[key]], value)
    if key == STATIC_LIMIT_KEY:
        check_static_limit(value)
    option = registry().get(key)
    if option is not None and option.members is not None and value not in option.members:
        members = ", ".join(member or "nothing" for member in option.members)
        raise failure("E19999", f"raw option '{key}': invalid value '{value}', expected one of {members}")


def check_static_limit(value: str) -> None:
    """Raise `AtcError` unless the text is a decimal integer from -1 to 2^63 - 1 (d.6)."""
    if re.fullmatch(r"-?[0-9]+", value) is None or not _is_between(value, -1, _LARGEST_INT64):
        reason = f"expected an integer in [-1, {_LARGEST_INT64}]"
        raise failure("E10001", value, f"--{raw_keys()[STATIC_LIMIT_KEY]}", reason)


def _is_between(digits: str, low: int, high: int) -> bool:
    significant = digits.lstrip("-").lstrip("0") or "0"
    if len(significant) > len(str(high)):
        return False
    return low <= (-int(significant) if digits.startswith("-") else int(significant)) <= high
