"""The unstable sort of the GNU C++ library, whose order of equal elements decides the order of tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

_KeyT = TypeVar("_KeyT", bound=tuple[int, ...])

_INSERTION_LIMIT = 16


def library_sorted(keys: Sequence[_KeyT]) -> list[int]:
    """The places of `keys` in ascending order of their keys; equal ones stand as `std::sort` leaves them.

    Notes:
        O(n log n) for the keys that occur; the library's fallback to heap sort is left out. Source: cost model,
        section 6.3, step 5.
    """
    places = list(range(len(keys)))
    _Sorter(keys, places).sort()
    return places


class _Sorter:
    def __init__(self, keys: Sequence[tuple[int, ...]], places: list[int]):
        self.keys, self.places = keys, places

    def sort(self) -> None:
        count = len(self.places)
        ranges = [(0, count)]
        while ranges:
            first, last = ranges.pop()
            while last - first > _INSERTION_LIMIT:
                cut = self._partition(first, last)
                # The library recurses into the right part first; the parts do not touch one another.
                ranges.append((cut, last))
                last = cut
        self._insertion_sort(0, min(count, _INSERTION_LIMIT))
        for place in range(_INSERTION_LIMIT, count):
            self._move_down(place)

    def _partition(self, first: int, last: int) -> int:
        keys, places = self.keys, self.places
        self._median_first(first, first + 1, first + (last - first) // 2, last - 1)
        pivot = keys[places[first]]
        left, right = first + 1, last
        while True:
            while keys[places[left]] < pivot:
                left += 1
            right -= 1
            while pivot < keys[places[right]]:
                right -= 1
            if left >= right:
                return left
            places[left], places[right] = places[right], places[left]
            left += 1

    def _median_first(self, first: int, second: int, middle: int, last: int) -> None:
        places = self.places
        a, b, c = (self.keys[places[place]] for place in (second, middle, last))
        if a < b:
            median = middle if b < c else last if a < c else second
        else:
            median = second if a < c else last if b < c else middle
        places[first], places[median] = places[median], places[first]

    def _insertion_sort(self, first: int, last: int) -> None:
        keys, places = self.keys, self.places
        for place in range(first + 1, last):
            if keys[places[place]] < keys[places[first]]:
                places.insert(first, places.pop(place))
            else:
                self._move_down(place)

    def _move_down(self, place: int) -> None:
        keys, places = self.keys, self.places
        moved = places[place]
        while keys[moved] < keys[places[place - 1]]:
            places[place] = places[place - 1]
            place -= 1
        places[place] = moved
