"""The text of the report's page: the template with style, script, library and data in it."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from importlib.metadata import version
from importlib.resources import files
from string import Template

from tools.formats.report.results import FunctionResults
from tools.simulate.machine import CYCLES_PER_MICROSECOND
from tools.simulate.results import PREDICTION


def report_text(title: str, functions: Sequence[FunctionResults]) -> str:
    """The page that shows the results of functions, or compares two results of each."""
    data = {"cycles_per_microsecond": CYCLES_PER_MICROSECOND, "functions": functions}
    parts = files("tools.formats.report.page")

    def part(name: str) -> str:
        return parts.joinpath(name).read_text(encoding="utf-8")

    return Template(part("page.html")).substitute(
        title=html.escape(title),
        notice=html.escape(f"Every time in this report {PREDICTION}."),
        tool=html.escape(f"tile-opt {version('tile-opt')}"),
        style=part("style.css"),
        library=part("d3.min.js"),
        script=part("script.js"),
        data=_embedded(data),
    )


def _embedded(data: object) -> str:
    """JSON that may stand in a `script` element: nothing in it can end the element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
