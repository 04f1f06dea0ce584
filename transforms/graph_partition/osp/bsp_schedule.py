"""Schedules in the bulk-synchronous-parallel model, and what they cost (OSP, section 7.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from transforms.graph_partition.osp.dag import Dag


@dataclass(frozen=True, slots=True)
class BspMachine:
    """Processors that work in supersteps and exchange values between them.

    Attributes:
        processor_types: per processor, the type of the vertices that it can run.
        value_cost: cycles for one unit of communication (g).
        step_cost: cycles for a synchronisation (L).
    """

    processor_types: Sequence[int]
    value_cost: int
    step_cost: int

    @property
    def processor_count(self) -> int:
        return len(self.processor_types)


@dataclass(frozen=True, slots=True)
class BspSchedule:
    """Per vertex, the processor that runs it and the superstep in which it does."""

    processors: Sequence[int]
    steps: Sequence[int]

    @property
    def step_count(self) -> int:
        return 1 + max(self.steps, default=-1)


def is_valid(dag: Dag, machine: BspMachine, schedule: BspSchedule) -> bool:
    """Whether types fit, and every value is there in time: on another processor a superstep later."""
    processors, steps = schedule.processors, schedule.steps
    return all(
        machine.processor_types[processors[vertex]] == dag.types[vertex]
        and all(
            steps[child] > steps[vertex] or (steps[child] == steps[vertex] and processors[child] == processors[vertex])
            for child in dag.children[vertex]
        )
        for vertex in range(dag.vertex_count)
    )


def work_cost(dag: Dag, schedule: BspSchedule) -> int:
    """The sum over supersteps of the work of the processor that has most."""
    loads: dict[tuple[int, int], int] = {}
    for vertex, place in enumerate(zip(schedule.steps, schedule.processors, strict=True)):
        loads[place] = loads.get(place, 0) + dag.work[vertex]
    largest = [0] * schedule.step_count
    for (step, _), load in loads.items():
        largest[step] = max(largest[step], load)
    return sum(largest)


def exchanges(dag: Dag, schedule: BspSchedule) -> list[int]:
    """Per superstep at whose end something is sent, what the processor sends or receives that does so most.

    A value is sent once to each other processor with a child of it, at the end of the superstep before the first of
    those children. O(vertices + edges).
    """
    processors, steps = schedule.processors, schedule.steps
    sent: dict[tuple[int, int], int] = {}
    received: dict[tuple[int, int], int] = {}
    for vertex, children in enumerate(dag.children):
        own = processors[vertex]
        first_use: dict[int, int] = {}
        for child in children:
            processor = processors[child]
            if processor != own:
                first_use[processor] = min(steps[child], first_use.get(processor, steps[child]))
        for processor, step in first_use.items():
            value = dag.communication[vertex]
            sent[step - 1, own] = sent.get((step - 1, own), 0) + value
            received[step - 1, processor] = received.get((step - 1, processor), 0) + value
    exchanged: dict[int, int] = {}
    for transfers in (sent, received):
        for (step, _), total in transfers.items():
            exchanged[step] = max(exchanged.get(step, 0), total)
    return [total for _, total in sorted(exchanged.items()) if total]


def lazy_cost(dag: Dag, machine: BspMachine, schedule: BspSchedule) -> int:
    """Cycles of a schedule whose values are sent as late as possible.

    A superstep costs the work of its busiest processor and, if anything is sent at its end, the communication of the
    processor that sends or receives most, and a synchronisation. O(vertices + edges). Source: L. Valiant, "A bridging
    model for parallel computation", 1990; P. Papp, G. Anegg, A. Yzelman, "DAG scheduling in the BSP model", 2023.
    """
    exchange = sum([machine.value_cost * total + machine.step_cost for total in exchanges(dag, schedule)])
    return work_cost(dag, schedule) + exchange
