"""The events of a swimlane trace (cost model, section 4.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import count
from typing import Any

from tools.formats.swimlane.counters import counter_events
from tools.simulate.machine import CYCLES_PER_MICROSECOND, Machine
from tools.simulate.results import PREDICTION, SimulatedTask, Simulation
from tools.simulate.subgraph_facts import Operand, SubgraphFacts
from tools.simulate.tasks.task_graph import TaskKind
from transforms.hints import hint_text

Event = dict[str, Any]

_METADATA = "__metadata"
_FLOW = "machine-view-last-dep"
_BEFORE_END = 0.0001
"""Microseconds before the end of its producer at which a flow begins, so that viewers bind it to that slice."""

_FIRST_CALL_MAGIC = 10000


def trace_events(
    simulation: Simulation, facts: Mapping[int, SubgraphFacts], place: int, *, is_alone: bool
) -> list[Event]:
    """The events of one function: names, tasks, flows between tasks, counters.

    Args:
        facts: per subgraph.
        place: the place of the function in the module.
        is_alone: whether the trace has no other function.

    Notes:
        O(tasks log tasks + edges).
    """
    process = place + 1
    tasks = _Tasks(simulation, facts, place)
    numbers = count()
    return [
        *_names(simulation, process, is_alone=is_alone),
        *(tasks.slice_event(task, next(numbers), process) for task in simulation.tasks),
        *_flows(simulation, process, numbers),
        *counter_events(simulation, process),
    ]


def microseconds(cycles: int) -> float:
    """A time as traces have it."""
    return cycles / CYCLES_PER_MICROSECOND


def _thread(core: int) -> int:
    return 1000 + 2 * (core + 1)


def _names(simulation: Simulation, process: int, *, is_alone: bool) -> Iterator[Event]:
    title = "Machine View" if is_alone else f"Machine View @{simulation.function}"
    yield _metadata("process_name", {"name": title}, process)
    yield _metadata("process_labels", {"labels": PREDICTION}, process)
    yield _metadata("thread_name", {"name": "Fake Core_0"}, process, 1000)
    for core, kind in _lanes(simulation.machine):
        yield _metadata("thread_name", {"name": f"{kind.name}_{core + 1}"}, process, _thread(core))


def _lanes(machine: Machine) -> Iterator[tuple[int, TaskKind]]:
    for core in range(machine.aic_cores):
        yield core, TaskKind.AIC
    for core in range(machine.aic_cores, machine.aic_cores + machine.aiv_cores):
        yield core, TaskKind.AIV
    yield machine.hub_core, TaskKind.HUB


def _metadata(name: str, args: Event, process: int, thread: int | None = None) -> Event:
    event: Event = {"args": args, "cat": _METADATA, "name": name, "ph": "M", "pid": process}
    return event if thread is None else {**event, "tid": thread}


class _Tasks:
    """The slices of one function."""

    def __init__(self, simulation: Simulation, facts: Mapping[int, SubgraphFacts], place: int):
        self.simulation, self.facts, self.place = simulation, facts, place
        self.root_hash = _hash(simulation.function)
        self.execution_hints = _execution_hints(simulation)
        self.leaf_hashes = {
            cost.leaf: _hash(simulation.function, cost.leaf, cost.cycles) for cost in simulation.costs.values()
        }

    def slice_event(self, task: SimulatedTask, number: int, process: int) -> Event:
        facts = self.facts.get(task.subgraph)
        label = "" if facts is None else facts.label
        leaf = 0 if facts is None else self.simulation.costs[task.subgraph].leaf
        return {
            "args": self._args(task, facts, label),
            "cat": "event",
            "id": number,
            "name": f"{_short_name(task)}-{self.place}-{leaf}({label})",
            "ph": "X",
            "pid": process,
            "tid": _thread(task.core),
            "ts": microseconds(task.start),
            "dur": microseconds(task.end - task.start),
        }

    def _args(self, task: SimulatedTask, facts: SubgraphFacts | None, label: str) -> Event:
        leaf_hash = 0 if facts is None else self.leaf_hashes[self.simulation.costs[task.subgraph].leaf]
        call_magic = 0 if facts is None else _FIRST_CALL_MAGIC + task.final_id
        event_hint = (
            f"Task:[{_short_name(task)}], rootHash:{self.root_hash}, callOpMagic:{call_magic}, "
            f"leafHash:{leaf_hash}, TaskId:{task.number}"
        )
        hint = "" if facts is None else hint_text(facts.hash_orders)
        args: Event = {"event-hint": f"{event_hint}\n{hint}" if hint else event_hint}
        if hint:
            args["hashOrder-hint"] = hint
        args["ioperand-hint"] = "" if facts is None else _operand_hint(facts.inputs)
        args["ooperand-hint"] = "" if facts is None else _operand_hint(facts.outputs)
        args["execution-hint"] = "" if facts is None else self.execution_hints[task.subgraph]
        if facts is not None:
            args["subgraph"] = task.subgraph
            args["wait-hint"] = _wait_hint(task)
        return {**args, "color": label, "taskId": task.number, "seqNo": 0, "wrapId": -1}


def _short_name(task: SimulatedTask) -> str:
    """Sequence number, place of the function in the device task, and place of the task in the function."""
    return f"0-{task.iteration}-{task.position}"


def _hash(*content: object) -> int:
    """A number of 64 bits that stands for some content, the same in every run."""
    return int.from_bytes(blake2b(repr(content).encode(), digest_size=8).digest())


def _operand_hint(operands: Sequence[Operand]) -> str:
    """Operands in Python's notation, those of equal text once."""
    texts = [
        f"{{{operand.magic}: {{'shape': {list(operand.shape)}, 'dtype': {operand.element}, "
        f"'rawmagic': {operand.raw_magic}}}}}"
        for operand in operands
    ]
    return f"[{', '.join(dict.fromkeys(texts))}]"


def _wait_hint(task: SimulatedTask) -> str:
    waits = task.waits
    return (
        f"after the last producer: noticed and released {microseconds(waits.release):.2f} us, "
        f"no core or scheduler free {microseconds(waits.queue):.2f} us, sent {microseconds(waits.dispatch):.2f} us\n"
        f"core idle before: for producers {microseconds(waits.core_idle_for_producers):.2f} us, "
        f"for the schedule {microseconds(waits.core_idle_for_schedule):.2f} us"
    )


def _execution_hints(simulation: Simulation) -> dict[int, str]:
    """Per subgraph, the mean and the extremes of the times of the tasks with the same leaf."""
    by_leaf: dict[int, list[SimulatedTask]] = {}
    for task in simulation.tasks:
        if task.kind is not TaskKind.HUB:
            by_leaf.setdefault(simulation.costs[task.subgraph].leaf, []).append(task)
    texts: dict[int, str] = {}
    for leaf, tasks in by_leaf.items():
        times = [microseconds(task.end - task.start) for task in tasks]
        longest, shortest = times.index(max(times)), times.index(min(times))
        texts[leaf] = (
            f"Average Execution Time: {round(sum(times) / len(times), 2)}\n"
            f"Max Execution Time: {round(times[longest], 2)}, Task: [{_short_name(tasks[longest])}]\n"
            f"Min Execution Time: {round(times[shortest], 2)}, Task: [{_short_name(tasks[shortest])}]\n"
        )
    return {subgraph: texts[cost.leaf] for subgraph, cost in simulation.costs.items() if cost.leaf in texts}


def _flows(simulation: Simulation, process: int, numbers: Iterator[int]) -> Iterator[Event]:
    """An arrow for each edge, from the end of the producer to the start of the consumer."""
    common: Event = {"cat": _FLOW, "name": _FLOW, "pid": process}
    for task, successors in zip(simulation.tasks, simulation.successors, strict=True):
        for successor in successors:
            consumer = simulation.tasks[successor]
            number = next(numbers)
            end = microseconds(task.end) - _BEFORE_END
            yield {**common, "id": number, "ph": "s", "tid": _thread(task.core), "ts": end}
            start = microseconds(consumer.start)
            yield {**common, "bp": "e", "id": number, "ph": "f", "tid": _thread(consumer.core), "ts": start}
