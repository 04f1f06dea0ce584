"""Merges of a vertex with its heaviest child, whose heaviest parent it is (OSP, section 3.3, LINES)."""

from __future__ import annotations

from collections.abc import Sequence

from transforms.graph_partition.osp.dag_paths import DagPaths
from transforms.graph_partition.osp.internalisation import Merge, select


def line_merges(paths: DagPaths, levels: Sequence[int]) -> list[Sequence[int]]:
    """Disjoint pairs to merge, so that no longest path grows and no cycle arises.

    Args:
        paths: the DAG with its longest paths.
        levels: numbers that grow along every edge; only edges between neighbouring levels are merged.

    Notes:
        O(edges · log). Strict, since leniency would break symmetry.
    """
    lower_ends, upper_ends = bytearray(len(levels)), bytearray(len(levels))
    children, parents = paths.children, paths.parents

    def try_to_take(merge: Merge) -> bool:
        upper, lower = merge.key
        if lower_ends[upper] or upper_ends[upper] or lower_ends[lower] or upper_ends[lower]:
            return False
        below, above = levels[upper] + 1, levels[lower] - 1
        if any(lower_ends[child] and levels[child] == below for child in children[upper]) and any(
            upper_ends[parent] and levels[parent] == above for parent in parents[lower]
        ):
            return False
        upper_ends[upper] = lower_ends[lower] = True
        return True

    return [merge.key for merge in select(_candidates(paths, levels), len(levels), try_to_take)]


def _candidates(paths: DagPaths, levels: Sequence[int]) -> list[Merge]:
    edge_cost, work, types, scopes = paths.edge_cost, paths.work, paths.types, paths.scopes
    arrivals, departures = paths.arrivals, paths.departures
    before, after = paths.before, paths.after
    candidates: list[Merge] = []
    for upper, below in enumerate(paths.children):
        level, type = levels[upper] + 1, types[upper]
        start = arrivals[upper] + edge_cost
        end = departures[upper] - edge_cost - work[upper]
        for lower in below:
            if (
                levels[lower] == level
                and types[lower] == type
                and start + work[lower] == arrivals[lower]
                and departures[lower] == end
                and not (scopes[upper] and scopes[lower] and scopes[upper] != scopes[lower])
            ):
                together = work[upper] + work[lower]
                together += max(before[upper], paths.second_before[lower])
                together += max(paths.second_after[upper], after[lower])
                loss = together - (start + departures[lower])
                if loss <= 0:
                    candidates.append(Merge(loss, (upper, lower), 2))
    return candidates
