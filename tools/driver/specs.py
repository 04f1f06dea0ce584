"""Texts `name{option=value …}` that name a pass, a frontend or a target: reading them, and saying what is wrong."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from types import NoneType
from typing import Any, TypeVar, get_args, get_type_hints

from xdsl.utils.arg_spec import ArgSpec, ArgSpecConvertible, ParameterListType, parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError, DiagnosticException
from xdsl.utils.hints import isa

from dialect.suggestions import did_you_mean
from tools.driver.errors import UserError
from tools.driver.option_types import describe_type

SpecT = TypeVar("SpecT", bound=ArgSpecConvertible)


def parse_specs(argument: str, text: str) -> Sequence[ArgSpec]:
    """The specs of a comma-separated text that was given to the command-line argument `argument`.

    Raises `UserError` with the place, as `argument:line:column`, if the text is not well-formed.
    """
    try:
        return tuple(parse_pipeline(text))
    except ArgSpecParseError as error:
        _, context = str(error).split("\n", 1)
        place = context.rstrip("\n").replace("pass-pipeline", argument, 1)
        raise UserError(f"cannot parse the argument of {argument}:\n{place}") from None
    except (ValueError, RuntimeError) as error:
        raise UserError(f"cannot parse the argument of {argument}: {error}") from None


def parse_single_spec(argument: str, text: str) -> ArgSpec:
    """The spec of an argument that names one frontend or target; `UserError` unless there is exactly one."""
    specs = parse_specs(argument, text)
    if len(specs) != 1:
        raise UserError(f"{argument} takes one name, found {len(specs)} in '{text}'")
    return specs[0]


def construct(kind: str, available: Mapping[str, Callable[[], type[SpecT]]], spec: ArgSpec) -> SpecT:
    """The pass, frontend or target (the `kind`) that a spec describes.

    Raises `UserError` for a name that is not available, and for an option that is unknown, missing, of the wrong type,
    or that the class itself refuses.
    """
    if spec.name not in available:
        known = ", ".join(sorted(available))
        raise UserError(f"unknown {kind} '{spec.name}'{did_you_mean(spec.name, available) or '.'} There are: {known}.")
    described = available[spec.name]()
    types = option_types(described)
    where = f"{kind} '{spec.name}'"
    given = {name.replace("_", "-"): value for name, value in spec.parameters.items()}
    for name, value in given.items():
        if name not in types:
            raise UserError(f"{where} has no option '{name}'{_list_options(name, types)}")
        if not _accepts(types[name], value):
            raise UserError(f"{where}: option '{name}' {_describe_mismatch(types[name], value)}")
    for name in sorted(described.required_fields()):
        if name.replace("_", "-") not in given:
            raise UserError(f"{where} needs the option '{name.replace('_', '-')}'")
    try:
        return described.from_spec(spec)
    except (ValueError, TypeError, DiagnosticException) as error:
        raise UserError(f"{where}: {error}") from error


def option_types(described: type[ArgSpecConvertible]) -> Mapping[str, Any]:
    """The types of the options of a pass, frontend or target, by the option's name (with `-`)."""
    hints = get_type_hints(described)
    return {
        field.name.replace("_", "-"): hints[field.name]
        for field in dataclasses.fields(described)
        if field.init and field.name != "name"
    }


def _accepts(expected: Any, value: ParameterListType) -> bool:
    if len(value) == 0 and NoneType in get_args(expected):
        return True
    if any(isinstance(element, bool) for element in value) and not _admits_bool(expected):
        return False
    if len(value) == 1 and isa(value[0], expected):
        return True
    return isa(value, expected)


def _admits_bool(expected: Any) -> bool:
    """Whether a type has truth values among its values; for Python, they are integers too."""
    return expected is bool or any(map(_admits_bool, get_args(expected)))


def _describe_mismatch(expected: Any, value: ParameterListType) -> str:
    wanted = f"expects {describe_type(expected)}"
    if not value:
        return f"{wanted}, found no value"
    written = ",".join(str(element).lower() if isinstance(element, bool) else str(element) for element in value)
    if isa(written, expected):
        return f"{wanted}, found {written}: write it in double quotes"
    return f"{wanted}, found {written!r}" if isinstance(value[0], str) else f"{wanted}, found {written}"


def _list_options(name: str, types: Mapping[str, Any]) -> str:
    if not types:
        return "; it has none"
    options = ", ".join(f"{option} ({describe_type(expected)})" for option, expected in types.items())
    return f"{did_you_mean(name, types) or '.'} It has: {options}."
