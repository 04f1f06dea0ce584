"""Edges that longer paths make needless."""

from __future__ import annotations

from collections.abc import Sequence

_BLOCK = 4096


def transitive_reduction(successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """The edges of an acyclic graph without those between nodes that a longer path connects.

    Args:
        successors: per node its successors, each once and larger than the node; their order is kept.

    Notes:
        O(edges · nodes / 4096) operations on integers of 4096 bits, and memory for one of them per node. Ancestors are
        found for 4096 nodes at a time.
    """
    predecessors: list[list[int]] = [[] for _ in successors]
    for node, after in enumerate(successors):
        for successor in after:
            predecessors[successor].append(node)
    needless: set[tuple[int, int]] = set()
    for first in range(0, len(successors), _BLOCK):
        last = min(first + _BLOCK, len(successors))
        if all(len(successors[node]) < 2 for node in range(first, last)):
            continue
        # Per node, the nodes of the block that lead to it, a bit for each.
        ancestors = [0] * len(successors)
        for node in range(first, len(successors)):
            before = predecessors[node]
            indirect = direct = 0
            for predecessor in before:
                indirect |= ancestors[predecessor]
                if first <= predecessor < last:
                    direct |= 1 << (predecessor - first)
            if direct & indirect:
                needless.update(
                    (predecessor, node)
                    for predecessor in before
                    if first <= predecessor < last and indirect >> (predecessor - first) & 1
                )
            ancestors[node] = direct | indirect
    if not needless:
        return [list(after) for after in successors]
    return [
        [successor for successor in after if (node, successor) not in needless] for node, after in enumerate(successors)
    ]
