"""Laws of the schedules: no task before its producers, no core with two tasks, and all work is done."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialect.compat import Compat
from dialect.targets import find_target, targets
from tools.simulate.list_schedule import list_schedule
from tools.simulate.machine import Machine, aicpus_for, machine_of
from tools.simulate.results import ScheduleModel
from tools.simulate.schedule import Schedule, schedule_tasks
from tools.simulate.simulation import repeat_tasks
from tools.simulate.tasks.task_graph import NO_LEAF, TaskGraph, TaskKind

REFERENCE = machine_of(find_target("a2a3"), Compat.PYPTO)
AIC, AIV, HUB = TaskKind.AIC, TaskKind.AIV, TaskKind.HUB


def scheduled(model: ScheduleModel, graph: TaskGraph, durations: list[int], machine: Machine) -> Schedule:
    match model:
        case ScheduleModel.S:
            events = [[0, 4, *range(9, duration, 97), duration] for duration in durations]
            return schedule_tasks(graph, durations, machine, events)
        case ScheduleModel.S0:
            return schedule_tasks(graph, durations, machine)
        case ScheduleModel.L:
            return list_schedule(graph, durations, machine)


@st.composite
def task_graphs(draw: st.DrawFn) -> tuple[TaskGraph, list[int]]:
    """Up to 40 tasks on few leaves, and the durations of the leaves."""
    durations = draw(st.lists(st.integers(1, 20_000), min_size=1, max_size=4))
    count = draw(st.integers(0, 40))
    kinds = [draw(st.sampled_from([AIC, AIV, AIV, HUB])) for _ in range(count)]
    leaves = [NO_LEAF if kind is HUB else draw(st.integers(0, len(durations) - 1)) for kind in kinds]
    successors = [
        draw(st.lists(st.integers(task + 1, count - 1), unique=True, max_size=4)) if task < count - 1 else []
        for task in range(count)
    ]
    return TaskGraph(kinds, leaves, successors), durations


@st.composite
def machines(draw: st.DrawFn) -> Machine:
    aic, aiv = draw(st.integers(1, 9)), draw(st.integers(1, 17))
    return replace(REFERENCE, aic_cores=aic, aiv_cores=aiv, aicpus=draw(st.sampled_from([1, aicpus_for(aic, aiv), 5])))


@settings(deadline=None)
@given(task_graphs(), machines() | st.just(REFERENCE), st.sampled_from(list(ScheduleModel)))
def test_laws(tasks: tuple[TaskGraph, list[int]], machine: Machine, model: ScheduleModel) -> None:
    """Order, exclusive cores of the right kind, durations, busy time, and the same result again."""
    graph, durations = tasks
    schedule = scheduled(model, graph, durations, machine)
    spans: dict[int, list[tuple[int, int]]] = {}
    for task, row in enumerate(schedule.tasks):
        for successor in graph.successors[task]:
            assert schedule.tasks[successor].start >= row.end
        assert row.queued <= row.sent <= row.start <= row.end
        if graph.kinds[task] is HUB:
            assert row.core == machine.hub_core
            continue
        cores = range(machine.aic_cores) if graph.kinds[task] is AIC else range(machine.aic_cores, machine.hub_core)
        assert row.core in cores
        assert row.end - row.start == durations[graph.leaves[task]]
        spans.setdefault(row.core, []).append((row.start, row.end))
    for core_spans in spans.values():
        core_spans.sort()
        assert all(before[1] <= after[0] for before, after in pairwise(core_spans))
    busy = sum(end - start for core_spans in spans.values() for start, end in core_spans)
    assert busy == sum(durations[leaf] for leaf in graph.leaves if leaf != NO_LEAF)
    assert scheduled(model, graph, durations, machine) == schedule


@given(task_graphs(), st.integers(1, 3))
def test_iterations_are_independent(tasks: tuple[TaskGraph, list[int]], iterations: int) -> None:
    """Copies of the task list one behind the other, without edges between them."""
    graph = tasks[0]
    count = len(graph.kinds)
    repeated = repeat_tasks(graph, iterations)
    assert list(repeated.kinds) == list(graph.kinds) * iterations
    for task, successors in enumerate(repeated.successors):
        assert [successor - task // count * count for successor in successors] == graph.successors[task % count]


def test_first_task_behind_a_start_hub() -> None:
    """The small example of the cost model, section 3.3: eight equal leaves behind a HUB."""
    graph = TaskGraph([HUB] + [AIC] * 8 + [HUB], [NO_LEAF] + [0] * 8 + [NO_LEAF], [[*range(1, 9)], *[[9]] * 8, []])
    schedule = schedule_tasks(graph, [108_266], REFERENCE)
    assert schedule.tasks[0].start == 3422
    assert min(task.start for task in schedule.tasks[1:9]) == 9385


def test_numbers_of_cores() -> None:
    """Cube cores first, four to an AICPU, then vector cores, eight to an AICPU; HUB is 79."""
    cores = REFERENCE.cores_of_aicpus()
    assert cores[0] == [0, 1, 2, 3, *range(24, 32)]
    assert cores[5] == [20, 21, 22, 23, *range(64, 72)]
    assert (REFERENCE.hub_core, REFERENCE.start_cycle) == (79, 542)


@pytest.mark.parametrize(
    ("soc", "aicpus", "table"),
    [
        ("Ascend910B3", 5, "A2A3"),
        ("Ascend950PR_9579", 7, "A5"),
        ("Ascend950PR_9589", 8, "A5"),
        ("Ascend950PR_9599", 9, "A5"),
        ("Ascend950PR_950z", 1, "A5"),
        ("KirinX90", 1, "A2A3"),
    ],
)
def test_machine_of_a_chip(soc: str, aicpus: int, table: str) -> None:
    """Published rules (S1): the chip's cores and table; rules of the shipped compiler: 24, 48 and A2/A3."""
    target = find_target(soc)
    own, shipped = machine_of(target, Compat.PUBLISHED), machine_of(target, Compat.PYPTO)
    assert (own.aic_cores, own.aiv_cores, own.aicpus) == (target.aic_cores, target.aiv_cores, aicpus)
    assert own.latencies.name == table
    assert (shipped.aic_cores, shipped.aiv_cores, shipped.aicpus) == (24, 48, 6)
    assert shipped.latencies.name == "A2A3"
    assert own.ub_bytes == shipped.ub_bytes == target.ub_bytes


def test_every_chip_deals_out_all_its_cores() -> None:
    """Each core to one AICPU, none with more than 12."""
    for target in targets().values():
        machine = machine_of(target, Compat.PUBLISHED)
        dealt = [core for cores in machine.cores_of_aicpus() for core in cores]
        assert sorted(dealt) == list(range(target.aic_cores + target.aiv_cores))
        assert max(map(len, machine.cores_of_aicpus())) <= 12
