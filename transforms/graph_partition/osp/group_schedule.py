"""The schedule of one copy, which all copies of its group follow (OSP, section 5.7)."""

from __future__ import annotations

from transforms.graph_partition.osp.bsp_schedule import BspMachine, BspSchedule, lazy_cost
from transforms.graph_partition.osp.component_packing import packed_components
from transforms.graph_partition.osp.dag import Dag
from transforms.graph_partition.osp.greedy_children import greedy_children
from transforms.graph_partition.osp.grow_local import grow_local
from transforms.graph_partition.osp.schedule_annealing import annealed
from transforms.graph_partition.osp.serial_schedule import serial_schedule


def best_schedule(dag: Dag, machine: BspMachine) -> BspSchedule:
    """The cheapest of several schedules, by `lazy_cost`; of equal ones that with the fewest parts.

    Schedules are searched for only where a synchronisation can pay: whatever communicates costs at least one, and an
    even share of the work.

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
        if cheapest > machine.step_cost + even_share or not all(dag.communication):
            starts = [greedy_children(dag, machine)]
            if has_one_type:
                starts.append(grow_local(dag, machine))
            schedules.extend([annealed(dag, machine, start) for start in starts])
    return min(schedules, key=lambda schedule: (lazy_cost(dag, machine, schedule), len(parts_of_schedule(schedule))))


def parts_of_schedule(schedule: BspSchedule) -> dict[tuple[int, int], int]:
    """The pairs of superstep and processor at which something runs, numbered by first appearance."""
    parts: dict[tuple[int, int], int] = {}
    for place in zip(schedule.steps, schedule.processors, strict=True):
        parts.setdefault(place, len(parts))
    return parts
