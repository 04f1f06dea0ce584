"""List scheduling: a fast estimate for searches (cost model, section 6.4, model L)."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from tools.simulate.machine import Machine
from tools.simulate.schedule import Schedule, ScheduledTask
from tools.simulate.tasks.task_graph import TaskGraph, TaskKind

GAP_CYCLES = 6000
"""What polling and dispatch cost a task on average."""

END_TO_END_SURPLUS = 3000
"""What an end-to-end time has beyond the difference of last end and first start."""

_HUB_ADVANCE = 6000


def list_schedule(
    graph: TaskGraph, durations: Sequence[int], machine: Machine, gap_cycles: int = GAP_CYCLES
) -> Schedule:
    """Give each task, in the order of becoming ready, the core of its kind that is free first.

    Args:
        durations: per leaf, its cycles.
        gap_cycles: from when a task and a core for it are there until the task starts.

    Notes:
        O((tasks + edges) log tasks).
    """
    count = len(graph.kinds)
    open_predecessors = [0] * count
    for successors in graph.successors:
        for successor in successors:
            open_predecessors[successor] += 1
    free = {
        TaskKind.AIC: [(0, core) for core in range(machine.aic_cores)],
        TaskKind.AIV: [(0, machine.aic_cores + core) for core in range(machine.aiv_cores)],
    }
    ready_at = [0] * count
    tasks = [ScheduledTask(machine.hub_core, 0, 0, 0, 0)] * count
    ready = [(0, task) for task in range(count) if not open_predecessors[task]]
    heapify(ready)
    while ready:
        queued, task = heappop(ready)
        kind = graph.kinds[task]
        if kind is TaskKind.HUB:
            end, advance = queued, _HUB_ADVANCE
            tasks[task] = ScheduledTask(machine.hub_core, queued, queued, queued, queued)
        else:
            free_at, core = heappop(free[kind])
            sent, advance = max(free_at, queued), 0
            start = sent + gap_cycles
            end = start + durations[graph.leaves[task]]
            heappush(free[kind], (end, core))
            tasks[task] = ScheduledTask(core, queued, sent, start, end)
        for place, successor in enumerate(graph.successors[task], 1):
            released = end + max(0, machine.resolve_cycles * place - advance)
            ready_at[successor] = max(ready_at[successor], released)
            open_predecessors[successor] -= 1
            if not open_predecessors[successor]:
                heappush(ready, (ready_at[successor], successor))
    return Schedule(tasks, max((task.end for task in tasks), default=0))
