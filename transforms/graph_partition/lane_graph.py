"""How the lanes of all groups depend on one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from transforms.graph_partition.node_graph import NodeGraph

Ends = tuple[Sequence[int], Sequence[int]]
"""The distinct sources and targets of a link."""


@dataclass(frozen=True, slots=True)
class LaneGraph:
    """Lanes by number, and the distinct edges between them.

    Attributes:
        sources, targets: the two ends of each edge.
        hubs: links with too many pairs of ends to list them as edges.
    """

    sources: Sequence[int]
    targets: Sequence[int]
    hubs: Sequence[Ends]


NO_LANE_GRAPH = LaneGraph((), (), ())


def lane_graph_of_nodes(graph: NodeGraph, lane_of: Sequence[int], lane_count: int) -> LaneGraph:
    """The graph of lanes, given the lane of every node. O(link ends)."""
    edges: set[int] = set()
    hubs: list[Ends] = []
    for sources, targets in zip(graph.sources, graph.targets, strict=True):
        if len(sources) == 1 and len(targets) == 1:
            edges.add(lane_of[sources[0]] * lane_count + lane_of[targets[0]])
        else:
            _add_link(sources, targets, lane_of, lane_count, edges, hubs)
    return _lane_graph(edges, lane_count, hubs)


def renumbered(graph: LaneGraph, lane_of: Sequence[int], lane_count: int) -> LaneGraph:
    """The graph after lanes merged; `lane_of` gives the new number of every lane. O(edges + hub ends)."""
    ends = zip(graph.sources, graph.targets, strict=True)
    edges = {lane_of[source] * lane_count + lane_of[target] for source, target in ends}
    hubs: list[Ends] = []
    for sources, targets in graph.hubs:
        _add_link(sources, targets, lane_of, lane_count, edges, hubs)
    return _lane_graph(edges, lane_count, hubs)


def is_wide(sources: int, targets: int) -> bool:
    """Whether a link with so many ends has too many pairs to list."""
    return sources * targets > 4 * (sources + targets)


def _add_link(
    sources: Sequence[int],
    targets: Sequence[int],
    lane_of: Sequence[int],
    radix: int,
    edges: set[int],
    hubs: list[Ends],
) -> None:
    from_lanes = {lane_of[source] for source in sources}
    to_lanes = {lane_of[target] for target in targets}
    if is_wide(len(from_lanes), len(to_lanes)):
        hubs.append((sorted(from_lanes), sorted(to_lanes)))
    else:
        edges.update(source * radix + target for source in from_lanes for target in to_lanes)


def _lane_graph(edges: set[int], radix: int, hubs: Sequence[Ends]) -> LaneGraph:
    """The graph with edges written as `source * radix + target`, without those from a lane to itself."""
    keys = sorted(edge for edge in edges if edge // radix != edge % radix)
    return LaneGraph([key // radix for key in keys], [key % radix for key in keys], hubs)
