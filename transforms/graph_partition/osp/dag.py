"""A directed acyclic graph with weights, and what coarsening does to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush


@dataclass(frozen=True, slots=True)
class Dag:
    """Vertices 0, 1, … with weights; edges need not go from smaller to larger numbers.

    Attributes:
        work: per vertex, cycles.
        communication: per vertex, what it costs to send its result to another processor, once for each receiver.
        types: per vertex, its type; vertices of different types never become one, unless an algorithm is told so.
        scopes: per vertex, the number of an option scope, 0 for none; vertices of two scopes never become one.
        children, parents: per vertex, its distinct neighbours behind and before it, ascending.
    """

    work: Sequence[int]
    communication: Sequence[int]
    types: Sequence[int]
    scopes: Sequence[int]
    children: Sequence[Sequence[int]]
    parents: Sequence[Sequence[int]]

    @property
    def vertex_count(self) -> int:
        return len(self.work)

    @property
    def edge_count(self) -> int:
        return sum(map(len, self.children))


def dag_of_edges(
    work: Sequence[int],
    edges: Iterable[tuple[int, int]],
    *,
    communication: Sequence[int] | None = None,
    types: Sequence[int] | None = None,
    scopes: Sequence[int] | None = None,
) -> Dag:
    """The DAG with these weights (default: 0) and edges, which must not form a cycle; repeated edges count once."""
    children: list[list[int]] = [[] for _ in work]
    parents: list[list[int]] = [[] for _ in work]
    for source, target in sorted(set(edges)):
        children[source].append(target)
        parents[target].append(source)
    zeros = [0] * len(work)
    return Dag(work, communication or zeros, types or zeros, scopes or zeros, children, parents)


def topological_order(dag: Dag) -> list[int]:
    """The vertices, parents before children, always the smallest that is ready.

    Raises:
        ValueError: the edges form a cycle.

    Notes:
        O((vertices + edges) · log vertices). Source: A. B. Kahn, "Topological sorting of large networks", 1962.
    """
    missing = list(map(len, dag.parents))
    ready = [vertex for vertex, count in enumerate(missing) if not count]
    order: list[int] = []
    while ready:
        vertex = heappop(ready)
        order.append(vertex)
        for child in dag.children[vertex]:
            missing[child] -= 1
            if not missing[child]:
                heappush(ready, child)
    if len(order) < dag.vertex_count:
        raise ValueError("the edges form a cycle")
    return order


def is_acyclic(dag: Dag) -> bool:
    """Whether no vertex depends on itself."""
    missing = list(map(len, dag.parents))
    ready = [vertex for vertex, count in enumerate(missing) if not count]
    for vertex in ready:
        for child in dag.children[vertex]:
            missing[child] -= 1
            if not missing[child]:
                ready.append(child)
    return len(ready) == dag.vertex_count


def induced(dag: Dag, vertices: Sequence[int]) -> Dag:
    """The subgraph of these vertices, numbered by their place among them; all edges and weights as in `dag`."""
    place = {vertex: number for number, vertex in enumerate(vertices)}
    children = [sorted([place[c] for c in dag.children[vertex] if c in place]) for vertex in vertices]
    parents = [sorted([place[p] for p in dag.parents[vertex] if p in place]) for vertex in vertices]
    return Dag(
        [dag.work[vertex] for vertex in vertices],
        [dag.communication[vertex] for vertex in vertices],
        [dag.types[vertex] for vertex in vertices],
        [dag.scopes[vertex] for vertex in vertices],
        children,
        parents,
    )


def quotient(dag: Dag, part_of: Sequence[int], part_count: int) -> Dag:
    """The graph of the parts 0..`part_count` - 1: sums of weights, the type and the scope of the members.

    A part has the type of its last vertex, and the scope of the last vertex that has one. The result may have cycles.
    O(vertices + edges · log).
    """
    work, communication = [0] * part_count, [0] * part_count
    types, scopes = [0] * part_count, [0] * part_count
    targets: list[set[int]] = [set() for _ in range(part_count)]
    for vertex, part in enumerate(part_of):
        work[part] += dag.work[vertex]
        communication[part] += dag.communication[vertex]
        types[part] = dag.types[vertex]
        if dag.scopes[vertex]:
            scopes[part] = dag.scopes[vertex]
        for child in dag.children[vertex]:
            targets[part].add(part_of[child])
    children: list[list[int]] = []
    parents: list[list[int]] = [[] for _ in range(part_count)]
    for part, found in enumerate(targets):
        found.discard(part)
        children.append(sorted(found))
        for target in children[part]:
            parents[target].append(part)
    return Dag(work, communication, types, scopes, children, parents)


def renumber_topologically(dag: Dag, part_of: Sequence[int], part_count: int) -> list[int] | None:
    """Per vertex, the number of its part when parts are numbered topologically, the smallest member deciding ties.

    Returns:
        None if the parts depend on one another in a cycle.
    """
    parts = quotient(dag, part_of, part_count)
    smallest = [dag.vertex_count] * part_count
    for vertex in reversed(range(dag.vertex_count)):
        smallest[part_of[vertex]] = vertex
    missing = list(map(len, parts.parents))
    ready = [(smallest[part], part) for part, count in enumerate(missing) if not count]
    heapify(ready)
    number_of = [-1] * part_count
    number = 0
    while ready:
        _, part = heappop(ready)
        number_of[part] = number
        number += 1
        for child in parts.children[part]:
            missing[child] -= 1
            if not missing[child]:
                heappush(ready, (smallest[child], child))
    return None if number < part_count else [number_of[part] for part in part_of]


def parts_of_sets(vertex_count: int, sets: Iterable[Sequence[int]]) -> tuple[list[int], int]:
    """Per vertex its part, and the number of parts: the disjoint `sets`, and every other vertex alone."""
    part_of = [-1] * vertex_count
    part_count = 0
    for members in sets:
        for vertex in members:
            part_of[vertex] = part_count
        part_count += 1
    for vertex, part in enumerate(part_of):
        if part < 0:
            part_of[vertex] = part_count
            part_count += 1
    return part_of, part_count


def contract(dag: Dag, sets: Sequence[Sequence[int]]) -> tuple[Dag, list[int]]:
    """Make each of the disjoint `sets` one vertex.

    Returns:
        the coarse graph, its vertices numbered topologically, and per old vertex the new one.

    Raises:
        ValueError: the new vertices would depend on one another in a cycle.
    """
    part_of, part_count = parts_of_sets(dag.vertex_count, sets)
    renumbered = renumber_topologically(dag, part_of, part_count)
    if renumbered is None:
        raise ValueError("the sets depend on one another in a cycle")
    return quotient(dag, renumbered, part_count), renumbered
