"""Attribute values in the custom syntax.

Two things differ from MLIR's generic form. `i64` integers and `f64` floats are written without their type (`magic = 7`,
not `magic = 7 : i64`). And nothing is lost: strings stay readable UTF-8, floats keep every digit, and an integer that
does not fit its type is an error instead of wrapping silently.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    BytesAttr,
    DictionaryAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    Signedness,
    StringAttr,
    UnitAttr,
    f64,
    i64,
)
from xdsl.ir import Attribute
from xdsl.parser import AttrParser

from dialect.values import string_of

_BARE_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_$.]*")
_ESCAPED = re.compile(r'[\x00-\x1f\x7f-\x9f"\\\u2028\u2029\ud800-\udfff]')
_NOT_A_FLOAT_LITERAL = re.compile(r"^(-?[0-9]+)(e.*)?$")


def quoted(text: str) -> str:
    """A string literal: readable UTF-8 with quotes, backslashes and control characters escaped byte by byte."""

    def escape(match: re.Match[str]) -> str:
        return "".join(f"\\{byte:02X}" for byte in match.group().encode("utf-8", "surrogatepass"))

    return '"' + _ESCAPED.sub(escape, text) + '"'


def float_literal(number: float) -> str:
    """The shortest MLIR float literal that reads back as `number` (finite)."""
    text = repr(number)
    match = _NOT_A_FLOAT_LITERAL.match(text)
    return f"{match[1]}.0{match[2] or ''}" if match else text


def parse_optional_string_literal(parser: AttrParser) -> str | None:
    """Parse a string literal if one stands here.

    Raises:
        ParseError: its bytes are not UTF-8.
    """
    position = parser.pos
    literal = _parse_optional_literal(parser)
    if isinstance(literal, bytes):
        parser.raise_error("string is not UTF-8", position, parser.pos)
    return literal


def _parse_optional_literal(parser: AttrParser) -> str | bytes | None:
    text = parser.parse_optional_str_literal()
    if text is not None:
        return text
    data = parser.parse_optional_bytes_literal()
    if data is None:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data


def parse_string_literal(parser: AttrParser) -> str:
    """Parse a string literal; ParseError if there is none."""
    return parser.expect(lambda: parse_optional_string_literal(parser), "expected a string literal")


def integer_range(type: IntegerType) -> tuple[int, int]:
    """The smallest and largest integer that is written for a type; signless types are read as signed."""
    width = type.width.data
    if type.signedness.data == Signedness.UNSIGNED:
        return 0, 2**width - 1
    return -(2 ** (width - 1)), 2 ** (width - 1) - 1


def parse_value(parser: AttrParser) -> Attribute:
    """Parse one attribute value.

    Raises:
        ParseError: a syntax error, or an integer out of the range of its type (i64 if none is written).
    """
    if (literal := _parse_optional_literal(parser)) is not None:
        return StringAttr(literal) if isinstance(literal, str) else BytesAttr(literal)
    if parser.parse_optional_keyword("true"):
        return IntegerAttr(1, 1)
    if parser.parse_optional_keyword("false"):
        return IntegerAttr(0, 1)
    position = parser.pos
    number = parser.parse_optional_number(allow_boolean=False)
    if number is not None:
        return _finish_number(parser, number, position)
    items = parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, lambda: parse_value(parser))
    if items is not None:
        return ArrayAttr(items)
    entries = parse_optional_dictionary(parser)
    if entries is not None:
        return DictionaryAttr(entries)
    return parser.parse_attribute()


def _finish_number(parser: AttrParser, number: int | float, position: int) -> Attribute:
    type: Attribute = f64 if isinstance(number, float) else i64
    if parser.parse_optional_punctuation(":"):
        type = parser.parse_type()
    if isinstance(type, AnyFloat):
        return _finish_float(parser, number, type, position)
    if isinstance(number, float):
        parser.raise_error(f"a float cannot have type {type}", position, parser.pos)
    if not isinstance(type, IntegerType | IndexType):
        parser.raise_error(f"an integer cannot have type {type}", position, parser.pos)
    low, high = integer_range(cast("IntegerType", type) if isinstance(type, IntegerType) else i64)
    if not low <= number <= high:
        parser.raise_error(f"integer {number} is out of the range {low}..{high} of {type}", position, parser.pos)
    return IntegerAttr[Any](number, cast("IntegerType | IndexType", type))


def _finish_float(parser: AttrParser, number: int | float, type: AnyFloat, position: int) -> Attribute:
    """A float; its bits if it is written as a hexadecimal integer, which is how infinities are written."""
    if isinstance(number, int):
        if not parser.lexer.input.content.startswith(("0x", "0X"), position):
            parser.raise_error(f"an integer cannot have type {type}", position, parser.pos)
        if number.bit_length() > type.bitwidth:
            parser.raise_error(f"these bits do not fit {type}", position, parser.pos)
        return FloatAttr(type.unpack(number.to_bytes(type.compile_time_size, "little"), 1)[0], type)
    try:
        finite = isfinite(number) and isfinite(type.round(number))
    except OverflowError:
        finite = False
    if not finite:
        parser.raise_error(f"float literal is out of the range of {type}", position, parser.pos)
    return FloatAttr(number, type)


def parse_optional_dictionary(parser: AttrParser) -> dict[str, Attribute] | None:
    """Parse `{key = value, unit_key, …}` if a brace stands here.

    Raises:
        ParseError: a syntax error or a repeated key.
    """
    entries: dict[str, Attribute] = {}

    def parse_entry() -> None:
        position = parser.pos
        key = parser.parse_optional_identifier()
        if key is None:
            key = parser.expect(lambda: parse_optional_string_literal(parser), "expected the name of an attribute")
        if key in entries:
            parser.raise_error(f"attribute '{key}' is given twice", position, parser.pos)
        entries[key] = parse_value(parser) if parser.parse_optional_punctuation("=") else UnitAttr()

    found = parser.parse_optional_comma_separated_list(parser.Delimiter.BRACES, parse_entry)
    return None if found is None else entries


def key_text(key: str) -> str:
    """A dictionary key as it is written: bare where the syntax allows, else quoted."""
    return key if _BARE_KEY.fullmatch(key) else quoted(key)


def value_text(attribute: Attribute) -> str:
    """The custom syntax of one attribute value."""
    match attribute:
        case IntegerAttr(value=value, type=IntegerType(width=width, signedness=signedness)):
            if width.data == 1 and signedness.data == Signedness.SIGNLESS:
                return "true" if value.data else "false"
            suffix = "" if attribute.type == i64 else f" : {attribute.type}"
            return f"{value.data}{suffix}"
        case StringAttr(data=text):
            return quoted(text)
        case BytesAttr() if (text := string_of(attribute)) is not None:
            return quoted(text)
        case FloatAttr(value=value, type=type) if isfinite(value.data):
            return float_literal(value.data) + ("" if type == f64 else f" : {type}")
        case ArrayAttr(data=items):
            return "[" + ", ".join([value_text(item) for item in items]) + "]"
        case DictionaryAttr(data=entries):
            return dictionary_text(entries)
        case _:
            return str(attribute)


def dictionary_text(entries: Mapping[str, Attribute]) -> str:
    """The custom syntax of a dictionary; a unit attribute is just its key."""
    texts = [
        key_text(key) if isinstance(value, UnitAttr) else f"{key_text(key)} = {value_text(value)}"
        for key, value in entries.items()
    ]
    return "{" + ", ".join(texts) + "}"
