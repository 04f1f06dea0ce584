"""Improving a schedule by moving vertices, sometimes to where it is worse for a while (OSP, section 5.11)."""

from __future__ import annotations

from math import log, sqrt
from random import Random

from transforms.graph_partition.osp.bsp_schedule import BspMachine, BspSchedule, lazy_cost
from transforms.graph_partition.osp.dag import Dag
from transforms.graph_partition.osp.schedule_state import ScheduleState

_SEED = 42
_MANY_TRIES_PER_VERTEX = 100
_FIRST_SHARE = 0.014
_LAST_SHARE = 0.03


def annealed(dag: Dag, machine: BspMachine, schedule: BspSchedule, tries: int) -> BspSchedule:
    """A schedule that costs no more than `schedule`, by `lazy_cost`; the same one if none is found.

    Vertices are tried in random order at random places within reach; a move that costs more is made with a probability
    that falls to 0 towards the end. The generator is seeded, so that equal input gives equal output.

    Args:
        dag: the graph.
        machine: what it is scheduled on.
        schedule: a valid schedule to begin with.
        tries: how many moves are tried; the fewer for each vertex, the sooner losses are refused.

    Notes:
        O(tries · (degrees + processors)). Stands in for the Kernighan-Lin search of the reference: 20,000 tries and 40
        for each vertex give schedules that cost less on average. Sources: S. Kirkpatrick, C. Gelatt, M. Vecchi,
        "Optimization by simulated annealing", 1983; P. Papp, G. Anegg, A. Karanasiou, A. Yzelman, "Efficient
        multi-processor scheduling in increasingly realistic models", 2024, for the moves.
    """
    count = dag.vertex_count
    if not count or machine.processor_count < 2:
        return schedule
    start = schedule
    if tries >= _MANY_TRIES_PER_VERTEX * count:
        # An empty superstep before each costs nothing and lets supersteps be split.
        start = BspSchedule(schedule.processors, [2 * step + 1 for step in schedule.steps])
    typical = (sum(dag.work) + machine.value_cost * sum(dag.communication)) / count + machine.step_cost
    first = _FIRST_SHARE * sqrt(tries / count) * typical
    last = min(first, _LAST_SHARE * typical)
    cooling = (last / first) ** (1 / tries) if first else 1.0

    state = ScheduleState(dag, machine, start)
    best, best_cost = schedule, lazy_cost(dag, machine, schedule)
    random = Random(_SEED)
    temperature = first
    for _ in range(tries):
        temperature *= cooling
        vertex = int(random.random() * count)
        places = state.places(vertex)
        if places:
            place = places[int(random.random() * len(places))]
            # A loss of x is taken with the probability exp(-x / temperature).
            if state.move_if(vertex, place, -temperature * log(1 - random.random())) and state.cost < best_cost:
                best, best_cost = state.schedule(), state.cost
    return best
