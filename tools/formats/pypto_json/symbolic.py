"""Symbolic values as text (JSON format, section 7.1).

A constant is its integer. Anything else is an expression such as `min(512 - s0 * 128, 32)`, with the parentheses that
precedence demands, so that two different values never print alike. What does not read as exactly one expression (the
format is ambiguous for sums of three or more operands, section 13) is kept as the JSON list that it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

_IMMEDIATE, _SYMBOL, _EXPRESSION = 0, 1, 2
_LOWEST, _UNARY, _CALL, _ATOM = 0, 7, 8, 9

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_.$]*")

_UNARY_SIGNS = {0: "+", 1: "-", 2: "!"}
_BINARY_SIGNS = {
    3: (" + ", 5),
    4: (" - ", 5),
    5: (" * ", 6),
    6: (" / ", 6),
    7: (" % ", 6),
    8: (" == ", 3),
    9: (" != ", 3),
    10: (" < ", 4),
    11: (" <= ", 4),
    12: (" > ", 4),
    13: (" >= ", 4),
    19: (" && ", 2),
    20: (" || ", 1),
}
"""Sign and precedence of the binary operators; all are taken to associate to the left."""

_FUNCTIONS_OF_TWO = {14: "min2", 15: "max2"}
"""The operators min and max of old dumps, which have no operand count."""
_FUNCTIONS = {17: "min", 18: "max"}
_CALL_OPERATOR = 16
_RESERVED = frozenset((*_FUNCTIONS.values(), *_FUNCTIONS_OF_TWO.values()))


class _Open(NamedTuple):
    """An operator some of whose operands are not read yet."""

    remaining: int
    precedence_of_next: int
    """An operand that binds weaker than this stands in parentheses."""
    precedence_of_rest: int
    separator: str
    separator_of_rest: str
    closing: str


def symbolic_value(entries: Sequence[int | str]) -> int | str:
    """The value of a flat prefix list: an integer in -2^63..2^63-1, or text.

    Linear in the entries; nothing recurses, however deep the expression.
    """
    if len(entries) == 2 and entries[0] == _IMMEDIATE and (constant := _signed(entries[1])) is not None:
        return constant
    text = _expression_text(entries)
    return msgspec.json.encode(entries).decode() if text is None else text


def _signed(value: int | str) -> int | None:
    """An immediate: negative numbers are written as unsigned ones of 64 bits. None if it is no such number."""
    if isinstance(value, str) or not -(2**63) <= value < 2**64:
        return None
    return value - 2**64 if value >= 2**63 else value


def _symbol_text(name: str) -> str:
    if _IDENTIFIER.fullmatch(name) and name not in _RESERVED:
        return name
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _expression_text(entries: Sequence[int | str]) -> str | None:
    """The text of `entries` if they are exactly one expression."""
    pieces: list[str] = []
    open_operators = [_Open(1, _LOWEST, _LOWEST, "", "", "")]
    position = 0
    while open_operators:
        if position + 1 >= len(entries):
            return None
        kind, content = entries[position], entries[position + 1]
        position += 2
        needed = open_operators[-1].precedence_of_next
        if kind == _IMMEDIATE:
            number = _signed(content)
            if number is None:
                return None
            pieces.append(f"({number})" if needed > _UNARY else str(number))
        elif kind == _SYMBOL:
            if not isinstance(content, str):
                return None
            pieces.append(_symbol_text(content))
        elif kind == _EXPRESSION:
            count: int | str = 0
            if content in (_CALL_OPERATOR, *_FUNCTIONS):
                if position >= len(entries):
                    return None
                count = entries[position]
                position += 1
            if not isinstance(content, int) or not isinstance(count, int) or count < 0:
                return None
            opening = _open(content, count, needed)
            if opening is None:
                return None
            pieces.append(opening[0])
            open_operators.append(opening[1])
            if opening[1].remaining:
                continue
        else:
            return None
        _close_finished(open_operators, pieces)
    return "".join(pieces) if position == len(entries) else None


def _open(operator: int, count: int, needed: int) -> tuple[str, _Open] | None:
    """What stands before the operands of an operator, and how they go on; None if there is no such operator."""
    if (sign := _UNARY_SIGNS.get(operator)) is not None:
        before, opened, precedence = sign, _Open(1, _CALL, _CALL, "", "", ""), _UNARY
    elif (binary := _BINARY_SIGNS.get(operator)) is not None:
        separator, precedence = binary
        before, opened = "", _Open(2, precedence, precedence + 1, separator, separator, "")
    elif (function := _FUNCTIONS_OF_TWO.get(operator)) is not None:
        before, opened, precedence = f"{function}(", _Open(2, _LOWEST, _LOWEST, ", ", ", ", ")"), _CALL
    elif (function := _FUNCTIONS.get(operator)) is not None:
        before, opened, precedence = f"{function}(", _Open(count, _LOWEST, _LOWEST, ", ", ", ", ")"), _CALL
    elif operator == _CALL_OPERATOR and count:
        before, opened, precedence = "", _Open(count, _ATOM, _LOWEST, "(", ", ", "()" if count == 1 else ")"), _CALL
    else:
        return None
    if precedence < needed:
        return "(" + before, opened._replace(closing=opened.closing + ")")
    return before, opened


def _close_finished(open_operators: list[_Open], pieces: list[str]) -> None:
    """After an operand (or an operator without operands): go on to the next operand that is still to be read."""
    if open_operators[-1].remaining == 0:
        pieces.append(open_operators.pop().closing)
    while open_operators:
        operator = open_operators.pop()
        if operator.remaining > 1:
            pieces.append(operator.separator)
            open_operators.append(
                operator._replace(
                    remaining=operator.remaining - 1,
                    precedence_of_next=operator.precedence_of_rest,
                    separator=operator.separator_of_rest,
                )
            )
            return
        pieces.append(operator.closing)
