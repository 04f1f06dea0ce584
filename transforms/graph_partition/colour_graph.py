"""Neighbours of colours under merging (graph partition, section 9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class ColourGraph:
    """A directed graph of colours; colours merge, and each knows whether it has exactly one neighbour on a side.

    A *hub* stands for edges from all of its sources to all of its targets. Merging unites the smaller neighbourhood
    into the larger: O(edges + hub ends) log of it over all merges.
    """

    def __init__(
        self, count: int, edges: Iterable[tuple[int, int]], hubs: Sequence[tuple[Sequence[int], Sequence[int]]]
    ) -> None:
        """`count` colours, numbered from 0."""
        self._vertex_of = list(range(count))
        self._colour_of = list(range(count))
        self._before: list[set[int]] = [set() for _ in range(count)]
        self._after: list[set[int]] = [set() for _ in range(count)]
        for source, target in edges:
            if source != target:
                self._after[source].add(target)
                self._before[target].add(source)
        self._hub_sources = [set(sources) for sources, _ in hubs]
        self._hub_targets = [set(targets) for _, targets in hubs]
        self._hubs_before: dict[int, set[int]] = {}
        self._hubs_after: dict[int, set[int]] = {}
        for hub, (sources, targets) in enumerate(hubs):
            for source in sources:
                self._hubs_after.setdefault(source, set()).add(hub)
            for target in targets:
                self._hubs_before.setdefault(target, set()).add(hub)

    def only_predecessor(self, colour: int) -> int | None:
        """The predecessor of `colour` if it has exactly one."""
        vertex = self._vertex_of[colour]
        return self._only(vertex, self._before[vertex], self._hubs_before.get(vertex, ()), self._hub_sources)

    def only_successor(self, colour: int) -> int | None:
        """The successor of `colour` if it has exactly one."""
        vertex = self._vertex_of[colour]
        return self._only(vertex, self._after[vertex], self._hubs_after.get(vertex, ()), self._hub_targets)

    def _only(self, vertex: int, direct: set[int], hubs: Iterable[int], ends: Sequence[set[int]]) -> int | None:
        if len(direct) > 1:
            return None
        found = next(iter(direct), None)
        for hub in hubs:
            for end in ends[hub]:
                if end not in (vertex, found):
                    if found is not None:
                        return None
                    found = end
        return None if found is None else self._colour_of[found]

    def merge(self, colour: int, absorbed: int) -> None:
        """Give everything of colour `absorbed` the colour `colour`."""
        kept, gone = self._vertex_of[colour], self._vertex_of[absorbed]
        if self._degree(kept) < self._degree(gone):
            kept, gone = gone, kept
        for near, far in ((self._before, self._after), (self._after, self._before)):
            for neighbour in near[gone]:
                far[neighbour].discard(gone)
                if neighbour != kept:
                    far[neighbour].add(kept)
                    near[kept].add(neighbour)
            near[gone] = set()
        for hubs, ends in ((self._hubs_before, self._hub_targets), (self._hubs_after, self._hub_sources)):
            moved = hubs.pop(gone, None)
            if moved:
                hubs.setdefault(kept, set()).update(moved)
                for hub in moved:
                    ends[hub].discard(gone)
                    ends[hub].add(kept)
        self._vertex_of[colour] = kept
        self._colour_of[kept] = colour

    def _degree(self, vertex: int) -> int:
        direct = len(self._before[vertex]) + len(self._after[vertex])
        return direct + len(self._hubs_before.get(vertex, ())) + len(self._hubs_after.get(vertex, ()))
