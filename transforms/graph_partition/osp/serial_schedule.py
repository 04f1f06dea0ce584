"""The schedule with one processor of each type (OSP, section 5.10)."""

from __future__ import annotations

from collections import deque

from transforms.graph_partition.osp.bsp_schedule import BspMachine, BspSchedule
from transforms.graph_partition.osp.dag import Dag


def serial_schedule(dag: Dag, machine: BspMachine) -> BspSchedule:
    """Run everything on the first processor of its type, in as few supersteps as a first-in-first-out queue finds.

    Raises:
        ValueError: a vertex has a type without processors.

    Notes:
        O(vertices + edges) if there is one type; then there is one superstep.
    """
    first_of_type: dict[int, int] = {}
    for processor, type in enumerate(machine.processor_types):
        first_of_type.setdefault(type, processor)
    if any(type not in first_of_type for type in dag.types):
        raise ValueError("a vertex has a type without processors")
    processors = [first_of_type[type] for type in dag.types]
    steps = [0] * dag.vertex_count
    missing = list(map(len, dag.parents))
    ready = deque(vertex for vertex, count in enumerate(missing) if not count)
    deferred: list[int] = []
    step = 0
    while ready or deferred:
        if not ready:
            ready.extend(deferred)
            deferred = []
            step += 1
        vertex = ready.popleft()
        if any(steps[parent] == step and processors[parent] != processors[vertex] for parent in dag.parents[vertex]):
            deferred.append(vertex)
            continue
        steps[vertex] = step
        for child in dag.children[vertex]:
            missing[child] -= 1
            if not missing[child]:
                ready.append(child)
    return BspSchedule(processors, steps)
