"""When the operations of a leaf run on a core: pipes in order, dependencies between tiles (cost model, section 2.4)."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from dialect.elements import ELEMENTS
from dialect.types import MEMORY_NUMBERS
from tools.simulate.leaves.latency_table import LatencyTable
from tools.simulate.leaves.leaf import Leaf, Tile
from tools.simulate.leaves.pipes import ALLOCATION_PIPES, Pipe, pipe_of

_ALLOCATION_CYCLES = 1
_PIPE_OF_MEMORY: Mapping[int, Pipe] = {MEMORY_NUMBERS[memory]: pipe for memory, pipe in ALLOCATION_PIPES.items()}
_NEVER = 1 << 62


class BufferDeadlockError(Exception):
    """With back pressure, no tile fits any more and no operation runs that would free one."""


@dataclass(frozen=True, slots=True)
class LeafTiming:
    """What a leaf costs; cycles count from the cycle in which the core starts it.

    Attributes:
        cycles: the duration.
        starts, ends: per operation.
        allocation_starts: when the tiles are allocated, ascending.
        busy: per pipe that has worked, the sum of the latencies.
    """

    cycles: int
    starts: Sequence[int]
    ends: Sequence[int]
    allocation_starts: Sequence[int]
    busy: Mapping[Pipe, int]

    def event_cycles(self) -> list[int]:
        """The cycles in which the simulator advances while it runs the leaf in detail, ascending, each once."""
        cycles = {0}
        for start in self.allocation_starts:
            cycles.update((start, start + _ALLOCATION_CYCLES, start + _ALLOCATION_CYCLES + 1))
        for start, end in zip(self.starts, self.ends, strict=True):
            cycles.update((start, end, end + 1))
        return sorted(cycles)


def time_leaf(leaf: Leaf, table: LatencyTable, buffer_bytes: Mapping[Pipe, int] | None = None) -> LeafTiming:
    """Run a leaf on an otherwise idle core.

    Args:
        buffer_bytes: what each allocation pipe has to give, if tiles wait until they fit (buffer back pressure).

    Raises:
        BufferDeadlockError: with back pressure, the leaf does not fit into the buffers.

    Notes:
        O(operations + operands). Synchronisation, reuse of buffers, and shared bandwidth are not modelled.
    """
    return _Core(leaf, table, buffer_bytes).run()


class _Core:
    """The state of a core while it runs one leaf. Items of an allocation pipe are tiles, of another pipe operations."""

    def __init__(self, leaf: Leaf, table: LatencyTable, buffer_bytes: Mapping[Pipe, int] | None):
        operations, tiles = leaf.operations, leaf.tiles
        self.operations = operations
        self.pipes = [pipe_of(operation.opcode) for operation in operations]
        self.latencies = [
            table.cycles(
                operation.opcode,
                [(tiles[tile].shape, tiles[tile].element) for tile in operation.inputs],
                [(tiles[tile].shape, tiles[tile].element) for tile in operation.outputs],
            )
            for operation in operations
        ]
        self.free_bytes = None if buffer_bytes is None else dict(buffer_bytes)
        self.tile_bytes = [_bytes_of(tile) for tile in tiles] if buffer_bytes is not None else []
        self.waiting: list[deque[int]] = [deque() for _ in Pipe]
        self.running: list[int] = [-1] * len(Pipe)
        self.retire_at: list[int] = [_NEVER] * len(Pipe)
        self.starts = [0] * len(operations)
        self.ends = [0] * len(operations)
        self.allocation_starts: list[int] = []

        self.producers: list[list[int]] = [[] for _ in tiles]
        self.consumers: list[list[int]] = [[] for _ in tiles]
        self.readers: list[list[int]] = [[] for _ in tiles]
        """The consumers of a tile, without operations that also write it."""
        self.followers: dict[int, list[int]] = {}
        """Per operation, the later ones that read and write a tile of it: they wait for it, not for themselves."""
        # Per tile, its producers from the last one on that also reads it: what the next such one waits for.
        latest: list[list[int]] = [[] for _ in tiles]
        # What an operation still waits for: allocations of its tiles, and the writing of its inputs.
        self.open_conditions = [0] * len(operations)
        for number, operation in enumerate(operations):
            outputs = dict.fromkeys(operation.outputs)
            for tile in dict.fromkeys(operation.inputs):
                self.consumers[tile].append(number)
                if tile not in outputs:
                    self.readers[tile].append(number)
                    continue
                for producer in latest[tile]:
                    self.followers.setdefault(producer, []).append(number)
                self.open_conditions[number] += len(latest[tile])
                latest[tile] = []
            for tile in outputs:
                self.producers[tile].append(number)
                latest[tile].append(number)
        self.open_producers = [len(producers) for producers in self.producers]
        self.open_consumers = [len(consumers) for consumers in self.consumers]
        self.tile_pipes = [_PIPE_OF_MEMORY.get(tile.memory) for tile in tiles]
        for tile, pipe in enumerate(self.tile_pipes):
            if pipe is not None:
                for number in dict.fromkeys((*self.producers[tile], *self.consumers[tile])):
                    self.open_conditions[number] += 1
            if pipe is not None or self.producers[tile]:
                for number in self.readers[tile]:
                    self.open_conditions[number] += 1
        self._fill()

    def _fill(self) -> None:
        seen: set[int] = set()
        for number, operation in enumerate(self.operations):
            for tile in (*operation.inputs, *operation.outputs):
                if tile not in seen:
                    seen.add(tile)
                    if (pipe := self.tile_pipes[tile]) is not None:
                        self.waiting[pipe].append(tile)
            needs_nothing = not any(self.producers[tile] for tile in operation.inputs) and (
                not operation.outputs or any(self.tile_pipes[tile] is None for tile in operation.outputs)
            )
            if needs_nothing or not self.open_conditions[number]:
                self.open_conditions[number] = _NEVER
                self.waiting[self.pipes[number]].append(number)

    def run(self) -> LeafTiming:
        step = 0
        while True:
            for pipe in Pipe:
                if self.retire_at[pipe] == step:
                    self._retire(pipe)
            for pipe in Pipe:
                if self.waiting[pipe] and self.retire_at[pipe] == _NEVER:
                    self._issue(pipe, step)
            step = min(self.retire_at)
            if step == _NEVER:
                break
        if any(self.waiting):
            raise BufferDeadlockError
        busy: dict[Pipe, int] = {}
        for pipe, latency in zip(self.pipes, self.latencies, strict=True):
            busy[pipe] = busy.get(pipe, 0) + latency
        cycles = max(self.ends, default=0) + 1
        return LeafTiming(cycles, self.starts, self.ends, self.allocation_starts, busy)

    def _issue(self, pipe: Pipe, step: int) -> None:
        item = self.waiting[pipe][0]
        if pipe > Pipe.L0C_ALLOCATION:
            self.starts[item] = step + 1
            end = self.ends[item] = step + 1 + self.latencies[item]
        else:
            if self.free_bytes is not None:
                if self.tile_bytes[item] > self.free_bytes[pipe]:
                    return
                self.free_bytes[pipe] -= self.tile_bytes[item]
            self.allocation_starts.append(step + 1)
            end = step + 1 + _ALLOCATION_CYCLES
        self.waiting[pipe].popleft()
        self.running[pipe] = item
        self.retire_at[pipe] = end + 1

    def _retire(self, pipe: Pipe) -> None:
        item = self.running[pipe]
        self.retire_at[pipe] = _NEVER
        if pipe > Pipe.L0C_ALLOCATION:
            for tile in dict.fromkeys(self.operations[item].outputs):
                self.open_producers[tile] -= 1
                if not self.open_producers[tile]:
                    self._satisfy(self.readers[tile])
            self._satisfy(self.followers.get(item, ()))
            for tile in dict.fromkeys(self.operations[item].inputs):
                self.open_consumers[tile] -= 1
                if not self.open_consumers[tile]:
                    self._free(tile)
            return
        self._satisfy(self.producers[item])
        self._satisfy(self.readers[item], conditions=1 if self.producers[item] else 2)
        if not self.consumers[item]:
            self._free(item)

    def _satisfy(self, operations: Sequence[int], conditions: int = 1) -> None:
        for number in operations:
            self.open_conditions[number] -= conditions
            if not self.open_conditions[number]:
                self.waiting[self.pipes[number]].append(number)

    def _free(self, tile: int) -> None:
        pipe = self.tile_pipes[tile]
        if self.free_bytes is not None and pipe is not None:
            self.free_bytes[pipe] += self.tile_bytes[tile]


def _bytes_of(tile: Tile) -> int:
    return prod(tile.shape) * ELEMENTS[tile.element].bytes
