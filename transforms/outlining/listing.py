"""An order of the ops of a subgraph that does not depend on how they stand in the text."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from heapq import heapify, heappop, heappush

from dialect.types import TensorType
from transforms.graph import TileGraph
from transforms.outlining.outlined_graph import EXTERNAL, OutlinedGraph

_ROUNDS = 2


def canonical_listing(outlined: OutlinedGraph, operations: Sequence[int]) -> list[int]:
    """The ops of a subgraph, writers before readers, in an order that isomorphic subgraphs share.

    Always the ready op comes next whose surroundings have the smallest hash; of two with the same hash the one whose
    tensors, windows and symbols were listed first. Ops that all this leaves equal are nearly always exchangeable; the
    text decides between them.

    Args:
        operations: the ops of one subgraph in text order.

    Notes:
        O(ops log ops + operands log operands). That two subgraphs get equal listings is proof that they are isomorphic;
        that isomorphic ones do not is possible where hashing cannot tell ops apart that are not exchangeable.
    """
    graph = outlined.graph
    used = {op: _shared_things(outlined, op) for op in operations}
    hashes = {op: hash((outlined.facts[op].structure, *_kinds_of_arguments(outlined, op))) for op in operations}
    for _ in range(_ROUNDS):
        hashes = _with_things(_surroundings(outlined.graph, operations, hashes), used)
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
    text_places = {op: place for place, op in enumerate(operations)}
    listed: dict[Hashable, int] = {}
    """When an op first used a tensor, a window, or a symbol."""

    def priority(op: int) -> tuple[int, list[int], int]:
        seen = [listed.get(thing, len(operations)) for thing in (*graph.inputs[op], *used[op])]
        return hashes[op], seen, text_places[op]

    ready = [(*priority(op), op) for op in operations if not waiting[op]]
    heapify(ready)
    listing: list[int] = []
    while ready:
        op = heappop(ready)[-1]
        for thing in (*graph.outputs[op], *used[op]):
            listed.setdefault(thing, len(listing))
        listing.append(op)
        for tensor in set(graph.outputs[op]):
            unwritten[tensor] -= 1
            if not unwritten[tensor]:
                for reader in readers.get(tensor, ()):
                    waiting[reader] -= 1
                    if not waiting[reader]:
                        heappush(ready, (*priority(reader), reader))
    return listing


def _kinds_of_arguments(outlined: OutlinedGraph, op: int) -> list[int]:
    """Per operand, what a leaf's argument for it is like; -1 for a tensor inside."""
    graph, window = outlined.graph, outlined.facts[op].window
    kinds: list[int] = []
    for tensors in (graph.inputs[op], graph.outputs[op]):
        for position, tensor in enumerate(tensors):
            if outlined.homes[tensor] != EXTERNAL:
                kinds.append(-1)
            elif window is not None and position == 0 and tensor == window.tensor:
                kinds.append(hash((outlined.borders[tensor], *window.extents)))
            else:
                type = outlined.values[tensor].type
                assert isinstance(type, TensorType)
                kinds.append(hash((outlined.borders[tensor], *type.shape)))
    return kinds


def _shared_things(outlined: OutlinedGraph, op: int) -> list[Hashable]:
    """What an op may share with others without being linked to them: arguments of the leaf, symbols, raw tensors."""
    graph, (_, symbols, window, storages) = outlined.graph, outlined.facts[op]
    things: list[Hashable] = []
    for kind, tensors in (("in", graph.inputs[op]), ("out", graph.outputs[op])):
        for position, tensor in enumerate(tensors):
            if outlined.homes[tensor] == EXTERNAL:
                is_window = window is not None and position == 0 and tensor == window.tensor
                things.append((kind, tensor, window.place if window is not None and is_window else -1))
    return [*things, *symbols, *(("raw", number) for number in storages)]


def _with_things(hashes: Mapping[int, int], used: Mapping[int, Sequence[Hashable]]) -> dict[int, int]:
    """The hashes with those of all ops that use the same things."""
    users: dict[Hashable, list[tuple[int, int]]] = {}
    for op, things in used.items():
        for position, thing in enumerate(things):
            users.setdefault(thing, []).append((hashes[op], position))
    of_thing = {thing: hash(tuple(sorted(users))) for thing, users in users.items()}
    return {op: hash((hashes[op], *(of_thing[thing] for thing in things))) for op, things in used.items()}


def _surroundings(graph: TileGraph, operations: Sequence[int], seeds: Mapping[int, int]) -> dict[int, int]:
    """Per op, a hash of its seed, of all that leads to it and of all that it leads to, inside the subgraph."""
    before: dict[int, int] = {}
    writers: dict[int, list[tuple[int, int]]] = {}
    written: dict[int, int] = {}
    for op in operations:
        incoming: list[int] = []
        for tensor in graph.inputs[op]:
            if tensor not in written:
                written[tensor] = hash(tuple(sorted(writers.get(tensor, ()))))
            incoming.append(written[tensor])
        before[op] = own = hash((seeds[op], *incoming))
        for position, tensor in enumerate(graph.outputs[op]):
            writers.setdefault(tensor, []).append((own, position))
    after: dict[int, int] = {}
    uses: dict[int, list[tuple[int, int]]] = {}
    for op in reversed(operations):
        outgoing = [hash(tuple(sorted(uses.get(tensor, ())))) for tensor in graph.outputs[op]]
        after[op] = own = hash((before[op], *outgoing))
        for position, tensor in enumerate(graph.inputs[op]):
            uses.setdefault(tensor, []).append((own, position))
    return after
