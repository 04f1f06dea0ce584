"""Merging orbits into groups of isomorphic subgraphs (OSP, section 5.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from heapq import heappop, heappush

from transforms.graph_partition.osp.copies import Copies, CopyGroups
from transforms.graph_partition.osp.dag import Dag
from transforms.graph_partition.osp.group_graph import GroupGraph

_FREQUENT_SHARE = 0.1
_LOCKED_SHARE = 0.5
_PATH_SLACK = 500
_SMALL_WORK = 200


def merge_orbits(dag: Dag, orbits: Sequence[Sequence[int]], mixes_types: bool) -> tuple[list[Copies], list[list[int]]]:
    """Merge orbits along edges as long as much symmetry is left and the longest path does not grow.

    Args:
        dag: the graph.
        orbits: its orbits; their order decides between merges that exclude one another.
        mixes_types: whether groups of the types 0 and 1 may merge with one another.

    Returns:
        per group its copies, and per group the groups behind it, ascending.

    Notes:
        An edge is tested once in each phase, unless its ends merge with others in between.
    """
    merging = _Merging(dag, orbits, mixes_types)
    merging.run()
    graph = merging.graph
    groups = graph.groups()
    place = {group: number for number, group in enumerate(groups)}
    return (
        [merging.copies[group] for group in groups],
        [sorted([place[child] for child in graph.children[group]]) for group in groups],
    )


def symmetry_levels(orbits: Sequence[Sequence[int]]) -> list[int]:
    """The sizes that many orbits have, descending; at least one, and only sizes from 2 on."""
    counts = Counter(len(members) for members in orbits if len(members) > 1)
    if not counts:
        return [2]
    enough = max(1, int(_FREQUENT_SHARE * counts.total()))
    levels = sorted([size for size, count in counts.items() if count >= enough], reverse=True)
    return levels or [min([size for size, count in counts.items() if count == max(counts.values())])]


class _Merging:
    def __init__(self, dag: Dag, orbits: Sequence[Sequence[int]], mixes_types: bool) -> None:
        self.copies = CopyGroups(dag, orbits)
        self.graph = GroupGraph(dag, orbits, self.copies)
        self._mixes_types = mixes_types
        self._levels = symmetry_levels(orbits)
        symmetric_work: Counter[int] = Counter()
        for group, members in enumerate(orbits):
            if len(members) > 1:
                symmetric_work[self._kind(group)] += self.graph.work[group]
        self._locked_work = {kind: int(_LOCKED_SHARE * work) for kind, work in symmetric_work.items()}
        self._refused: set[tuple[int, int]] = set()
        self._too_long: set[tuple[int, int]] = set()

    def _kind(self, group: int) -> int:
        return 0 if self._mixes_types else self.graph.types[group]

    def run(self) -> None:
        for symmetry in self._levels:
            self._refused.clear()
            self._contract(symmetry, mixes_types=False)
            if self._mixes_types:
                self._contract(symmetry, mixes_types=True)
            self._too_long.clear()
            self._contract(symmetry, mixes_types=self._mixes_types, slack=_PATH_SLACK)
        self._refused.clear()
        self._contract(None, mixes_types=self._mixes_types)

    def _keeps_symmetry(self, symmetry: int, source: int, target: int, copies: Copies) -> bool:
        """Whether a merged group has copies enough for a level of symmetry, and as many as large groups in it had."""
        least = self._levels[-1]
        sizes = [len(self.copies[group]) for group in (source, target)]
        if len(copies) < symmetry and not (symmetry == least and max(sizes) < least):
            return False
        large = [
            size
            for group, size in zip((source, target), sizes, strict=True)
            if size >= least and self.graph.work[group] > self._locked_work.get(self._kind(group), 0)
        ]
        return len(copies) >= min(large, default=0)

    def _contract(self, symmetry: int | None, *, mixes_types: bool, slack: int = 0) -> None:
        """Merge the first edge that passes all tests until none does; edges by source and place among its children.

        Whatever a test depends on is local to an edge, so that after a merge only the edges around changed groups have
        to be looked at again.

        Args:
            symmetry: how many copies a merged group must have; None to merge small groups whatever becomes of them.
            mixes_types: whether groups of different types may merge.
            slack: by how much, for each copy, a merge may lengthen the longest path.
        """
        graph = self.graph
        waiting = graph.groups()
        is_waiting = bytearray(b"\1") * len(self.copies)

        def wait(group: int) -> None:
            if not is_waiting[group]:
                is_waiting[group] = True
                heappush(waiting, group)

        while waiting:
            source = heappop(waiting)
            is_waiting[source] = False
            for target in self._candidates(source, mixes_types, only_small=symmetry is None):
                copies = self.copies.united(source, target)
                if copies is None or not (symmetry is None or self._keeps_symmetry(symmetry, source, target, copies)):
                    self._refused.add((source, target))
                elif graph.path_through(source, target) > graph.longest_path + slack * len(copies):
                    self._too_long.add((source, target))
                else:
                    for changed in self._merge(source, target, copies):
                        wait(changed)
                        for parent in graph.parents[changed]:
                            wait(parent)
                    break

    def _candidates(self, source: int, mixes_types: bool, *, only_small: bool) -> list[int]:
        """The children that `source` may merge with, as far as that is seen without looking at copies and paths.

        Merging an edge that joins neighbouring levels, counted from either end, closes no cycle.
        """
        depths, heights, types = self.graph.depths, self.graph.heights, self.graph.types
        depth, height, type = depths[source] + 1, heights[source] - 1, types[source]
        scopes, scope = self.graph.scopes, self.graph.scopes[source]
        children = [
            (place, target)
            for target, place in self.graph.children[source].items()
            if (depths[target] == depth or heights[target] == height)
            and (types[target] == type or (mixes_types and max(types[target], type) <= 1))
            and (not scope or not scopes[target] or scopes[target] == scope)
            and (source, target) not in self._refused
            and (source, target) not in self._too_long
        ]
        children.sort()
        return [target for _, target in children if not only_small or self._is_small(source) or self._is_small(target)]

    def _is_small(self, group: int) -> bool:
        return self.graph.work[group] <= _SMALL_WORK * len(self.copies[group])

    def _merge(self, source: int, target: int, copies: Copies) -> set[int]:
        around = [(target, child) for child in self.graph.children[target]]
        around += [(parent, target) for parent in self.graph.parents[target]]
        self._refused.difference_update(around)
        self._too_long.difference_update(around)
        self.copies.absorb(source, target, copies)
        return self.graph.merge(source, target)
