"""A tile graph renumbered by canonical order; all steps of the partition work on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from dialect.opcodes import OPCODES
from transforms.graph import TileGraph
from transforms.graph_partition.buckets import Alone, append_to
from transforms.graph_partition.core_types import CORE_BITS
from transforms.operation_description import describe_operation

_Value = TypeVar("_Value")

_WINDOWED: tuple[bool, ...] = tuple(opcode.is_windowed for opcode in OPCODES)


@dataclass(frozen=True, slots=True)
class OrderedGraph:
    """Operations by their *index*, the position in canonical order; every edge goes from a smaller to a larger index.

    Attributes:
        graph: the graph in its own numbering; tensors keep their numbers.
        order: per index, the operation of `graph`.
        opcodes, latencies, inputs, outputs: as in `TileGraph`, per index.
        cores: per index, the bit of its core type.
        windowed: per index, whether it is view-like or assemble-like.
        producers, consumers: per tensor, the distinct indices that write and read it, ascending.
        alone: for every number of an operation or a tensor, the tuple of it alone.
    """

    graph: TileGraph
    order: Sequence[int]
    opcodes: Sequence[int]
    latencies: Sequence[int]
    inputs: Sequence[tuple[int, ...]]
    outputs: Sequence[tuple[int, ...]]
    cores: Sequence[int]
    windowed: Sequence[bool]
    producers: Sequence[Sequence[int]]
    consumers: Sequence[Sequence[int]]
    alone: Alone

    @property
    def operation_count(self) -> int:
        return len(self.order)

    def describe(self, index: int) -> str:
        """The operation at `index` as messages name it."""
        return describe_operation(self.graph, self.order[index])

    def describe_all(self, indices: Sequence[int], limit: int = 4) -> str:
        """Up to `limit` of the operations at `indices` as messages name them."""
        shown = ", ".join(self.describe(index) for index in indices[:limit])
        return shown if len(indices) <= limit else f"{shown} and {len(indices) - limit} more"


def order_graph(graph: TileGraph, order: Sequence[int]) -> OrderedGraph:
    """Renumber `graph` by `order`, its canonical order. O(operations + operands)."""
    opcodes = [graph.opcodes[operation] for operation in order]
    inputs = [graph.inputs[operation] for operation in order]
    outputs = [graph.outputs[operation] for operation in order]
    alone = [(number,) for number in range(max(len(order), graph.tensor_count))]
    return OrderedGraph(
        graph=graph,
        order=order,
        opcodes=opcodes,
        latencies=[graph.latencies[operation] for operation in order],
        inputs=inputs,
        outputs=outputs,
        cores=[CORE_BITS[opcode] for opcode in opcodes],
        windowed=[_WINDOWED[opcode] for opcode in opcodes],
        producers=_users(outputs, graph.tensor_count, alone),
        consumers=_users(inputs, graph.tensor_count, alone),
        alone=alone,
    )


def by_operation(ordered: OrderedGraph, by_index: Sequence[_Value]) -> list[_Value]:
    """A list per index as a list per operation of the graph."""
    values = list(by_index)
    for operation, value in zip(ordered.order, by_index, strict=True):
        values[operation] = value
    return values


def _users(operands: Sequence[tuple[int, ...]], tensor_count: int, alone: Alone) -> list[Sequence[int]]:
    users: list[Sequence[int]] = [()] * tensor_count
    for index, tensors in enumerate(operands):
        for tensor in tensors:
            using = users[tensor]
            if not using or using[-1] != index:
                append_to(users, tensor, index, alone)
    return users
