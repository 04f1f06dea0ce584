"""How good a partition of a DAG is (OSP, section 7.1)."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from transforms.graph_partition.osp.dag import Dag, topological_order


def volume(dag: Dag, part_of: Sequence[int]) -> int:
    """What parts send to one another: the communication of each vertex, once for each other part with a child of it."""
    return sum(
        [
            value * len({part_of[child] for child in children} - {part_of[vertex]})
            for vertex, (value, children) in enumerate(zip(dag.communication, dag.children, strict=True))
            if children
        ]
    )


def makespan(parts: Dag, unit_counts: Sequence[int], overhead: int) -> int:
    """When a list schedule of the parts ends.

    A part occupies one unit of its type for its work and the overhead. Of the ready ones, that with the longest path to
    a sink starts first, the smaller number deciding ties. Edges cost nothing.

    Args:
        parts: the graph of the parts.
        unit_counts: per type, the units; a part of a type without entry, or without units, runs by itself.
        overhead: cycles to start a part.

    Raises:
        ValueError: the edges form a cycle.

    Notes:
        O((parts + edges) · log parts). Source: R. Graham, "Bounds on multiprocessing timing anomalies", 1969.
    """
    levels = [0] * parts.vertex_count
    for part in reversed(topological_order(parts)):
        levels[part] = parts.work[part] + overhead + max([levels[child] for child in parts.children[part]], default=0)
    kinds = [type if type < len(unit_counts) and unit_counts[type] else -1 for type in parts.types]
    free = {-1: parts.vertex_count, **dict(enumerate(unit_counts))}
    ready: dict[int, list[tuple[int, int]]] = {kind: [] for kind in free}
    missing = list(map(len, parts.parents))
    for part, count in enumerate(missing):
        if not count:
            heappush(ready[kinds[part]], (-levels[part], part))
    running: list[tuple[int, int]] = []
    now = 0
    while True:
        for kind, waiting in ready.items():
            while waiting and free[kind]:
                _, part = heappop(waiting)
                free[kind] -= 1
                heappush(running, (now + parts.work[part] + overhead, part))
        if not running:
            return now
        now, part = heappop(running)
        free[kinds[part]] += 1
        for child in parts.children[part]:
            missing[child] -= 1
            if not missing[child]:
                heappush(ready[kinds[child]], (-levels[child], child))
