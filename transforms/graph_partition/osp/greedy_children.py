"""The list scheduler GreedyChildren for the bulk-synchronous-parallel model (OSP, section 5.9)."""

from __future__ import annotations

from heapq import heappop, heappush

from transforms.graph_partition.osp.bsp_schedule import BspMachine, BspSchedule
from transforms.graph_partition.osp.dag import Dag


def greedy_children(dag: Dag, machine: BspMachine) -> BspSchedule:
    """Place ready vertices, those with most children first, next to their parents of the same superstep.

    A vertex whose parents of this superstep run on several processors waits for the next one; without such parents it
    goes to the processor that has least to do. A superstep that began with too few vertices for all processors ends
    when there are enough.

    Raises:
        ValueError: a vertex has a type without processors.

    Notes:
        O((vertices · processors + edges) · log). Source: OneStopParallel.
    """
    count = dag.vertex_count
    processors, steps = [-1] * count, [-1] * count
    missing = list(map(len, dag.parents))
    of_type: dict[int, list[int]] = {}
    for processor, type in enumerate(machine.processor_types):
        of_type.setdefault(type, []).append(processor)
    ready: list[tuple[int, int]] = []
    for vertex, parent_count in enumerate(missing):
        if not parent_count:
            heappush(ready, (-len(dag.children[vertex]), -vertex))
    step = 0
    while ready:
        has_few = len(ready) < machine.processor_count
        loads = [0] * machine.processor_count
        waiting: list[tuple[int, int]] = []
        while ready:
            entry = heappop(ready)
            vertex = -entry[1]
            near = {processors[parent] for parent in dag.parents[vertex] if steps[parent] == step}
            suited = of_type.get(dag.types[vertex])
            if not suited:
                raise ValueError("a vertex has a type without processors")
            if len(near) > 1 or (near and machine.processor_types[min(near)] != dag.types[vertex]):
                waiting.append(entry)
                continue
            processor = near.pop() if near else min(suited, key=loads.__getitem__)
            processors[vertex], steps[vertex] = processor, step
            loads[processor] += dag.work[vertex]
            for child in dag.children[vertex]:
                missing[child] -= 1
                if not missing[child]:
                    heappush(ready, (-len(dag.children[child]), -child))
            if has_few and len(ready) + len(waiting) >= machine.processor_count:
                break
        for entry in waiting:
            heappush(ready, entry)
        step += 1
    return BspSchedule(processors, steps)
