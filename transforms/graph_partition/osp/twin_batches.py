"""Batches of small vertices that are alike (OSP, section 3.6)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from functools import cache
from math import isqrt

from transforms.graph_partition.osp.dag_paths import DagPaths

_LARGEST_WORK = 2**31 - 1


class TwinNeighbours(Enum):
    """Which neighbours twins share."""

    ALL = auto()
    PARENTS = auto()
    CHILDREN = auto()


def twin_batches(
    paths: DagPaths, levels_from_sinks: Sequence[int], small_work: int, shared: TwinNeighbours
) -> list[Sequence[int]]:
    """Disjoint sets to merge, each of vertices of at most `small_work` cycles that look alike.

    Twins are equal in levels from both ends, work, longest paths, type and scope, and share neighbours. Paths are not
    looked at, since parts of that size cost more to start than they take.

    Notes:
        O(vertices + edges).
    """
    twins: dict[tuple[object, ...], list[int]] = {}
    for vertex, work in enumerate(paths.work):
        if work <= small_work:
            key = (
                paths.levels[vertex],
                levels_from_sinks[vertex],
                work,
                paths.arrivals[vertex],
                paths.departures[vertex],
                paths.types[vertex],
                paths.scopes[vertex],
                () if shared is TwinNeighbours.CHILDREN else tuple(paths.parents[vertex]),
                () if shared is TwinNeighbours.PARENTS else tuple(paths.children[vertex]),
            )
            twins.setdefault(key, []).append(vertex)
    batches: list[Sequence[int]] = []
    for vertices in twins.values():
        if len(vertices) > 1:
            begin = 0
            for size in batch_sizes(len(vertices), paths.work[vertices[0]], small_work):
                if size > 1:
                    batches.append(vertices[begin : begin + size])
                begin += size
    return batches


def batch_sizes(count: int, work: int, small_work: int) -> list[int]:
    """How many of `count` twins of `work` cycles each form the batches, so that a batch reaches `small_work`.

    Equal batches are preferred, then sizes with many divisors, which later steps can split again.
    """
    smallest = 2 if work <= 0 else max(2, small_work // work)
    largest = 2 * smallest if work <= 0 else max(smallest, min(2 * smallest, _LARGEST_WORK // work))
    size = _equal_size(count, smallest, largest)
    if size > 1:
        return [size] * (count // size)
    batch_count = _uneven_batch_count(count, smallest, largest)
    size, larger = divmod(count, batch_count)
    return [size + 1] * larger + [size] * (batch_count - larger)


def _equal_size(count: int, smallest: int, largest: int) -> int:
    """The smallest divisor of `count` in `smallest`..`largest`; else the largest one below."""
    divisors = _divisors(count)
    fitting = [divisor for divisor in divisors if smallest <= divisor <= largest]
    return fitting[0] if fitting else max([divisor for divisor in divisors if divisor < smallest])


def _uneven_batch_count(count: int, smallest: int, largest: int) -> int:
    """The number of batches whose two sizes have most divisors, the largest such number."""

    @cache
    def divisor_count(size: int) -> int:
        return len(_divisors(size))

    best, best_score = count // smallest, -1
    for batch_count in range(max(2, count // largest), count // smallest + 1):
        size = count // batch_count
        score = min(divisor_count(size), divisor_count(size + 1))
        if score >= best_score:
            best, best_score = batch_count, score
    return best


def _divisors(number: int) -> list[int]:
    small = [divisor for divisor in range(1, isqrt(number) + 1) if number % divisor == 0]
    return sorted({*small, *[number // divisor for divisor in small]})
