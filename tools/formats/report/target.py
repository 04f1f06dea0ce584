"""The target `report`: simulates every function and shows the result as one HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from dialect.ops import functions_of
from tools.driver.errors import UserError
from tools.formats.report.data import SimulatedFunction, result_of
from tools.formats.report.page_text import page_text
from tools.simulate.machine import machine_of
from tools.simulate.simulation import SimulationOptions, simulate_function
from transforms.inline_subgraphs import inlined
from transforms.module_rules import compat_of, target_of


class NamedModule(NamedTuple):
    """A module, and how the report calls it."""

    name: str
    module: ModuleOp


def report_text(title: str, modules: Sequence[NamedModule]) -> str:
    """The page that shows the functions of a module, or compares those of the same name in two modules.

    Raises:
        UserError: there is no function to show, two modules have no function in common, or one cannot be simulated.
    """
    simulated = [_simulated(*named) for named in modules]
    names = [name for name in simulated[0] if all(name in other for other in simulated[1:])]
    if not names:
        raise UserError("there are no tile functions to report" if len(modules) == 1 else _nothing_in_common(simulated))
    functions = [{"name": name, "results": [result_of(results[name]) for results in simulated]} for name in names]
    return page_text(title, functions)


def _simulated(name: str, module: ModuleOp) -> dict[str, SimulatedFunction]:
    module = inlined(module)
    compat, target = compat_of(module), target_of(module)
    machine = machine_of(target, compat)
    options = SimulationOptions()
    return {
        function.symbol: SimulatedFunction(
            name, function, simulate_function(function, machine, target, compat, options)
        )
        for function in functions_of(module)
    }


def _nothing_in_common(simulated: Sequence[dict[str, SimulatedFunction]]) -> str:
    first, second = (", ".join(f"@{name}" for name in results) or "none" for results in simulated)
    return f"the two results have no function of the same name: {first} against {second}"


@dataclass(frozen=True)
class ReportTarget(Target):
    """One HTML file that needs no network: summary, classes with their hints, swimlane, graph of the subgraphs."""

    name = "report"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        names = ", ".join(f"@{function.symbol}" for function in functions_of(module))
        output.write(report_text(names, [NamedModule(names, module)]))
