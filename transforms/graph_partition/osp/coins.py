"""Coins of the OspSarkar partition: deterministic sequences that let its steps take turns (OSP, section 6)."""

from __future__ import annotations

import numpy

_START_RANGE = 4096


class ThueMorseCoin:
    """Flips by the Thue-Morse sequence: the parity of the number of one bits of k, k + 1, …"""

    def __init__(self, seed: int) -> None:
        self._position = seed % _START_RANGE

    def flip(self) -> bool:
        """The next side."""
        side = self._position.bit_count() % 2 == 1
        self._position += 1
        return side


class BalancedCoin:
    """Random flips that are pulled back to an even balance.

    Draws are those of a 32-bit Mersenne Twister (Matsumoto, Nishimura, 1998) with the bounded draws of Lemire, "Fast
    random integer generation in an interval", 2019.
    """

    _FAIR = 6

    def __init__(self, seed: int) -> None:
        self._generator = numpy.random.RandomState(seed)
        self._balance = 0

    def flip(self) -> bool:
        """The next side."""
        draw = self._draw(self._FAIR + abs(self._balance))
        side = (draw >= self._FAIR // 2) == (self._balance >= 0)
        self._balance += -1 if side else 1
        return side

    def _draw(self, bound: int) -> int:
        """An even draw from 0..`bound` - 1."""
        while True:
            product = int(self._generator.randint(0, 1 << 32, dtype=numpy.uint32)) * bound
            if product % (1 << 32) >= (1 << 32) % bound:
                return product >> 32
