"""Hash arithmetic and the hash of one operation (graph partition, section 7)."""

from __future__ import annotations

from collections.abc import Iterable

from transforms.graph_partition.ordered_graph import OrderedGraph

MASK = 2**64 - 1
MULTIPLIER = 0x9DDFEA08EB382D69

_INPUTS = 0x49504F5045524E44
_OUTPUTS = 0x4F4F5045524E44


def mix(a: int, b: int) -> int:
    """Two 64-bit values mixed into one; `mix(0, 0)` is 0."""
    x = ((a ^ b) * MULTIPLIER) & MASK
    x ^= x >> 47
    y = ((b ^ x) * MULTIPLIER) & MASK
    y ^= y >> 47
    return (y * MULTIPLIER) & MASK


def fold(seed: int, value: int) -> int:
    """`seed` with `value` folded in, 64 bits."""
    return seed ^ ((value + 0x9E3779B9 + (seed << 6) + (seed >> 2)) & MASK)


def operation_hash(opcode: int, inputs: Iterable[tuple[int, int]], outputs: Iterable[tuple[int, int]]) -> int:
    """The hash of an operation from its opcode number and the (memory, data type) of each operand."""
    value = fold(opcode, _INPUTS)
    for memory, element in inputs:
        value = fold(fold(value, memory), element)
    value = fold(value, _OUTPUTS)
    for memory, element in outputs:
        value = fold(fold(value, memory), element)
    return value


def operation_hashes(ordered: OrderedGraph) -> list[int]:
    """Per index, the hash of its operation. O(operands) look-ups; each distinct combination is hashed once."""
    memories, elements = ordered.graph.memories, ordered.graph.elements
    kinds = [memory << 8 | element for memory, element in zip(memories, elements, strict=True)]
    known: dict[tuple[int, tuple[int, ...], tuple[int, ...]], int] = {}
    hashes: list[int] = []
    for opcode, inputs, outputs in zip(ordered.opcodes, ordered.inputs, ordered.outputs, strict=True):
        key = (opcode, tuple([kinds[tensor] for tensor in inputs]), tuple([kinds[tensor] for tensor in outputs]))
        value = known.get(key)
        if value is None:
            value = known[key] = operation_hash(
                opcode,
                [(memories[tensor], elements[tensor]) for tensor in inputs],
                [(memories[tensor], elements[tensor]) for tensor in outputs],
            )
        hashes.append(value)
    return hashes
