"""Groups of copies: disjoint sets of vertices that are taken for isomorphic (OSP, section 5.4)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from transforms.graph_partition.osp.dag import Dag
from transforms.graph_partition.osp.orbits import TreeNumbers, predecessor_trees

Copies = Sequence[Sequence[int]]
"""The copies of a group, each with its vertices ascending; copies by their smallest vertex."""


class CopyGroups:
    """Groups of copies of a DAG, by number; every copy is weakly connected."""

    def __init__(self, dag: Dag, orbits: Sequence[Sequence[int]]) -> None:
        """One group for each orbit, its vertices the copies."""
        self._dag = dag
        self._group_of = [0] * dag.vertex_count
        self._copy_of = [0] * dag.vertex_count
        for group, members in enumerate(orbits):
            for copy, vertex in enumerate(members):
                self._group_of[vertex], self._copy_of[vertex] = group, copy
        self._copies: list[Copies] = [[(vertex,) for vertex in members] for members in orbits]

    def __getitem__(self, group: int) -> Copies:
        return self._copies[group]

    def __len__(self) -> int:
        return len(self._copies)

    def group_of(self, vertex: int) -> int:
        """The group of a vertex."""
        return self._group_of[vertex]

    def united(self, one: int, other: int) -> Copies | None:
        """The connected pieces of two groups with an edge between them: the copies of a merged group.

        Returns:
            None if the pieces differ in their numbers of vertices or edges, or of vertices with the same unlabelled
            tree of predecessors; what does not differ there need not be isomorphic.

        Notes:
            O(vertices + edges) of both groups; only O(vertices) if both have one copy.
        """
        pieces = self._pieces(one, other)
        if len(pieces) > 1:
            if len({len(piece) for piece in pieces}) > 1:
                return None
            numbers: TreeNumbers = {}
            shape = self._shape(pieces[0], numbers)
            if any(self._shape(piece, numbers) != shape for piece in pieces[1:]):
                return None
        return pieces

    def absorb(self, group: int, absorbed: int, copies: Copies) -> None:
        """Give `group` these copies, which hold those of `absorbed` too."""
        for members in self._copies[absorbed]:
            for vertex in members:
                self._group_of[vertex] = group
        if len(copies) > 1 or len(self._copies[group]) > 1 or len(self._copies[absorbed]) > 1:
            for copy, members in enumerate(copies):
                for vertex in members:
                    self._copy_of[vertex] = copy
        self._copies[group], self._copies[absorbed] = copies, ()

    def _pieces(self, one: int, other: int) -> Copies:
        if len(self._copies[one]) == 1 == len(self._copies[other]):
            return [sorted([*self._copies[one][0], *self._copies[other][0]])]
        if _vertex_count(self._copies[one]) > _vertex_count(self._copies[other]):
            one, other = other, one
        first_of_other = len(self._copies[one])
        copies = [*self._copies[one], *self._copies[other]]
        root = list(range(len(copies)))

        def find(copy: int) -> int:
            while root[copy] != copy:
                root[copy] = copy = root[root[copy]]
            return copy

        for copy, members in enumerate(self._copies[one]):
            for vertex in members:
                for neighbours in (self._dag.children[vertex], self._dag.parents[vertex]):
                    for neighbour in neighbours:
                        if self._group_of[neighbour] == other:
                            root[find(copy)] = find(first_of_other + self._copy_of[neighbour])
        pieces: dict[int, list[int]] = {}
        for copy, members in enumerate(copies):
            pieces.setdefault(find(copy), []).extend(members)
        return sorted(map(sorted, pieces.values()))

    def _shape(self, piece: Sequence[int], numbers: TreeNumbers) -> Hashable:
        """The number of edges inside a piece, and how many vertices have which unlabelled tree of predecessors."""
        inside = set(piece)
        edge_count = sum([child in inside for vertex in piece for child in self._dag.children[vertex]])
        return edge_count, tuple(sorted(predecessor_trees(self._dag, piece, numbers).values()))


def _vertex_count(copies: Copies) -> int:
    return sum(map(len, copies))
