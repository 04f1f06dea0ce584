"""Adjusting the number of copies in a group to the number of processors (OSP, section 5.5)."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from transforms.graph_partition.osp.copies import Copies


def trim_copies(copies: Copies, types: Sequence[int], processor_counts: Sequence[int], *, heals: bool) -> Copies:
    """Join so many consecutive copies that the number of copies divides the number of processors.

    Args:
        copies: those of one group.
        types: per vertex, its type.
        processor_counts: per type, its processors; a copy of several types is limited by the scarcest type of all.
        heals: whether copies that share a single processor are joined too, which the reference forgets.
    """
    count = len(copies)
    copy_types = {types[vertex] for vertex in copies[0]}
    if max(copy_types) >= len(processor_counts):
        return copies
    available = min(processor_counts) if len(copy_types) > 1 else processor_counts[min(copy_types)]
    if available < 2 and not heals:
        return copies
    kept = gcd(count, max(available, 1))
    if kept == count:
        return copies
    together = count // kept
    return [[vertex for copy in copies[i : i + together] for vertex in copy] for i in range(0, count, together)]
