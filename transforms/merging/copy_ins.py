"""Copies from global memory into L1 that can be reused (merge passes, section 3.1)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.utils.exceptions import PassFailedException

from dialect.elements import ELEMENTS
from dialect.opcodes import OPCODE_BY_NAME, OPCODES
from dialect.operation import TileOperation
from dialect.pass_options import Side
from dialect.types import MEMORY_NUMBERS, Memory
from dialect.values import integer_of, integers_of, items_of, string_of
from transforms.graph_partition.ordered_graph import OrderedGraph
from transforms.tensor_facts import TensorFacts

_DDR, _L1, _L0A, _L0B = (MEMORY_NUMBERS[memory] for memory in (Memory.DDR, Memory.L1, Memory.L0A, Memory.L0B))
_CONVERT = OPCODE_BY_NAME["CONVERT"].number
_TOLERATED = frozenset(OPCODE_BY_NAME[name].number for name in ("L1_COPY_IN_CONV", "GATHER_IN_L1"))
"""Opcodes that may copy to L1 but are never reused."""

_WRAP = 2**32
_SIGN = 2**31


@dataclass(frozen=True, slots=True)
class CopyIns:
    """The reusable copies of a function.

    Attributes:
        features: per index of a reusable copy, a number for the tile that it reads; equal numbers mean the same tile.
        volumes: per index of a reusable copy, the bytes that it copies, 32 bits with sign.
        sides: per index of a reusable copy, the matrix sides that its tile feeds.
    """

    features: Mapping[int, int]
    volumes: Mapping[int, int]
    sides: Mapping[int, frozenset[Side]]


def find_copy_ins(
    ordered: OrderedGraph, operations: Sequence[TileOperation], tensors: TensorFacts, view_opcode: int
) -> CopyIns:
    """The reusable copies: view-like operations with the opcode `view_opcode`, and CONVERT, from DDR to L1.

    Args:
        operations: per operation of the graph, not per index, its IR.

    Raises:
        PassFailedException: another operation copies from DDR to L1.

    Notes:
        O(operations + consumers of the copies).
    """
    memories, elements = ordered.graph.memories, ordered.graph.elements
    numbers: dict[Hashable, int] = {}
    features: dict[int, int] = {}
    volumes: dict[int, int] = {}
    sides: dict[int, frozenset[Side]] = {}
    for index, (opcode, inputs, outputs) in enumerate(
        zip(ordered.opcodes, ordered.inputs, ordered.outputs, strict=True)
    ):
        if not inputs or not outputs or memories[inputs[0]] != _DDR or memories[outputs[0]] != _L1:
            continue
        if opcode in _TOLERATED:
            continue
        source, tile = inputs[0], outputs[0]
        if opcode == view_opcode:
            offsets = _window_offsets(operations[ordered.order[index]])
        elif opcode == _CONVERT:
            rank = len(tensors.shapes[tile])
            offsets = (tensors.offsets[source] or (0,) * len(tensors.shapes[source]))[:rank]
        else:
            raise PassFailedException(
                f"{ordered.describe(index)} copies from DDR to L1; expected {OPCODES[view_opcode].name}, CONVERT, "
                "L1_COPY_IN_CONV or GATHER_IN_L1 (enable_slice chooses between VIEW and SLICE)"
            )
        feature = (tensors.storages[source], offsets, tensors.shapes[tile], opcode)
        features[index] = numbers.setdefault(feature, len(numbers))
        volumes[index] = _volume(ELEMENTS[elements[tile]].bytes, tensors.shapes[tile])
        sides[index] = _sides_of(ordered, tile)
    return CopyIns(features, volumes, sides)


def _window_offsets(operation: TileOperation) -> tuple[int | str | None, ...]:
    """The offsets of a view-like operation: the dynamic ones if it has any, else the static ones."""
    dynamic = items_of(operation.properties.get("dyn_offsets"))
    if dynamic:
        return tuple([string_of(item) if (number := integer_of(item)) is None else number for item in dynamic])
    return tuple(integers_of(operation.properties.get("offsets")) or ())


def _volume(element_bytes: int, shape: Sequence[int]) -> int:
    volume = element_bytes
    for extent in shape:
        volume = (volume * extent + _SIGN) % _WRAP - _SIGN
    return volume


_NO_SIDES = frozenset[Side]()


def _sides_of(ordered: OrderedGraph, tile: int) -> frozenset[Side]:
    memories = ordered.graph.memories
    fed = {memories[output] for index in ordered.consumers[tile] for output in ordered.outputs[index]}
    if _L0A not in fed and _L0B not in fed:
        return _NO_SIDES
    return frozenset(side for side, memory in ((Side.LEFT, _L0A), (Side.RIGHT, _L0B)) if memory in fed)
