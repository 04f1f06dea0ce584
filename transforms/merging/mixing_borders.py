"""What passes between subgraphs while they merge: the tensors at their borders, and who produces."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from transforms.merging.boundary_tensors import BoundaryTensor


class Borders:
    """The boundary tensors of subgraphs that merge.

    Notes:
        Merging moves the fewer tensors to the root that touches more, O(tensor ends · log subgraphs) over all merges.
    """

    def __init__(self, tensors: Sequence[BoundaryTensor], count: int) -> None:
        self._parent = list(range(count))
        self.producers = [set(tensor.producers) for tensor in tensors]
        """Per tensor, the roots of its producers."""
        self.consumers = [set(tensor.consumers) for tensor in tensors]
        """Per tensor, the roots of its consumers."""
        self._in_memory = [tensor.in_memory for tensor in tensors]
        self._touched_by: list[int] = []
        # Per root, the tensors that touch it and another root.
        self._touching: list[set[int]] = [set() for _ in range(count)]
        # Per root, the tensors of global memory among them that it both writes and reads.
        self._passing: list[set[int]] = [set() for _ in range(count)]
        self._produces = bytearray(count)
        for number, (producers, consumers) in enumerate(zip(self.producers, self.consumers, strict=True)):
            self._touched_by.append(len(producers | consumers))
            for subgraph in producers | consumers:
                self._touching[subgraph].add(number)
            for subgraph in producers:
                self._produces[subgraph] = True
                if subgraph in consumers and self._in_memory[number]:
                    self._passing[subgraph].add(number)
        self._sinks = {subgraph for subgraph in range(count) if not self._produces[subgraph]}
        self._has_two_sinks = len(self._sinks) > 1

    def root(self, subgraph: int) -> int:
        """What stands for all that `subgraph` has merged with."""
        parent = self._parent
        while parent[subgraph] != subgraph:
            parent[subgraph] = parent[parent[subgraph]]
            subgraph = parent[subgraph]
        return subgraph

    def inner_tensors(self, group: Collection[int]) -> list[int]:
        """The tensors that touch at least two of the roots `group`. O(tensors that touch all of these but one)."""
        largest = max(group, key=lambda root: len(self._touching[root]))
        seen: set[int] = set()
        inner: set[int] = set()
        for root in group:
            if root != largest:
                for number in self._touching[root]:
                    if number in seen or number in self._touching[largest]:
                        inner.add(number)
                    seen.add(number)
        return sorted(inner)

    def passes_outside(self, number: int, group: set[int]) -> bool:
        """Whether a tensor of global memory is also produced or consumed outside `group`."""
        return self._in_memory[number] and not (self.producers[number] <= group and self.consumers[number] <= group)

    def passes_itself(self, root: int, group: set[int]) -> bool:
        """Whether a root of `group` writes and reads a tensor of global memory that passes outside the group too."""
        return any(self.passes_outside(number, group) for number in self._passing[root])

    def produces(self, root: int) -> bool:
        """Whether a root writes a boundary tensor, be it one that nobody outside it reads any more."""
        return bool(self._produces[root])

    def has_two_sources(self, root: int) -> bool:
        """Whether two other roots write tensors that touch `root`."""
        first = -1
        for number in self._touching[root]:
            for source in self.producers[number]:
                if source not in (root, first):
                    if first >= 0:
                        return True
                    first = source
        return False

    def holds_all_sinks(self, group: set[int]) -> bool:
        """Whether there are several subgraphs that write no boundary tensor, and all are in `group`."""
        return self._has_two_sinks and self._sinks <= group

    def merge(self, group: Collection[int]) -> int:
        """Merge roots; returns the root of all."""
        kept = max(group, key=lambda root: len(self._touching[root]))
        for gone in group:
            if gone != kept:
                self._absorb(kept, gone)
        return kept

    def _absorb(self, kept: int, gone: int) -> None:
        self._parent[gone] = kept
        self._produces[kept] |= self._produces[gone]
        if gone in self._sinks:
            self._sinks.discard(gone)
            self._sinks.add(kept)
        for number in self._touching[gone]:
            producers, consumers = self.producers[number], self.consumers[number]
            for ends in (producers, consumers):
                if gone in ends:
                    ends.discard(gone)
                    ends.add(kept)
            if number in self._touching[kept]:
                self._touched_by[number] -= 1
            else:
                self._touching[kept].add(number)
            if self._touched_by[number] == 1:
                self._touching[kept].discard(number)
                self._passing[kept].discard(number)
            elif self._in_memory[number] and kept in producers and kept in consumers:
                self._passing[kept].add(number)
        self._touching[gone], self._passing[gone] = set(), set()
