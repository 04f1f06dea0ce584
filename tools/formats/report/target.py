"""The target `report`: simulates every function and shows the result as one HTML file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from dialect.ops import functions_of
from tools.formats.report.page_text import report_text
from tools.formats.report.results import NamedModule, results_of


@dataclass(frozen=True)
class ReportTarget(Target):
    """One HTML file that needs no network: summary, classes with their hints, swimlane, graph of the subgraphs."""

    name = "report"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        names = ", ".join(f"@{function.symbol}" for function in functions_of(module))
        output.write(report_text(names, results_of([NamedModule(names, module)])))
