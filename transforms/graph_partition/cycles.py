"""Cycle sums stay within the 32 bits that the reference has for them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.utils.exceptions import PassFailedException

from transforms.graph_partition.ordered_graph import OrderedGraph

LARGEST_CYCLES = 2**31 - 1


def check_cycles(cycles: int, what: str, ordered: OrderedGraph, indices: Sequence[int]) -> None:
    """Check that the cycles of `what`, made of the operations at `indices`, fit into 32 bits.

    Raises:
        PassFailedException: they do not.
    """
    if not -LARGEST_CYCLES - 1 <= cycles <= LARGEST_CYCLES:
        raise PassFailedException(
            f"the latencies of a {what} sum up to {cycles} cycles, which do not fit into 32 bits: "
            f"{ordered.describe_all(indices)}"
        )
