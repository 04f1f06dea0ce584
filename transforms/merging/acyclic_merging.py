"""Keeps a quotient graph acyclic while its nodes merge."""

from __future__ import annotations

from collections.abc import Collection

from transforms.graph_partition.lane_graph import is_wide
from transforms.graph_partition.node_graph import NodeGraph
from transforms.graph_partition.readiness import node_depths


class AcyclicMerging:
    """An acyclic graph whose nodes merge, and that knows whether a merge would close a cycle.

    A link with many sources and targets is a *hub*: a vertex of its own between them. Every vertex has a level above
    the levels of all that it depends on, so nodes of one level can always merge, and a search for a path from one node
    to another only visits the levels between them.

    Notes:
        Merging unites the smaller neighbourhood into the larger, and raises levels only where it must. A question
        costs the edges between the lowest and the highest level of the nodes that it asks for; nodes that no third one
        lies between cost next to nothing.
    """

    def __init__(self, graph: NodeGraph) -> None:
        """`graph` is acyclic. O(link ends)."""
        count = graph.node_count
        self._parent = list(range(count))
        self._before: list[set[int]] = [set() for _ in range(count)]
        self._after: list[set[int]] = [set() for _ in range(count)]
        # Twice the depth, which leaves room for hubs in between.
        self._level = [2 * depth for depth in node_depths(graph)]
        self._node_count = count
        self._owner_of_hub: dict[int, int] = {}
        for sources, targets in zip(graph.sources, graph.targets, strict=True):
            if not is_wide(len(sources), len(targets)):
                for source in sources:
                    for target in targets:
                        self._link(source, target)
                continue
            hub = len(self._before)
            self._before.append(set())
            self._after.append(set())
            self._level.append(1 + max(self._level[source] for source in sources))
            for source in sources:
                self._link(source, hub)
            for target in targets:
                self._link(hub, target)
            for node in set(sources).intersection(targets):
                self._pull_through(hub, node)

    def _link(self, source: int, target: int) -> None:
        if source != target:
            self._after[source].add(target)
            self._before[target].add(source)

    def root(self, node: int) -> int:
        """The node that stands for all that `node` has merged with."""
        parent = self._parent
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    def stays_acyclic(self, nodes: Collection[int]) -> bool:
        """Whether merging `nodes` closes no cycle: no path leads from one of them to another through a third."""
        roots = {self.root(node) for node in nodes}
        level, after = self._level, self._after
        highest = max(level[root] for root in roots)
        if all(level[root] == highest for root in roots):
            return True
        stack: list[int] = []
        for root in roots:
            for vertex in after[root]:
                if vertex < self._node_count:
                    stack.append(vertex)
                else:
                    stack.extend(after[vertex])
        stack = [vertex for vertex in stack if vertex not in roots]
        seen: set[int] = set()
        while stack:
            vertex = stack.pop()
            if vertex in roots:
                return False
            if vertex not in seen and level[vertex] < highest:
                seen.add(vertex)
                stack.extend(after[vertex])
        return True

    def merge(self, nodes: Collection[int]) -> None:
        """Merge `nodes`; `stays_acyclic` has said that they may."""
        # From the lowest upwards, so that what lies between two of them has joined before they meet.
        first, *others = sorted({self.root(node) for node in nodes}, key=lambda root: (self._level[root], root))
        for other in others:
            first = self._merge_two(first, other)

    def _merge_two(self, one: int, other: int) -> int:
        """Merge two roots between which no path leads through a third; returns the root of both."""
        before, after, level = self._before, self._after, self._level
        low, high = (one, other) if level[one] <= level[other] else (other, one)
        for near in (before, after):
            near[low].discard(high)
            near[high].discard(low)
        common = level[high]
        if len(before[high]) < len(after[low]):
            common = max(level[low], 1 + max((level[vertex] for vertex in before[high]), default=-1))
        too_low = [vertex for root in (low, high) if level[root] < common for vertex in after[root]]
        sizes = [len(before[root]) + len(after[root]) for root in (low, high)]
        kept, gone = (low, high) if sizes[0] >= sizes[1] else (high, low)
        self._absorb(kept, gone)
        level[kept] = common
        for hub in self._hubs_around(kept, gone):
            self._pull_through(hub, kept)
        self._raise_levels(common, too_low)
        return kept

    def _absorb(self, kept: int, gone: int) -> None:
        self._parent[gone] = kept
        moved = (self._before, self._after), (self._after, self._before)
        for near, far in moved:
            for neighbour in near[gone]:
                far[neighbour].discard(gone)
                far[neighbour].add(kept)
            near[kept] |= near[gone]

    def _hubs_around(self, kept: int, gone: int) -> list[int]:
        """The hubs that `kept` is a source and a target of since it absorbed `gone`, whose neighbours are dropped."""
        dropped = self._before[gone] | self._after[gone]
        self._before[gone], self._after[gone] = set(), set()
        return [
            vertex
            for vertex in dropped
            if vertex >= self._node_count and vertex in self._before[kept] and vertex in self._after[kept]
        ]

    def _pull_through(self, hub: int, node: int) -> None:
        """Let `node`, a source and a target of `hub`, depend on the other sources directly and not on itself."""
        self._after[hub].discard(node)
        self._before[node].discard(hub)
        owner = self._owner_of_hub.get(hub)
        if owner is None or self.root(owner) != node:
            self._owner_of_hub[hub] = node
            for source in self._before[hub]:
                self._link(source, node)

    def _raise_levels(self, level_below: int, vertices: Collection[int]) -> None:
        """Let `vertices` have levels above `level_below`, and all that depends on them above theirs."""
        level, after = self._level, self._after
        stack = [(vertex, level_below) for vertex in vertices]
        while stack:
            vertex, below = stack.pop()
            if level[vertex] <= below:
                level[vertex] = below + 1
                stack.extend([(following, below + 1) for following in after[vertex]])
