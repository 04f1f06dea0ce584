"""Printing of resolved options: as JSON, and in words."""

from __future__ import annotations

import json
import sys

from tools.atc.explanation import explain_options
from tools.atc.resolution import Resolution


def print_options(resolution: Resolution) -> None:
    """Print the option map and what was skipped as JSON on stdout."""
    print(json.dumps(resolution.as_json(), indent=2))


def print_explanation(resolution: Resolution) -> None:
    """Print on stderr what each option does."""
    for note in explain_options(resolution):
        print(note.text, file=sys.stderr)


def emit_explanation(resolution: Resolution) -> None:
    """Hand what each option does to whoever collects remarks."""
    from tools.atc.pipeline_effects import SOURCE
    from transforms.remarks import Remark, emit, is_collecting

    if is_collecting():
        for note in explain_options(resolution):
            emit(Remark(SOURCE, note.kind, note.text))
