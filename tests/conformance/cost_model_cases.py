"""What the shipped compiler's simulator did, as fixtures: latencies, leaves, schedules, and subgraphs to be lowered."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from dialect.elements import ELEMENTS
from dialect.types import MEMORY_NUMBERS, Memory
from tools.simulate.leaves.boundary import Boundary, boundary_of
from tools.simulate.leaves.latency_table import latency_tables
from tools.simulate.leaves.leaf import Leaf, LeafOperation, Tile
from tools.simulate.leaves.partitioned_graph import PartitionedGraph
from tools.simulate.leaves.pipes import Pipe
from tools.simulate.leaves.timing import LeafTiming, time_leaf
from tools.simulate.tasks.task_graph import NO_LEAF, TaskGraph, TaskKind

REFERENCE_BUFFERS = {
    Pipe.UB_ALLOCATION: 196608,
    Pipe.L1_ALLOCATION: 524288,
    Pipe.L0A_ALLOCATION: 65536,
    Pipe.L0B_ALLOCATION: 65536,
    Pipe.L0C_ALLOCATION: 262144,
}

ELEMENT_NUMBERS = {str(element.type): element.number for element in ELEMENTS}


class OperationCase(NamedTuple):
    """An operation by the shapes of its inputs and outputs; `element` is that of the first."""

    table: str
    opcode: str
    shapes: list[list[int]]
    element: int
    pipe: str
    cycles: int


class LeafCase(NamedTuple):
    """A leaf and its duration."""

    name: str
    table: str
    buffers: dict[Pipe, int] | None
    core: TaskKind
    leaf: Leaf
    cycles: int

    def timing(self) -> LeafTiming:
        return time_leaf(self.leaf, latency_tables()[self.table], self.buffers)


class ScheduleCase(NamedTuple):
    """Tasks, and per task its core, start and end."""

    name: str
    graph: TaskGraph
    leaves: list[LeafCase]
    expected: list[tuple[int, int, int]]
    last_cycle: int
    end_to_end_cycles: int
    utilisation: float


class SubgraphCase(NamedTuple):
    """A subgraph before instructions are made, as dumped by the release of 2025, which combines no axes."""

    name: str
    graph: PartitionedGraph
    boundary: Boundary
    cycles: int


@cache
def _data() -> Any:
    return json.loads(gzip.decompress(Path(__file__).with_name("cost_model_cases.json.gz").read_bytes()))


def operation_cases() -> list[OperationCase]:
    """59 operations."""
    return [OperationCase(**{**case, "element": ELEMENT_NUMBERS[case["element"]]}) for case in _data()["operations"]]


def leaf_cases() -> dict[str, LeafCase]:
    """30 leaves by name."""
    return {
        name: LeafCase(
            name,
            case["table"],
            REFERENCE_BUFFERS if case["back_pressure"] else None,
            TaskKind[case["core"]],
            Leaf(
                [_tile(*tile) for tile in case["tiles"]],
                [LeafOperation(opcode, tuple(read), tuple(made)) for opcode, read, made in case["operations"]],
            ),
            case["cycles"],
        )
        for name, case in _data()["leaves"].items()
    }


def schedule_cases() -> list[ScheduleCase]:
    """10 schedules."""
    leaves = leaf_cases()
    cases: list[ScheduleCase] = []
    for case in _data()["schedules"]:
        tasks = case["tasks"]
        assert [task[0] for task in tasks] == list(range(len(tasks)))
        names = sorted({task[2] for task in tasks if task[2] is not None})
        graph = TaskGraph(
            [TaskKind[kind] for _, kind, _, _ in tasks],
            [NO_LEAF if leaf is None else names.index(leaf) for _, _, leaf, _ in tasks],
            [successors for _, _, _, successors in tasks],
        )
        cases.append(
            ScheduleCase(
                case["name"],
                graph,
                [leaves[name] for name in names],
                [(core, start, end) for _, core, start, end in sorted(case["expected"])],
                case["last_cycle"],
                case["end_to_end_cycles"],
                case["utilisation"],
            )
        )
    return cases


def subgraph_cases() -> list[SubgraphCase]:
    """25 subgraphs."""
    cases: list[SubgraphCase] = []
    for case in _data()["subgraphs"]:
        tensors, operations = case["tensors"], case["operations"]
        tiles = [_tile(*tensor[:3]) for tensor in tensors]
        offsets: dict[str, int] = {}
        graph = PartitionedGraph(
            opcodes=[operation[0] for operation in operations],
            inputs=[tuple(operation[1]) for operation in operations],
            outputs=[tuple(operation[2]) for operation in operations],
            subgraphs=[0] * len(operations),
            attributes=[offsets.setdefault(str(operation[3]), len(offsets)) for operation in operations],
            transposed=frozenset(number for number, operation in enumerate(operations) if operation[4]),
            axes={},
            shapes=[tile.shape for tile in tiles],
            elements=[tile.element for tile in tiles],
            memories=[tile.memory for tile in tiles],
            places=[tensor[3] for tensor in tensors],
            splits_rows=frozenset(),
        )
        inside = boundary_of(graph)
        writers = [
            [1] if number in case["made_outside"] and not writing else writing
            for number, writing in enumerate(inside.writers)
        ]
        readers = [
            [*reading, 1] if number in case["read_outside"] else reading
            for number, reading in enumerate(inside.readers)
        ]
        cases.append(SubgraphCase(case["name"], graph, Boundary(writers, readers), case["cycles"]))
    return cases


def _tile(shape: list[int], element: str, memory: str) -> Tile:
    return Tile(tuple(shape), ELEMENT_NUMBERS[element], MEMORY_NUMBERS[Memory(memory)])
