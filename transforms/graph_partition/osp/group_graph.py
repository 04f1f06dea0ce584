"""The graph of groups of copies, and its merges (OSP, sections 5.3 and 5.4)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heappop, heappush
from itertools import chain

from transforms.graph_partition.osp.copies import CopyGroups
from transforms.graph_partition.osp.dag import Dag


class _Side:
    """Levels and longest paths as seen from one end of a graph that changes.

    Levels are always up to date. Lengths are brought up to date when asked for, and only as far as the asked group
    stands, since consecutive merges tend to change the same ones.

    Attributes:
        levels: per group, the number of edges on the longest path that leads to it.
    """

    def __init__(
        self, work: list[int], before: Sequence[Collection[int]], behind: Sequence[Collection[int]], order: list[int]
    ) -> None:
        self._work, self._before, self._behind = work, before, behind
        self.levels = [0] * len(work)
        self._lengths = list(work)
        self._stale: list[tuple[int, int]] = []
        self._is_stale = bytearray(len(work))
        self._is_waiting = bytearray(len(work))
        for group in order:
            self.levels[group] = self._level(group)
            self._lengths[group] = self._length(group)

    def longest(self, groups: Collection[int]) -> int:
        """The work on the longest path that ends with one of `groups`."""
        if not groups:
            return 0
        self._refresh_lengths(max([self.levels[group] for group in groups]))
        return max([self._lengths[group] for group in groups])

    def change(self, group: int) -> list[int]:
        """Note that the neighbours or the work of `group` have changed; returns groups whose levels have changed."""
        levels, before, behind, is_waiting = self.levels, self._before, self._behind, self._is_waiting
        changed: list[int] = []
        levels[group] = self._level(group)
        self._mark_stale(group)
        heap = [(levels[other], other) for other in behind[group]]
        heap.sort()
        for _, other in heap:
            self._mark_stale(other)
            is_waiting[other] = True
        while heap:
            level, other = heappop(heap)
            is_waiting[other] = False
            new_level = 1 + max([levels[parent] for parent in before[other]])
            if new_level == level:
                continue
            levels[other] = new_level
            changed.append(other)
            if self._is_stale[other]:
                heappush(self._stale, (new_level, other))
            for following in behind[other]:
                # Only what `other` has held where it stands, or pushes further now, may have to move.
                following_level = levels[following]
                if (following_level == level + 1 or following_level <= new_level) and not is_waiting[following]:
                    is_waiting[following] = True
                    heappush(heap, (following_level, following))
        return changed

    def _level(self, group: int) -> int:
        return 1 + max([self.levels[other] for other in self._before[group]], default=-1)

    def _length(self, group: int) -> int:
        return self._work[group] + max([self._lengths[other] for other in self._before[group]], default=0)

    def _mark_stale(self, group: int) -> None:
        self._is_stale[group] = True
        heappush(self._stale, (self.levels[group], group))

    def _refresh_lengths(self, level: int) -> None:
        """Bring the lengths of all groups up to this level up to date."""
        stale, lengths = self._stale, self._lengths
        while stale and stale[0][0] <= level:
            noted_level, group = heappop(stale)
            if not self._is_stale[group] or noted_level != self.levels[group]:
                continue
            self._is_stale[group] = False
            length = self._length(group)
            if length != lengths[group]:
                lengths[group] = length
                for following in self._behind[group]:
                    if not self._is_stale[following]:
                        self._mark_stale(following)


class GroupGraph:
    """A coarse graph whose vertices are groups; there is an edge where one leads from a vertex to a vertex.

    A merged group takes the number of one of its two; the other number is gone. Levels and longest paths are kept up to
    date from merge to merge, so that a merge costs what it changes and not the whole graph.

    Attributes:
        work: per group, the work of all its copies.
        types: per group, the type of the last vertex of its orbit; a merged group keeps that of its number.
        scopes: per group, the scope of its vertices, 0 for none.
        children: per group, the groups behind it, each with its place among them; places need not be contiguous.
        parents: per group, the groups before it.
        longest_path: the work on the longest path.
    """

    def __init__(self, dag: Dag, orbits: Sequence[Sequence[int]], groups: CopyGroups) -> None:
        """One group for each orbit. O(vertices + edges)."""
        self._exists = bytearray(b"\1") * len(orbits)
        self.work = [sum([dag.work[vertex] for vertex in members]) for members in orbits]
        self.types = [dag.types[max(members)] for members in orbits]
        self.scopes = [dag.scopes[members[0]] for members in orbits]
        self.children: list[dict[int, int]] = [{} for _ in orbits]
        self.parents: list[set[int]] = [set() for _ in orbits]
        for vertex, targets in enumerate(dag.children):
            source = groups.group_of(vertex)
            places = self.children[source]
            for child in targets:
                target = groups.group_of(child)
                if target != source and target not in places:
                    places[target] = len(places)
                    self.parents[target].add(source)
        order = self.order()
        self._from_sources = _Side(self.work, self.parents, self.children, order)
        self._from_sinks = _Side(self.work, self.children, self.parents, order[::-1])
        self.longest_path = self._from_sources.longest(order)

    def groups(self) -> list[int]:
        """The groups that are left, ascending."""
        return [group for group, exists in enumerate(self._exists) if exists]

    def order(self) -> list[int]:
        """The groups that are left, in topological order."""
        missing = {group: len(self.parents[group]) for group in self.groups()}
        ready = [group for group, count in missing.items() if not count]
        for group in ready:
            for child in self.children[group]:
                missing[child] -= 1
                if not missing[child]:
                    ready.append(child)
        return ready

    @property
    def depths(self) -> Sequence[int]:
        """Per group, the number of edges on the longest path that leads to it."""
        return self._from_sources.levels

    @property
    def heights(self) -> Sequence[int]:
        """Per group, the number of edges on the longest path that begins with it."""
        return self._from_sinks.levels

    def path_through(self, source: int, target: int) -> int:
        """The work on the longest path that leads through the ends of an edge once they are one."""
        before = (self.parents[source] | self.parents[target]) - {source}
        after = {child for child in chain(self.children[source], self.children[target]) if child != target}
        length = self.work[source] + self.work[target]
        return self._from_sources.longest(before) + length + self._from_sinks.longest(after)

    def merge(self, source: int, target: int) -> set[int]:
        """Let `source` absorb `target`, its child.

        Returns:
            the groups that have other levels or neighbours now.
        """
        self.longest_path = max(self.longest_path, self.path_through(source, target))
        self.work[source] += self.work[target]
        self.scopes[source] = self.scopes[source] or self.scopes[target]
        self._exists[target] = False
        self._join_neighbours(source, target)
        return {source, *self._from_sources.change(source), *self._from_sinks.change(source)}

    def _join_neighbours(self, source: int, target: int) -> None:
        children, parents = self.children, self.parents
        for parent in parents[target]:
            places = children[parent]
            place = places.pop(target)
            if parent != source:
                places[source] = min(place, places.get(source, place))
                parents[source].add(parent)
        for child in children[target]:
            parents[child].discard(target)
            parents[child].add(source)
        first, second = (source, target) if source < target else (target, source)
        joined = children[first]
        offset = 1 + max(joined.values(), default=-1)
        for child, place in children[second].items():
            joined.setdefault(child, offset + place)
        children[source], children[target], parents[target] = joined, {}, set()
