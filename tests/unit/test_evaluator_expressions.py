"""Symbolic expressions: what the reader of dumps prints has the value that the dump means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.evaluate.errors import EvaluationError
from tools.evaluate.expressions import value_of
from tools.formats.pypto_json.symbolic import symbolic_value

SYMBOLS = {"n": 7, "loop_idx_i": -3, "min": 5, "a b": 2}

_OPERATIONS = {
    3: lambda a, b: a + b,
    4: lambda a, b: a - b,
    5: lambda a, b: a * b,
    8: lambda a, b: int(a == b),
    9: lambda a, b: int(a != b),
    10: lambda a, b: int(a < b),
    11: lambda a, b: int(a <= b),
    12: lambda a, b: int(a > b),
    13: lambda a, b: int(a >= b),
    14: min,
    15: max,
    19: lambda a, b: int(bool(a and b)),
    20: lambda a, b: int(bool(a or b)),
}


def expressions() -> st.SearchStrategy[tuple[list[int | str], int]]:
    """Flat prefix lists of dumps, each with its value."""
    immediates = st.integers(-50, 50).map(lambda number: ([0, number % 2**64], number))
    symbols = st.sampled_from(sorted(SYMBOLS)).map(lambda name: ([1, name], SYMBOLS[name]))

    def larger(
        children: st.SearchStrategy[tuple[list[int | str], int]],
    ) -> st.SearchStrategy[tuple[list[int | str], int]]:
        binary = st.tuples(st.sampled_from(sorted(_OPERATIONS)), children, children).map(
            lambda parts: ([2, parts[0], *parts[1][0], *parts[2][0]], _OPERATIONS[parts[0]](parts[1][1], parts[2][1]))
        )
        unary = st.tuples(st.sampled_from([0, 1, 2]), children).map(
            lambda parts: (
                [2, parts[0], *parts[1][0]],
                (parts[1][1], -parts[1][1], int(not parts[1][1]))[parts[0]],
            )
        )
        several = st.tuples(st.sampled_from([17, 18]), st.lists(children, min_size=1, max_size=3)).map(
            lambda parts: (
                [2, parts[0], len(parts[1]), *(entry for child in parts[1] for entry in child[0])],
                (min if parts[0] == 17 else max)(child[1] for child in parts[1]),
            )
        )
        return binary | unary | several

    return st.recursive(immediates | symbols, larger, max_leaves=8)


@given(expressions())
def test_printed_expressions_have_the_value_of_the_dump(case: tuple[list[int | str], int]) -> None:
    """Precedence, parentheses, quoted symbols and signs are read as they were printed."""
    entries, expected = case
    printed = symbolic_value(entries)
    assert (printed if isinstance(printed, int) else value_of(printed, SYMBOLS)) == expected


@pytest.mark.parametrize(
    ("text", "value"), [("7 / 2", 3), ("-7 / 2", -3), ("7 / -2", -3), ("7 % -2", 1), ("-7 % 2", -1), ("8 - 3 - 2", 3)]
)
def test_division_rounds_towards_zero(text: str, value: int) -> None:
    """As in the language that dumps come from, not as in Python."""
    assert value_of(text, {}) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nn * 2", "the symbol 'nn' has no value, did you mean 'n'?"),
        ("n / 0", "divides by zero"),
        ("n +", "cannot evaluate"),
        ("(n", "cannot evaluate"),
        ("n ? 1", "cannot evaluate"),
        ("", "cannot evaluate"),
        ("[2, 3, 0]", "cannot evaluate"),
        ("RUNTIME_GetTensorData(0, 0, 1)", "calls of RUNTIME_GetTensorData in symbolic expressions are not covered"),
        ("'min'(1, 2)", "calls of min"),
        ("(" * 500 + "1" + ")" * 500, "nested too deeply"),
        ("-" * 500 + "1", "nested too deeply"),
    ],
)
def test_what_has_no_value_is_refused(text: str, message: str) -> None:
    """One message that says what is wrong."""
    with pytest.raises(EvaluationError, match="^.*" + message.replace("(", r"\(").replace("?", r"\?")):
        value_of(text, {"n": 1})
