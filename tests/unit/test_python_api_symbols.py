"""Integer expressions over loop indices: their values, and their text, which dumps print alike."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialect.python_api.symbols import Extent, SymbolicScalar, extent_at_zero, extent_text

ROW, COLUMN = SymbolicScalar.symbol("i"), SymbolicScalar.symbol("j")
NAMES = ("i", "j")

numbers = st.integers(-9, 9)
leaves = st.one_of(numbers, st.sampled_from([ROW, COLUMN]))


def combine(children: st.SearchStrategy[Extent]) -> st.SearchStrategy[Extent]:
    operators: list[Callable[[Extent, Extent], Extent]] = [
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: a * b,
        lambda a, b: (
            a.min(b) if isinstance(a, SymbolicScalar) else b.min(a) if isinstance(b, SymbolicScalar) else min(a, b)
        ),
        lambda a, b: (
            a.max(b) if isinstance(a, SymbolicScalar) else b.max(a) if isinstance(b, SymbolicScalar) else max(a, b)
        ),
    ]
    divisors = st.integers(1, 9)
    return st.one_of(
        st.builds(lambda f, a, b: f(a, b), st.sampled_from(operators), children, children),
        st.builds(lambda a, b: a // b, children, divisors),
        st.builds(lambda a, b: a % b, children, divisors),
    )


expressions = st.recursive(leaves, combine, max_leaves=8)


def value(expression: Extent, **indices: int) -> int:
    """What the text of an expression means."""
    text = re.sub(r"(?<=\w|\)) / ", " // ", extent_text(expression))
    return eval(text, {"min": min, "max": max}, indices)


@given(expressions, expressions, numbers, numbers)
def test_text_means_what_was_computed(first: Extent, second: Extent, i: int, j: int) -> None:
    """The text of a sum, a difference and a product has the value of the operands' texts, added and so on."""
    left, right = value(first, i=i, j=j), value(second, i=i, j=j)
    assert value(first + second, i=i, j=j) == left + right
    assert value(first - second, i=i, j=j) == left - right
    assert value(first * second, i=i, j=j) == left * right
    assert value(first // 4, i=i, j=j) == left // 4


@given(expressions)
def test_value_where_indices_are_zero(expression: Extent) -> None:
    """The static half of an offset is the expression's value at index 0."""
    assert extent_at_zero(expression) == value(expression, i=0, j=0)


@given(expressions, st.integers(-9, 9))
def test_equal_things_cancel(expression: Extent, number: int) -> None:
    """A slice `e : e + n` has the length n, whatever e is."""
    assert (expression + number) - expression == number


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (ROW * 128 + 32, "i * 128 + 32"),
        ((ROW + 1) * 32, "i * 32 + 32"),
        (512 - ROW * 128, "512 - i * 128"),
        ((512 - ROW * 128).max(0), "max(512 - i * 128, 0)"),  # pyright: ignore[reportAttributeAccessIssue]
        (ROW * 2 // 4, "((i * 2) / 4)"),
        ((ROW + COLUMN) % 3, "((i + j) % 3)"),
        (-ROW, "0 - i"),
        (5 - ROW - 5, "0 - i"),
        (ROW * 0, "0"),
        (7 // (ROW + 1), "(7 / (i + 1))"),
    ],
)
def test_texts(expression: Extent, text: str) -> None:
    """Texts are those of dumps: products, then sums, with the parentheses that precedence demands."""
    assert extent_text(expression) == text


def test_no_truth() -> None:
    """A program cannot branch on an index, nor divide by zero."""
    with pytest.raises(TypeError, match="'i' is true is known only when the kernel runs"):
        bool(ROW)
    with pytest.raises(ZeroDivisionError, match="'i' is divided by zero"):
        ROW // 0
    with pytest.raises(TypeError):
        ROW + 1.5  # pyright: ignore[reportUnusedExpression]
