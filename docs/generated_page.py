"""Pages that are made from code."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path


def write_or_check(page: Path, lines: Iterable[str]) -> int:
    """Write a page, or with `--check` on the command line say whether it is up to date; the exit status."""
    text = "\n".join(lines) + "\n"
    if "--check" in sys.argv[1:]:
        return 0 if page.read_text(encoding="utf-8") == text else 1
    page.write_text(text, encoding="utf-8")
    return 0
