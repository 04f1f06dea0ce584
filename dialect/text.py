"""Attribute values in the custom syntax.

Two things differ from MLIR's generic form. `i64` integers and `f64` floats are written without their type (`magic = 7`,
not `magic = 7 : i64`). And nothing is lost: strings stay readable UTF-8, floats keep every digit, and an integer that
does not fit its type is an error instead of wrapping silently.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DictionaryAttr,
    Float64Type,
    FloatAttr,
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
    text = parser.parse_optional_str_literal()
    if text is not None:
        return text
    position = parser.pos
    data = parser.parse_optional_bytes_literal()
    if data is None:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        parser.raise_error(f"string is not UTF-8: {error.reason} at byte {error.start}", position, parser.pos)


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
    if (text := parse_optional_string_literal(parser)) is not None:
        return StringAttr(text)
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
    type: Attribute | None = None
    if parser.parse_optional_punctuation(":"):
        type = parser.parse_type()
    if isinstance(number, float):
        if type is not None and not isinstance(type, Float64Type):
            parser.raise_error(f"a float here is f64, found {type}", position, parser.pos)
        if not isfinite(number):
            parser.raise_error("float literal is out of the range of f64", position, parser.pos)
        return FloatAttr(number, f64)
    integer_type: Attribute = i64 if type is None else type
    if not isinstance(integer_type, IntegerType):
        parser.raise_error(f"an integer cannot have type {integer_type}", position, parser.pos)
    integer_type = cast("IntegerType", integer_type)
    low, high = integer_range(integer_type)
    if not low <= number <= high:
        parser.raise_error(
            f"integer {number} is out of the range {low}..{high} of {integer_type}", position, parser.pos
        )
    return IntegerAttr(number, integer_type)


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
        case FloatAttr(value=value, type=Float64Type()) if isfinite(value.data):
            return float_literal(value.data)
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
