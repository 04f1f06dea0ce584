"""Writes `docs/python-api.md` from its template: `python docs/make_python_api_page.py`; `--check` only compares.

In the template `@@FILE@@` stands for a file of the project, `@@$ COMMAND@@` for a command and what it prints, and
`@@families@@` for the table of op functions.
"""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

from dialect import frontend

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "python-api.md"
TEMPLATE = ROOT / "docs" / "python-api.md.in"

FAMILIES = (
    ("elementwise", "elementwise"),
    ("reductions", "reductions"),
    ("matmul", "matrices"),
    ("movement", "tensors, windows, movement"),
    ("general", "any op"),
)
"""The modules with op functions, and what the page calls them."""


def _families() -> str:
    rows: list[str] = []
    for module, title in FAMILIES:
        names = [
            f"`{name}`"
            for name in frontend.__all__
            if inspect.isfunction(function := getattr(frontend, name))
            and function.__module__ == f"dialect.python_api.{module}"
        ]
        rows.append(f"| {title} | {', '.join(names)} |")
    return "\n".join(rows)


def _replacement(match: re.Match[str]) -> str:
    text = match[1]
    if text == "families":
        return _families()
    if not text.startswith("$ "):
        return (ROOT / text).read_text(encoding="utf-8").rstrip("\n")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    environment = {**os.environ, "PATH": path}
    done = subprocess.run(text[2:], shell=True, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return f"{text}\n{done.stdout.rstrip()}"


def page() -> str:
    """The text of the page."""
    return re.sub("@@(.+?)@@", _replacement, TEMPLATE.read_text(encoding="utf-8"))


def main() -> int:
    """Write the page, or with `--check` say whether it is up to date."""
    text = page()
    if "--check" in sys.argv[1:]:
        return 0 if PAGE.read_text(encoding="utf-8") == text else 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
