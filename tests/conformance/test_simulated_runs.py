"""The simulator reproduces what the shipped compiler's simulator says of the corpus, to the cycle."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from recorded_ids import completed_ids
from simulated_runs import SimulatedRun, simulated_runs
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64

from dialect.compat import Compat
from dialect.ops import functions_of
from tools.simulate.request import machine_for
from tools.simulate.results import Simulation
from tools.simulate.simulation import SimulationOptions, simulate_module
from tools.simulate.tasks.task_graph import TaskKind
from transforms.graph_of_function import function_graph
from transforms.l1_copy_in_reuse_merge import L1CopyInReuseMergePass
from transforms.n_buffer_merge import NBufferMergePass

RUNS = simulated_runs()


@cache
def partitioned(graph: Path, algorithm: str) -> ModuleOp:
    """The partition of a graph; settings of the merges do not matter to it."""
    return next(case.run for case in RUNS if (case.run.graph, case.run.algorithm) == (graph, algorithm)).partitioned(
        Compat.PYPTO
    )


def simulated(module: ModuleOp, case: SimulatedRun) -> Simulation:
    (simulation,) = simulate_module(module, machine_for(module, None), SimulationOptions(iterations=case.iterations))
    return simulation


def check(simulation: Simulation, case: SimulatedRun) -> None:
    assert simulation.end_to_end_cycles == case.end_to_end_cycles
    assert simulation.end_to_end_microseconds == pytest.approx(case.end_to_end_us, abs=0.0051)
    assert 100 * simulation.utilisation == pytest.approx(case.utilisation, abs=0.0051)
    tasks = [task for task in simulation.tasks if task.kind is not TaskKind.HUB]
    leaves = Counter((task.kind.name, task.end - task.start) for task in tasks)
    assert sorted((kind, cycles, count) for (kind, cycles), count in leaves.items()) == sorted(case.leaves)


@pytest.mark.parametrize("case", RUNS, ids=lambda case: case.run.name)
def test_from_the_recorded_ids(case: SimulatedRun) -> None:
    """From the graph before the partition, with the ids that the compiler recorded after the merges."""
    module = partitioned(case.run.graph, case.run.algorithm).clone()
    (function,) = functions_of(module)
    read = function_graph(function)
    for op, subgraph in zip(
        read.operations, completed_ids(read, case.run.after["L1CopyInReuseMerge"].subgraphs), strict=True
    ):
        op.properties["subgraph"] = IntegerAttr(subgraph, i64)
    check(simulated(module, case), case)


@pytest.mark.parametrize("case", RUNS, ids=lambda case: case.run.name)
def test_from_our_own_merges(case: SimulatedRun) -> None:
    """From what the merge passes make of the partition, which they order and name themselves."""
    module = partitioned(case.run.graph, case.run.algorithm).clone()
    setting = case.run.setting_text
    NBufferMergePass(vec_nbuffer_setting=setting("vec_nbuffer_setting")).apply(Context(), module)
    L1CopyInReuseMergePass(
        cube_l1_reuse_setting=setting("cube_l1_reuse_setting"), cube_nbuffer_setting=setting("cube_nbuffer_setting")
    ).apply(Context(), module)
    check(simulated(module, case), case)
