"""Tables that read well in a terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def markdown_table(cells: Sequence[Sequence[str]]) -> str:
    """The rows of `cells`, the first of them the headings, aligned in columns."""
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines) + "\n"
