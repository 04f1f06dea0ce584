"""Generated pages are up to date."""

import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
SCRIPT = DOCS / "make_dialect_page.py"


def test_dialect_page_is_made_from_the_op_classes() -> None:
    """`docs/dialect.md` is what the op classes say today."""
    assert subprocess.run([sys.executable, SCRIPT, "--check"]).returncode == 0


def test_commands_print_what_the_page_says() -> None:
    """The commands of `docs/pass-options.md` print today what stands under them."""
    check = [sys.executable, DOCS / "run_page.py", "--check", DOCS / "pass-options.md"]
    assert subprocess.run(check).returncode == 0
