"""A schedule that changes vertex by vertex, and what it costs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from transforms.graph_partition.osp.bsp_schedule import BspMachine, BspSchedule
from transforms.graph_partition.osp.dag import Dag


class Place(NamedTuple):
    """Where a vertex may run."""

    processor: int
    step: int


class _Transfer(NamedTuple):
    """Values that are sent at the end of a superstep; a negative amount takes back what was sent."""

    step: int
    source: int
    target: int
    amount: int


class ScheduleState:
    """A valid schedule and its lazy cost, kept up to date while single vertices move.

    A move costs O(degrees of the vertex and its parents + processors).

    Attributes:
        cost: see `lazy_cost`.
    """

    def __init__(self, dag: Dag, machine: BspMachine, schedule: BspSchedule) -> None:
        self._dag, self._machine = dag, machine
        self._processors, self._steps = list(schedule.processors), list(schedule.steps)
        step_count, processor_count = schedule.step_count, machine.processor_count
        self._loads = [[0] * processor_count for _ in range(step_count)]
        self._sent = [[0] * processor_count for _ in range(step_count)]
        self._received = [[0] * processor_count for _ in range(step_count)]
        # Per vertex, the first superstep with a child of it on each processor that has one.
        self._first_uses: list[dict[int, int]] = []
        for vertex, children in enumerate(dag.children):
            own = self._processors[vertex]
            self._loads[self._steps[vertex]][own] += dag.work[vertex]
            uses: dict[int, int] = {}
            for child in children:
                processor, step = self._processors[child], self._steps[child]
                uses[processor] = min(step, uses.get(processor, step))
            self._first_uses.append(uses)
            self._send([_Transfer(step - 1, own, p, dag.communication[vertex]) for p, step in uses.items() if p != own])
        self._step_costs = [self._step_cost(step) for step in range(step_count)]
        self.cost = sum(self._step_costs)
        self._processors_of_type: dict[int, list[int]] = {}
        for processor, type in enumerate(machine.processor_types):
            self._processors_of_type.setdefault(type, []).append(processor)

    def schedule(self) -> BspSchedule:
        """The schedule as it stands; supersteps in which nothing runs are left out."""
        used = {step: number for number, step in enumerate(sorted(set(self._steps)))}
        return BspSchedule(list(self._processors), [used[step] for step in self._steps])

    def places(self, vertex: int) -> list[Place]:
        """Where `vertex` may move: into its superstep, those next to it, and those next to its parents and children."""
        own = Place(self._processors[vertex], self._steps[vertex])
        first, above = self._last_of(self._dag.parents[vertex])
        last, below = self._first_of(self._dag.children[vertex])
        suited = self._processors_of_type[self._dag.types[vertex]]
        places: list[Place] = []
        for step in {own.step - 1, own.step, own.step + 1, first, first + 1, last - 1, last}:
            if max(first, 0) <= step <= min(last, len(self._loads) - 1):
                near: set[int] = set()
                if step == first:
                    near |= above
                if step == last:
                    near |= below
                if not near:
                    places.extend([Place(processor, step) for processor in suited])
                elif len(near) == 1:
                    places.extend([Place(processor, step) for processor in near.intersection(suited)])
        return [place for place in sorted(places) if place != own]

    def move_if(self, vertex: int, place: Place, largest_loss: float) -> bool:
        """Move `vertex` to `place`, one of its places, unless the cost would rise by more; says whether it moved."""
        own = Place(self._processors[vertex], self._steps[vertex])
        transfers = self._transfers(vertex, own, place)
        self._shift_work(vertex, own, place)
        self._send(transfers)
        costs = {step: self._step_cost(step) for step in {own.step, place.step, *[t.step for t in transfers]}}
        loss = sum([cost - self._step_costs[step] for step, cost in costs.items()])
        if loss > largest_loss:
            self._shift_work(vertex, place, own)
            self._send([t._replace(amount=-t.amount) for t in transfers])
            return False
        for step, cost in costs.items():
            self._step_costs[step] = cost
        self.cost += loss
        self._processors[vertex], self._steps[vertex] = place
        for parent in self._dag.parents[vertex]:
            self._refresh_uses(parent, {own.processor, place.processor})
        return True

    def _last_of(self, parents: Iterable[int]) -> tuple[int, set[int]]:
        """The last superstep of `parents` and the processors of those in it; -1 without parents."""
        step = max([self._steps[parent] for parent in parents], default=-1)
        return step, {self._processors[parent] for parent in parents if self._steps[parent] == step}

    def _first_of(self, children: Iterable[int]) -> tuple[int, set[int]]:
        """The first superstep of `children` and the processors of those in it; behind the last one without children."""
        step = min([self._steps[child] for child in children], default=len(self._loads))
        return step, {self._processors[child] for child in children if self._steps[child] == step}

    def _transfers(self, vertex: int, own: Place, place: Place) -> list[_Transfer]:
        """What is sent otherwise when `vertex` moves."""
        transfers: list[_Transfer] = []
        for parent in self._dag.parents[vertex]:
            amount, source = self._dag.communication[parent], self._processors[parent]
            if amount:
                uses = self._first_uses[parent]
                for processor in {own.processor, place.processor} - {source}:
                    old, new = uses.get(processor), self._use_after(parent, vertex, processor, own, place)
                    if old != new:
                        if old is not None:
                            transfers.append(_Transfer(old - 1, source, processor, -amount))
                        if new is not None:
                            transfers.append(_Transfer(new - 1, source, processor, amount))
        amount = self._dag.communication[vertex]
        if amount and place.processor != own.processor:
            for processor, use in self._first_uses[vertex].items():
                if processor != own.processor:
                    transfers.append(_Transfer(use - 1, own.processor, processor, -amount))
                if processor != place.processor:
                    transfers.append(_Transfer(use - 1, place.processor, processor, amount))
        return transfers

    def _use_after(self, parent: int, vertex: int, processor: int, own: Place, place: Place) -> int | None:
        """The first superstep with a child of `parent` on `processor` once its child `vertex` has moved."""
        use = self._first_uses[parent].get(processor)
        if processor == own.processor and use == own.step:
            steps, processors = self._steps, self._processors
            siblings = self._dag.children[parent]
            use = min([steps[s] for s in siblings if s != vertex and processors[s] == processor], default=None)
        if processor == place.processor and (use is None or place.step < use):
            return place.step
        return use

    def _refresh_uses(self, vertex: int, processors: set[int]) -> None:
        for processor in processors:
            steps = [self._steps[child] for child in self._dag.children[vertex] if self._processors[child] == processor]
            if steps:
                self._first_uses[vertex][processor] = min(steps)
            else:
                self._first_uses[vertex].pop(processor, None)

    def _shift_work(self, vertex: int, source: Place, target: Place) -> None:
        self._loads[source.step][source.processor] -= self._dag.work[vertex]
        self._loads[target.step][target.processor] += self._dag.work[vertex]

    def _send(self, transfers: Iterable[_Transfer]) -> None:
        for step, source, target, amount in transfers:
            self._sent[step][source] += amount
            self._received[step][target] += amount

    def _step_cost(self, step: int) -> int:
        exchanged = max(max(self._sent[step]), max(self._received[step]))
        exchange = self._machine.value_cost * exchanged + self._machine.step_cost if exchanged else 0
        return max(self._loads[step]) + exchange
