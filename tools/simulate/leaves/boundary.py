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
    users: list[Sequence[int]] = [()] * len(graph.shapes)
    alone = [(subgraph,) for subgraph in range(max(graph.subgraphs, default=-1) + 1)]
    shared: dict[int, set[int]] = {}
    for tensors, subgraph in zip(operands, graph.subgraphs, strict=True):
        for tensor in tensors:
            known = users[tensor]
            if not known:
                users[tensor] = alone[subgraph]
            elif known[0] != subgraph:
                shared.setdefault(tensor, {known[0]}).add(subgraph)
    for tensor, subgraphs in shared.items():
        users[tensor] = tuple(sorted(subgraphs))
    return users
