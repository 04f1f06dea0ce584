"""The values of symbolic expressions such as `min(512 - loop_idx_i * 128, 32)`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from dialect.suggestions import did_you_mean
from tools.evaluate.errors import EvaluationError

_TOKEN = re.compile(r"\s*(?:(\d+)|([A-Za-z_][A-Za-z0-9_.$]*)|'((?:[^'\\]|\\.)*)'|(&&|\|\||[=!<>]=|[-+*/%<>!(),]))")
_DEPTH_LIMIT = 200


def _quotient(dividend: int, divisor: int) -> int:
    """Division that rounds towards zero, as the expressions' language does."""
    if divisor == 0:
        raise EvaluationError("a symbolic expression divides by zero")
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


_BINARY: Mapping[str, tuple[int, Callable[[int, int], int]]] = {
    "||": (1, lambda a, b: int(bool(a) or bool(b))),
    "&&": (2, lambda a, b: int(bool(a) and bool(b))),
    "==": (3, lambda a, b: int(a == b)),
    "!=": (3, lambda a, b: int(a != b)),
    "<": (4, lambda a, b: int(a < b)),
    "<=": (4, lambda a, b: int(a <= b)),
    ">": (4, lambda a, b: int(a > b)),
    ">=": (4, lambda a, b: int(a >= b)),
    "+": (5, lambda a, b: a + b),
    "-": (5, lambda a, b: a - b),
    "*": (6, lambda a, b: a * b),
    "/": (6, _quotient),
    "%": (6, lambda a, b: a - b * _quotient(a, b)),
}
"""Precedence and meaning of the binary operators; all associate to the left."""

_UNARY: Mapping[str, Callable[[int], int]] = {"+": lambda a: a, "-": lambda a: -a, "!": lambda a: int(not a)}
_FUNCTIONS: Mapping[str, Callable[..., int]] = {"min": min, "max": max, "min2": min, "max2": max}


def value_of(expression: str, symbols: Mapping[str, int]) -> int:
    """The value of an expression.

    Args:
        symbols: the value of each symbol.

    Raises:
        EvaluationError: a symbol has no value, or the text is not an expression of this kind: it calls a function of
            the run time, or is kept as JSON because it could not be read.
    """
    return _Reader(expression, symbols).whole()


class _Reader:
    def __init__(self, text: str, symbols: Mapping[str, int]) -> None:
        self._text = text
        self._symbols = symbols
        self._tokens: list[tuple[str, str]] = []
        self._depth = 0
        position = 0
        while position < len(text.rstrip()):
            match = _TOKEN.match(text, position)
            if match is None:
                raise self._wrong()
            number, name, quoted, sign = match.groups()
            if number is not None:
                self._tokens.append(("number", number))
            elif name is not None:
                self._tokens.append(("name", name))
            elif quoted is not None:
                self._tokens.append(("symbol", re.sub(r"\\(.)", r"\1", quoted)))
            else:
                self._tokens.append(("sign", sign))
            position = match.end()
        self._tokens.append(("end", ""))
        self._next = 0

    def whole(self) -> int:
        value = self._binary(0)
        if self._tokens[self._next][0] != "end":
            raise self._wrong()
        return value

    def _wrong(self) -> EvaluationError:
        return EvaluationError(f"cannot evaluate the symbolic expression {self._text!r}")

    def _take(self, sign: str) -> bool:
        if self._tokens[self._next] == ("sign", sign):
            self._next += 1
            return True
        return False

    def _binary(self, weakest: int) -> int:
        self._depth += 1
        if self._depth > _DEPTH_LIMIT:
            raise EvaluationError("a symbolic expression is nested too deeply")
        value = self._unary()
        while (entry := _BINARY.get(self._tokens[self._next][1])) and self._tokens[self._next][0] == "sign":
            if entry[0] < weakest:
                break
            self._next += 1
            value = entry[1](value, self._binary(entry[0] + 1))
        self._depth -= 1
        return value

    def _unary(self) -> int:
        for sign, meaning in _UNARY.items():
            if self._take(sign):
                self._depth += 1
                if self._depth > _DEPTH_LIMIT:
                    raise EvaluationError("a symbolic expression is nested too deeply")
                value = meaning(self._unary())
                self._depth -= 1
                return value
        return self._atom()

    def _atom(self) -> int:
        kind, text = self._tokens[self._next]
        if self._take("("):
            value = self._binary(0)
            if not self._take(")"):
                raise self._wrong()
            return value
        if kind == "number":
            self._next += 1
            return int(text)
        if kind in ("name", "symbol"):
            self._next += 1
            if self._take("("):
                return self._call(kind, text)
            if text not in self._symbols:
                raise EvaluationError(
                    f"the symbol '{text}' has no value{did_you_mean(text, self._symbols)}; "
                    f"give it one, as in -t 'evaluate{{symbols=\"{text}=0\"}}'"
                )
            return self._symbols[text]
        raise self._wrong()

    def _call(self, kind: str, function: str) -> int:
        meaning = _FUNCTIONS.get(function) if kind == "name" else None
        if meaning is None:
            raise EvaluationError(f"calls of {function} in symbolic expressions are not covered: {self._text!r}")
        arguments = [self._binary(0)]
        while self._take(","):
            arguments.append(self._binary(0))
        if not self._take(")"):
            raise self._wrong()
        return meaning(arguments)
