"""Which tensors subgraphs hand to one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tools.simulate.leaves.partitioned_graph import PartitionedGraph


@dataclass(frozen=True, slots=True)
class Boundary:
    """Per tensor, the subgraphs that write it and those that read it, each once, ascending."""

    writers: Sequence[Sequence[int]]
    readers: Sequence[Sequence[int]]

    def is_made_outside(self, tensor: int, subgraph: int) -> bool:
        """Whether other subgraphs alone write a tensor."""
        return bool(self.writers[tensor]) and subgraph not in self.writers[tensor]

    def is_read_outside(self, tensor: int, subgraph: int) -> bool:
        """Whether another subgraph reads a tensor."""
        readers = self.readers[tensor]
        return len(readers) > 1 or (len(readers) == 1 and readers[0] != subgraph)


def boundary_of(graph: PartitionedGraph) -> Boundary:
    """Who writes and reads the tensors of a graph. O(operands log operands)."""
    return Boundary(_users(graph, graph.outputs), _users(graph, graph.inputs))


def _users(graph: PartitionedGraph, operands: Sequence[Sequence[int]]) -> list[Sequence[int]]:
    users: list[set[int] | None] = [None] * len(graph.shapes)
    for tensors, subgraph in zip(operands, graph.subgraphs, strict=True):
        for tensor in tensors:
            known = users[tensor]
            if known is None:
                users[tensor] = {subgraph}
            else:
                known.add(subgraph)
    return [() if known is None else sorted(known) for known in users]
