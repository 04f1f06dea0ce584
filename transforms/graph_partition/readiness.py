"""Which nodes have all their predecessors behind them."""

from __future__ import annotations

from transforms.graph_partition.node_graph import NodeGraph


class Readiness:
    """Releases nodes one by one and says which become ready by it; O(nodes + link ends) over all releases.

    A node is ready when all its predecessors are released, that is, when its degree in the reference is 0.
    """

    def __init__(self, graph: NodeGraph) -> None:
        self._graph = graph
        self._unreleased = [len(sources) for sources in graph.sources]
        self._waiting = [len(links) for links in graph.incoming]
        self._released = bytearray(graph.node_count)
        self._loops = self._find_loops()
        self.initial = [node for node, count in enumerate(self._waiting) if not count]

    def _find_loops(self) -> dict[int, list[int]]:
        """Per link, the nodes that are a source and a target of it; each waits for the other sources only."""
        loops: dict[int, list[int]] = {}
        for link, (sources, targets) in enumerate(zip(self._graph.sources, self._graph.targets, strict=True)):
            if len(sources) > 1 and len(targets) > 1:
                both = set(sources).intersection(targets)
                if both:
                    loops[link] = sorted(both)
        return loops

    def release(self, node: int) -> list[int]:
        """Release a ready node; returns the nodes that become ready by it, ascending."""
        ready: list[int] = []
        waiting, unreleased, targets = self._waiting, self._unreleased, self._graph.targets
        self._released[node] = True
        for link in self._graph.outgoing[node]:
            unreleased[link] -= 1
            if not unreleased[link]:
                for target in targets[link]:
                    waiting[target] -= 1
                    if not waiting[target] and not self._released[target]:
                        ready.append(target)
            elif unreleased[link] == 1 and link in self._loops:
                for target in self._loops[link]:
                    if not self._released[target]:
                        waiting[target] -= 1
                        if not waiting[target]:
                            ready.append(target)
        if len(ready) > 1:
            ready.sort()
        return ready


def is_acyclic(graph: NodeGraph) -> bool:
    """Whether no node depends on itself through others. O(nodes + link ends)."""
    readiness = Readiness(graph)
    ready = list(readiness.initial)
    for node in ready:
        ready.extend(readiness.release(node))
    return len(ready) == graph.node_count


def node_depths(graph: NodeGraph) -> list[int]:
    """Per node of an acyclic graph, the number of links on the longest path that leads to it."""
    readiness = Readiness(graph)
    depths = [0] * graph.node_count
    link_depths = [0] * len(graph.sources)
    ready = list(readiness.initial)
    for node in ready:
        arrivals = [link_depths[link] for link in graph.incoming[node]]
        depths[node] = max(arrivals, default=0)
        for link in graph.outgoing[node]:
            link_depths[link] = max(link_depths[link], depths[node] + 1)
        ready.extend(readiness.release(node))
    return depths
