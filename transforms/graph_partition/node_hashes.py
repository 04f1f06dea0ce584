"""Hashes of nodes; nodes of one hash are taken for isomorphic (graph partition, section 7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dialect.compat import Compat
from transforms.graph_partition.core_types import COMPATIBLE
from transforms.graph_partition.operation_hashes import MASK, MULTIPLIER, mix, operation_hashes
from transforms.graph_partition.ordered_graph import OrderedGraph
from transforms.graph_partition.reduce_nodes import reduce_nodes


def node_hashes(values: Sequence[int], nodes: Sequence[Sequence[int]]) -> list[int]:
    """Per node, the values of its operations mixed in ascending order."""
    hashes: list[int] = []
    for indices in nodes:
        value = 0
        for index in indices:
            x = ((value ^ values[index]) * MULTIPLIER) & MASK
            x ^= x >> 47
            y = ((values[index] ^ x) * MULTIPLIER) & MASK
            value = ((y ^ (y >> 47)) * MULTIPLIER) & MASK
        hashes.append(value)
    return hashes


def balanced_values(ordered: OrderedGraph, compat: Compat) -> list[int]:
    """Per index, a value of the operation's place in the graph: what is before it and what is after it.

    The operations of one reduction have one place, so that the branches of an unbalanced reduction tree are alike.

    Raises:
        PassFailedException: see `reduce_nodes`.

    Notes:
        O(operations + operands) hash operations. Source: graph partition, section 7.1.
    """
    hashes = operation_hashes(ordered)
    reductions = reduce_nodes(ordered, compat)
    if reductions is None:
        bases = [mix(0, value) for value in hashes]
        indices = range(len(hashes))
        forward = _sweep(indices, bases, _Side(ordered.inputs, ordered.producers, indices), ordered.outputs)
        backward = _sweep(indices[::-1], bases, _Side(ordered.outputs, ordered.consumers, indices), ordered.inputs)
        return list(map(mix, forward, backward))

    node_of, nodes = reductions.node_of, reductions.nodes
    bases = node_hashes(hashes, nodes)
    inputs = [_operands(ordered.inputs, indices) for indices in nodes]
    outputs = [_operands(ordered.outputs, indices) for indices in nodes]
    forward = _sweep(node_of, bases, _Side(inputs, ordered.producers, node_of), outputs)
    backward = _sweep(node_of[::-1], bases, _Side(outputs, ordered.consumers, node_of), inputs)
    places = list(map(mix, forward, backward))
    values = [places[node] for node in node_of]
    for indices, place in zip(nodes, places, strict=True):
        if len(indices) > 1:
            before, after = _chained_before(ordered, indices, hashes), _chained_after(ordered, indices, hashes)
            for index in indices:
                values[index] = mix(place, mix(before[index], after[index]))
    return values


def plain_values(ordered: OrderedGraph) -> list[int]:
    """Per index, a value from the operations before and after it, in order; only unit tests of the reference use it.

    Notes:
        Every pair of operations around a tensor counts: O(operations + pairs). Source: graph partition, section 7.2.
    """
    hashes = operation_hashes(ordered)
    cores = ordered.cores
    forward, backward = list(hashes), list(hashes)
    for index, inputs in enumerate(ordered.inputs):
        for producer in dict.fromkeys(p for tensor in inputs for p in ordered.producers[tensor]):
            forward[index] = mix(forward[index], forward[producer])
    for index in reversed(range(len(hashes))):
        for consumer in sorted({c for tensor in ordered.outputs[index] for c in ordered.consumers[tensor]}):
            if COMPATIBLE[cores[index] | cores[consumer]]:
                backward[index] = mix(backward[index], backward[consumer])
    return list(map(mix, forward, backward))


class _Side(NamedTuple):
    """One side of every node: its distinct tensors there, who is at the other end of a tensor, and their nodes."""

    tensors: Sequence[Sequence[int]]
    ends: Sequence[Sequence[int]]
    node_of: Sequence[int]


def _operands(operands: Sequence[tuple[int, ...]], indices: Sequence[int]) -> Sequence[int]:
    if len(indices) == 1:
        return operands[indices[0]]
    return list(dict.fromkeys(tensor for index in indices for tensor in operands[index]))


def _sweep(visits: Sequence[int], bases: Sequence[int], near: _Side, far: Sequence[Sequence[int]]) -> list[int]:
    """Per node, its base mixed with the values of its neighbours on the side `near`, as far as they are valued.

    A node is valued when it is visited first. Each tensor keeps the xor and the sum of the values of the nodes that
    have it on their side `far`, so that it costs one step per node around it; only a node that may meet one neighbour
    through several tensors has to list its neighbours.
    """
    values = [0] * len(bases)
    xors = [0] * len(near.ends)
    sums = [0] * len(near.ends)
    ends_shared = bytearray(len(near.ends))
    near_tensors = near.tensors
    for node in visits:
        if values[node]:
            continue
        tensors = near_tensors[node]
        if len(tensors) == 1:
            b = xors[tensors[0]] ^ ((sums[tensors[0]] * MULTIPLIER) & MASK)
        else:
            xor = total = shared = 0
            for tensor in dict.fromkeys(tensors):
                xor ^= xors[tensor]
                total += sums[tensor]
                shared += ends_shared[tensor]
            if shared > 1:
                neighbours = {near.node_of[end] for tensor in tensors for end in near.ends[tensor]}
                xor = total = 0
                for neighbour in neighbours:
                    xor ^= values[neighbour]
                    total += values[neighbour]
            b = xor ^ ((total * MULTIPLIER) & MASK)
        x = ((bases[node] ^ b) * MULTIPLIER) & MASK
        y = ((b ^ x ^ (x >> 47)) * MULTIPLIER) & MASK
        values[node] = value = ((y ^ (y >> 47)) * MULTIPLIER) & MASK
        tensors = far[node]
        if len(tensors) == 1:
            xors[tensors[0]] ^= value
            sums[tensors[0]] += value
        else:
            for tensor in dict.fromkeys(tensors):
                xors[tensor] ^= value
                sums[tensor] += value
                ends_shared[tensor] = True
    return values


def _chained_before(ordered: OrderedGraph, indices: Sequence[int], hashes: Sequence[int]) -> dict[int, int]:
    """Within one node, the hash of each operation mixed with the values of its producers, by operand and index."""
    values: dict[int, int] = {}
    writers: dict[int, list[int]] = {}
    known: dict[tuple[int, ...], int] = {}
    for index in indices:
        written = [tensor for tensor in ordered.inputs[index] if tensor in writers]
        key = (hashes[index], *written)
        value = known.get(key)
        if value is None:
            value = hashes[index]
            for writer in dict.fromkeys(writer for tensor in written for writer in writers[tensor]):
                value = mix(value, values[writer])
            known[key] = value
        values[index] = value
        for tensor in ordered.outputs[index]:
            writers.setdefault(tensor, []).append(index)
    return values


def _chained_after(ordered: OrderedGraph, indices: Sequence[int], hashes: Sequence[int]) -> dict[int, int]:
    """Within one node, the hash of each operation mixed with the values of its consumers, by index."""
    values: dict[int, int] = {}
    readers: dict[int, list[int]] = {}
    known: dict[tuple[int, ...], int] = {}
    for index in reversed(indices):
        read = [tensor for tensor in ordered.outputs[index] if tensor in readers]
        key = (hashes[index], *read)
        value = known.get(key)
        if value is None:
            value = hashes[index]
            for reader in sorted({reader for tensor in read for reader in readers[tensor]}):
                value = mix(value, values[reader])
            known[key] = value
        values[index] = value
        for tensor in ordered.inputs[index]:
            readers.setdefault(tensor, []).append(index)
    return values
