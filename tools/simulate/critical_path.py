"""What the end-to-end time consists of."""

from __future__ import annotations

from tools.simulate.results import CriticalStep, Simulation
from tools.simulate.tasks.task_graph import TaskKind


def critical_path(simulation: Simulation) -> list[CriticalStep]:
    """The tasks that lead to the last end, each waiting for the one before.

    A task waited for the producer that ended last, or, if its core became free only later, for the task before it on
    that core. HUB tasks are part of the path.

    Notes:
        O(tasks log tasks + edges).
    """
    tasks = simulation.tasks
    if not tasks:
        return []
    producer = [-1] * len(tasks)
    for number, successors in enumerate(simulation.successors):
        for successor in successors:
            if producer[successor] < 0 or tasks[producer[successor]].end < tasks[number].end:
                producer[successor] = number
    before_on_core = [-1] * len(tasks)
    last_on_core: dict[int, int] = {}
    for number in sorted(range(len(tasks)), key=lambda number: tasks[number].start):
        if tasks[number].kind is not TaskKind.HUB:
            before_on_core[number] = last_on_core.get(tasks[number].core, -1)
            last_on_core[tasks[number].core] = number
    current = max(last_on_core.values(), key=lambda number: tasks[number].end, default=-1)
    steps: list[CriticalStep] = []
    while current >= 0:
        made_by, behind = producer[current], before_on_core[current]
        waits_for_core = behind >= 0 and (made_by < 0 or tasks[behind].end > tasks[made_by].end)
        earlier = behind if waits_for_core else made_by
        cause = "nothing" if earlier < 0 else "core" if waits_for_core else "producer"
        steps.append(CriticalStep(current, cause))
        current = earlier
    return steps[::-1]
