"""What a simulation found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from tools.simulate.leaves.pipes import Pipe
from tools.simulate.machine import CYCLES_PER_MICROSECOND, Machine
from tools.simulate.tasks.task_graph import TaskKind

PREDICTION = "predicts the reference simulator, not silicon"
"""What every output says of its figures."""


class ScheduleModel(StrEnum):
    """How the schedule is made (cost model, section 6.4)."""

    S = "S"
    """As the reference simulator does it, to the cycle."""

    S0 = "S0"
    """As S, but without the cycles in which single operations start and end; 5 % off on small kernels."""

    L = "L"
    """List scheduling with a fixed gap before each task, for searches; 3 to 6 % off."""


_POLL_ROUND_CYCLES = 2900


def is_tie(model: ScheduleModel, before: int, after: int) -> bool:
    """Whether two end-to-end times, in cycles, differ by less than a model can tell apart (cost model, section 6.5)."""
    share = 0.1 if model is ScheduleModel.L else 0.03
    constant = _POLL_ROUND_CYCLES if model is ScheduleModel.S0 else 0
    return abs(after - before) < share * before + constant


@dataclass(frozen=True, slots=True)
class SubgraphCost:
    """What one subgraph costs on its core.

    Attributes:
        leaf: the number of its leaf; subgraphs with equal leaves have equal numbers.
        operations: how many operations of the function it consists of.
        cycles: how long its core is busy.
        busy: per pipe that works, for how many cycles.
        copies_in, copies_out: copies from and to global memory.
        bytes_in, bytes_out: what these copies move, padding included.
        peak_ub_bytes: what lives in the unified buffer at once.
        spills: how many tiles leave the unified buffer for lack of space.
    """

    subgraph: int
    leaf: int
    kind: TaskKind
    operations: int
    cycles: int
    busy: Mapping[Pipe, int]
    copies_in: int
    copies_out: int
    bytes_in: int
    bytes_out: int
    peak_ub_bytes: int
    spills: int


class Waits(NamedTuple):
    """Why a task did not start earlier, in cycles.

    The first three follow one another: from the end of the last producer until a scheduler had noticed it and released
    the task, until a core and a scheduler were free, until the task had reached the core. The last two share out the
    time for which the core stood idle before the task.
    """

    release: int
    queue: int
    dispatch: int
    core_idle_for_producers: int
    core_idle_for_schedule: int


@dataclass(frozen=True, slots=True)
class SimulatedTask:
    """A task and when it ran, in cycles; `subgraph` is -1 for a HUB task, which no core runs.

    `position` is its place in the task list of its iteration, `final_id` the id that the compiler gives the subgraph
    when it makes functions.
    """

    iteration: int
    position: int
    subgraph: int
    final_id: int
    kind: TaskKind
    core: int
    start: int
    end: int
    waits: Waits

    @property
    def number(self) -> int:
        """The number by which the device knows the task."""
        return self.iteration << 16 | self.position


class CriticalStep(NamedTuple):
    """A task of the critical path, by its place among the tasks, and what it waited for.

    It waited for the step before, as its `producer` or on its `core`, or for `nothing`.
    """

    task: int
    waited_for: str


@dataclass(frozen=True, slots=True)
class Simulation:
    """What becomes of one function on a machine.

    Attributes:
        function: its symbol name.
        iterations: how often the function is run, for the body of a loop.
        costs: per subgraph.
        tasks: in the order of their numbers, HUB tasks included.
        successors: per task, the tasks that wait for it.
        end_to_end_cycles: from the first start of a task on a core to the last end.
    """

    function: str
    machine: Machine
    model: ScheduleModel
    iterations: int
    costs: Mapping[int, SubgraphCost]
    tasks: Sequence[SimulatedTask]
    successors: Sequence[Sequence[int]]
    end_to_end_cycles: int

    @property
    def end_to_end_microseconds(self) -> float:
        return self.end_to_end_cycles / CYCLES_PER_MICROSECOND

    @property
    def busy_cycles(self) -> int:
        """The cycles for which all cores together are busy."""
        return sum(task.end - task.start for task in self.tasks if task.kind is not TaskKind.HUB)

    @property
    def utilisation(self) -> float:
        """The share of all cores, idle ones included, and of the end-to-end time that is busy: 0 to 1."""
        capacity = (self.machine.aic_cores + self.machine.aiv_cores) * self.end_to_end_cycles
        return self.busy_cycles / capacity if capacity else 0.0
