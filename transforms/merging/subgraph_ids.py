"""What merges expect of subgraph ids."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.utils.exceptions import PassFailedException

from transforms.graph_partition.ordered_graph import OrderedGraph


def check_contiguous(subgraphs: Sequence[int]) -> None:
    """Check that the ids that are not negative count from 0 without gaps.

    Raises:
        PassFailedException: they do not; the message names the first gap.
    """
    expected = 0
    for subgraph in sorted({subgraph for subgraph in subgraphs if subgraph >= 0}):
        if subgraph > expected:
            raise PassFailedException(
                f"subgraph ids must count from 0 without gaps: no op has the id {expected}, although {subgraph} is used"
            )
        expected = subgraph + 1


def check_every_op_has_one(ordered: OrderedGraph, subgraphs: Sequence[int]) -> None:
    """Check that every operation has a subgraph.

    Raises:
        PassFailedException: one has none; the message names it.
    """
    missing = [index for index, subgraph in enumerate(subgraphs) if subgraph < 0]
    if missing:
        have = f"and {len(missing) - 1} more have" if len(missing) > 1 else "has"
        raise PassFailedException(
            f"{ordered.describe(missing[0])} {have} no subgraph; every op needs one (run graph-partition first)"
        )
