"""What tensors carry besides type and links, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.ir import Attribute, BlockArgument, OpResult

from dialect.attributes import StorageAttr
from dialect.elements import ELEMENT_BY_TYPE, ELEMENTS
from dialect.operation import TileOperation
from dialect.ops import BufferOp, FuncOp
from dialect.types import MEMORY_NUMBERS, MemoryAttr, TensorType
from dialect.values import items_of
from transforms.graph_of_function import FunctionGraph


@dataclass(frozen=True, slots=True)
class TensorFacts:
    """What the tensors of a graph carry; index = number of the tensor.

    Attributes:
        shapes: extents, -1 for a dynamic one.
        storages: the raw tensor that the tensor is a window of, as a number; tensors with equal numbers share it.
        storage_bytes: the size of the raw tensor; negative where an extent is dynamic.
        offsets: the tensor's place in its raw tensor, one entry for each dimension; empty for the origin.
        dynamic_offsets: the symbolic offset in the raw tensor, if the tensor carries one.
        valid_shapes: the dynamic valid shape, if it is another than the shape.
        target_memories: the memory that the tensor is meant for (`mem_type.tobe`), as the number of the dump format.
    """

    shapes: Sequence[tuple[int, ...]]
    storages: Sequence[int]
    storage_bytes: Sequence[int]
    offsets: Sequence[tuple[int, ...]]
    dynamic_offsets: Sequence[Attribute | None]
    valid_shapes: Sequence[Attribute | None]
    target_memories: Sequence[int]


def tensor_facts(function: FuncOp, function_graph: FunctionGraph) -> TensorFacts:
    """The facts of all tensors that operations or arguments of `function` name. O(tensors)."""
    graph, _, values = function_graph
    argument_properties = function.properties_of_arguments()
    shapes = tensor_shapes(function_graph)
    storages: list[int] = []
    storage_bytes: list[int] = []
    offsets: list[tuple[int, ...]] = []
    dynamic_offsets: list[Attribute | None] = []
    valid_shapes: list[Attribute | None] = []
    target_memories: list[int] = []
    number_of_storage: dict[int, int] = {}
    for number, value in enumerate(values):
        if isinstance(value, BlockArgument):
            carried, several, windowed = argument_properties[value.index], None, False
        else:
            op = value.owner
            assert isinstance(value, OpResult) and isinstance(op, (TileOperation, BufferOp))
            carried = op.properties
            several = value.index if len(op.results) > 1 else None
            windowed = isinstance(op, TileOperation) and op.opcode.is_windowed
        storage = _value_of(carried, "storage", several)
        if isinstance(storage, StorageAttr):
            # Own storages take the numbers 0, 2, 4, …, stated ones 1, 3, 5, ….
            storages.append(2 * number_of_storage.setdefault(storage.number.data, len(number_of_storage)) + 1)
            storage_bytes.append(_product(storage.shape) * ELEMENT_BY_TYPE[storage.element_type].bytes)
            offsets.append(storage.offset if any(storage.offset) else ())
        else:
            storages.append(2 * number)
            storage_bytes.append(_product(shapes[number]) * ELEMENTS[graph.elements[number]].bytes)
            offsets.append(())
        dynamic_offsets.append(_value_of(carried, "dyn_offset", several))
        valid_shapes.append(_value_of(carried, "tensor_valid" if windowed else "valid", several))
        target = _value_of(carried, "tobe", several)
        target_memories.append(
            MEMORY_NUMBERS[target.data] if isinstance(target, MemoryAttr) else graph.memories[number]
        )
    return TensorFacts(shapes, storages, storage_bytes, offsets, dynamic_offsets, valid_shapes, target_memories)


def tensor_shapes(function_graph: FunctionGraph) -> list[tuple[int, ...]]:
    """Per tensor, its extents, -1 for a dynamic one. O(tensors)."""
    shape_of_type: dict[int, tuple[int, ...]] = {}
    shapes: list[tuple[int, ...]] = []
    for value in function_graph.tensors:
        type = cast(TensorType, value.type)
        shape = shape_of_type.get(id(type))
        if shape is None:
            shape = shape_of_type[id(type)] = type.shape
        shapes.append(shape)
    return shapes


def _value_of(carried: Mapping[str, Attribute], name: str, position: int | None) -> Attribute | None:
    """A property of a tensor; `position` is that of the result where the op has several."""
    value = carried.get(name)
    if value is None or position is None:
        return value
    items = items_of(value)
    return items[position] if items is not None else None


def _product(extents: Sequence[int]) -> int:
    product = 1
    for extent in extents:
        if extent < 0:
            return -1
        product *= extent
    return product
