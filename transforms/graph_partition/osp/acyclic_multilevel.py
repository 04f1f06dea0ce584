"""Multilevel acyclic partitioning: coarsen along heavy edges under a size bound, then refine level by level.

Sources: J. Herrmann, M. Y. Özkaya, B. Uçar, K. Kaya, Ü. Çatalyürek, "Multilevel algorithms for acyclic partitioning of
directed acyclic graphs", SIAM J. Sci. Comput., 2019; the moves are those of O. Moreira, M. Popp, C. Schulz, "Graph
partitioning with acyclicity constraints", 2017.
"""

from __future__ import annotations

from collections.abc import Sequence

from transforms.graph_partition.osp.dag import Dag, contract, quotient, renumber_topologically, topological_order
from transforms.graph_partition.osp.dag_paths import depths

_REFINEMENTS = 8


def multilevel_partition(dag: Dag, largest_work: int) -> list[int]:
    """Parts of at most `largest_work` cycles (or one vertex) that send little to one another.

    Args:
        dag: the graph; parts hold vertices of one type, and of one scope at most.
        largest_work: the bound of the work of a part.

    Returns:
        per vertex its part; parts are numbered topologically from 0 without gaps.

    Raises:
        ValueError: the edges form a cycle.

    Notes:
        O((vertices + edges) · log) for each of the levels, of which there are about log vertices. Deterministic.
    """
    fine_graphs: list[Dag] = []
    maps: list[list[int]] = []
    coarse = dag
    while pairs := _heavy_pairs(coarse, largest_work):
        fine_graphs.append(coarse)
        coarse, renumbered = contract(coarse, pairs)
        maps.append(renumbered)
    part_of = list(range(coarse.vertex_count))
    for fine, renumbered in zip(reversed(fine_graphs), reversed(maps), strict=True):
        part_of = _refined(fine, [part_of[vertex] for vertex in renumbered], largest_work)
    count = 1 + max(part_of, default=-1)
    numbered = renumber_topologically(dag, part_of, count)
    assert numbered is not None
    return numbered


def _heavy_pairs(dag: Dag, largest_work: int) -> list[tuple[int, int]]:
    """Disjoint pairs of neighbours on neighbouring levels whose parents send most, so chosen that no cycle arises.

    A pair is left out if one of its ends has a merged neighbour on the other's level on both sides, as in OspSarkar.
    """
    levels = depths(dag.parents, topological_order(dag))
    edges = [
        (-dag.communication[upper], len(children), upper, lower)
        for upper, children in enumerate(dag.children)
        for lower in children
        if levels[lower] == levels[upper] + 1
        and dag.types[lower] == dag.types[upper]
        and not (dag.scopes[lower] and dag.scopes[upper] and dag.scopes[lower] != dag.scopes[upper])
        and dag.work[upper] + dag.work[lower] <= largest_work
    ]
    is_upper, is_lower = bytearray(dag.vertex_count), bytearray(dag.vertex_count)
    pairs: list[tuple[int, int]] = []
    for _, _, upper, lower in sorted(edges):
        if is_upper[upper] or is_lower[upper] or is_upper[lower] or is_lower[lower]:
            continue
        if any(is_lower[child] and levels[child] == levels[lower] for child in dag.children[upper]) and any(
            is_upper[parent] and levels[parent] == levels[upper] for parent in dag.parents[lower]
        ):
            continue
        is_upper[upper] = is_lower[lower] = True
        pairs.append((upper, lower))
    return pairs


def _refined(dag: Dag, part_of: Sequence[int], largest_work: int) -> list[int]:
    """Move vertices to parts of their parents or children while less is sent then; parts may vanish."""
    count = 1 + max(part_of, default=-1)
    numbered = renumber_topologically(dag, part_of, count)
    assert numbered is not None
    refinement = _Refinement(dag, numbered, count, largest_work)
    for _ in range(_REFINEMENTS):
        if not refinement.improve():
            break
    used = {part: number for number, part in enumerate(sorted(set(refinement.part_of)))}
    return [used[part] for part in refinement.part_of]


class _Refinement:
    """Parts whose numbers are a topological order, which every move keeps."""

    def __init__(self, dag: Dag, part_of: list[int], count: int, largest_work: int) -> None:
        self._dag, self.part_of, self._largest_work = dag, part_of, largest_work
        parts = quotient(dag, part_of, count)
        self._works, self._types = list(parts.work), parts.types
        self._scopes = parts.scopes
        self._child_counts: list[dict[int, int]] = [{} for _ in part_of]
        for vertex, children in enumerate(dag.children):
            for child in children:
                self._count(vertex, part_of[child], 1)

    def _count(self, vertex: int, part: int, change: int) -> None:
        counts = self._child_counts[vertex]
        counts[part] = counts.get(part, 0) + change
        if not counts[part]:
            del counts[part]

    def improve(self) -> bool:
        """One pass over all vertices; returns whether one has moved."""
        dag, part_of = self._dag, self.part_of
        moved = False
        for vertex in range(dag.vertex_count):
            own = part_of[vertex]
            first = max([part_of[parent] for parent in dag.parents[vertex]], default=own)
            last = min([part_of[child] for child in dag.children[vertex]], default=own)
            # Only the ends of the range hold a neighbour, so that nothing is sent less anywhere between.
            gains = [
                (self._gain(vertex, part), part) for part in sorted({first, last} - {own}) if self._fits(vertex, part)
            ]
            gain, part = max(gains, default=(0, own))
            if gain > 0:
                self._move(vertex, part)
                moved = True
        return moved

    def _fits(self, vertex: int, part: int) -> bool:
        scope = self._dag.scopes[vertex]
        return (
            self._types[part] == self._dag.types[vertex]
            and (not scope or scope == self._scopes[part])
            and self._works[part] + self._dag.work[vertex] <= self._largest_work
        )

    def _gain(self, vertex: int, part: int) -> int:
        """How much less is sent if `vertex` moves to `part`."""
        own, value = self.part_of[vertex], self._dag.communication
        counts = self._child_counts[vertex]
        gain = value[vertex] * ((part in counts) - (own in counts))
        for parent in self._dag.parents[vertex]:
            home, counts = self.part_of[parent], self._child_counts[parent]
            if own != home and counts[own] == 1:
                gain += value[parent]
            if part != home and part not in counts:
                gain -= value[parent]
        return gain

    def _move(self, vertex: int, part: int) -> None:
        own = self.part_of[vertex]
        for parent in self._dag.parents[vertex]:
            self._count(parent, own, -1)
            self._count(parent, part, 1)
        self._works[own] -= self._dag.work[vertex]
        self._works[part] += self._dag.work[vertex]
        self.part_of[vertex] = part
