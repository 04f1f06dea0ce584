"""Prints what a simulation costs: a what-if against the start-up of the command, and how the simulator grows.

Run `python benchmarks/simulation.py`. The what-if is on attention_512 of `examples/`; the graphs that grow are the
example, copied in one function and partitioned, and those of `hard_graphs.py`.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from hard_graphs import HARD_GRAPHS
from scaled import EXAMPLE, scaled_dump
from spine import context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from yardstick import seconds

from tools.formats.pypto_json import PyptoJsonFrontend
from tools.simulate.request import machine_for
from tools.simulate.results import ScheduleModel
from tools.simulate.simulation import SimulationOptions, simulate_module
from transforms.graph_partition.graph_partition_pass import GraphPartitionPass

COMMAND = str(Path(sys.executable).parent / "tile-opt")
SMALL, LARGE = 10_000, 80_000


def run_time(*arguments: str) -> float:
    """The shortest of a few runs of `tile-opt`."""
    return seconds(
        lambda: subprocess.run([COMMAND, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL),
        5,
    )


def attention(ops: int, soc: str) -> ModuleOp:
    """The example, copied and partitioned."""
    ctx = context()
    module = PyptoJsonFrontend().parse(ctx, BytesIO(scaled_dump(ops)), "scaled.json")
    module.attributes["tile.soc"] = StringAttr(soc)
    GraphPartitionPass().apply(ctx, module)
    return module


def simulation_time(module: ModuleOp, model: ScheduleModel) -> float:
    """The shorter of two simulations of a partitioned module."""
    return seconds(lambda: simulate_module(module, machine_for(module, None), SimulationOptions(model)), 2)


def main() -> None:
    """Measure and print."""
    start_up = run_time("--help")
    pipeline = "graph-partition,n-buffer-merge,l1-copy-in-reuse-merge,reduce-copy-merge"
    swimlane = run_time(str(EXAMPLE), "-p", pipeline, "-t", "swimlane")
    what_if = run_time("what-if", str(EXAMPLE), "--set", 'vec_nbuffer_setting={"DEFAULT": 4}')
    print("| 2,000 ops: load, partition, merge, simulate | x start-up of --help | bar |")
    print("|---|---|---|")
    print(f"| -t swimlane, one simulation | {swimlane / start_up:.1f} | 12 |")
    print(f"| what-if --set, two simulations | {what_if / start_up:.1f} | 12 |\n")
    print("| graph | model | us per op (10,000 ops) | growth 10,000 to 80,000 (bar 12 x) |")
    print("|---|---|---|---|")
    builders: dict[str, Callable[[int, str], ModuleOp]] = {"attention_512": attention, **HARD_GRAPHS}
    for shape, build in builders.items():
        modules = {ops: build(ops, "a2a3") for ops in (SMALL, LARGE)}
        for model in ScheduleModel if shape == "attention_512" else (ScheduleModel.S,):
            taken = {ops: simulation_time(module, model) for ops, module in modules.items()}
            per_op, growth = taken[SMALL] / SMALL * 1e6, taken[LARGE] / taken[SMALL]
            print(f"| {shape} | {model} | {per_op:.1f} | {growth:.1f} x |", flush=True)


if __name__ == "__main__":
    main()
