"""A tile function as plain arrays.

Algorithms never walk IR objects in their inner loops: a pass turns a function once into a `TileGraph`, works on it, and
writes its result back to the operations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class Scope(NamedTuple):
    """An option scope as an operation carries it; id -1 is no scope."""

    id: int
    parallel: bool
    cross: bool


NO_SCOPE = Scope(-1, False, False)


@dataclass(frozen=True, slots=True)
class TileGraph:
    """The operations and tensors of one tile function.

    Operations are numbered 0, 1, … in text order and tensors 0, 1, … in order of first appearance; together they form a
    bipartite graph, so that a tensor with p producers and c consumers costs p + c entries and never p · c.

    Attributes:
        magics: per operation, its unique number.
        opcodes: per operation, its opcode number (index into `dialect.opcodes.OPCODES`).
        latencies: per operation, cycles.
        inputs: per operation, the tensor of each input operand in order; repeats are kept.
        outputs: per operation, the tensor of each output in order.
        scopes: per operation, its option scope.
        dynamic_windows: per operation, whether it is view-like or assemble-like with a dynamic offset list that says
            something else than its static offsets.
        conversions: for each CONVERT operation that has them, its (from, to) memories.
        runtime_reads: for the few operations whose symbolic offsets or shapes read a tensor at run time, those tensors,
            in the order in which the canonical order counts them.
        memories: per tensor, its memory as the number of the dump format (0 = UB … 22, 23 = unknown).
        elements: per tensor, its data type as the number of the dump format.
    """

    magics: Sequence[int]
    opcodes: Sequence[int]
    latencies: Sequence[int]
    inputs: Sequence[tuple[int, ...]]
    outputs: Sequence[tuple[int, ...]]
    scopes: Sequence[Scope]
    dynamic_windows: Sequence[bool]
    memories: Sequence[int]
    elements: Sequence[int]
    conversions: Mapping[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    runtime_reads: Mapping[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])

    @property
    def operation_count(self) -> int:
        return len(self.magics)

    @property
    def tensor_count(self) -> int:
        return len(self.memories)
