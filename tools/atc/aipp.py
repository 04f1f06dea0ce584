"""The file of `--insert_op_conf`: AIPP operators in protobuf text format (ATC use, 3.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dialect.suggestions import did_you_mean
from tools.atc.messages import AtcError, failure
from tools.atc.tables import AippField, aipp_fields

_TOKEN = re.compile(
    r"""\s+|\#[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[A-Za-z_][\w.]*|[-+]?[\w.+-]+|[{}:<>;,\[\]]|."""
)
_VALUES = {
    "bool": re.compile(r"true|false|True|False|t|f|1|0"),
    "integer": re.compile(r"[-+]?[0-9]{1,18}"),
    "float": re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?f?"),
    "text": re.compile(r"""(["']).*\1"""),
}
"""The texts of values, by type."""


@dataclass(frozen=True)
class _Operator:
    """One `aipp_op`: the texts of each field in their order."""

    fields: Mapping[str, Sequence[str]]

    def last(self, name: str) -> str | None:
        values = self.fields.get(name)
        return values[-1] if values else None


def check_insert_op_file(path: str) -> None:
    """Raise `AtcError` unless the file is a list of AIPP operators whose fields keep the rules."""
    configured_inputs(path)


def configured_inputs(path: str) -> Sequence[str]:
    """The names of inputs that the AIPP operators of a file are for; those that have none count by rank.

    Raises:
        AtcError: E13005, the text does not parse; E10052, positions are in conflict; E19999, a field breaks its rule.
    """
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError as error:
        raise failure("E13001", path, error.strerror) from None
    if not text:
        raise failure("E19999", f"--insert_op_conf: '{path}' is empty")
    operators = [_Operator(fields) for fields in _parse(path, text)]
    for operator in operators:
        _check_fields(operator)
    _check_positions(operators)
    names = [operator.last("related_input_name") for operator in operators]
    return [name for name in names if name is not None]


def _parse(path: str, text: str) -> Iterator[Mapping[str, Sequence[str]]]:
    tokens = [match[0] for match in _TOKEN.finditer(text) if not match[0].isspace() and match[0][0] != "#"]
    position = 0

    def expect(*expected: str) -> str:
        nonlocal position
        token = tokens[position] if position < len(tokens) else "the end"
        if expected and token not in expected:
            raise _unparsable(path, f"expected {' or '.join(expected)}, found {token}")
        position += 1
        return token

    while position < len(tokens):
        expect("aipp_op")
        if tokens[position : position + 1] == [":"]:
            expect(":")
        expect("{")
        fields: dict[str, list[str]] = {}
        while tokens[position : position + 1] != ["}"]:
            name = expect()
            field = aipp_fields().get(name)
            if field is None:
                raise _unparsable(path, f"unknown field {name}{did_you_mean(name, aipp_fields())}")
            expect(":")
            value = expect()
            if not _is_value(field, value):
                raise _unparsable(path, f"{name} cannot be {value}")
            fields.setdefault(name, []).append(value.strip("\"'"))
            if tokens[position : position + 1] in ([","], [";"]):
                position += 1
        expect("}")
        yield fields


def _is_value(field: AippField, value: str) -> bool:
    if field.type == "word":
        return value in field.rule.split()
    return _VALUES[field.type].fullmatch(value) is not None


def _unparsable(path: str, reason: str) -> AtcError:
    return failure("E13005", path, reason)


def _check_fields(operator: _Operator) -> None:
    mode = operator.last("aipp_mode")
    if mode not in ("static", "dynamic"):
        raise _broken("aipp_mode must be static or dynamic")
    if mode == "static" and operator.last("input_format") is None:
        raise _broken("input_format is required in static mode")
    if mode == "dynamic" and int(operator.last("max_src_image_size") or 0) <= 0:
        raise _broken("max_src_image_size is required in dynamic mode and must be positive")
    for field in aipp_fields().values():
        if field.rule == "not negative" and int(operator.last(field.name) or 0) < 0:
            raise _broken(f"{field.name} must not be negative")
        if field.rule == "once" and len(operator.fields.get(field.name, ())) > 1:
            raise _broken(f"{field.name} is given more than once")


def _broken(reason: str) -> AtcError:
    return failure("E19999", f"--insert_op_conf: {reason}")


def _check_positions(operators: Sequence[_Operator]) -> None:
    names = [name for operator in operators if (name := operator.last("related_input_name")) is not None]
    ranks = [
        operator.last("related_input_rank") or "0"
        for operator in operators
        if "related_input_name" not in operator.fields
    ]
    if names and any("related_input_rank" in operator.fields for operator in operators):
        raise failure("E10052", "related_input_rank and related_input_name cannot be mixed")
    for given in (names, ranks):
        twice = next((item for item in given if given.count(item) > 1), None)
        if twice is not None:
            raise failure("E10052", f"two operators are for the input '{twice}'")
