"""The schedule of one copy, which all copies of its group follow (OSP, section 5.7)."""

from __future__ import annotations

from collections.abc import Hashable

from transforms.graph_partition.osp.bsp_schedule import BspMachine, BspSchedule, lazy_cost
from transforms.graph_partition.osp.component_packing import packed_components
from transforms.graph_partition.osp.dag import Dag
from transforms.graph_partition.osp.dag_paths import longest_path
from transforms.graph_partition.osp.greedy_children import greedy_children
from transforms.graph_partition.osp.grow_local import grow_local
from transforms.graph_partition.osp.schedule_annealing import annealed
from transforms.graph_partition.osp.serial_schedule import serial_schedule

_TRIES_PER_VERTEX = 60


class GroupScheduler:
    """Schedules copies; equal ones on equal machines only once."""

    def __init__(self) -> None:
        self._known: dict[Hashable, BspSchedule] = {}

    def schedule(self, dag: Dag, machine: BspMachine) -> BspSchedule:
        """The cheapest of several schedules, see `best_schedule`."""
        key = (
            tuple(dag.work),
            tuple(dag.communication),
            tuple(dag.types),
            tuple(map(tuple, dag.children)),
            tuple(machine.processor_types),
        )
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = best_schedule(dag, machine)
        return found


def best_schedule(dag: Dag, machine: BspMachine) -> BspSchedule:
    """The cheapest of several schedules, by `lazy_cost`; of equal ones that with the fewest parts.

    A search is made only where synchronisations can pay: unless values cost nothing, a schedule that communicates costs
    at least one synchronisation, and an even share of the work or what the longest path takes.

    Raises:
        ValueError: a vertex has a type without processors.
    """
    schedules = [serial_schedule(dag, machine)]
    has_one_type = len(set(machine.processor_types)) == 1
    if machine.processor_count > 1:
        if has_one_type:
            schedules.append(packed_components(dag, machine))
        even_share = -(-sum(dag.work) // machine.processor_count)
        cheapest = min([lazy_cost(dag, machine, schedule) for schedule in schedules])
        is_charged = all(value or not children for value, children in zip(dag.communication, dag.children, strict=True))
        if cheapest > machine.step_cost + max(even_share, longest_path(dag, 0)) or not is_charged:
            starts = [greedy_children(dag, machine)]
            if has_one_type:
                starts.append(grow_local(dag, machine))
            start = min(starts, key=lambda schedule: lazy_cost(dag, machine, schedule))
            schedules.append(annealed(dag, machine, start, _TRIES_PER_VERTEX * dag.vertex_count))
    return min(schedules, key=lambda schedule: (lazy_cost(dag, machine, schedule), len(parts_of_schedule(schedule))))


def parts_of_schedule(schedule: BspSchedule) -> dict[tuple[int, int], int]:
    """The pairs of superstep and processor at which something runs, numbered by first appearance."""
    parts: dict[tuple[int, int], int] = {}
    for place in zip(schedule.steps, schedule.processors, strict=True):
        parts.setdefault(place, len(parts))
    return parts
