"""Internalisation: merging what makes the longest path of a DAG no longer.

With unlimited processors, an edge inside a part is free, an edge between parts costs a constant, and a part runs
serially; the longest path is then the time that the DAG takes. Source: V. Sarkar, "Partitioning and Scheduling Parallel
Programs for Multiprocessors", 1989; here many disjoint merges are made at once (OSP, section 3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

_KEPT_SHARE = 0.875
"""Which share of the vertices is to be left when a contraction ends."""


class Merge(NamedTuple):
    """A set of vertices that may become one.

    Candidates are taken in the order of their fields: the largest saving first, then by what names the set.

    Attributes:
        loss: by how many cycles the longest path through the set grows; negative if it shrinks.
        key: names the set and decides between equal losses.
        size: the number of vertices.
    """

    loss: int
    key: tuple[int, ...]
    size: int


def is_accepted(loss: int, longest_path: int, leniency: float) -> bool:
    """Whether a lenient merge with this loss is a candidate.

    Args:
        loss: by how many cycles the merge lengthens the longest path through it.
        longest_path: the longest path through the unmerged vertices.
        leniency: by which share of that path it may be lengthened.
    """
    return int(leniency * longest_path) >= loss


def select(candidates: Iterable[Merge], vertex_count: int, try_to_take: Callable[[Merge], bool]) -> list[Merge]:
    """The candidates that are taken, in order, until about an eighth of the vertices has gone.

    Candidates that save as much as the last one are still taken, so that symmetric parts of a graph stay symmetric.

    Args:
        candidates: in any order.
        vertex_count: the number of vertices before the contraction.
        try_to_take: says whether a candidate fits to those taken before, and notes it if it does.
    """
    enough = vertex_count - int(vertex_count * _KEPT_SHARE)
    taken: list[Merge] = []
    removed, last_loss = 0, None
    for candidate in sorted(candidates):
        if last_loss is not None and candidate.loss > last_loss:
            break
        if try_to_take(candidate):
            taken.append(candidate)
            removed += candidate.size - 1
            if last_loss is None and removed > enough:
                last_loss = candidate.loss
    return taken
