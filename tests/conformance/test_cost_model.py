"""Operations, leaves, lowered subgraphs and schedules cost what the shipped compiler's simulator says, to the cycle."""

from __future__ import annotations

import pytest
from cost_model_cases import (
    LeafCase,
    OperationCase,
    ScheduleCase,
    SubgraphCase,
    leaf_cases,
    operation_cases,
    schedule_cases,
    subgraph_cases,
)

from dialect.compat import Compat
from dialect.targets import find_target
from tools.simulate.leaves.building import LoweringRules, build_leaf
from tools.simulate.leaves.latency_table import latency_tables
from tools.simulate.leaves.lowering import merged_places
from tools.simulate.leaves.pipes import CUBE_CORE_PIPES, pipe_of
from tools.simulate.leaves.timing import time_leaf
from tools.simulate.list_schedule import list_schedule
from tools.simulate.machine import Machine, machine_of
from tools.simulate.schedule import Schedule, schedule_tasks
from tools.simulate.tasks.task_graph import TaskGraph, TaskKind


def reference_machine() -> Machine:
    return machine_of(find_target("a2a3"), Compat.PYPTO)


@pytest.mark.parametrize("case", operation_cases(), ids=lambda case: f"{case.table}-{case.opcode}-{case.shapes[0]}")
def test_operations(case: OperationCase) -> None:
    """Pipe and cycles of one operation."""
    operands = [(shape, case.element) for shape in case.shapes]
    assert pipe_of(case.opcode).name == case.pipe
    assert latency_tables()[case.table].cycles(case.opcode, operands, []) == case.cycles


@pytest.mark.parametrize("case", leaf_cases().values(), ids=lambda case: case.name)
def test_leaves(case: LeafCase) -> None:
    """Duration of a final operation list, three of them with buffer back pressure, and the core that it needs."""
    assert case.timing().cycles == case.cycles
    is_cube = any(pipe_of(operation.opcode) in CUBE_CORE_PIPES for operation in case.leaf.operations)
    assert (TaskKind.AIC if is_cube else TaskKind.AIV) is case.core


@pytest.mark.parametrize("case", subgraph_cases(), ids=lambda case: case.name)
def test_lowered_subgraphs(case: SubgraphCase) -> None:
    """Duration of a subgraph from its ops before instructions are made; one of them spills."""
    rules = LoweringRules(ub_bytes=196608, broadcasts_columns=False, combines_axes=False)
    operations = range(len(case.graph.opcodes))
    built = build_leaf(case.graph, operations, 0, case.boundary, merged_places(case.graph), rules)
    assert time_leaf(built.leaf, latency_tables()["A2A3"]).cycles == case.cycles
    assert built.spills == (case.name == "attn128-28")


@pytest.mark.parametrize("case", schedule_cases(), ids=lambda case: case.name)
def test_schedules(case: ScheduleCase) -> None:
    """Core, start and end of every task, the last simulated cycle, and the figures that users see."""
    machine = reference_machine()
    timings = [leaf.timing() for leaf in case.leaves]
    durations = [timing.cycles for timing in timings]
    schedule = schedule_tasks(case.graph, durations, machine, [timing.event_cycles() for timing in timings])
    assert [(task.core, task.start, task.end) for task in schedule.tasks] == case.expected
    assert schedule.last_cycle == case.last_cycle
    end_to_end = end_to_end_cycles(case.graph, schedule)
    assert end_to_end == case.end_to_end_cycles
    busy = sum(durations[leaf] for leaf in case.graph.leaves if leaf >= 0)
    assert busy / (72 * end_to_end) == pytest.approx(case.utilisation, abs=1e-6)


COARSE_MODELS = {
    "k1": (0.0, -1.6),
    "attn64_c4": (0.6, -1.3),
    "attn64_l4": (-0.2, -2.7),
    "attn64_l8": (1.8, 0.7),
    "mlp64": (-6.3, -16.7),
    "mm64_l4": (4.5, -0.4),
    "vec64": (0.0, 8.4),
    "vec64_w2": (2.5, 5.2),
}
"""Errors of the models S0 and L in percent, L with a gap of 5500 cycles (cost model, section 6.5)."""


COARSELY_SCHEDULED = [case for case in schedule_cases() if case.name in COARSE_MODELS]


@pytest.mark.parametrize("case", COARSELY_SCHEDULED, ids=lambda case: case.name)
def test_coarse_models(case: ScheduleCase) -> None:
    """S0 and L are as far off as the cost model says."""
    machine = reference_machine()
    durations = [leaf.timing().cycles for leaf in case.leaves]
    found = (
        end_to_end_cycles(case.graph, schedule_tasks(case.graph, durations, machine)),
        end_to_end_cycles(case.graph, list_schedule(case.graph, durations, machine, 5500)) + 3000,
    )
    errors = tuple(round(100 * (cycles / case.end_to_end_cycles - 1), 1) for cycles in found)
    assert errors == COARSE_MODELS[case.name]


def end_to_end_cycles(graph: TaskGraph, schedule: Schedule) -> int:
    on_cores = [task for task, kind in zip(schedule.tasks, graph.kinds, strict=True) if kind is not TaskKind.HUB]
    return max(task.end for task in on_cores) - min(task.start for task in on_cores)
