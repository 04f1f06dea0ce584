"""Generated pages are up to date."""

import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("script", ["make_dialect_page.py", "make_atc_options_page.py"])
def test_pages_are_made_from_classes_and_tables(script: str) -> None:
    """`docs/dialect.md` is what the op classes say today, `docs/atc-options.md` what the option tables say."""
    assert subprocess.run([sys.executable, DOCS / script, "--check"]).returncode == 0
