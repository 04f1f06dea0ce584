"""The tensor type of tile graphs and the memories that tensors live in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from xdsl.dialects.builtin import ArrayAttr, IntAttr
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, ParametrizedAttribute, SpacedOpaqueSyntaxAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from dialect.elements import ELEMENT_BY_TYPE, ELEMENTS, Element
from dialect.suggestions import did_you_mean

DYNAMIC = -1
"""The extent of a dimension that is not known when compiling, printed `?`."""

LARGEST_EXTENT = 2**63 - 1


class Memory(StrEnum):
    """Where a tensor lives. The order is that of the numbers in PyPTO dumps (0–22); `unknown` is the absent key."""

    UB = "ub"
    L1 = "l1"
    L0A = "l0a"
    L0B = "l0b"
    L0C = "l0c"
    FIX = "fix"
    FIX_QUANT_PRE = "fix_quant_pre"
    FIX_RELU_PRE = "fix_relu_pre"
    FIX_RELU_POST = "fix_relu_post"
    FIX_QUANT_POST = "fix_quant_post"
    FIX_ELT_ANTIQ = "fix_elt_antiq"
    FIX_MTE2_ANTIQ = "fix_mte2_antiq"
    BT = "bt"
    L2 = "l2"
    L3 = "l3"
    DDR = "ddr"
    HOST1 = "host1"
    FAR1 = "far1"
    FAR2 = "far2"
    WORKSPACE = "workspace"
    VECTOR_REG = "vector_reg"
    L0AMX = "l0amx"
    L0BMX = "l0bmx"
    UNKNOWN = "unknown"


MEMORIES: tuple[Memory, ...] = tuple(Memory)
"""The memory of each number of the dump format; the last one, 23, is `unknown`."""

MEMORY_NUMBERS: dict[Memory, int] = {memory: number for number, memory in enumerate(MEMORIES)}


@irdl_attr_definition
class MemoryAttr(EnumAttribute[Memory], SpacedOpaqueSyntaxAttribute):
    """A memory as an attribute: `#tile<memory ub>`."""

    name = "tile.memory"


MEMORY_ATTRS: tuple[MemoryAttr, ...] = tuple(MemoryAttr(memory) for memory in MEMORIES)
"""The memory attribute of each number of the dump format."""

MEMORY_ATTR_BY_NAME: Mapping[str, MemoryAttr] = {attr.data: attr for attr in MEMORY_ATTRS}


def parse_memory(parser: AttrParser) -> MemoryAttr:
    """Parse the bare name of a memory; the error names the nearest ones."""
    position = parser.pos
    name = parser.parse_identifier(context_msg=" as the name of a memory")
    memory = MEMORY_ATTR_BY_NAME.get(name)
    if memory is None:
        parser.raise_error(f"unknown memory '{name}'{did_you_mean(name, MEMORIES)}", position, parser.pos)
    return memory


@irdl_attr_definition
class TensorType(ParametrizedAttribute, TypeAttribute):
    """A tensor of a tile graph: its shape (`?` = dynamic), element type and memory.

    Example: `!tile.tensor<64x?xf32, ub>`.
    """

    name = "tile.tensor"

    extents: ArrayAttr[IntAttr]
    element_type: Attribute
    memory_attr: MemoryAttr

    @property
    def shape(self) -> tuple[int, ...]:
        """The extent of each dimension, -1 for a dynamic one."""
        return tuple(extent.data for extent in self.extents.data)

    @property
    def rank(self) -> int:
        return len(self.extents.data)

    @property
    def element(self) -> Element:
        return ELEMENT_BY_TYPE[self.element_type]

    @property
    def memory(self) -> Memory:
        return self.memory_attr.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            shape, element_type = parse_shape_and_element(parser)
            parser.parse_punctuation(",", " between the shape and the memory of a tensor")
            memory = parse_memory(parser)
        return [shape_attr(shape), element_type, memory]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            print_shape_and_element(printer, self.shape, self.element_type)
            printer.print_string(f", {self.memory}")

    def verify(self) -> None:
        verify_shape_and_element(self.shape, self.element_type)


def shape_attr(shape: Sequence[int]) -> ArrayAttr[IntAttr]:
    """A shape as the dialect's types and attributes hold it."""
    return ArrayAttr([IntAttr(extent) for extent in shape])


def parse_shape_and_element(parser: AttrParser) -> tuple[tuple[int, ...], Attribute]:
    """Parse `64x?xf32`; a scalar is just its element type.

    Raises:
        ParseError: an extent beyond 2^63-1, or a type that no tensor has.
    """
    position = parser.pos
    extents, element_type = parser.parse_ranked_shape()
    shape = tuple(DYNAMIC if extent < 0 else extent for extent in extents)
    try:
        verify_shape_and_element(shape, element_type)
    except VerifyException as error:
        parser.raise_error(str(error), position, parser.pos)
    return shape, element_type


def print_shape_and_element(printer: Printer, shape: Sequence[int], element_type: Attribute) -> None:
    """Print `64x?xf32`."""
    printer.print_string("".join("?x" if extent == DYNAMIC else f"{extent}x" for extent in shape))
    printer.print_attribute(element_type)


def verify_shape_and_element(shape: Sequence[int], element_type: Attribute) -> None:
    """Raises VerifyException for an extent out of range or an element type that dumps cannot hold."""
    for extent in shape:
        if not DYNAMIC <= extent <= LARGEST_EXTENT:
            raise VerifyException(f"extent {extent} is not in the range 0..{LARGEST_EXTENT}, nor ?")
    if element_type not in ELEMENT_BY_TYPE:
        names = ", ".join(str(element.type) for element in ELEMENTS)
        raise VerifyException(f"{element_type} is not an element type of tensors (they are {names})")


@lru_cache(maxsize=65536)
def tensor_type(shape: tuple[int, ...], element_number: int, memory_number: int) -> TensorType:
    """The tensor type of a shape and of the dump format's numbers of element type and memory; equal calls share one."""
    return TensorType(shape_attr(shape), ELEMENTS[element_number].type, MEMORY_ATTRS[memory_number])
