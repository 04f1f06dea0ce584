"""What merges expect of subgraph ids."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.utils.exceptions import PassFailedException


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
