"""Prints what the simulator makes of a corpus of recorded runs, beside what the reference simulator said.

Run `python benchmarks/simulated_corpus.py CORPUS`. The folder has the dumped graphs, `index.json` with the runs and
their subgraph ids after the merges, and `leaves.json` with the end-to-end cycles. Every run is simulated from the graph
before the partition and the recorded ids, by all three schedule models.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, IntegerAttr, ModuleOp, StringAttr, i64

from dialect.ops import functions_of
from dialect.tile import TILE
from tools.formats.pypto_json import PyptoJsonFrontend
from tools.simulate.request import machine_for
from tools.simulate.results import ScheduleModel, Simulation
from tools.simulate.simulation import SimulationOptions, simulate_module
from tools.simulate.tasks.task_graph import TaskKind
from transforms.graph_of_function import function_graph

sys.path.append(str(Path(__file__).parents[1] / "tests" / "conformance"))
from recorded_ids import completed_ids

LAST_MERGES = ("ReduceCopyMerge", "L1CopyInReuseMerge")
BAR_EXACT, BAR_MEAN_ERROR = 0.95, 0.002


class Row(NamedTuple):
    """A run: subgraphs, reference cycles, cycles of each model, and whether the leaves are those of the reference."""

    name: str
    kernel: str
    subgraphs: int
    reference: int
    found: Mapping[ScheduleModel, int]
    same_leaves: bool

    def error(self, model: ScheduleModel) -> float:
        return self.found[model] / self.reference - 1


def read_module(folder: Path, run: Mapping[str, Any]) -> ModuleOp:
    """The graph of a run with the ids after the merges."""
    ctx = Context()
    ctx.load_dialect(Builtin)
    ctx.load_dialect(TILE)
    path = folder / run["graph"]
    module = PyptoJsonFrontend().parse(ctx, BytesIO(path.read_bytes()), str(path))
    module.attributes["tile.soc"] = StringAttr(run["soc"])
    (function,) = functions_of(module)
    read = function_graph(function)
    ids = next(run["after"][name]["subgraph"] for name in LAST_MERGES if name in run["after"])
    for op, subgraph in zip(read.operations, completed_ids(read, ids), strict=True):
        op.properties["subgraph"] = IntegerAttr(subgraph, i64)
    return module


def leaves_of(simulation: Simulation) -> list[list[Any]]:
    """Core kind, cycles and number of tasks of each kind of leaf."""
    tasks = [task for task in simulation.tasks if task.kind is not TaskKind.HUB]
    counts = Counter((task.kind.name, task.end - task.start) for task in tasks)
    return sorted([kind, cycles, count] for (kind, cycles), count in counts.items())


def simulated(folder: Path, run: Mapping[str, Any], expected: Mapping[str, Any]) -> Row:
    """Simulate a run by all models."""
    module = read_module(folder, run)
    machine, iterations = machine_for(module, None), run.get("loop_iterations", 1)
    found: dict[ScheduleModel, int] = {}
    subgraphs, leaves = 0, list[list[Any]]()
    for model in ScheduleModel:
        (simulation,) = simulate_module(module, machine, SimulationOptions(model, iterations))
        found[model] = simulation.end_to_end_cycles
        if model is ScheduleModel.S:
            subgraphs, leaves = len(simulation.costs), leaves_of(simulation)
    same = leaves == sorted(expected["leaves"])
    return Row(run["id"], run["kernel"], subgraphs, expected["e2e_cycles"], found, same)


def same_order(rows: Sequence[Row], model: ScheduleModel) -> bool:
    """Whether no two runs change places between the reference and a model."""
    ranked = sorted(rows, key=lambda row: row.reference)
    return all(
        before.found[model] <= after.found[model]
        for place, before in enumerate(ranked)
        for after in ranked[place + 1 :]
        if before.reference < after.reference
    )


def main() -> int:
    """Simulate, print, and say whether the bars hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    folder = parser.parse_args().corpus
    runs = json.loads((folder / "index.json").read_text())["runs"]
    expected = json.loads((folder / "leaves.json").read_text())
    rows = [simulated(folder, run, expected[run["id"]]) for run in runs if "end_to_end_us" in run]
    print("| run | subgraphs | reference | model S | error | leaves | S0 | L |")
    print("|---|---|---|---|---|---|---|---|")
    for row in rows:
        texts = [f"{row.error(model):+.2%}" if row.error(model) else "0" for model in ScheduleModel]
        print(
            f"| {row.name} | {row.subgraphs} | {row.reference} | {row.found[ScheduleModel.S]} | {texts[0]} "
            f"| {'same' if row.same_leaves else 'other'} | {texts[1]} | {texts[2]} |"
        )
    kernels = sorted({row.kernel for row in rows})
    print("\n| model | exact | mean error | largest | kernels whose settings rank as in the reference |")
    print("|---|---|---|---|---|")
    holds = False
    for model in ScheduleModel:
        errors = [abs(row.error(model)) for row in rows]
        exact, mean = sum(not error for error in errors), sum(errors) / len(rows)
        ranked = sum(same_order([row for row in rows if row.kernel == kernel], model) for kernel in kernels)
        print(f"| {model} | {exact} of {len(rows)} | {mean:.3%} | {max(errors):.2%} | {ranked} of {len(kernels)} |")
        if model is ScheduleModel.S:
            holds = exact >= BAR_EXACT * len(rows) and mean <= BAR_MEAN_ERROR and ranked == len(kernels)
    verdict = "holds" if holds else "MISSED"
    print(f"\nbar: {BAR_EXACT:.0%} of the runs exact by model S, mean error {BAR_MEAN_ERROR:.1%}: {verdict}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
