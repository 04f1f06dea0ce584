"""Ascending sequences of distinct numbers."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Protocol


class Ascending(Protocol):
    """Distinct numbers in ascending order."""

    def __len__(self) -> int: ...

    def __getitem__(self, position: int, /) -> int: ...


def contains(numbers: Ascending, number: int) -> bool:
    """Whether `number` is among `numbers`. O(log numbers)."""
    position = bisect_left(numbers, number)
    return position < len(numbers) and numbers[position] == number


class AscendingUnion:
    """The union of a long ascending sequence, which is not copied, and a few more numbers."""

    __slots__ = ("_base", "_extras", "_places")

    def __init__(self, base: Ascending, more: Iterable[int]) -> None:
        """O(more · log base)."""
        self._base = base
        self._extras = sorted(number for number in more if not contains(base, number))
        self._places = [bisect_left(base, number) + before for before, number in enumerate(self._extras)]

    def __len__(self) -> int:
        return len(self._base) + len(self._extras)

    def __getitem__(self, position: int, /) -> int:
        before = bisect_left(self._places, position)
        if before < len(self._places) and self._places[before] == position:
            return self._extras[before]
        return self._base[position - before]
