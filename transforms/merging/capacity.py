"""Compares the tiles that merged subgraphs keep with the memories of a core.

What one subgraph keeps is the largest number of bytes that its tiles in a memory take at one time when its ops run in
canonical order; a tile is alive from the first to the last op of the subgraph that names it. What a merged subgraph
keeps is the sum of what its members keep, as if they ran side by side, but a tile that several of them copy from the
same place counts once. Tiles of unknown size count nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from dialect.elements import ELEMENTS
from dialect.targets import Target
from dialect.types import MEMORY_NUMBERS, Memory
from transforms.graph_partition.ordered_graph import OrderedGraph
from transforms.merging.guards import RefusalReason

CapacityRule = Literal["warn", "enforce", "off"]

_GUARDED = {Memory.L1: "L1", Memory.UB: "UB"}


def capacity_rule(given: CapacityRule | None, compat: Compat) -> CapacityRule:
    """The rule that holds: as given to the pass, else by the rule set (row G1)."""
    if given is not None:
        return given
    return "warn" if compat is Compat.PUBLISHED else "off"


@dataclass(frozen=True, slots=True)
class KeptBytes:
    """What subgraphs keep in one memory, before any merge.

    Attributes:
        memory: its name.
        size: its bytes on one core.
        bytes_of: per subgraph, the bytes of its tiles that are alive at one time.
        copies: per subgraph, the tiles that it copies to this memory: a number for the place that each is copied from,
            and its bytes.
    """

    memory: str
    size: int
    bytes_of: Sequence[int]
    copies: Sequence[Mapping[int, int]]


def kept_bytes(
    ordered: OrderedGraph,
    shapes: Sequence[Sequence[int]],
    subgraphs: Sequence[int],
    count: int,
    target: Target,
    l1_copies: Sequence[Mapping[int, int]] | None = None,
) -> list[KeptBytes]:
    """What the subgraphs keep in L1 and in UB.

    Args:
        shapes: per tensor, its extents.
        subgraphs: per index; negative for none.
        l1_copies: per subgraph, the tiles that it copies to L1.

    Raises:
        PassFailedException: the size of a memory of `target` is not known.

    Notes:
        O(operations + operands).
    """
    nothing = [dict[int, int]()] * count
    sizes = {Memory.L1: target.l1_bytes, Memory.UB: target.ub_bytes}
    result: list[KeptBytes] = []
    for memory, name in _GUARDED.items():
        if sizes[memory] <= 0:
            raise PassFailedException(
                f"the size of {name} of {target.name} is not known, so capacity cannot be looked at: use capacity=off"
            )
        alive = _alive_at_once(ordered, shapes, subgraphs, count, MEMORY_NUMBERS[memory])
        copies = l1_copies if memory is Memory.L1 and l1_copies is not None else nothing
        result.append(KeptBytes(name, sizes[memory], alive, copies))
    return result


def _alive_at_once(
    ordered: OrderedGraph, shapes: Sequence[Sequence[int]], subgraphs: Sequence[int], count: int, memory: int
) -> list[int]:
    memories, elements = ordered.graph.memories, ordered.graph.elements
    begins: dict[int, list[int]] = {}
    ends: dict[int, list[int]] = {}
    for tensor, (writers, readers) in enumerate(zip(ordered.producers, ordered.consumers, strict=True)):
        if memories[tensor] != memory:
            continue
        size = _bytes_of(shapes[tensor], ELEMENTS[elements[tensor]].bytes)
        span: dict[int, tuple[int, int]] = {}
        for index in (*writers, *readers):
            first, last = span.get(subgraphs[index], (index, index))
            span[subgraphs[index]] = min(first, index), max(last, index)
        for first, last in span.values():
            begins.setdefault(first, []).append(size)
            ends.setdefault(last, []).append(size)
    now = [0] * count
    highest = [0] * count
    for index in sorted(begins.keys() | ends.keys()):
        subgraph = subgraphs[index]
        if subgraph < 0:
            continue
        now[subgraph] += sum(begins.get(index, ()))
        highest[subgraph] = max(highest[subgraph], now[subgraph])
        now[subgraph] -= sum(ends.get(index, ()))
    return highest


def _bytes_of(shape: Iterable[int], element_bytes: int) -> int:
    size = element_bytes
    for extent in shape:
        if extent < 0:
            return 0
        size *= extent
    return size


class CapacityGuard:
    """Allows no merge whose subgraph keeps more than a memory holds."""

    reason = RefusalReason.CAPACITY

    def __init__(self, kept: Sequence[KeptBytes]) -> None:
        self.memories = kept
        self._bytes = [list(memory.bytes_of) for memory in kept]
        self._copies: list[dict[int, dict[int, int]]] = [{} for _ in kept]

    def bytes_of(self, place: int, subgraph: int) -> int:
        """What `subgraph` and all that it has absorbed keep in the memory at `place` of `memories`."""
        return self._bytes[place][subgraph]

    def allows(self, target: int, subgraph: int) -> bool:
        return all(self._together(place, target, subgraph) <= memory.size for place, memory in enumerate(self.memories))

    def allows_together(self, subgraphs: Iterable[int]) -> bool:
        """Whether all of `subgraphs` may become one."""
        for place, memory in enumerate(self.memories):
            kept, tiles = 0, set[int]()
            for subgraph in subgraphs:
                copies = self._copies[place].get(subgraph, memory.copies[subgraph])
                shared = sum([size for tile, size in copies.items() if tile in tiles])
                kept += max(0, self._bytes[place][subgraph] - shared)
                tiles.update(copies)
            if kept > memory.size:
                return False
        return True

    def merge(self, target: int, subgraph: int) -> None:
        for place, memory in enumerate(self.memories):
            self._bytes[place][target] = self._together(place, target, subgraph)
            copies = self._copies[place].setdefault(target, dict(memory.copies[target]))
            copies.update(self._copies[place].pop(subgraph, memory.copies[subgraph]))

    def _together(self, place: int, target: int, subgraph: int) -> int:
        memory, merged = self.memories[place], self._copies[place]
        of_target = merged.get(target, memory.copies[target])
        of_subgraph = merged.get(subgraph, memory.copies[subgraph])
        shared = sum([size for tile, size in of_subgraph.items() if tile in of_target])
        return self._bytes[place][target] + max(0, self._bytes[place][subgraph] - shared)


@dataclass(frozen=True, slots=True)
class Overfull:
    """A merged subgraph that keeps more in a memory than it holds; `members` are ids before the merge."""

    members: Sequence[int]
    memory: str
    kept: int
    size: int


def overfull_groups(kept: Sequence[KeptBytes], roots: Sequence[int]) -> list[Overfull]:
    """The merged subgraphs that keep more than a memory holds.

    Args:
        roots: per subgraph, the one that it ends in.
    """
    guard = CapacityGuard(kept)
    members: dict[int, list[int]] = {}
    for subgraph, root in enumerate(roots):
        members.setdefault(root, []).append(subgraph)
        if root != subgraph:
            guard.merge(root, subgraph)
    return [
        Overfull(group, memory.memory, guard.bytes_of(place, root), memory.size)
        for root, group in members.items()
        if len(group) > 1
        for place, memory in enumerate(kept)
        if guard.bytes_of(place, root) > memory.size
    ]
