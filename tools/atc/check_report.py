"""The report of the pre-check (`--mode=3`)."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from tools.driver.whole_files import written_whole


def write_report(path: str, model: str, problem: str | None, functions: Sequence[str]) -> None:
    """Write what the check of a model found; no `problem` is success."""
    report = {
        "model": model,
        "result": "success" if problem is None else "failed",
        "problems": [] if problem is None else [problem],
        "functions": list(functions),
    }
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with written_whole(path) as stream:
        json.dump(report, stream, indent=2)
        stream.write("\n")
