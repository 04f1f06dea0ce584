"""The scheduler GrowLocal for the bulk-synchronous-parallel model (OSP, section 5.8)."""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

from transforms.graph_partition.osp.bsp_schedule import BspMachine, BspSchedule
from transforms.graph_partition.osp.dag import Dag

_FIRST_LIMIT = 20
_GOOD_ENOUGH = 0.97
_CHECKED_FROM = 4
_LEAST_PARALLELISM = 2.0
_KEPT_PARALLELISM = 0.8


@dataclass(slots=True)
class _Attempt:
    """One superstep: what runs on which processor, how much that is, and what is ready afterwards."""

    placed: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    ready: list[int] = field(default_factory=list[int])
    total_work: int = 0
    first_work: int = 0

    @property
    def parallelism(self) -> float:
        """How many times the work of the first processor is done; the reference takes it for the largest."""
        return self.total_work / self.first_work if self.first_work else 0


def grow_local(dag: Dag, machine: BspMachine) -> BspSchedule:
    """Build supersteps that grow as long as they get no worse in work per cycle.

    In each attempt the first processor takes so many vertices, the others so much work; each prefers vertices that only
    its own results have made ready. All processors must suit all vertices.

    Notes:
        The work of an attempt is repeated in the next one, which is half as large again: O((vertices + edges) · log).
        Source: T. Böhnlein, P. Papp, R. Steiner, C. Matzoros, A. Yzelman, "Efficient parallel scheduling for sparse
        triangular solvers", 2025 (arXiv 2503.05408).
    """
    processors, steps = [-1] * dag.vertex_count, [-1] * dag.vertex_count
    missing = list(map(len, dag.parents))
    ready = [vertex for vertex, count in enumerate(missing) if not count]
    desired_parallelism = float(machine.processor_count)
    left = dag.vertex_count
    step = 0
    while left:
        best, best_parallelism = _best_attempt(dag, machine, missing, ready, left, desired_parallelism)
        for vertex, processor in best.placed:
            processors[vertex], steps[vertex] = processor, step
            for child in dag.children[vertex]:
                missing[child] -= 1
        ready = best.ready
        left -= len(best.placed)
        desired_parallelism = 0.3 * desired_parallelism + 0.6 * best_parallelism + 0.1 * machine.processor_count
        step += 1
    return BspSchedule(processors, steps)


def _best_attempt(
    dag: Dag, machine: BspMachine, missing: list[int], ready: list[int], left: int, desired_parallelism: float
) -> tuple[_Attempt, float]:
    limit = _FIRST_LIMIT
    best, best_score, best_parallelism = _Attempt(), 0.0, 0.0
    goes_on = True
    while goes_on:
        attempt = _attempt(dag, machine.processor_count, missing, ready, limit)
        score = attempt.total_work / (attempt.first_work + machine.step_cost)
        is_complete = len(attempt.placed) == left
        is_accepted = goes_on = score > _GOOD_ENOUGH * best_score
        if is_accepted:
            best_score, best_parallelism = max(best_score, score), attempt.parallelism
        if attempt.first_work >= _CHECKED_FROM * machine.step_cost and attempt.parallelism < max(
            _LEAST_PARALLELISM, _KEPT_PARALLELISM * desired_parallelism
        ):
            goes_on = False
        if attempt.first_work <= machine.step_cost:
            goes_on = True
            is_accepted = is_accepted or is_complete
        if is_complete:
            goes_on = False
        if is_accepted:
            best = attempt
        limit += 1
        limit += limit // 2
    return best, best_parallelism


def _attempt(dag: Dag, processor_count: int, missing: list[int], ready: list[int], limit: int) -> _Attempt:
    left = list(ready)
    heapify(left)
    now_missing: dict[int, int] = {}
    only_processor: dict[int, int] = {}
    attempt = _Attempt()
    woken: list[list[int]] = [[] for _ in range(processor_count)]
    target = 0
    for processor in range(processor_count):
        own = woken[processor]
        work = count = 0
        while count < limit if processor == 0 else work < target:
            if own:
                vertex = heappop(own)
            elif left:
                vertex = heappop(left)
            else:
                break
            attempt.placed.append((vertex, processor))
            count += 1
            work += dag.work[vertex]
            for child in dag.children[vertex]:
                now_missing[child] = now_missing.get(child, missing[child]) - 1
                if only_processor.setdefault(child, processor) != processor:
                    only_processor[child] = -1
                if not now_missing[child]:
                    if only_processor[child] == processor:
                        heappush(own, child)
                    else:
                        attempt.ready.append(child)
        attempt.total_work += work
        if processor == 0:
            attempt.first_work = work
        target = max(target, work)
    attempt.ready += left
    for own in woken:
        attempt.ready += own
    return attempt
