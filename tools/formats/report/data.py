"""What the page of a report is made from, as the JSON that its script reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dialect.ops import FuncOp
from tools.formats.report.layout import layered
from tools.formats.report.subgraph_classes import ReportClass, classes_of
from tools.simulate.critical_path import critical_path
from tools.simulate.machine import CYCLES_PER_MICROSECOND
from tools.simulate.results import SimulatedTask, Simulation
from tools.simulate.tasks.task_graph import TaskKind
from transforms.canonical_order import canonical_order
from transforms.graph_of_function import function_graph
from transforms.graph_partition.ordered_graph import order_graph
from transforms.subgraph_graph import subgraph_graph

LARGEST_TASK_COUNT = 5000
"""Above so many tasks, neighbours on a core are drawn as one."""

_NO_WAIT = 0
_REASONS = (
    "",
    "its producers ended late",
    "the end of a producer was noticed late",
    "no core or scheduler was free",
    "the way to the core",
)


@dataclass(frozen=True, slots=True)
class SimulatedFunction:
    """A function, what became of it, and how the result is called in the report."""

    name: str
    function: FuncOp
    simulation: Simulation


def result_of(simulated: SimulatedFunction) -> dict[str, Any]:
    """One result as the script reads it; tasks come as columns, which keeps the file small.

    Notes:
        O(tasks log tasks + ops).
    """
    simulation = simulated.simulation
    classes = classes_of(simulated.function, simulation)
    class_of_subgraph = {cost.subgraph: index for index, shown in enumerate(classes) for cost in shown.costs}
    tasks = [task for task in simulation.tasks if task.kind is not TaskKind.HUB]
    first_start = min((task.start for task in tasks), default=0)
    cores = sorted({task.core for task in tasks})
    lane_of_core = {core: lane for lane, core in enumerate(cores)}
    rows = _aggregated(tasks, class_of_subgraph)
    remarks: list[str] = []
    if len(rows) < len(tasks):
        remarks.append(
            f"{len(tasks)} tasks are more than the {LARGEST_TASK_COUNT} that are drawn one by one: neighbours on a "
            f"core are drawn as one, {len(rows)} bars in all."
        )
    return {
        "name": simulated.name,
        "numbers": _numbers(simulation, classes, len(tasks)),
        "remarks": remarks,
        "classes": [_class_row(shown) for shown in classes],
        "lanes": [_core_name(simulation, core) for core in cores],
        "reasons": _REASONS,
        "task_columns": {
            "class": [class_of_subgraph[row[0].subgraph] for row in rows],
            "subgraph": [row[0].subgraph for row in rows],
            "lane": [lane_of_core[row[0].core] for row in rows],
            "start": [row[0].start - first_start for row in rows],
            "end": [row[-1].end - first_start for row in rows],
            "waited": [_wait(row[0])[1] for row in rows],
            "reason": [_wait(row[0])[0] for row in rows],
            "count": [len(row) for row in rows],
        },
        "graph": _graph(simulated.function, simulation, class_of_subgraph),
    }


def _aggregated(tasks: Sequence[SimulatedTask], class_of_subgraph: Mapping[int, int]) -> list[list[SimulatedTask]]:
    """The tasks by core and start; above the limit, runs of neighbours become one bar, first those of one class."""
    ordered = sorted(tasks, key=lambda task: (task.core, task.start))
    if len(ordered) <= LARGEST_TASK_COUNT:
        return [[task] for task in ordered]
    length = -(-len(ordered) // LARGEST_TASK_COUNT)
    cores = len({task.core for task in ordered})
    length = max(length, -(-len(ordered) // max(1, LARGEST_TASK_COUNT - cores)))
    rows: list[list[SimulatedTask]] = []
    for task in ordered:
        if rows and len(rows[-1]) < length and rows[-1][0].core == task.core:
            rows[-1].append(task)
        else:
            rows.append([task])
    return rows


def _wait(task: SimulatedTask) -> tuple[int, int]:
    waits = task.waits
    reasons = (waits.core_idle_for_producers, waits.release, waits.queue, waits.dispatch)
    longest = max(reasons)
    return (reasons.index(longest) + 1, longest) if longest else (_NO_WAIT, 0)


def _core_name(simulation: Simulation, core: int) -> str:
    cube_cores = simulation.machine.aic_cores
    return f"AIC {core}" if core < cube_cores else f"AIV {core - cube_cores}"


def _numbers(simulation: Simulation, classes: Sequence[ReportClass], task_count: int) -> list[dict[str, Any]]:
    costs = simulation.costs.values()
    path = critical_path(simulation)
    path_cycles = sum(simulation.tasks[step.task].end - simulation.tasks[step.task].start for step in path)
    moved = sum(cost.bytes_in + cost.bytes_out for cost in costs) * simulation.iterations
    largest_ub = max((cost.peak_ub_bytes for cost in costs), default=0)
    on_path = path_cycles / CYCLES_PER_MICROSECOND
    return [
        _number("end-to-end", "end to end", simulation.end_to_end_microseconds, "{:,.2f} µs", "lower"),
        _number("utilisation", "utilisation of all cores", simulation.utilisation * 100, "{:.1f} %", "higher"),
        _number("critical-path", "busy on the critical path", on_path, "{:,.2f} µs", "lower"),
        _number("subgraphs", "subgraphs", len(simulation.costs), "{:,}"),
        _number("classes", "classes", len(classes), "{:,}"),
        _number("tasks", "tasks", task_count, "{:,}"),
        _number("moved", "moved from and to global memory", moved / 2**20, "{:,.2f} MiB", "lower"),
        _number("peak-ub", "largest use of UB", largest_ub / 1024, "{:,.1f} KiB"),
        _number("spills", "tiles spilled", sum(cost.spills for cost in costs), "{:,}", "lower"),
    ]


def _number(identifier: str, name: str, value: float, form: str, better: str | None = None) -> dict[str, Any]:
    return {"id": identifier, "name": name, "value": value, "text": form.format(value), "better": better}


def _class_row(shown: ReportClass) -> dict[str, Any]:
    cycles = [cost.cycles for cost in shown.costs]
    operations = [cost.operations for cost in shown.costs]
    return {
        "name": shown.name,
        "core": "+".join(sorted({cost.kind.name for cost in shown.costs})),
        "members": len(shown.costs),
        "operations": _range(operations),
        "cycles": _range(cycles),
        "total_cycles": sum(cycles),
        "labels": ", ".join(shown.labels),
        "hints": list(shown.hints),
        "calls": list(shown.calls),
    }


def _range(numbers: Sequence[int]) -> str:
    lowest, highest = min(numbers), max(numbers)
    return f"{lowest:,}" if lowest == highest else f"{lowest:,} to {highest:,}"


def _graph(
    function: FuncOp, simulation: Simulation, class_of_subgraph: Mapping[int, int]
) -> dict[str, list[list[int]]]:
    read = function_graph(function)
    ordered = order_graph(read.graph, canonical_order(read.graph))
    ids = [-1 if op.subgraph is None else op.subgraph for op in read.operations]
    count = max(ids, default=-1) + 1
    graph = subgraph_graph(ordered, [ids[index] for index in ordered.order], count)
    places = layered(graph, count)
    present = sorted(simulation.costs)
    index_of = {subgraph: index for index, subgraph in enumerate(present)}
    return {
        "nodes": [[subgraph, class_of_subgraph[subgraph], *places[subgraph]] for subgraph in present],
        "edges": [
            [index_of[subgraph], index_of[successor]]
            for subgraph in present
            for successor in sorted(graph.successors(subgraph))
            if successor in index_of
        ],
    }
