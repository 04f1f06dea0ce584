"""Writes what a simulation found as a trace that Perfetto and chrome://tracing open."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from dialect.ops import functions_of
from tools.formats.swimlane.trace import trace_events
from tools.simulate.request import machine_for, simulation_options
from tools.simulate.simulation import simulate_module
from tools.simulate.subgraph_facts import subgraph_facts
from transforms.inline_subgraphs import inlined


@dataclass(frozen=True)
class SwimlaneTarget(Target):
    """Simulates the schedule and writes it as a Chrome trace; it predicts the reference simulator, not silicon.

    `machine` is a JSON file with what is known better than in the table of chips, `model` is S, S0 or L, and
    `iterations` says how often each function runs, as the body of a short loop does.
    """

    name = "swimlane"

    machine: str | None = None
    model: str = "S"
    iterations: int = 1

    def __post_init__(self) -> None:
        simulation_options(self.model, self.iterations)

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        module = inlined(module)
        options = simulation_options(self.model, self.iterations)
        simulations = simulate_module(module, machine_for(module, self.machine), options)
        facts = [subgraph_facts(function) for function in functions_of(module)]
        events = [
            event
            for place, (simulation, facts_of_function) in enumerate(zip(simulations, facts, strict=True))
            for event in trace_events(simulation, facts_of_function, place, is_alone=len(simulations) == 1)
        ]
        json.dump({"traceEvents": events}, output, indent=4, ensure_ascii=False)
        output.write("\n")
