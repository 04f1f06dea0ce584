"""An order of ops in which all writers of a tensor stand before all its readers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush


class CycleError(Exception):
    """The ops depend on one another; `operations` are those of one cycle, each reading what the next one writes."""

    def __init__(self, operations: Sequence[int]):
        super().__init__(f"cycle of {len(operations)} operations")
        self.operations = operations


def stable_order(reads: Sequence[Iterable[int]], writes: Sequence[Iterable[int]]) -> Sequence[int]:
    """The ops in the order of their numbers, each moved back only behind what it needs.

    Parameters:
        reads, writes: per op, the tensors that it reads and writes.

    Raises:
        CycleError: there is no such order.

    Notes:
        Linear where the given order is one already, else O(operations log operations + operands); among the ops that
        may come next, the one with the smallest number does.
    """
    if _is_ordered(reads, writes):
        return range(len(reads))
    return _sorted(reads, writes)


def _is_ordered(reads: Sequence[Iterable[int]], writes: Sequence[Iterable[int]]) -> bool:
    read: set[int] = set()
    for inputs, outputs in zip(reads, writes, strict=True):
        read.update(inputs)
        if not read.isdisjoint(outputs):
            return False
    return True


def _sorted(reads: Sequence[Iterable[int]], writes: Sequence[Iterable[int]]) -> list[int]:
    writers: dict[int, list[int]] = {}
    for operation, outputs in enumerate(writes):
        for tensor in set(outputs):
            writers.setdefault(tensor, []).append(operation)
    readers: dict[int, list[int]] = {}
    needed: list[int] = []
    for operation, inputs in enumerate(reads):
        written = [tensor for tensor in set(inputs) if tensor in writers]
        needed.append(len(written))
        for tensor in written:
            readers.setdefault(tensor, []).append(operation)
    unwritten = {tensor: len(operations) for tensor, operations in writers.items()}
    ready = [operation for operation, count in enumerate(needed) if not count]
    heapify(ready)
    order: list[int] = []
    while ready:
        operation = heappop(ready)
        order.append(operation)
        for tensor in set(writes[operation]):
            unwritten[tensor] -= 1
            if not unwritten[tensor]:
                for reader in readers.get(tensor, ()):
                    needed[reader] -= 1
                    if not needed[reader]:
                        heappush(ready, reader)
    if len(order) < len(reads):
        raise CycleError(_find_cycle(reads, writers, needed))
    return order


def _find_cycle(reads: Sequence[Iterable[int]], writers: dict[int, list[int]], needed: Sequence[int]) -> list[int]:
    """Every blocked op reads what another blocked op writes, so a walk along these comes back to itself."""
    operation = next(operation for operation, count in enumerate(needed) if count)
    step_of: dict[int, int] = {}
    path: list[int] = []
    while operation not in step_of:
        step_of[operation] = len(path)
        path.append(operation)
        operation = next(writer for tensor in reads[operation] for writer in writers.get(tensor, ()) if needed[writer])
    return path[step_of[operation] :]
