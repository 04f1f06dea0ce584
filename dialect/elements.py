"""Element types of tensors: their names in the dialect, their numbers in PyPTO dumps, their widths."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    Signedness,
    StringAttr,
)
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialect.suggestions import did_you_mean


@irdl_attr_definition
class FloatType(ParametrizedAttribute, TypeAttribute):
    """A narrow floating-point format that the builtin dialect has no type for: `!tile.float<fp8e4m3>`."""

    name = "tile.float"

    format: StringAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            position = parser.pos
            format = parser.parse_identifier(context_msg=" as the name of a float format")
            if format not in NARROW_FLOAT_FORMATS:
                parser.raise_error(_unknown_format(format), position, parser.pos)
        return [StringAttr(format)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.format.data)

    def verify(self) -> None:
        if self.format.data not in NARROW_FLOAT_FORMATS:
            raise VerifyException(_unknown_format(self.format.data))


def _unknown_format(format: str) -> str:
    return (
        f"unknown float format '{format}'{did_you_mean(format, NARROW_FLOAT_FORMATS)} "
        f"(known: {', '.join(sorted(NARROW_FLOAT_FORMATS))})"
    )


NARROW_FLOAT_FORMATS = frozenset(
    {
        "fp8",
        "hf4",
        "hf8",
        "fp8e4m3",
        "fp8e5m2",
        "fp8e8m0",
        "fp4_e2m1x2",
        "fp4_e1m2x2",
        "fp4_e2m1",
        "fp4_e1m2",
    }
)


@dataclass(frozen=True, slots=True)
class Element:
    """An element type: its number in dumps, its type in the dialect, its width in bytes (4-bit types count 1)."""

    number: int
    type: Attribute
    bytes: int


def _unsigned(width: int) -> IntegerType:
    return IntegerType(width, Signedness.UNSIGNED)


def _narrow(format: str) -> FloatType:
    return FloatType(StringAttr(format))


ELEMENTS: tuple[Element, ...] = tuple(
    Element(number, type, width)
    for number, (type, width) in enumerate(
        (
            (IntegerType(4), 1),
            (IntegerType(8), 1),
            (IntegerType(16), 2),
            (IntegerType(32), 4),
            (IntegerType(64), 8),
            (_narrow("fp8"), 1),
            (Float16Type(), 2),
            (Float32Type(), 4),
            (BFloat16Type(), 2),
            (_narrow("hf4"), 1),
            (_narrow("hf8"), 1),
            (_unsigned(8), 1),
            (_unsigned(16), 2),
            (_unsigned(32), 4),
            (_unsigned(64), 8),
            (IntegerType(1), 1),
            (Float64Type(), 8),
            (_narrow("fp8e4m3"), 1),
            (_narrow("fp8e5m2"), 1),
            (_narrow("fp8e8m0"), 1),
            (_narrow("fp4_e2m1x2"), 1),
            (_narrow("fp4_e1m2x2"), 1),
            (_narrow("fp4_e2m1"), 1),
            (_narrow("fp4_e1m2"), 1),
        )
    )
)
"""All element types; the index of an element is its number in dumps of the current format."""

ELEMENT_BY_TYPE: dict[Attribute, Element] = {element.type: element for element in ELEMENTS}
