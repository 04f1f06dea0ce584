"""Generated pages are up to date."""

import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("script", ["make_dialect_page.py", "make_evaluator_page.py"])
def test_page_is_what_the_code_says_today(script: str) -> None:
    """`docs/dialect.md` is made from the op classes, `docs/evaluator.md` from the evaluator's tables."""
    assert subprocess.run([sys.executable, DOCS / script, "--check"]).returncode == 0
