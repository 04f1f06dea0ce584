"""The counters of a swimlane trace: ready tasks, and how fast dependencies are solved (cost model, section 4.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tools.simulate.machine import CYCLES_PER_MICROSECOND
from tools.simulate.results import Simulation
from tools.simulate.tasks.task_graph import TaskKind

_COUNTED_KINDS: tuple[TaskKind, ...] = (TaskKind.AIC, TaskKind.AIV)
_WINDOW_CYCLES = 5 * CYCLES_PER_MICROSECOND


def counter_events(simulation: Simulation, process: int) -> Iterator[dict[str, Any]]:
    """The values of all counters at the times at which they change."""
    yield from _ready_counts(simulation, process)
    yield from _solved_dependencies(simulation, process)


def _counter(name: str, process: int, cycle: int, size: float) -> dict[str, Any]:
    time = cycle / CYCLES_PER_MICROSECOND
    return {"args": {"size": size}, "name": name, "ph": "C", "pid": process, "tid": 1, "ts": time}


def _ready_counts(simulation: Simulation, process: int) -> Iterator[dict[str, Any]]:
    """Per kind of core and in all, the tasks whose predecessors have all ended and that have not started."""
    tasks = simulation.tasks
    ready_at = [-1] * len(tasks)
    for task, successors in zip(tasks, simulation.successors, strict=True):
        for successor in successors:
            ready_at[successor] = max(ready_at[successor], task.end)
    begin = min((task.start for task in tasks), default=0)
    changes: dict[int, dict[TaskKind, int]] = {}
    for task, ready in zip(tasks, ready_at, strict=True):
        if task.kind in _COUNTED_KINDS:
            for cycle, change in ((begin if ready < 0 else ready, 1), (task.start, -1)):
                at_cycle = changes.setdefault(cycle, dict.fromkeys(_COUNTED_KINDS, 0))
                at_cycle[task.kind] += change
    sizes = dict.fromkeys(_COUNTED_KINDS, 0)
    for cycle in sorted(changes):
        for kind, change in changes[cycle].items():
            if change:
                sizes[kind] += change
                yield _counter(f"ReadyCount_{kind.name}", process, cycle, sizes[kind])
        if sum(changes[cycle].values()):
            yield _counter("ReadyCount_Total", process, cycle, sum(sizes.values()))


def _solved_dependencies(simulation: Simulation, process: int) -> Iterator[dict[str, Any]]:
    """The successor edges of ended tasks per microsecond, over windows of more than five microseconds."""
    edges_at: dict[int, int] = {}
    for task, successors in zip(simulation.tasks, simulation.successors, strict=True):
        edges_at[task.end] = edges_at.get(task.end, 0) + len(successors)
    window, edges = min((task.start for task in simulation.tasks), default=0), 0
    for cycle in sorted(edges_at):
        edges += edges_at[cycle]
        if cycle - window > _WINDOW_CYCLES:
            rate = edges * CYCLES_PER_MICROSECOND / (cycle - window)
            yield _counter("Dependence Solving (MHz)", process, window, rate)
            window, edges = cycle, 0
