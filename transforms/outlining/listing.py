"""An order of the ops of a subgraph that does not depend on how they stand in the text."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from transforms.outlining.outlined_graph import EXTERNAL, OutlinedGraph


def canonical_listing(outlined: OutlinedGraph, operations: Sequence[int]) -> list[int]:
    """The ops of a subgraph, writers before readers, in an order that isomorphic subgraphs share.

    Always the ready op comes next whose surroundings have the smallest hash; of two with the same hash the one whose
    inputs were listed first. Ops that all this leaves equal are nearly always exchangeable; the text decides between
    them.

    Args:
        operations: the ops of one subgraph in text order.

    Notes:
        O(ops log ops + operands log operands). That two subgraphs get equal listings is proof that they are isomorphic;
        that isomorphic ones do not is possible where hashing cannot tell ops apart that are not exchangeable.
    """
    graph = outlined.graph
    hashes = _surroundings(outlined, operations)
    unwritten: dict[int, int] = {}
    readers: dict[int, list[int]] = {}
    for op in operations:
        for tensor in set(graph.outputs[op]):
            unwritten[tensor] = unwritten.get(tensor, 0) + 1
    for op in operations:
        for tensor in set(graph.inputs[op]):
            if tensor in unwritten:
                readers.setdefault(tensor, []).append(op)
    waiting = {op: sum(tensor in unwritten for tensor in set(graph.inputs[op])) for op in operations}
    place = {op: position for position, op in enumerate(operations)}
    listed: dict[int, int] = {}
    """Per tensor, when it was first written."""

    def priority(op: int) -> tuple[int, list[int], int]:
        return hashes[op], [listed.get(tensor, -1) for tensor in graph.inputs[op]], place[op]

    ready = [(*priority(op), op) for op in operations if not waiting[op]]
    heapify(ready)
    listing: list[int] = []
    while ready:
        op = heappop(ready)[-1]
        listing.append(op)
        for tensor in set(graph.outputs[op]):
            listed.setdefault(tensor, len(listing))
            unwritten[tensor] -= 1
            if not unwritten[tensor]:
                for reader in readers.get(tensor, ()):
                    waiting[reader] -= 1
                    if not waiting[reader]:
                        heappush(ready, (*priority(reader), reader))
    return listing


def _surroundings(outlined: OutlinedGraph, operations: Sequence[int]) -> dict[int, int]:
    """Per op, a hash of what it is, of all that leads to it and of all that it leads to, inside the subgraph."""
    graph, homes, facts = outlined.graph, outlined.homes, outlined.facts
    before: dict[int, int] = {}
    writers: dict[int, list[tuple[int, int]]] = {}
    written: dict[int, int] = {}
    for op in operations:
        incoming: list[int] = []
        for tensor in graph.inputs[op]:
            if tensor not in written:
                ends = sorted(writers.get(tensor, ()))
                border = outlined.borders[tensor].window if homes[tensor] == EXTERNAL else -1
                written[tensor] = hash((border, *ends))
            incoming.append(written[tensor])
        before[op] = own = hash((facts[op].structure, *incoming, *_windows(outlined, op)))
        for position, tensor in enumerate(graph.outputs[op]):
            writers.setdefault(tensor, []).append((own, position))
    after: dict[int, int] = {}
    uses: dict[int, list[tuple[int, int]]] = {}
    for op in reversed(operations):
        outgoing: list[int] = []
        for tensor in graph.outputs[op]:
            external = outlined.borders[tensor].window if homes[tensor] == EXTERNAL else -1
            outgoing.append(hash((external, *sorted(uses.get(tensor, ())))))
        after[op] = own = hash((before[op], *outgoing))
        for position, tensor in enumerate(graph.inputs[op]):
            uses.setdefault(tensor, []).append((own, position))
    return after


def _windows(outlined: OutlinedGraph, op: int) -> tuple[int, ...]:
    window = outlined.facts[op].window
    return () if window is None else window.extents
