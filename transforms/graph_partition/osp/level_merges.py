"""Merges of whole pieces of two neighbouring levels (OSP, section 3.3, LEVEL)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from transforms.graph_partition.osp.dag_paths import DagPaths
from transforms.graph_partition.osp.internalisation import Merge, is_accepted, select


def level_merges(paths: DagPaths, levels: Sequence[int], parity: int) -> list[Sequence[int]]:
    """Disjoint sets to merge, each a connected component of the edges from one level to the next between equal types.

    Args:
        paths: the DAG with its longest paths.
        levels: numbers that grow along every edge.
        parity: 0 for the pairs that begin with the first, the third, … level, 1 for those between them.

    Notes:
        Lenient. O(vertices + edges · log).
    """
    first = min(levels, default=0) + parity
    component = _components(paths, levels, first)
    members: dict[int, list[int]] = {}
    for vertex, root in enumerate(component):
        members.setdefault(root, []).append(vertex)
    used = bytearray(len(levels))

    def has_used(vertices: Iterable[int], level: int) -> bool:
        return any(used[vertex] and levels[vertex] == level for vertex in vertices)

    def try_to_take(merge: Merge) -> bool:
        inside = members[merge.key[0]]
        top = min([levels[vertex] for vertex in inside])
        if any(has_used(paths.children[upper], top + 1) for upper in inside if levels[upper] == top) and any(
            has_used(paths.parents[lower], top) for lower in inside if levels[lower] > top
        ):
            return False
        for vertex in inside:
            used[vertex] = True
        return True

    candidates = [
        merge
        for root, inside in members.items()
        if len(inside) > 1 and (merge := _merge(paths, component, root, inside)) is not None
    ]
    return [members[merge.key[0]] for merge in select(candidates, len(levels), try_to_take)]


def _components(paths: DagPaths, levels: Sequence[int], first: int) -> list[int]:
    """Per vertex, the smallest vertex of its component."""
    parent = list(range(len(levels)))

    def root(vertex: int) -> int:
        while parent[vertex] != vertex:
            parent[vertex] = vertex = parent[parent[vertex]]
        return vertex

    for upper, children in enumerate(paths.children):
        level = levels[upper]
        if level >= first and not (level - first) % 2:
            for lower in children:
                if levels[lower] == level + 1 and paths.types[lower] == paths.types[upper]:
                    one, other = root(upper), root(lower)
                    if one < other:
                        parent[other] = one
                    else:
                        parent[one] = other
    return [root(vertex) for vertex in range(len(levels))]


def _merge(paths: DagPaths, component: Sequence[int], root: int, inside: Sequence[int]) -> Merge | None:
    if len({paths.scopes[vertex] for vertex in inside} - {0}) > 1:
        return None
    arrivals, departures, edge_cost = paths.arrivals, paths.departures, paths.edge_cost
    before = after = 0
    for vertex in inside:
        for parent in paths.parents[vertex]:
            if component[parent] != root:
                before = max(before, arrivals[parent] + edge_cost)
        for child in paths.children[vertex]:
            if component[child] != root:
                after = max(after, departures[child] + edge_cost)
    longest = max([paths.through(vertex) for vertex in inside])
    loss = before + sum([paths.work[vertex] for vertex in inside]) + after - longest
    return Merge(loss, (root,), len(inside)) if is_accepted(loss, longest, paths.leniency) else None
