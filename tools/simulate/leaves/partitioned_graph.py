"""A partitioned function as the arrays that the simulator lowers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dialect.types import MEMORY_NUMBERS, Memory

UB, L1, L0A, L0B, L0C = (
    MEMORY_NUMBERS[memory] for memory in (Memory.UB, Memory.L1, Memory.L0A, Memory.L0B, Memory.L0C)
)
DDR = MEMORY_NUMBERS[Memory.DDR]

OFF_CHIP = frozenset(
    MEMORY_NUMBERS[memory]
    for memory in (
        Memory.L2,
        Memory.L3,
        Memory.DDR,
        Memory.HOST1,
        Memory.FAR1,
        Memory.FAR2,
        Memory.WORKSPACE,
        Memory.UNKNOWN,
    )
)
"""Memories that a core reaches only by copies; a tensor of unknown memory counts as being there."""


@dataclass(frozen=True, slots=True)
class PartitionedGraph:
    """Operations in topological order, each in a subgraph, and the tensors between them.

    Attributes:
        opcodes: per operation, its name.
        inputs, outputs: per operation, the tensors in operand order; repeats are kept.
        subgraphs: per operation, the id of its subgraph.
        attributes: per operation, a number for its offsets, parameters and other attributes; equal ones are equal.
        transposed: the operations that transpose a tile on its way to L0.
        axes: the axis of operations that state one.
        shapes: per tensor, its extents, -1 for a dynamic one.
        elements, memories: per tensor, the numbers of the dump format.
        places: per tensor, a number for the raw tensor it lies in and its offset there.
        splits_rows: the tensors whose rows are parts of the rows of their raw tensors.
    """

    opcodes: Sequence[str]
    inputs: Sequence[tuple[int, ...]]
    outputs: Sequence[tuple[int, ...]]
    subgraphs: Sequence[int]
    attributes: Sequence[int]
    transposed: frozenset[int]
    axes: Mapping[int, int]
    shapes: Sequence[tuple[int, ...]]
    elements: Sequence[int]
    memories: Sequence[int]
    places: Sequence[int]
    splits_rows: frozenset[int]

    def operations_of_subgraphs(self) -> list[list[int]]:
        """Per subgraph, its operations in order; ids without operations have none."""
        members: list[list[int]] = [[] for _ in range(max(self.subgraphs, default=-1) + 1)]
        for operation, subgraph in enumerate(self.subgraphs):
            members[subgraph].append(operation)
        return members
