"""Runs the FileCheck tests of `tests/lit` with the tools of this Python."""

import subprocess
import sys
from pathlib import Path

LIT = Path(sys.executable).parent / "lit"
TESTS = Path(__file__).parent / "lit"


def test_lit() -> None:
    """All FileCheck tests pass; the report of a failure shows what failed."""
    result = subprocess.run([LIT, "-v", TESTS], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
