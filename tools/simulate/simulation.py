"""Simulates a partitioned function: leaves, tasks, schedule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from dialect.collection import paused_collection
from dialect.compat import Compat
from dialect.ops import FuncOp, functions_of
from dialect.targets import Target
from tools.driver.errors import UserError
from tools.simulate.leaves.boundary import boundary_of
from tools.simulate.leaves.building import BuiltLeaf, LoweringRules, build_leaf
from tools.simulate.leaves.graph_reading import partitioned_graph
from tools.simulate.leaves.lowering import merged_places
from tools.simulate.leaves.pipes import CUBE_CORE_PIPES, pipe_of
from tools.simulate.leaves.timing import BufferDeadlockError, LeafTiming, time_leaf
from tools.simulate.list_schedule import END_TO_END_SURPLUS, list_schedule
from tools.simulate.machine import Machine
from tools.simulate.results import ScheduleModel, SimulatedTask, Simulation, SubgraphCost, Waits
from tools.simulate.schedule import Schedule, schedule_tasks
from tools.simulate.tasks.building import BuiltTasks, build_tasks
from tools.simulate.tasks.task_graph import TaskGraph, TaskKind
from transforms.graph_of_function import function_graph
from transforms.module_rules import compat_of, target_of
from transforms.subgraph_graph import describe_cycle, smallest_first_order, subgraph_graph
from transforms.tensor_facts import tensor_facts

_LARGEST_DURATION = 10**9
"""Cycles of a subgraph; what is longer stems from broken shapes."""

_LONGEST_POLLED = 10**9
"""Cycles end to end, about half a second of a device, through which the polls of the schedulers are followed."""


@dataclass(frozen=True, slots=True)
class SimulationOptions:
    """How to simulate.

    Attributes:
        model: how the schedule is made.
        iterations: how often each function runs, one run independent of the other, as a short loop does.
    """

    model: ScheduleModel = ScheduleModel.S
    iterations: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.iterations <= LARGEST_ITERATIONS:
            raise ValueError(f"iterations must be in the range 1..{LARGEST_ITERATIONS}, found {self.iterations}")


LARGEST_ITERATIONS = 1024
"""Task numbers have ten bits for the iteration (cost model, section 3.1)."""


def simulate_module(module: ModuleOp, machine: Machine, options: SimulationOptions) -> list[Simulation]:
    """Simulate every function of a module, each alone.

    Raises:
        UserError: as `simulate_function`.
    """
    compat, target = compat_of(module), target_of(module)
    with paused_collection():
        return [simulate_function(function, machine, target, compat, options) for function in functions_of(module)]


_MOST_SUBGRAPHS = 1_000_000
"""Tables have a row per id, so a stray huge id would take minutes and gigabytes."""


def simulate_function(
    function: FuncOp, machine: Machine, target: Target, compat: Compat, options: SimulationOptions
) -> Simulation:
    """Simulate a function.

    Args:
        machine: what runs the function.
        target: what it is compiled for.

    Raises:
        UserError: an op has no subgraph, subgraphs depend on one another in a cycle, the machine has no core of a kind
            that is needed, or, with buffer back pressure, a subgraph does not fit into the buffers.

    Notes:
        O((operations + operands) log operations) for the leaves, and what `build_tasks` and `schedule_tasks` need.
    """
    read = function_graph(function)
    missing = [op for op in read.operations if op.subgraph is None]
    if missing:
        raise UserError(
            f"function @{function.symbol}: {len(missing)} of {len(read.operations)} ops have no subgraph "
            f"(the first is {missing[0].display_name}); give them one with -p graph-partition"
        )
    highest = max((op.subgraph or 0 for op in read.operations), default=0)
    if highest >= _MOST_SUBGRAPHS:
        raise UserError(
            f"function @{function.symbol}: the subgraph id {highest} is too high to simulate; ids count from 0 "
            f"without gaps, and at most {_MOST_SUBGRAPHS} are simulated"
        )
    graph, ordered = partitioned_graph(function, read, tensor_facts(function, read), compat)
    members = graph.operations_of_subgraphs()
    quotient = subgraph_graph(ordered, graph.subgraphs, len(members))
    if len(smallest_first_order(quotient)) < len(members):
        raise UserError(
            f"function @{function.symbol}: subgraphs depend on one another in a cycle: {describe_cycle(quotient)}"
        )
    boundary, places = boundary_of(graph), merged_places(graph)
    rules = LoweringRules(target.ub_bytes, broadcasts_columns=target.family != "a2a3")
    leaves = _Leaves(function.symbol, machine)
    for subgraph, operations in enumerate(members):
        if operations:
            built = build_leaf(graph, operations, subgraph, boundary, places, rules)
            leaves.add(subgraph, len(operations), built)
    tasks = build_tasks(graph, members, boundary, leaves.kinds(len(members)), leaves.numbers(len(members)))
    _check_cores(function.symbol, leaves.costs, machine)
    repeated = repeat_tasks(tasks.graph, options.iterations)
    schedule = _schedule(function.symbol, repeated, leaves.timings, machine, options.model)
    return Simulation(
        function.symbol,
        machine,
        options.model,
        options.iterations,
        leaves.costs,
        _simulated_tasks(tasks, repeated, schedule),
        repeated.successors,
        _end_to_end(repeated, schedule, options.model),
    )


class _Leaves:
    """The leaves of a function; equal ones are timed once, and those that the simulator confuses share a number."""

    def __init__(self, function: str, machine: Machine):
        self.function, self.machine = function, machine
        self.costs: dict[int, SubgraphCost] = {}
        self.timings: list[LeafTiming] = []
        """Per leaf number."""
        self.timing_of_content: dict[object, LeafTiming] = {}
        self.number_of_class: dict[object, int] = {}

    def add(self, subgraph: int, operation_count: int, built: BuiltLeaf) -> None:
        leaf = built.leaf
        content = tuple(leaf.tiles), tuple(leaf.operations)
        timing = self.timing_of_content.get(content)
        if timing is None:
            try:
                timing = time_leaf(leaf, self.machine.latencies, self.machine.buffer_bytes)
            except BufferDeadlockError:
                raise UserError(
                    f"function @{self.function}: subgraph {subgraph} does not fit into the buffers of a core, which "
                    "back pressure asks for; split it, or switch buffer_back_pressure off"
                ) from None
            if timing.cycles > _LARGEST_DURATION:
                raise UserError(
                    f"function @{self.function}: subgraph {subgraph} takes {timing.cycles} cycles; no more than "
                    f"{_LARGEST_DURATION} can be simulated"
                )
            self.timing_of_content[content] = timing
        opcodes = tuple([operation.opcode for operation in leaf.operations])
        number = self.number_of_class.setdefault((timing.cycles, opcodes), len(self.timings))
        if number == len(self.timings):
            self.timings.append(timing)
        is_cube = any(pipe_of(opcode) in CUBE_CORE_PIPES for opcode in set(opcodes))
        self.costs[subgraph] = SubgraphCost(
            subgraph,
            number,
            TaskKind.AIC if is_cube else TaskKind.AIV,
            operation_count,
            timing.cycles,
            timing.busy,
            built.copies_in,
            built.copies_out,
            built.bytes_in,
            built.bytes_out,
            built.peak_ub_bytes,
            built.spills,
        )

    def kinds(self, count: int) -> list[TaskKind]:
        """Per subgraph, what runs it."""
        return [self.costs[subgraph].kind if subgraph in self.costs else TaskKind.AIV for subgraph in range(count)]

    def numbers(self, count: int) -> list[int]:
        """Per subgraph, the number of its leaf."""
        return [self.costs[subgraph].leaf if subgraph in self.costs else -1 for subgraph in range(count)]


def _check_cores(function: str, costs: dict[int, SubgraphCost], machine: Machine) -> None:
    for kind, name in ((TaskKind.AIC, "AIC (cube)"), (TaskKind.AIV, "AIV (vector)")):
        needing = [cost.subgraph for cost in costs.values() if cost.kind is kind]
        if needing and not machine.core_count(kind):
            raise UserError(
                f"function @{function}: {len(needing)} subgraphs (the first is {needing[0]}) need an {name} core, "
                "and the machine has none"
            )


def repeat_tasks(tasks: TaskGraph, iterations: int) -> TaskGraph:
    """The tasks of several runs of a function in one device task, without edges between the runs."""
    count = len(tasks.kinds)
    return TaskGraph(
        list(tasks.kinds) * iterations,
        list(tasks.leaves) * iterations,
        [
            [successor + count * iteration for successor in successors]
            for iteration in range(iterations)
            for successors in tasks.successors
        ],
    )


def _schedule(
    function: str, tasks: TaskGraph, timings: Sequence[LeafTiming], machine: Machine, model: ScheduleModel
) -> Schedule:
    durations = [timing.cycles for timing in timings]
    listed = list_schedule(tasks, durations, machine)
    if model is ScheduleModel.L:
        return listed
    if listed.last_cycle > _LONGEST_POLLED:
        raise UserError(
            f"function @{function} takes about {listed.last_cycle} cycles; models S and S0 follow at most "
            f"{_LONGEST_POLLED}, use model L"
        )
    events = [timing.event_cycles() for timing in timings] if model is ScheduleModel.S else None
    return schedule_tasks(tasks, durations, machine, events)


def _end_to_end(tasks: TaskGraph, schedule: Schedule, model: ScheduleModel) -> int:
    on_cores = [task for task, kind in zip(schedule.tasks, tasks.kinds, strict=True) if kind is not TaskKind.HUB]
    if not on_cores:
        return 0
    surplus = END_TO_END_SURPLUS if model is ScheduleModel.L else 0
    return max(task.end for task in on_cores) - min(task.start for task in on_cores) + surplus


def _simulated_tasks(built: BuiltTasks, tasks: TaskGraph, schedule: Schedule) -> list[SimulatedTask]:
    count = len(built.subgraphs)
    scheduled = schedule.tasks
    producers_end = [0] * len(scheduled)
    for task, successors in zip(scheduled, tasks.successors, strict=True):
        for successor in successors:
            producers_end[successor] = max(producers_end[successor], task.end)
    first_start = min((task.start for task in scheduled), default=0)
    core_free_at: dict[int, int] = {}
    waits: list[Waits] = [Waits(0, 0, 0, 0, 0)] * len(scheduled)
    for number in sorted(range(len(scheduled)), key=lambda number: scheduled[number].start):
        task = scheduled[number]
        if tasks.kinds[number] is TaskKind.HUB:
            continue
        ready = min(producers_end[number] or task.queued, task.queued)
        free_at = core_free_at.get(task.core, first_start)
        for_producers = max(0, min(ready, task.start) - free_at)
        waits[number] = Waits(
            task.queued - ready,
            task.sent - task.queued,
            task.start - task.sent,
            for_producers,
            task.start - free_at - for_producers,
        )
        core_free_at[task.core] = task.end
    return [
        SimulatedTask(
            number // count,
            number % count,
            built.subgraphs[number % count],
            built.final_ids[number % count],
            tasks.kinds[number],
            task.core,
            task.start,
            task.end,
            waits[number],
        )
        for number, task in enumerate(scheduled)
    ]
