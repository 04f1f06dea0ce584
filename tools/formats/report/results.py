"""The results that a report shows: those of the functions of one module, or of two modules side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypedDict

from xdsl.dialects.builtin import ModuleOp

from dialect.ops import functions_of
from tools.driver.errors import UserError
from tools.formats.report.data import SimulatedFunction, result_of
from tools.simulate.machine import machine_of
from tools.simulate.simulation import SimulationOptions, simulate_function
from transforms.inline_subgraphs import inlined
from transforms.module_rules import compat_of, target_of


class NamedModule(NamedTuple):
    """A module, and how the report calls it."""

    name: str
    module: ModuleOp


class FunctionResults(TypedDict):
    """A function by its name, and its results in the order of the modules; JSON that the page reads."""

    name: str
    results: Sequence[Mapping[str, Any]]


def results_of(modules: Sequence[NamedModule]) -> list[FunctionResults]:
    """The simulated functions that all modules have, by name.

    Raises:
        UserError: there is no function to show, two modules have no function in common, or one cannot be simulated.
    """
    simulated = [_simulated(*named) for named in modules]
    names = [name for name in simulated[0] if all(name in other for other in simulated[1:])]
    if not names:
        raise UserError("there are no tile functions to report" if len(modules) == 1 else _nothing_in_common(simulated))
    return [{"name": name, "results": [result_of(results[name]) for results in simulated]} for name in names]


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


def _nothing_in_common(simulated: Sequence[Mapping[str, SimulatedFunction]]) -> str:
    first, second = (", ".join(f"@{name}" for name in results) or "none" for results in simulated)
    return f"the two results have no function of the same name: {first} against {second}"
