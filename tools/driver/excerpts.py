"""A place in a text, shown with the line and a caret under it."""

from __future__ import annotations

from xdsl.utils.lexer import Span

MAXIMUM_WIDTH = 160
"""Characters of a line that an excerpt shows at most; generated files have very long lines."""


def describe_place(span: Span[str] | Span[bytes], message: str, kind: str = "error") -> str:
    """`file:line:column: error: message`, then the line (around the column, if it is long) and carets under the span.

    A blank line is not shown. Lines and columns count from 1, columns in characters; the span's line offset is added.
    """
    location = span.get_location()
    content = span.input.content
    line_start = span.input.get_start_of_line(span.start)
    line_end = span.input.get_end_of_line(span.start)
    before, marked, after = (
        part.decode("utf-8", "replace") if isinstance(part, bytes) else part
        for part in (
            content[line_start : span.start],
            content[span.start : min(span.end, line_end)],
            content[max(span.start, min(span.end, line_end)) : line_end],
        )
    )
    shown_before = _cut_left(before, MAXIMUM_WIDTH // 2)
    shown_rest = _cut_right(marked + after.rstrip("\r"), MAXIMUM_WIDTH // 2)
    indent = "".join("\t" if character == "\t" else " " for character in shown_before)
    carets = "^" * max(1, min(len(marked), len(shown_rest)))
    place = f"{location.file}:{location.line}:{len(before) + 1}"
    headline = f"{place}: {kind}: {message}"
    if not (before + marked + after).strip():
        return headline
    return f"{headline}\n  {shown_before}{shown_rest}\n  {indent}{carets}"


def _cut_left(text: str, width: int) -> str:
    return text if len(text) <= width else "..." + text[3 - width :]


def _cut_right(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."
