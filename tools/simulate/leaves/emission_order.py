"""The order in which the compiler emits the operations of a leaf (cost model, section 6.1)."""

from __future__ import annotations

from collections.abc import Sequence

from tools.simulate.leaves.leaf import LeafOperation


def emission_order(operations: Sequence[LeafOperation], tile_count: int) -> list[int]:
    """The operations, given in the order of the graph, in the order of the machine code.

    The compiler sorts from the operations whose results nobody in the leaf uses, the sinks, which it takes in reverse.
    A chain of producers is emitted depth-first before its sink, the deepest one first.

    Returns:
        the numbers of the operations, each once.

    Notes:
        O((operations + operands) log operations + sinks · (operations / 64 + sinks)), sinks counted with what leads to
        several of them.
    """
    return _Emitter(operations, tile_count).run()


class _Emitter:
    def __init__(self, operations: Sequence[LeafOperation], tile_count: int):
        count = len(operations)
        writers: list[list[int]] = [[] for _ in range(tile_count)]
        self.producers: list[list[int]] = []
        """Per operation, the operations that it waits for, the deepest first, else in operand order."""
        self.depths = [1] * count
        source_of = list(range(count))
        is_used = [False] * count
        for number, operation in enumerate(operations):
            producers = list(dict.fromkeys(writer for tile in operation.inputs for writer in writers[tile]))
            producers.sort(key=lambda producer: -self.depths[producer])
            self.producers.append(producers)
            for producer in producers:
                is_used[producer] = True
            if producers:
                self.depths[number] = self.depths[producers[0]] + 1
                source_of[number] = source_of[producers[0]]
            for tile in operation.outputs:
                writers[tile].append(number)
        groups: dict[int, list[int]] = {}
        for number in range(count - 1, -1, -1):
            if not is_used[number]:
                groups.setdefault(source_of[number], []).append(number)
        self.sinks = [sink for group in groups.values() for sink in sorted(group, key=lambda sink: -self.depths[sink])]
        self.is_emitted = [False] * count
        self.order: list[int] = []

    def run(self) -> list[int]:
        if len(self.sinks) < 3:
            for sink in self.sinks:
                self._emit(sink)
            return self.order
        open_producers = _OpenProducers(self.producers, self.sinks)
        place = 0
        while place >= 0:
            before = len(self.order)
            self._emit(self.sinks[place])
            place = open_producers.next_sink(place, self.order[before:])
        return self.order

    def _emit(self, sink: int) -> None:
        stack = [(sink, iter(self.producers[sink]))]
        while stack:
            operation, producers = stack[-1]
            producer = next((producer for producer in producers if not self.is_emitted[producer]), None)
            if producer is None:
                stack.pop()
                self.is_emitted[operation] = True
                self.order.append(operation)
            else:
                stack.append((producer, iter(self.producers[producer])))


class _OpenProducers:
    """Per sink, how many of the operations that lead to it are not emitted yet."""

    def __init__(self, producers: Sequence[Sequence[int]], sinks: Sequence[int]):
        self.sink_sets = [0] * len(producers)
        """Per operation, the sinks behind it, a bit for the place of each."""
        for place, sink in enumerate(sinks):
            self.sink_sets[sink] = 1 << place
        for number in range(len(producers) - 1, -1, -1):
            sinks_behind = self.sink_sets[number]
            for producer in producers[number]:
                self.sink_sets[producer] |= sinks_behind
        sizes: dict[int, int] = {}
        for sink_set in self.sink_sets:
            sizes[sink_set] = sizes.get(sink_set, 0) + 1
        self.counts = [0] * len(sinks)
        self.places_of: dict[int, list[int]] = {}
        for sink_set, size in sizes.items():
            places = self.places_of[sink_set] = _bits(sink_set)
            for place in places:
                self.counts[place] += size
        self.left = dict.fromkeys(range(len(sinks)))

    def next_sink(self, emitted_sink: int, emitted: Sequence[int]) -> int:
        """The place of the sink to emit after `emitted_sink`, -1 after the last; `emitted` has just been emitted."""
        del self.left[emitted_sink]
        sizes: dict[int, int] = {}
        for operation in emitted:
            sink_set = self.sink_sets[operation]
            sizes[sink_set] = sizes.get(sink_set, 0) + 1
        for sink_set, size in sizes.items():
            for place in self.places_of[sink_set]:
                self.counts[place] -= size
        return min(self.left, key=self.counts.__getitem__, default=-1)


def _bits(number: int) -> list[int]:
    places: list[int] = []
    while number:
        lowest = number & -number
        places.append(lowest.bit_length() - 1)
        number ^= lowest
    return places
