"""Generated pages are up to date."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "docs" / "make_dialect_page.py"


def test_dialect_page_is_made_from_the_op_classes() -> None:
    """`docs/dialect.md` is what the op classes say today."""
    assert subprocess.run([sys.executable, SCRIPT, "--check"]).returncode == 0
