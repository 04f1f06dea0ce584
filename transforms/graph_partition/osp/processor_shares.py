"""How many processors each copy of a group gets, found by simulating the groups (OSP, section 5.6)."""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from transforms.graph_partition.osp.copies import Copies
from transforms.graph_partition.osp.dag import Dag

_LEAST_WORK_PER_PROCESSOR = 2000


@dataclass(frozen=True, slots=True)
class ProcessorShares:
    """Per group and type, the processors of each copy, and when the simulation ended, in cycles."""

    by_type: Sequence[Sequence[int]]
    end: float


def share_processors(
    dag: Dag,
    groups: Sequence[Copies],
    children: Sequence[Sequence[int]],
    processor_counts: Sequence[int],
    *,
    heals: bool,
) -> ProcessorShares:
    """Simulate the groups as jobs that start as soon as processors are free, the longest way to go first.

    A job takes as many processors of each type that it needs as it has copies, and then chunks of free ones: first in
    proportion to the ways to go, then whatever is left. A vertex of a type beyond `processor_counts` runs by itself.

    Args:
        dag: the graph.
        groups: per group its copies.
        children: per group, the groups behind it.
        processor_counts: per type, its processors.
        heals: whether a job without work, or with more copies than there are processors, is run all the same.

    Raises:
        ValueError: a job can never start, or has no work; the message says what is wrong.

    Notes:
        Nothing but the shares is used of the simulation. Finish times are floating-point numbers, as in the reference.
    """
    jobs = [_Job(dag, copies, processor_counts, heals=heals) for copies in groups]
    return _Simulation(jobs, children, processor_counts).run()


class _Job:
    def __init__(self, dag: Dag, copies: Copies, processor_counts: Sequence[int], *, heals: bool) -> None:
        work_of_type = [0] * len(processor_counts)
        needs = [False] * len(processor_counts)
        self.work = 0
        for copy in copies:
            for vertex in copy:
                self.work += dag.work[vertex]
                if dag.types[vertex] < len(processor_counts):
                    work_of_type[dag.types[vertex]] += dag.work[vertex]
                    needs[dag.types[vertex]] = True
        if heals:
            self.work = max(self.work, 1)
        elif self.work <= 0 or any(needed and not work for needed, work in zip(needs, work_of_type, strict=True)):
            raise ValueError("operations without any latency form a group, and the reference divides by their work")
        self.types = [type for type, needed in enumerate(needs) if needed]
        self.most = min(len(copies) * len(copies[0]), -(-self.work // _LEAST_WORK_PER_PROCESSOR))
        self.unit = min(len(copies), self.most)
        if heals:
            self.unit = min([self.unit, *[processor_counts[type] for type in self.types]])
        self.rank = self.work
        self.assigned = [0] * len(processor_counts)


class _Simulation:
    def __init__(self, jobs: list[_Job], children: Sequence[Sequence[int]], processor_counts: Sequence[int]) -> None:
        self._jobs, self._children = jobs, children
        self._free = list(processor_counts)
        self._missing = [0] * len(jobs)
        for targets in children:
            for target in targets:
                self._missing[target] += 1
        self._set_ranks()

    def _set_ranks(self) -> None:
        missing = list(self._missing)
        order = [job for job, count in enumerate(missing) if not count]
        for job in order:
            for child in self._children[job]:
                missing[child] -= 1
                if not missing[child]:
                    order.append(child)
        for job in reversed(order):
            self._jobs[job].rank += max([self._jobs[child].rank for child in self._children[job]], default=0)

    def run(self) -> ProcessorShares:
        jobs, now = self._jobs, 0.0
        ready = sorted((-jobs[job].rank, job) for job, count in enumerate(self._missing) if not count)
        running: list[tuple[float, int]] = []
        while ready or running:
            started, ready = self._start(ready)
            self._spread([jobs[job] for job in started])
            for job in started:
                heappush(running, (now + jobs[job].work / max(1, sum(jobs[job].assigned)), job))
            if not running:
                raise ValueError("a group has more copies than there are processors of its type, and can never start")
            now = running[0][0]
            while running and running[0][0] == now:
                _, job = heappop(running)
                for type, count in enumerate(jobs[job].assigned):
                    self._free[type] += count
                for child in self._children[job]:
                    self._missing[child] -= 1
                    if not self._missing[child]:
                        insort(ready, (-jobs[child].rank, child))
        shares = [[-(-count // job.unit) for count in job.assigned] for job in jobs]
        return ProcessorShares(shares, now)

    def _start(self, ready: list[tuple[int, int]]) -> tuple[list[int], list[tuple[int, int]]]:
        """Give every ready job that fits one unit of each type it needs; returns what has started and what has not."""
        started: list[int] = []
        left: list[tuple[int, int]] = []
        for entry in ready:
            job = self._jobs[entry[1]]
            if all(self._free[type] >= job.unit for type in job.types):
                for type in job.types:
                    job.assigned[type] = job.unit
                    self._free[type] -= job.unit
                started.append(entry[1])
            else:
                left.append(entry)
        return started, left

    def _spread(self, started: Sequence[_Job]) -> None:
        """Give more of the free processors to the jobs that have started now."""
        pool, ranks = list(self._free), sum([job.rank for job in started])
        for is_proportional in (True, False):
            for job in started:
                for type in job.types:
                    chunks = min(self._free[type], max(0, job.most - sum(job.assigned))) // job.unit
                    if is_proportional:
                        chunks = min(chunks, int(pool[type] * (job.rank / ranks)) // job.unit)
                    job.assigned[type] += chunks * job.unit
                    self._free[type] -= chunks * job.unit
