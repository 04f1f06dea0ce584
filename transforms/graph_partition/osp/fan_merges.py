"""Merges of a vertex with children of it, all of them or some (OSP, section 3.3, FAN_OUT).

On a mirrored view of the DAG, these are merges of a vertex with its parents (FAN_IN).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from transforms.graph_partition.osp.dag_paths import DagPaths
from transforms.graph_partition.osp.internalisation import Merge, is_accepted, select


def full_fan_merges(paths: DagPaths) -> list[Sequence[int]]:
    """Disjoint sets to merge, each a head and all its children, which stand one level below it.

    Notes:
        Lenient. O(edges · log).
    """
    used = bytearray(len(paths.levels))

    def try_to_take(merge: Merge) -> bool:
        fan = _full_fan(paths, merge.key[0])
        if any(used[vertex] for vertex in fan):
            return False
        for vertex in fan:
            used[vertex] = True
        return True

    candidates = [merge for head in range(len(used)) if (merge := _full_fan_merge(paths, head)) is not None]
    return [_full_fan(paths, merge.key[0]) for merge in select(candidates, len(used), try_to_take)]


def _full_fan(paths: DagPaths, head: int) -> Sequence[int]:
    return [head, *paths.children[head]]


def _full_fan_merge(paths: DagPaths, head: int) -> Merge | None:
    children = paths.children[head]
    if len(children) < 2:
        return None
    level, type, scope = paths.levels[head] + 1, paths.types[head], paths.scopes[head]
    longest, before, after = paths.through(head), paths.before[head], 0
    work = paths.work[head]
    for child in children:
        if paths.levels[child] != level or paths.types[child] != type:
            return None
        if paths.scopes[child]:
            if scope and scope != paths.scopes[child]:
                return None
            scope = paths.scopes[child]
        work += paths.work[child]
        longest = max(longest, paths.through(child))
        before = max(before, paths.before_without(child, head))
        after = max(after, paths.after[child])
    loss = before + work + after - longest
    return Merge(loss, (head,), 1 + len(children)) if is_accepted(loss, longest, paths.leniency) else None


def partial_fan_merges(paths: DagPaths) -> list[Sequence[int]]:
    """Disjoint sets to merge, each a head and the first of its children one level below that are like it.

    Children are ordered by the longest paths that lead to and from them, and equal ones are taken together.

    Notes:
        Lenient. O(edges · log).
    """
    used = bytearray(len(paths.levels))
    # Heads with a child in another set of which it is not the head; joining them could close a cycle.
    blocked = bytearray(len(paths.levels))
    fans = {head: _ordered_fan(paths, head) for head, children in enumerate(paths.children) if len(children) > 1}
    free_prefix = {head: len(fan) for head, fan in fans.items()}

    def try_to_take(merge: Merge) -> bool:
        head, count = merge.key
        if used[head] or blocked[head] or count > free_prefix[head]:
            return False
        chosen = fans[head][:count]
        for place, child in enumerate(chosen):
            if used[child]:
                free_prefix[head] = place
                return False
        used[head] = True
        for child in chosen:
            used[child] = True
            for parent in paths.parents[child]:
                if paths.levels[parent] + 1 == paths.levels[child]:
                    blocked[parent] = True
        return True

    candidates = [merge for head, fan in fans.items() for merge in _partial_fan_merges(paths, head, fan)]
    taken = [merge.key for merge in select(candidates, len(used), try_to_take)]
    return [[head, *fans[head][:count]] for head, count in taken]


def _ordered_fan(paths: DagPaths, head: int) -> list[int]:
    """The children one level below `head` that may share a part with it, those that can start first in front."""
    level, type = paths.levels[head] + 1, paths.types[head]
    arrivals, departures = paths.arrivals, paths.departures
    children = [child for child in paths.children[head] if paths.levels[child] == level]
    if len(children) < 2:
        return []
    children.sort(key=lambda child: (arrivals[child], -departures[child], child))
    fan: list[int] = []
    scope = paths.scopes[head]
    for child in children:
        if paths.types[child] == type and not (scope and paths.scopes[child] and scope != paths.scopes[child]):
            fan.append(child)
            scope = scope or paths.scopes[child]
    return fan


def _partial_fan_merges(paths: DagPaths, head: int, fan: Sequence[int]) -> list[Merge]:
    """The candidates of one head: prefixes of its fan that end with a run of like children."""
    if not fan:
        return []
    arrivals, departures, edge_cost = paths.arrivals, paths.departures, paths.edge_cost
    inside = set(fan)
    left_out = max([departures[child] + edge_cost for child in paths.children[head] if child not in inside], default=0)
    # Per count, what follows the head outside when its first `count` children are inside.
    outside = list(accumulate([departures[child] + edge_cost for child in reversed(fan)], max, initial=left_out))[::-1]
    longest, before, after, work = paths.through(head), paths.before[head], 0, paths.work[head]
    merges: list[Merge] = []
    for count, child in enumerate(fan, 1):
        work += paths.work[child]
        longest = max(longest, paths.through(child))
        before = max(before, paths.before_without(child, head))
        after = max(after, paths.after[child])
        if count < len(fan):
            following = fan[count]
            if arrivals[following] == arrivals[child] and departures[following] == departures[child]:
                continue
        loss = before + work + max(after, outside[count]) - longest
        if is_accepted(loss, longest, paths.leniency):
            merges.append(Merge(loss, (head, count), 1 + count))
    return merges
