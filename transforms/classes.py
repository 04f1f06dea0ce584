"""Classes of subgraphs that look alike: hashes, hash orders, and the names that users see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import compress

from dialect.opcodes import OPCODES
from transforms.graph_partition.ordered_graph import OrderedGraph

MODULUS = 2**52 - 1
_WORD = 2**64 - 1
_SEED = 0x12345678
_BASE = 37
_SUBGRAPH_BASE = 23


@cache
def opcode_name_hash(name: str) -> int:
    """The hash of an opcode's name in PyPTO dumps."""
    value = 0
    for character in name:
        value = (value * _BASE + ord(character)) % MODULUS
    return value


def operation_hashes(ordered: OrderedGraph) -> list[int]:
    """Per index, the hash of an operation's opcode and of all that leads to it, across subgraph borders.

    Shapes, types, attributes and what is read from outside the function do not enter; members of a class are equal in
    their opcodes and in how these are linked, and in nothing else.

    Notes:
        O(operations + operands). Source: merge passes, section 1.5.
    """
    names = [opcode_name_hash(opcode.name) for opcode in OPCODES]
    magics, order = ordered.graph.magics, ordered.order
    producers = ordered.producers
    hashes: list[int] = []
    contributions: list[tuple[int, int] | None] = [None] * len(producers)
    for opcode, inputs in zip(ordered.opcodes, ordered.inputs, strict=True):
        value = names[opcode]
        for tensor in inputs:
            writers = producers[tensor]
            if not writers:
                continue
            contribution = contributions[tensor]
            if contribution is None:
                if len(writers) > 1:
                    writers = sorted(writers, key=lambda index: magics[order[index]])
                power, total = 1, 0
                for index in writers:
                    total = (total * _BASE + (hashes[index] ^ _SEED)) % MODULUS
                    power = power * _BASE % MODULUS
                contribution = contributions[tensor] = (power, total)
            value = (value * contribution[0] + contribution[1] & _WORD) % MODULUS
        hashes.append(value)
    return hashes


def subgraph_hashes(
    hashes: Sequence[int],
    subgraphs: Sequence[int],
    count: int,
    included: Iterable[bool] | None = None,
    marks: Sequence[Sequence[int]] | None = None,
) -> list[int]:
    """Per subgraph, the hash of its operations in canonical order; 0 for a subgraph without any.

    Args:
        hashes: per index, the hash of the operation.
        subgraphs: per index, the subgraph, negative for none.
        count: the number of subgraphs.
        included: per index, whether the operation counts; all do if it is None.
        marks: per index, further numbers that tell subgraphs apart, such as the extents of its tiles.

    Notes:
        O(operations). Source: merge passes, section 1.6; marks are our own.
    """
    values = [0] * count
    indices = range(len(hashes)) if included is None else compress(range(len(hashes)), included)
    for index in indices:
        subgraph = subgraphs[index]
        if subgraph < 0:
            continue
        values[subgraph] = (values[subgraph] * _SUBGRAPH_BASE + (hashes[index] ^ _SEED)) % MODULUS
        if marks is not None:
            for mark in marks[index]:
                values[subgraph] = (values[subgraph] * _SUBGRAPH_BASE + (mark & _WORD ^ _SEED)) % MODULUS
    return values


@dataclass(frozen=True, slots=True)
class SubgraphClasses:
    """Subgraphs of equal hash.

    Attributes:
        order_of: per subgraph, the *hash order* of its class; -1 if it is in none.
        members: per class, its subgraphs, ascending.
        hashes: per class, the hash of its members.
    """

    order_of: Sequence[int]
    members: Sequence[Sequence[int]]
    hashes: Sequence[int]


def number_classes(hashes: Sequence[int], subgraphs: Iterable[int]) -> SubgraphClasses:
    """Number the classes of `subgraphs`, given in ascending order, by their smallest member.

    Notes:
        O(subgraphs). Source: merge passes, section 1.7.
    """
    order_of = [-1] * len(hashes)
    numbers: dict[int, int] = {}
    members: list[list[int]] = []
    for subgraph in subgraphs:
        number = numbers.setdefault(hashes[subgraph], len(members))
        if number == len(members):
            members.append([])
        members[number].append(subgraph)
        order_of[subgraph] = number
    return SubgraphClasses(order_of, members, list(numbers))


def class_name(function_magic: int, order: int) -> str:
    """The name under which hints show a class, and settings address it."""
    return f"func{function_magic}_{order}"


def shape_marks(ordered: OrderedGraph, shapes: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Per index, the extents of its operands, as marks that tell tail tiles from full ones.

    Args:
        shapes: per tensor, its extents.
    """
    return [
        tuple([extent for tensor in (*inputs, *outputs) for extent in shapes[tensor]])
        for inputs, outputs in zip(ordered.inputs, ordered.outputs, strict=True)
    ]
