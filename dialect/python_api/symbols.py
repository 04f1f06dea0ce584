"""Integers that are known only when the kernel runs: loop indices and what is computed from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import index
from typing import SupportsIndex, TypeAlias

Extent: TypeAlias = "int | SymbolicScalar"
"""An integer, known now or when the kernel runs."""


class SymbolicScalar:
    """An integer expression over loop indices, kept as a sum: `offset + Σ coefficient * term`.

    A term is an index (`loop_idx_i`) or a call or quotient that a sum cannot hold (`min(loop_idx_i, 4)`). Sums are
    reduced, so that `(i + 1) * 32 - i * 32` is the integer 32. Terms stand in the order of their first appearance.
    """

    __slots__ = ("_first_values", "_offset", "_terms")

    def __init__(self, terms: Mapping[str, int], first_values: Mapping[str, int], offset: int = 0):
        self._terms = dict(terms)
        self._first_values = dict(first_values)
        self._offset = offset

    @staticmethod
    def symbol(name: str) -> SymbolicScalar:
        """The value of a loop index."""
        return SymbolicScalar({name: 1}, {name: 0})

    @property
    def at_zero(self) -> int:
        """The value where every loop index is 0: what the static half of an offset says."""
        return self._offset + sum(number * self._first_values[term] for term, number in self._terms.items())

    @property
    def text(self) -> str:
        """The expression as dumps are printed: `loop_idx_i * 128 + 32`."""
        pieces: list[str] = []
        positive = [(term, number) for term, number in self._terms.items() if number > 0]
        negative = [(term, number) for term, number in self._terms.items() if number < 0]
        if self._offset > 0 and not positive:
            pieces.append(str(self._offset))
        for term, number in (*positive, *negative):
            product = term if abs(number) == 1 else f"{term} * {abs(number)}"
            if not pieces:
                pieces.append(product if number > 0 else f"0 - {product}")
            else:
                pieces.append(f" + {product}" if number > 0 else f" - {product}")
        if self._offset and (positive or self._offset < 0):
            pieces.append(f" + {self._offset}" if self._offset > 0 else f" - {-self._offset}")
        return "".join(pieces)

    def __repr__(self) -> str:
        return f"SymbolicScalar({self.text})"

    def __bool__(self) -> bool:
        raise TypeError(
            f"whether '{self.text}' is true is known only when the kernel runs; a kernel cannot branch on a loop index"
        )

    def __eq__(self, other: object) -> bool:
        """Whether both are the same expression; this compares texts, not values."""
        return isinstance(other, SymbolicScalar) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def _combined(self, other: Extent, sign: int) -> Extent:
        if isinstance(other, int):
            return SymbolicScalar(self._terms, self._first_values, self._offset + sign * other)
        terms = dict(self._terms)
        for term, number in other._terms.items():
            terms[term] = terms.get(term, 0) + sign * number
        terms = {term: number for term, number in terms.items() if number}
        offset = self._offset + sign * other._offset
        return SymbolicScalar(terms, self._first_values | other._first_values, offset) if terms else offset

    def _scaled(self, factor: int) -> Extent:
        if factor == 0:
            return 0
        return SymbolicScalar(
            {term: number * factor for term, number in self._terms.items()}, self._first_values, self._offset * factor
        )

    def _operand_text(self) -> str:
        is_sum = len(self._terms) > 1 or self._offset != 0 or set(self._terms.values()) != {1}
        return f"({self.text})" if is_sum else self.text

    def __add__(self, other: object) -> Extent:
        number = _extent(other)
        return NotImplemented if number is None else self._combined(number, 1)

    def __radd__(self, other: object) -> Extent:
        return self.__add__(other)

    def __sub__(self, other: object) -> Extent:
        number = _extent(other)
        return NotImplemented if number is None else self._combined(number, -1)

    def __rsub__(self, other: object) -> Extent:
        number = _extent(other)
        if number is None:
            return NotImplemented
        negated = self._scaled(-1)
        return negated + number

    def __neg__(self) -> Extent:
        return self._scaled(-1)

    def __mul__(self, other: object) -> Extent:
        number = _extent(other)
        if number is None:
            return NotImplemented
        if isinstance(number, int):
            return self._scaled(number)
        return _term(
            f"{self._operand_text()} * {number._operand_text()}", lambda left, right: left * right, self, number
        )

    def __rmul__(self, other: object) -> Extent:
        return self.__mul__(other)

    def __floordiv__(self, other: object) -> Extent:
        return _quotient(self, other, "/", lambda left, right: left // right)

    def __rfloordiv__(self, other: object) -> Extent:
        number = _extent(other)
        return NotImplemented if number is None else _quotient(number, self, "/", lambda left, right: left // right)

    def __mod__(self, other: object) -> Extent:
        return _quotient(self, other, "%", lambda left, right: left % right)

    def __rmod__(self, other: object) -> Extent:
        number = _extent(other)
        return NotImplemented if number is None else _quotient(number, self, "%", lambda left, right: left % right)

    def min(self, other: SupportsIndex | SymbolicScalar) -> Extent:
        """The smaller of both when the kernel runs."""
        return _call("min", min, self, other)

    def max(self, other: SupportsIndex | SymbolicScalar) -> Extent:
        """The larger of both when the kernel runs."""
        return _call("max", max, self, other)


def _extent(value: object) -> Extent | None:
    if isinstance(value, SymbolicScalar):
        return value
    try:
        return index(value)  # pyright: ignore[reportArgumentType]  # a TypeError is the question
    except TypeError:
        return None


def extent_text(extent: Extent) -> str:
    """The text of an extent, be it known or not."""
    return str(extent) if isinstance(extent, int) else extent.text


def extent_at_zero(extent: Extent) -> int:
    """The value of an extent where every loop index is 0."""
    return extent if isinstance(extent, int) else extent.at_zero


def _term(text: str, compute: Callable[[int, int], int], left: Extent, right: Extent) -> SymbolicScalar:
    return SymbolicScalar({text: 1}, {text: compute(extent_at_zero(left), extent_at_zero(right))})


def _quotient(left: Extent, right: object, sign: str, compute: Callable[[int, int], int]) -> Extent:
    divisor = _extent(right)
    if divisor is None:
        return NotImplemented
    if divisor == 0:
        raise ZeroDivisionError(f"'{extent_text(left)}' is divided by zero")
    text = " ".join((_quotient_operand(left), sign, _quotient_operand(divisor)))
    return _term(f"({text})", lambda first, second: compute(first, second) if second else 0, left, divisor)


def _quotient_operand(extent: Extent) -> str:
    return extent._operand_text() if isinstance(extent, SymbolicScalar) else extent_text(extent)  # pyright: ignore[reportPrivateUsage]


def _call(name: str, compute: Callable[[int, int], int], left: SymbolicScalar, right: object) -> Extent:
    number = _extent(right)
    if number is None:
        raise TypeError(f"{name}: expected an integer or a loop index, found {right!r}")
    return _term(f"{name}({left.text}, {extent_text(number)})", compute, left, number)
