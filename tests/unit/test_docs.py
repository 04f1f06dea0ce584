"""Generated pages are up to date."""

import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
SCRIPT = DOCS / "make_dialect_page.py"


def test_dialect_page_is_made_from_the_op_classes() -> None:
    """`docs/dialect.md` is what the op classes say today."""
    assert subprocess.run([sys.executable, SCRIPT, "--check"]).returncode == 0


def test_python_api_page_shows_what_the_tools_print() -> None:
    """`docs/python-api.md` holds the example, the outputs and the functions of today."""
    assert subprocess.run([sys.executable, DOCS / "make_python_api_page.py", "--check"]).returncode == 0
