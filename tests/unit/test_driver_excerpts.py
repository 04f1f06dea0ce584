"""Places in a text."""

from hypothesis import given
from hypothesis import strategies as st
from xdsl.utils.lexer import Input, Span

from tools.driver.excerpts import MAXIMUM_WIDTH, describe_place

TEXTS = st.text(alphabet="ab é\t\n", min_size=1, max_size=60)


@given(TEXTS, st.data(), st.integers(0, 100))
def test_line_and_column(text: str, data: st.DataObject, line_offset: int) -> None:
    """Lines are counted by newlines and columns by characters, plus the offset of the piece of the file."""
    start = data.draw(st.integers(0, len(text) - 1))
    line = text[:start].count("\n") + 1 + line_offset
    column = len(text[:start].rpartition("\n")[2]) + 1
    shown = describe_place(Span(start, start + 1, Input(text, "f"), line_offset), "wrong")
    assert shown.startswith(f"f:{line}:{column}: error: wrong")


@given(TEXTS, st.data())
def test_bytes_have_the_same_place_as_text(text: str, data: st.DataObject) -> None:
    """A span of bytes is shown as the span of the characters that they encode."""
    start = data.draw(st.integers(0, len(text) - 1))
    in_bytes = Span(len(text[:start].encode()), len(text[: start + 1].encode()), Input(text.encode(), "f"))
    assert describe_place(in_bytes, "wrong") == describe_place(Span(start, start + 1, Input(text, "f")), "wrong")


def test_carets_stand_under_the_span() -> None:
    """The carets cover the span, after a tab and a non-ASCII character too, and end with the line."""
    text = "x\n\té = name\ny"
    assert describe_place(Span(7, 11, Input(text, "f")), "wrong") == "f:2:6: error: wrong\n  \té = name\n  \t    ^^^^"
    assert describe_place(Span(7, 13, Input(text, "f")), "wrong").endswith("  \té = name\n  \t    ^^^^")


def test_long_line_is_cut_around_the_place() -> None:
    """Of a line of a million characters, only the neighbourhood of the place is shown."""
    text = "a" * 500_000 + "X" + "b" * 500_000
    headline, line, carets = describe_place(Span(500_000, 500_001, Input(text, "f")), "wrong").splitlines()
    assert headline == "f:1:500001: error: wrong"
    assert len(line) == MAXIMUM_WIDTH + 2
    assert line[len(carets) - 1] == "X"
    assert line.startswith("  ...a") and line.endswith("b...")


def test_blank_line_is_not_shown() -> None:
    """At the end of a file there is nothing to show."""
    assert describe_place(Span(2, 2, Input("x\n", "f")), "wrong") == "f:2:1: error: wrong"
