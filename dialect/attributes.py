"""Attributes of the dialect: storage, hash orders, typed scalars."""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr, FloatData, IntAttr, NoneAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialect.elements import ELEMENT_BY_TYPE
from dialect.text import float_literal, parse_string_literal, quoted
from dialect.types import parse_shape_and_element, print_shape_and_element, shape_attr, verify_shape_and_element


@irdl_attr_definition
class StorageAttr(ParametrizedAttribute):
    """The raw tensor that a tensor is a window of: its number, shape, element type, and the tensor's offset in it.

    Example: `#tile.storage<29, 256x128xf32, [0, 64]>`.
    """

    name = "tile.storage"

    number: IntAttr
    extents: ArrayAttr[IntAttr]
    element_type: Attribute
    offsets: ArrayAttr[IntAttr]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(extent.data for extent in self.extents.data)

    @property
    def offset(self) -> tuple[int, ...]:
        return tuple(offset.data for offset in self.offsets.data)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            number = parser.parse_integer(allow_boolean=False, allow_negative=True)
            parser.parse_punctuation(",")
            shape, element_type = parse_shape_and_element(parser)
            parser.parse_punctuation(",")
            offset = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False, allow_negative=True)
            )
        return [IntAttr(number), shape_attr(shape), element_type, shape_attr(offset)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.number.data}, ")
            print_shape_and_element(printer, self.shape, self.element_type)
            printer.print_string(f", [{', '.join(map(str, self.offset))}]")

    def verify(self) -> None:
        verify_shape_and_element(self.shape, self.element_type)


@irdl_attr_definition
class HashOrderAttr(ParametrizedAttribute):
    """The name of a class of isomorphic subgraphs and the number of its members: `#tile.hashorder<"func8_2", 48>`."""

    name = "tile.hashorder"

    class_name: StringAttr
    members: IntAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            class_name = parse_string_literal(parser)
            parser.parse_punctuation(",")
            members = parser.parse_integer(allow_boolean=False, allow_negative=True)
        return [StringAttr(class_name), IntAttr(members)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(quoted(self.class_name.data))
            printer.print_string(f", {self.members.data}")

    def verify(self) -> None:
        if self.members.data < 1:
            raise VerifyException(f"a class has at least one member, found {self.members.data}")


@irdl_attr_definition
class ScalarAttr(ParametrizedAttribute):
    """A number of a given element type, kept as written; `undefined` where the dump has no value.

    Examples: `#tile.scalar<f32, 0.125>`, `#tile.scalar<ui64, 9223372036854775808>`, `#tile.scalar<f32, undefined>`.
    """

    name = "tile.scalar"

    element_type: Attribute
    value: IntAttr | FloatData | NoneAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            element_type = parser.parse_type()
            parser.parse_punctuation(",")
            value: Attribute
            if parser.parse_optional_keyword("undefined"):
                value = NoneAttr()
            else:
                number = parser.parse_number(allow_boolean=False)
                value = FloatData(number) if isinstance(number, float) else IntAttr(number)
        return [element_type, value]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.element_type)
            printer.print_string(", ")
            match self.value:
                case IntAttr(data=number):
                    printer.print_string(str(number))
                case FloatData(data=number):
                    printer.print_string(float_literal(number))
                case _:
                    printer.print_string("undefined")

    def verify(self) -> None:
        if self.element_type not in ELEMENT_BY_TYPE:
            raise VerifyException(f"{self.element_type} is not an element type of tensors")
        if isinstance(self.value, FloatData) and not -float("inf") < self.value.data < float("inf"):
            raise VerifyException(f"a scalar must be finite, found {self.value.data}")
