"""What outlining has to know of the ops and tensors of a function, gathered once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr, UnitAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation

from dialect.attributes import StorageAttr
from dialect.operation import INTO, TileOperation
from dialect.ops import BufferOp, FuncOp
from dialect.properties import MEMBER_PARAMS, MEMBER_PROPERTIES, SYMBOLIC_PROPERTIES
from dialect.types import TensorType
from dialect.values import items_of
from transforms.graph import TileGraph
from transforms.graph_of_function import FunctionGraph
from transforms.outlining.attribute_numbers import AttributeNumbers

EXTERNAL = -1
"""The home of a tensor that several subgraphs share, or that is an argument of the function."""

_UNTOUCHED = -2
_NOT_STRUCTURE = frozenset({*MEMBER_PROPERTIES, "subgraph", INTO, "offsets", "dyn_offsets"})


class Window(NamedTuple):
    """The part of an external tensor that a view-like op reads or an assemble-like op writes.

    `place` is a number, equal for windows of equal offsets and extents.
    """

    tensor: int
    extents: tuple[int, ...]
    place: int


class OperationFacts(NamedTuple):
    """What of an op does not depend on which tensors it is given.

    Attributes:
        structure: a number, equal for ops whose code is equal.
        symbols: the symbolic values of the op, in order.
        window: the window of an external tensor that the op reads or writes, if the leaf gets just that.
        storages: the numbers of the raw tensors of results inside.
    """

    structure: int
    symbols: tuple[str, ...]
    window: Window | None
    storages: tuple[int, ...]


class BufferFacts(NamedTuple):
    """What of a buffer is part of a leaf; as for an op."""

    structure: int
    symbols: tuple[str, ...]
    storages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OutlinedGraph:
    """A function whose ops all have a subgraph.

    Attributes:
        graph: its arrays.
        operations: per op, the object.
        values: per tensor, the object.
        subgraphs: per op, its subgraph.
        homes: per tensor, the subgraph that alone reads and writes it, or EXTERNAL.
        facts: per op.
        borders: per external tensor, a number, equal where element, memory and target memory are.
        target_memories: per external tensor that states one, the memory that it is to be in.
        buffers: per tensor that a buffer defines and one subgraph alone uses, the facts of the buffer.
    """

    graph: TileGraph
    operations: Sequence[TileOperation]
    values: Sequence[SSAValue]
    subgraphs: Sequence[int]
    homes: Sequence[int]
    facts: Sequence[OperationFacts]
    borders: Mapping[int, int]
    target_memories: Mapping[int, Attribute]
    buffers: Mapping[int, BufferFacts]


def outlined_graph(
    function: FuncOp, of_function: FunctionGraph, subgraphs: Sequence[int], numbers: AttributeNumbers
) -> OutlinedGraph:
    """Gather the facts of a function whose ops all have a subgraph. O(operations + operands)."""
    graph, operations, values = of_function
    homes = _homes(graph, subgraphs, len(function.arguments))
    written_and_read = _written_and_read(graph, subgraphs, homes)
    facts = [
        _operation_facts(index, op, graph, values, homes, written_and_read, subgraphs[index], numbers)
        for index, op in enumerate(operations)
    ]
    target_memories = _target_memories(function, graph, operations, values)
    borders: dict[int, int] = {}
    for tensor, home in enumerate(homes):
        if home == EXTERNAL:
            tobe = target_memories.get(tensor)
            kind = graph.elements[tensor], graph.memories[tensor], -1 if tobe is None else numbers.of(tobe)
            borders[tensor] = numbers.of_value(kind)
    buffers: dict[int, BufferFacts] = {}
    for tensor, (value, home) in enumerate(zip(values, homes, strict=True)):
        if home != EXTERNAL and isinstance(value.owner, BufferOp):
            start = [numbers.of(value.type)]
            raws = _add_storages([value.owner.storage], start, numbers)
            buffers[tensor] = BufferFacts(*_structure(value.owner, start, numbers), raws)
    return OutlinedGraph(graph, operations, values, subgraphs, homes, facts, borders, target_memories, buffers)


def _homes(graph: TileGraph, subgraphs: Sequence[int], argument_count: int) -> list[int]:
    homes = [EXTERNAL] * argument_count + [_UNTOUCHED] * (graph.tensor_count - argument_count)
    for subgraph, inputs, outputs in zip(subgraphs, graph.inputs, graph.outputs, strict=True):
        for tensor in (*inputs, *outputs):
            home = homes[tensor]
            if home == _UNTOUCHED:
                homes[tensor] = subgraph
            elif home != subgraph:
                homes[tensor] = EXTERNAL
    return homes


def _written_and_read(graph: TileGraph, subgraphs: Sequence[int], homes: Sequence[int]) -> set[tuple[int, int]]:
    """The pairs of a subgraph and an external tensor that it writes and reads."""
    written = {
        (subgraph, tensor)
        for subgraph, outputs in zip(subgraphs, graph.outputs, strict=True)
        for tensor in outputs
        if homes[tensor] == EXTERNAL
    }
    return {
        (subgraph, tensor)
        for subgraph, inputs in zip(subgraphs, graph.inputs, strict=True)
        for tensor in inputs
        if homes[tensor] == EXTERNAL and (subgraph, tensor) in written
    }


def _target_memories(
    function: FuncOp, graph: TileGraph, operations: Sequence[TileOperation], values: Sequence[SSAValue]
) -> dict[int, Attribute]:
    """The stated target memory of each tensor that has one."""
    memories: dict[int, Attribute] = {}
    for tensor, entry in enumerate(function.properties_of_arguments()):
        if "tobe" in entry:
            memories[tensor] = entry["tobe"]
    for tensor, value in enumerate(values):
        if isinstance(value.owner, BufferOp) and "tobe" in value.owner.properties:
            memories[tensor] = value.owner.properties["tobe"]
    for index, op in enumerate(operations):
        if "tobe" in op.properties:
            stated = per_result(op.properties["tobe"], len(op.results))
            fresh = [tensor for tensor, into in zip(graph.outputs[index], op.output_kinds, strict=True) if not into]
            memories.update((tensor, memory) for tensor, memory in zip(fresh, stated, strict=True) if memory)
    return memories


def per_result(value: Attribute | None, result_count: int) -> list[Attribute | None]:
    """The value that a property of results has for each of them, None where it has none."""
    if value is None:
        return [None] * result_count
    if result_count == 1:
        return [value]
    items = items_of(value)
    assert items is not None and len(items) == result_count, "verified"
    return [None if isinstance(item, UnitAttr) else item for item in items]


def joined(values: Sequence[Attribute | None]) -> Attribute | None:
    """The property of results that has these values; None if no result has one."""
    if all(value is None for value in values):
        return None
    if len(values) == 1:
        return values[0]
    return ArrayAttr([UnitAttr() if value is None else value for value in values])


def _operation_facts(
    index: int,
    op: TileOperation,
    graph: TileGraph,
    values: Sequence[SSAValue],
    homes: Sequence[int],
    written_and_read: set[tuple[int, int]],
    subgraph: int,
    numbers: AttributeNumbers,
) -> OperationFacts:
    properties = op.properties
    inputs, outputs = graph.inputs[index], graph.outputs[index]
    window: Window | None = None
    if op.opcode.is_windowed and "offsets" in properties:
        window = _window(op, inputs, outputs, values, homes, numbers)
        if window is not None and (subgraph, window.tensor) in written_and_read:
            window = None
    fresh = [tensor for tensor, into in zip(outputs, op.output_kinds, strict=True) if not into]
    inside = {
        tensor: result.type for tensor, result in zip(fresh, op.results, strict=True) if homes[tensor] != EXTERNAL
    }
    start = [op.opcode.number, len(inputs)]
    start += [numbers.of(inside[tensor]) if tensor in inside else -1 for tensor in outputs]
    symbols: tuple[str, ...] = ()
    if window is not None:
        start.append(numbers.of(DenseArrayBase.from_list(i64, [0] * len(window.extents))))
    elif "offsets" in properties:
        start.append(numbers.of(properties["offsets"]))
        if "dyn_offsets" in properties:
            structure, symbols = numbers.of_structure(properties["dyn_offsets"])
            start.append(structure)
    storages: tuple[int, ...] = ()
    if "storage" in properties:
        stated = per_result(properties["storage"], len(fresh))
        kept = [storage if tensor in inside else None for tensor, storage in zip(fresh, stated, strict=True)]
        storages = _add_storages(kept, start, numbers)
    structure, more_symbols = _structure(op, start, numbers)
    return OperationFacts(structure, symbols + more_symbols, window, storages)


def _add_storages(stated: Sequence[Attribute | None], parts: list[int], numbers: AttributeNumbers) -> tuple[int, ...]:
    """Add the layouts of storages, with the place of each, and return their raw tensors."""
    raws: list[int] = []
    for place, storage in enumerate(stated):
        if isinstance(storage, StorageAttr):
            parts.append(numbers.of_value((place, storage.shape, storage.element_type, storage.offset)))
            raws.append(storage.number.data)
    return tuple(raws)


def _window(
    op: TileOperation,
    inputs: Sequence[int],
    outputs: Sequence[int],
    values: Sequence[SSAValue],
    homes: Sequence[int],
    numbers: AttributeNumbers,
) -> Window | None:
    """The window of an external tensor that an op reads or writes; None if the leaf has to get the whole tensor."""
    if not inputs or not outputs:
        return None
    is_read = op.opcode.is_view_like
    tensor, tile = (inputs[0], outputs[0]) if is_read else (outputs[0], inputs[0])
    if homes[tensor] != EXTERNAL or not (is_read or op.output_kinds[0]):
        return None
    whole, part = values[tensor].type, values[tile].type
    assert isinstance(whole, TensorType) and isinstance(part, TensorType)
    if whole.rank != part.rank:
        return None
    dynamic = op.properties.get("dyn_offsets")
    offsets = numbers.of(op.properties["offsets"]), -1 if dynamic is None else numbers.of(dynamic)
    return Window(tensor, part.shape, numbers.of_value((*offsets, part.shape)))


def _structure(op: IRDLOperation, start: Sequence[int], numbers: AttributeNumbers) -> tuple[int, tuple[str, ...]]:
    """A number for `start` and the properties that are part of a leaf, and their symbolic values."""
    parts = list(start)
    symbols: tuple[str, ...] = ()
    for name in sorted(op.properties.keys() - _NOT_STRUCTURE):
        value = op.properties[name]
        if name in SYMBOLIC_PROPERTIES:
            number, texts = numbers.of_structure(value)
            symbols += texts
        else:
            if name == "params" and isinstance(value, DictionaryAttr):
                value = shared_params(value)
                if not value.data:
                    continue
            number = numbers.of(value)
        parts += (numbers.of_value(name), number)
    return numbers.of_value(tuple(parts)), symbols


def shared_params(params: DictionaryAttr) -> DictionaryAttr:
    """The entries of `params` that are part of a leaf."""
    if params.data.keys().isdisjoint(MEMBER_PARAMS):
        return params
    return DictionaryAttr({key: value for key, value in params.data.items() if key not in MEMBER_PARAMS})
