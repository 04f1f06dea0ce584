"""Longest paths of a DAG when every edge costs the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from transforms.graph_partition.osp.dag import Dag, topological_order


@dataclass(frozen=True, slots=True)
class DagPaths:
    """A DAG seen from its sources or, mirrored, from its sinks.

    Attributes:
        edge_cost: cycles of an edge between different vertices.
        leniency: by which share of the longest path through it a lenient merge may lengthen that path.
        work, types, scopes: as in `Dag`.
        children, parents: as in `Dag`, exchanged in a mirrored view.
        levels: per vertex, the number of edges on the longest path that leads to it.
        arrivals, departures: per vertex, the cycles of the longest path that ends, or begins, with it, its own work
            included.
        before, after: the same without its own work, at least 0.
        second_before, second_after: the same if its heaviest parent, or child, were not there.
    """

    edge_cost: int
    leniency: float
    work: Sequence[int]
    types: Sequence[int]
    scopes: Sequence[int]
    children: Sequence[Sequence[int]]
    parents: Sequence[Sequence[int]]
    levels: Sequence[int]
    arrivals: Sequence[int]
    departures: Sequence[int]
    before: Sequence[int]
    after: Sequence[int]
    second_before: Sequence[int]
    second_after: Sequence[int]

    def through(self, vertex: int) -> int:
        """Cycles of the longest path that leads through `vertex`."""
        return self.arrivals[vertex] + self.departures[vertex] - self.work[vertex]

    def is_heaviest_parent(self, parent: int, vertex: int) -> bool:
        """Whether no path to `vertex` is longer than one that ends with the edge from `parent`."""
        return self.arrivals[parent] + self.edge_cost + self.work[vertex] == self.arrivals[vertex]

    def before_without(self, vertex: int, parent: int) -> int:
        """Cycles until `vertex` can start if `parent`, one of its parents, were not there."""
        return self.second_before[vertex] if self.is_heaviest_parent(parent, vertex) else self.before[vertex]

    def mirrored(self, levels: Sequence[int]) -> DagPaths:
        """The view from the other end; `levels` are those of that end."""
        return DagPaths(
            edge_cost=self.edge_cost,
            leniency=self.leniency,
            work=self.work,
            types=self.types,
            scopes=self.scopes,
            children=self.parents,
            parents=self.children,
            levels=levels,
            arrivals=self.departures,
            departures=self.arrivals,
            before=self.after,
            after=self.before,
            second_before=self.second_after,
            second_after=self.second_before,
        )


def longest_paths(
    dag: Dag, edge_cost: int, order: Sequence[int], levels: Sequence[int], leniency: float = 0.0
) -> DagPaths:
    """The view from the sources.

    Args:
        dag: the graph.
        edge_cost: cycles of each edge.
        order: its vertices in topological order.
        levels: see `depths`.
        leniency: see `DagPaths`.

    Notes:
        O(vertices + edges · log degree).
    """
    arrivals, before, second_before = weighted_depths(dag.work, dag.parents, edge_cost, order)
    departures, after, second_after = weighted_depths(dag.work, dag.children, edge_cost, reversed(order))
    return DagPaths(
        edge_cost=edge_cost,
        leniency=leniency,
        work=dag.work,
        types=dag.types,
        scopes=dag.scopes,
        children=dag.children,
        parents=dag.parents,
        levels=levels,
        arrivals=arrivals,
        departures=departures,
        before=before,
        after=after,
        second_before=second_before,
        second_after=second_after,
    )


def longest_path(dag: Dag, edge_cost: int) -> int:
    """The cycles of the longest path; 0 without vertices. O((vertices + edges) · log vertices).

    Raises:
        ValueError: the edges form a cycle.
    """
    arrivals, _, _ = weighted_depths(dag.work, dag.parents, edge_cost, topological_order(dag))
    return max(arrivals, default=0)


def depths(predecessors: Sequence[Sequence[int]], order: Iterable[int]) -> list[int]:
    """Per vertex, the number of edges on the longest path that leads to it; `order` is topological."""
    levels = [0] * len(predecessors)
    for vertex in order:
        before = predecessors[vertex]
        if before:
            levels[vertex] = 1 + max([levels[other] for other in before])
    return levels


def weighted_depths(
    work: Sequence[int], predecessors: Sequence[Sequence[int]], edge_cost: int, order: Iterable[int]
) -> tuple[list[int], list[int], list[int]]:
    """Per vertex, the cycles of the longest path to it: with its work, without it, and that of the second one."""
    arrivals, before, second = list(work), [0] * len(work), [0] * len(work)
    for vertex in order:
        sources = predecessors[vertex]
        if not sources:
            continue
        if len(sources) == 1:
            start = arrivals[sources[0]] + edge_cost
        else:
            ends = sorted([arrivals[source] for source in sources])
            start = ends[-1] + edge_cost
            second[vertex] = max(0, ends[-2] + edge_cost)
        before[vertex] = max(0, start)
        arrivals[vertex] = start + work[vertex]
    return arrivals, before, second
