"""A leaf: what one core runs for a subgraph, an operation list over tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Tile(NamedTuple):
    """A tensor of a leaf; element type and memory are the numbers of the dump format."""

    shape: tuple[int, ...]
    element: int
    memory: int


class LeafOperation(NamedTuple):
    """An operation of a leaf; inputs and outputs are numbers of tiles."""

    opcode: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """Operations in the order of the machine code, without allocations and synchronisation."""

    tiles: Sequence[Tile]
    operations: Sequence[LeafOperation]


_UNTIMED_NAME_PARTS = ("ALLOC", "PHASE", "SYNC", "BAR")


def is_timed(opcode: str) -> bool:
    """Whether the simulator runs an operation of this opcode; it drops synchronisation (cost model, section 2.1)."""
    return opcode != "NOP" and not any(part in opcode for part in _UNTIMED_NAME_PARTS)
