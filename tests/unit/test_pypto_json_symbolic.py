"""Symbolic values as text."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_dump_strategies import symbolic_values

from tools.formats.pypto_json.symbolic import symbolic_value

S0, S1 = [1, "s0"], [1, "s1"]


@pytest.mark.parametrize(
    ("entries", "value"),
    [
        ([0, 64], 64),
        ([0, 2**64 - 64], -64),
        ([0, 2**63], -(2**63)),
        ([1, "s0"], "s0"),
        ([2, 5, *S0, 0, 64], "s0 * 64"),
        ([2, 3, *S0, 0, 2**64 - 1], "s0 + -1"),
        ([2, 5, 2, 3, *S0, 0, 1, 0, 64], "(s0 + 1) * 64"),
        ([2, 4, 2, 4, *S0, *S1, 0, 1], "s0 - s1 - 1"),
        ([2, 4, *S0, 2, 4, *S1, 0, 1], "s0 - (s1 - 1)"),
        ([2, 6, *S0, 2, 5, *S1, 0, 2], "s0 / (s1 * 2)"),
        ([2, 7, *S0, 0, 8], "s0 % 8"),
        ([2, 1, *S0], "-s0"),
        ([2, 1, 0, 5], "-(5)"),
        ([2, 2, 2, 8, *S0, *S1], "!(s0 == s1)"),
        ([2, 20, 2, 19, *S0, *S1, 2, 10, *S0, 0, 3], "s0 && s1 || s0 < 3"),
        ([2, 14, *S0, *S1], "min2(s0, s1)"),
        ([2, 17, 3, *S0, *S1, 0, 4], "min(s0, s1, 4)"),
        ([2, 18, 0], "max()"),
        ([2, 16, 1, 1, "RUNTIME_GetCoa"], "RUNTIME_GetCoa()"),
        ([2, 16, 3, 1, "RUNTIME_GetTensorData", *S0, 0, 2], "RUNTIME_GetTensorData(s0, 2)"),
        ([2, 16, 2, 2, 3, *S0, *S1, 0, 2], "(s0 + s1)(2)"),
        (
            [2, 17, 2, 2, 18, 2, 2, 4, 0, 512, 2, 5, 1, "loop_idx_i", 0, 128, 0, 0, 0, 32],
            "min(max(512 - loop_idx_i * 128, 0), 32)",
        ),
        ([1, "two words"], "'two words'"),
        ([1, "5"], "'5'"),
        ([1, "min"], "'min'"),
        ([1, "it's"], "'it\\'s'"),
    ],
)
def test_expressions(entries: list[int | str], value: int | str) -> None:
    """Constants are integers; expressions have the parentheses they need and no others; odd names are quoted."""
    assert symbolic_value(entries) == value


@pytest.mark.parametrize(
    "entries",
    [
        [],
        [0],
        [1, 5],
        [0, "s0"],
        [0, 2**64],
        [2, 99, 0, 1],
        [2, 3, 0, 1],
        [2, 17, 10**9, 0, 1],
        [2, 17, -1],
        [2, 17],
        [2, 16, 0],
        [3, 3],
        [2, 3, 0, 1, 0, 2, 0, 3],
        [2, 5, 2, 3, 0, 1, 0, 2, 0, 3, 0, 4],
    ],
)
def test_what_is_no_expression_is_kept(entries: list[int | str]) -> None:
    """A list that is not exactly one expression, such as a sum of three, is kept as the JSON that it is."""
    text = symbolic_value(entries)
    assert isinstance(text, str)
    assert re.sub(r"\s", "", repr(entries)).replace("'", '"') == text


def test_depth_costs_nothing_but_length() -> None:
    """An expression of any depth is converted without recursion."""
    depth = 100_000
    assert symbolic_value([2, 1] * depth + S0) == "-(" * (depth - 1) + "-s0" + ")" * (depth - 1)


@given(symbolic_values())
def test_text_reads_back(entries: list[int | str]) -> None:
    """A reader of the text finds the list again, so that different values never print alike."""
    assert read_symbolic(symbolic_value(entries)) == [_unsigned(entries, index) for index in range(len(entries))]


@given(st.lists(st.integers(-1, 21) | st.sampled_from(["s0", "min"]), max_size=12))
def test_any_list_has_a_value(entries: list[int | str]) -> None:
    """Rubbish neither fails nor prints like an expression of another meaning."""
    assert read_symbolic(symbolic_value(entries)) == [_unsigned(entries, index) for index in range(len(entries))]


def _unsigned(entries: Sequence[int | str], index: int) -> int | str:
    """An entry, immediates modulo 2^64 where the list is read as an expression: -1 and 2^64-1 are the same number."""
    entry = entries[index]
    is_expression = not str(symbolic_value(entries)).startswith("[")
    return entry % 2**64 if is_expression and isinstance(entry, int) else entry


TOKEN = re.compile(r"\s*(-?\d+|[A-Za-z_][\w.$]*|'(?:[^'\\]|\\.)*'|[=!<>]=|&&|\|\||[-+*/%<>!(),])", re.ASCII | re.DOTALL)
BINARY = {
    "||": (20, 1),
    "&&": (19, 2),
    "==": (8, 3),
    "!=": (9, 3),
    "<": (10, 4),
    "<=": (11, 4),
    ">": (12, 4),
    ">=": (13, 4),
    "+": (3, 5),
    "-": (4, 5),
    "*": (5, 6),
    "/": (6, 6),
    "%": (7, 6),
}
UNARY = {"+": 0, "-": 1, "!": 2}
FUNCTIONS = {"min": (17, True), "max": (18, True), "min2": (14, False), "max2": (15, False)}


def read_symbolic(value: int | str) -> list[int | str]:
    """The prefix list that a value was made from: a reader of expressions by precedence, written for this test."""
    if isinstance(value, int):
        return [0, value % 2**64]
    if value.startswith("["):
        import json

        return json.loads(value)
    reader = _Reader(value)
    entries = reader.expression(1)
    assert reader.rest == ""
    return entries


class _Reader:
    def __init__(self, text: str):
        self.rest = text

    def peek(self) -> str:
        match = TOKEN.match(self.rest)
        return match[1] if match else ""

    def take(self) -> str:
        match = TOKEN.match(self.rest)
        assert match, self.rest
        self.rest = self.rest[match.end() :]
        return match[1]

    def expression(self, lowest: int) -> list[int | str]:
        left = self.operand()
        while True:
            sign = " -" if self.rest.startswith(" - ") else self.peek()
            operator, precedence = BINARY.get(sign.strip(), (0, 0))
            if precedence < lowest or not self.rest.startswith(" "):
                return left
            self.rest = self.rest[len(sign.strip()) + 2 :]
            left = [2, operator, *left, *self.expression(precedence + 1)]

    def operand(self) -> list[int | str]:
        token = self.take()
        if token == "(":
            entries = self.expression(1)
            assert self.take() == ")"
        elif token in UNARY:
            return [2, UNARY[token], *self.operand()]
        elif re.fullmatch(r"-?\d+", token):
            return [0, int(token) % 2**64]
        elif token in FUNCTIONS:
            operator, counted = FUNCTIONS[token]
            arguments = self.arguments()
            count = [len(arguments)] if counted else []
            return [2, operator, *count, *(entry for argument in arguments for entry in argument)]
        else:
            entries = [1, re.sub(r"\\(.)", r"\1", token[1:-1], flags=re.DOTALL) if token.startswith("'") else token]
        while self.rest.startswith("("):
            arguments = self.arguments()
            entries = [2, 16, len(arguments) + 1, *entries, *(entry for a in arguments for entry in a)]
        return entries

    def arguments(self) -> list[list[int | str]]:
        assert self.take() == "("
        arguments: list[list[int | str]] = []
        while self.peek() != ")":
            arguments.append(self.expression(1))
            if self.peek() == ",":
                self.take()
        self.take()
        return arguments
