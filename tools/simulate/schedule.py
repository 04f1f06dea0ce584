"""Which core runs which task when: the poll and dispatch loops of the schedulers (cost model, sections 3.2 and 3.3)."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import NamedTuple

from tools.simulate.machine import Machine
from tools.simulate.tasks.task_graph import TaskGraph, TaskKind

_HUB_CYCLES = 1


class ScheduledTask(NamedTuple):
    """When and where a task ran, in cycles.

    `queued` is when a scheduler had made it known as ready, `sent` when one began to send it to the core.
    """

    core: int
    queued: int
    sent: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Schedule:
    """What became of the tasks of a graph; `last_cycle` is that in which the last completion was resolved."""

    tasks: Sequence[ScheduledTask]
    last_cycle: int


def schedule_tasks(
    graph: TaskGraph,
    durations: Sequence[int],
    machine: Machine,
    events: Sequence[Sequence[int]] | None = None,
) -> Schedule:
    """Run the tasks of a graph.

    Args:
        durations: per leaf, its cycles.
        events: per leaf, the cycles after its start in which the simulator advances while the leaf runs for the first
            time (model S); None leaves them out (model S0).

    Notes:
        O(tasks log tasks + edges + cores · poll rounds + events log events). The ready queues are first in, first out;
        a completion is noticed by polling, and one ready task passes from each AICPU in each simulated cycle. So the
        set of simulated cycles, an artefact of the simulator, has an influence.
    """
    return _Device(graph, durations, machine, events).run()


class _Release(NamedTuple):
    """A task that became ready, on its way from an AICPU to the device."""

    due: int
    task: int


@dataclass(slots=True)
class _Aicpu:
    cores: Sequence[int]
    idle_cores: int
    released: deque[_Release]
    poll_end: int = 0
    dispatch_end: int = 0


class _Arrival(NamedTuple):
    """A task that reaches its core; ordered by cycle and core."""

    cycle: int
    core: int
    task: int


class _Device:
    """The state of the device between two simulated cycles."""

    def __init__(
        self,
        graph: TaskGraph,
        durations: Sequence[int],
        machine: Machine,
        events: Sequence[Sequence[int]] | None,
    ):
        count = len(graph.kinds)
        self.graph, self.durations, self.machine, self.events = graph, durations, machine, events
        self.open_predecessors = [0] * count
        for successors in graph.successors:
            for successor in successors:
                self.open_predecessors[successor] += 1
        cores = machine.cores_of_aicpus()
        self.aicpus = [_Aicpu(own, len(own), deque()) for own in cores]
        self.kind_of_core = [TaskKind.AIC] * machine.aic_cores + [TaskKind.AIV] * machine.aiv_cores
        self.task_of_core = [-1] * len(self.kind_of_core)
        self.ready: dict[TaskKind, deque[int]] = {kind: deque() for kind in TaskKind}
        self.cycles: list[int] = []
        self.arrivals: list[_Arrival] = []
        self.completions: list[tuple[int, int]] = []
        self.known_leaves: set[int] = set()
        self.core = [machine.hub_core] * count
        self.queued, self.sent, self.start, self.end = ([0] * count for _ in range(4))
        self.unresolved = count

    def run(self) -> Schedule:
        now, previous = self.machine.start_cycle, -1
        for task, waits in enumerate(self.open_predecessors):
            if not waits:
                self._make_ready(task, now)
        while True:
            hint = self._step(now, previous)
            if not self.unresolved:
                break
            while self.cycles and self.cycles[0] <= now:
                heappop(self.cycles)
            previous = now
            # A task that ended while its core had just been polled is all that is left where no cycle is planned.
            now = min(self.cycles[0], hint) if self.cycles else min(hint, now + 1)
        rows = zip(self.core, self.queued, self.sent, self.start, self.end, strict=True)
        return Schedule([ScheduledTask(*row) for row in rows], now)

    def _step(self, now: int, previous: int) -> int:
        """Let every machine act; returns the cycle to go to if nothing else happens before."""
        for aicpu in self.aicpus:
            if aicpu.released and aicpu.released[0].due <= previous:
                self._make_ready(aicpu.released.popleft().task, now)
        hint = _FOREVER
        for aicpu in self.aicpus:
            if now >= aicpu.dispatch_end and now > aicpu.poll_end:
                hint = min(hint, self._poll(aicpu, now, previous))
            if now >= aicpu.poll_end and now > aicpu.dispatch_end and aicpu.idle_cores:
                hint = min(hint, self._dispatch(aicpu, now))
        while self.completions and self.completions[0][0] <= now:
            _, core = heappop(self.completions)
            self.known_leaves.add(self.graph.leaves[self.task_of_core[core]])
        while self.arrivals and self.arrivals[0].cycle <= now:
            self._begin(heappop(self.arrivals), now)
        return hint

    def _make_ready(self, task: int, now: int) -> None:
        self.queued[task] = now
        self.ready[self.graph.kinds[task]].append(task)

    def _poll(self, aicpu: _Aicpu, now: int, previous: int) -> int:
        """Look at all own cores and resolve what has completed; returns when the first of it is resolved."""
        cost, hint = 0, _FOREVER
        for core in aicpu.cores:
            cost += self.machine.poll_cycles
            task = self.task_of_core[core]
            if task >= 0 and 0 < self.end[task] <= previous:
                self.task_of_core[core] = -1
                aicpu.idle_cores += 1
                self.unresolved -= 1
                before = cost
                cost = self._resolve(aicpu, task, now, cost)
                if cost > before:
                    hint = min(hint, now + cost)
        aicpu.poll_end = now + cost
        heappush(self.cycles, aicpu.poll_end)
        return hint

    def _resolve(self, aicpu: _Aicpu, task: int, now: int, cost: int) -> int:
        for successor in self.graph.successors[task]:
            cost += self.machine.resolve_cycles
            self.open_predecessors[successor] -= 1
            if not self.open_predecessors[successor]:
                aicpu.released.append(_Release(now + cost, successor))
        return cost

    def _dispatch(self, aicpu: _Aicpu, now: int) -> int:
        """Run HUB tasks and send ready tasks to idle own cores; returns when the first HUB is resolved."""
        hint = _FOREVER
        hubs = self.ready[TaskKind.HUB]
        while hubs:
            task = hubs.popleft()
            self.sent[task], self.start[task], self.end[task] = now, now, now + _HUB_CYCLES
            self.unresolved -= 1
            hint = min(hint, now + self._resolve(aicpu, task, now, 0))
        sent = 0
        for core in aicpu.cores:
            queue = self.ready[self.kind_of_core[core]]
            if queue and self.task_of_core[core] < 0:
                sent += 1
                task = queue.popleft()
                self.task_of_core[core] = task
                self.core[task], self.sent[task] = core, now
                arrival = now + self.machine.dispatch_cycles * sent
                heappush(self.arrivals, _Arrival(arrival + 1, core, task))
                heappush(self.cycles, arrival)
                heappush(self.cycles, arrival + 1)
        aicpu.idle_cores -= sent
        aicpu.dispatch_end = now + self.machine.dispatch_cycles * sent
        heappush(self.cycles, aicpu.dispatch_end if sent else now + 1)
        return hint

    def _begin(self, arrival: _Arrival, now: int) -> None:
        task = arrival.task
        leaf = self.graph.leaves[task]
        end = now + self.durations[leaf]
        self.start[task], self.end[task] = now, end
        heappush(self.completions, (end, arrival.core))
        heappush(self.cycles, end)
        heappush(self.cycles, end + 1)
        if self.events is not None and leaf not in self.known_leaves:
            for event in self.events[leaf]:
                heappush(self.cycles, now + event)


_FOREVER = 1 << 62
