"""What lives in the unified buffer, and what has to leave it for a while (cost model, section 6.1)."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from math import prod
from typing import NamedTuple

from dialect.elements import ELEMENTS
from tools.simulate.leaves.leaf import LeafOperation, Tile
from tools.simulate.leaves.partitioned_graph import DDR

_NO_USE = 1 << 62


def peak_bytes(operations: Sequence[LeafOperation], tiles: Sequence[Tile], memory: int) -> int:
    """The largest number of bytes that live in a memory at one time, each tile from its first to its last use.

    A dynamic extent counts as 1.

    Notes:
        O(operands).
    """
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for place, operation in enumerate(operations):
        for tile in (*operation.inputs, *operation.outputs):
            if tiles[tile].memory == memory:
                first.setdefault(tile, place)
                last[tile] = place
    changes = [0] * (len(operations) + 1)
    for tile, place in first.items():
        size = tile_bytes(tiles[tile])
        changes[place] += size
        changes[last[tile] + 1] -= size
    peak = live = 0
    for change in changes:
        live += change
        peak = max(peak, live)
    return peak


def tile_bytes(tile: Tile) -> int:
    """The size of a tile; a dynamic extent counts as 1."""
    return prod(max(extent, 1) for extent in tile.shape) * ELEMENTS[tile.element].bytes


class Spilled(NamedTuple):
    """The operations with copies for what does not fit, the tiles, and how many tiles were evicted."""

    operations: list[LeafOperation]
    tiles: list[Tile]
    evictions: int


def spill(operations: Sequence[LeafOperation], tiles: Sequence[Tile], memory: int, capacity: int) -> Spilled:
    """Let tiles leave a memory that is too small for all that lives in it.

    Where an output does not fit, the live tile whose next use is farthest, and that the operation does not use, is
    copied out, unless it was copied in; it is copied in again before its next use. Copies out that were to be made of
    it later are made before it leaves, and its own copy is made all the same, as the compiler does. What does not fit
    even then stays.

    Args:
        operations: in the order of emission.
        capacity: bytes.

    Notes:
        O(operands log operands). The compiler spills more, since its buffers are fragmented.
    """
    return _Spiller(operations, tiles, memory, capacity).run()


class _Spiller:
    def __init__(self, operations: Sequence[LeafOperation], tiles: Sequence[Tile], memory: int, capacity: int):
        self.operations, self.tiles, self.memory, self.capacity = operations, list(tiles), memory, capacity
        self.uses: dict[int, list[int]] = {}
        """Per tile of the memory, the places where it is read, descending."""
        for place in range(len(operations) - 1, -1, -1):
            for tile in dict.fromkeys(operations[place].inputs):
                if tiles[tile].memory == memory:
                    self.uses.setdefault(tile, []).append(place)
        self.is_done = [False] * len(operations)
        self.emitted: list[LeafOperation] = []
        self.current: dict[int, int] = {}
        """Per tile that has been copied in again, the tile that stands for it."""
        self.in_global: dict[int, int] = {}
        self.live: dict[int, int] = {}
        """Per live tile, its bytes."""
        self.farthest: list[tuple[int, int]] = []
        self.used = 0
        self.evictions = 0

    def run(self) -> Spilled:
        for place, operation in enumerate(self.operations):
            if self.is_done[place]:
                continue
            operands = dict.fromkeys((*operation.inputs, *operation.outputs))
            for tile in dict.fromkeys(operation.inputs):
                if tile in self.in_global and tile not in self.live:
                    self._copy_in_again(tile, place, operands)
            for tile in dict.fromkeys(operation.outputs):
                if self.tiles[tile].memory == self.memory and tile not in self.live:
                    self._hold(tile, place, operands)
            self._emit(place)
            if operation.opcode == "COPY_IN" and self.tiles[operation.outputs[0]].memory == self.memory:
                self.in_global[operation.outputs[0]] = operation.inputs[0]
            self._pass(place, operands)
        return Spilled(self.emitted, self.tiles, self.evictions)

    def _emit(self, place: int) -> None:
        opcode, inputs, outputs = self.operations[place]
        stand_in = self.current
        self.is_done[place] = True
        self.emitted.append(
            LeafOperation(
                opcode,
                tuple([stand_in.get(tile, tile) for tile in inputs]),
                tuple([stand_in.get(tile, tile) for tile in outputs]),
            )
        )

    def _next_use(self, tile: int) -> int:
        uses = self.uses.get(tile)
        return uses[-1] if uses else _NO_USE

    def _hold(self, tile: int, place: int, operands: dict[int, None]) -> None:
        size = tile_bytes(self.tiles[tile])
        kept: list[tuple[int, int]] = []
        while self.used + size > self.capacity and self.farthest:
            entry = heappop(self.farthest)
            next_use, candidate = -entry[0], entry[1]
            if candidate not in self.live or next_use != self._next_use(candidate):
                continue
            if candidate in operands:
                kept.append(entry)
                continue
            self._evict(candidate)
        for entry in kept:
            heappush(self.farthest, entry)
        self.live[tile] = size
        self.used += size
        heappush(self.farthest, (-self._next_use(tile), tile))

    def _evict(self, tile: int) -> None:
        self.used -= self.live.pop(tile)
        self.evictions += 1
        uses = self.uses.get(tile, [])
        for place in reversed(uses):
            if self.operations[place].opcode == "COPY_OUT":
                self._emit(place)
        uses[:] = [place for place in uses if not self.is_done[place]]
        if uses and tile not in self.in_global:
            self.tiles.append(self.tiles[tile]._replace(memory=DDR))
            self.in_global[tile] = len(self.tiles) - 1
            self.emitted.append(LeafOperation("COPY_OUT", (self.current.get(tile, tile),), (len(self.tiles) - 1,)))

    def _copy_in_again(self, tile: int, place: int, operands: dict[int, None]) -> None:
        self._hold(tile, place, operands)
        self.tiles.append(self.tiles[tile])
        self.current[tile] = len(self.tiles) - 1
        self.emitted.append(LeafOperation("COPY_IN", (self.in_global[tile],), (len(self.tiles) - 1,)))

    def _pass(self, place: int, operands: dict[int, None]) -> None:
        """Leave an operation behind: a tile that nobody reads any more is gone."""
        for tile in operands:
            uses = self.uses.get(tile)
            if uses and uses[-1] == place:
                uses.pop()
            if tile in self.live:
                if uses:
                    heappush(self.farthest, (-uses[-1], tile))
                else:
                    self.used -= self.live.pop(tile)
