"""The schedule without communication: weak components of a DAG on processors (R. Graham, 1969)."""

from __future__ import annotations

from transforms.graph_partition.osp.bsp_schedule import BspMachine, BspSchedule
from transforms.graph_partition.osp.dag import Dag


def weak_components(dag: Dag) -> list[list[int]]:
    """The sets of vertices that edges connect, whatever their direction; by smallest vertex, each ascending."""
    seen = bytearray(dag.vertex_count)
    components: list[list[int]] = []
    for start in range(dag.vertex_count):
        if not seen[start]:
            seen[start] = True
            component = [start]
            for vertex in component:
                for neighbours in (dag.children[vertex], dag.parents[vertex]):
                    for other in neighbours:
                        if not seen[other]:
                            seen[other] = True
                            component.append(other)
            components.append(sorted(component))
    return components


def packed_components(dag: Dag, machine: BspMachine) -> BspSchedule:
    """One superstep, in which the largest component left goes to the processor that has least to do.

    All processors must suit all vertices.

    Notes:
        O(vertices + edges + components · processors). Source: R. Graham, "Bounds on multiprocessing timing anomalies",
        1969.
    """
    processors = [0] * dag.vertex_count
    loads = [0] * machine.processor_count
    components = weak_components(dag)
    works = [sum([dag.work[vertex] for vertex in component]) for component in components]
    for number in sorted(range(len(components)), key=lambda number: (-works[number], number)):
        processor = min(range(machine.processor_count), key=loads.__getitem__)
        loads[processor] += works[number]
        for vertex in components[number]:
            processors[vertex] = processor
    return BspSchedule(processors, [0] * dag.vertex_count)
