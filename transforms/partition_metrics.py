"""How good a partition is, whoever made it; the definitions stand in `docs/partitioning.md`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import NamedTuple

from dialect.opcodes import OPCODES, CoreType
from dialect.targets import Target
from transforms.graph import TileGraph
from transforms.graph_partition.osp.bsp_schedule import BspMachine, exchanges, work_cost
from transforms.graph_partition.osp.dag import Dag, dag_of_edges, topological_order
from transforms.graph_partition.osp.dag_paths import weighted_depths
from transforms.graph_partition.osp.greedy_children import greedy_children
from transforms.graph_partition.osp.part_metrics import makespan
from transforms.graph_partition.osp.serial_schedule import serial_schedule

EDGE_COSTS = (0, 100, 1000)
"""Cycles of an edge between subgraphs for which critical paths are given."""

START_COST = 200
"""Cycles to start a subgraph, for the makespan."""

VALUE_COST = 1
STEP_COST = 8000
BYTE_COST = 0.01
STARTING_BYTES = 10
"""The machine of the BSP cost: g, L, and how bytes become units of communication."""

_TYPES: Mapping[CoreType, int] = {CoreType.AIC: 0, CoreType.AIV: 1, CoreType.AICPU: 2}

_CORE_BITS = [1 << _TYPES[opcode.core] if opcode.core in _TYPES else 0 for opcode in OPCODES]


class Objective(StrEnum):
    """What a partition is to make small."""

    BSP = "bsp"
    CRITICAL_PATH = "critical-path"
    CUT = "cut"


class BspCost(NamedTuple):
    """Cycles of a schedule in supersteps: in all, its work, what it sends; and how many supersteps send something."""

    cost: int
    work: int
    communication: int
    supersteps: int


@dataclass(frozen=True, slots=True)
class PartitionMetrics:
    """What is measured of a partition; cycles and bytes.

    Attributes:
        subgraph_count: the number of subgraphs.
        total_work, largest_work, median_work: latencies of all operations, and of the operations of a subgraph.
        work_balance: the mean work of a subgraph divided by the largest, from 0 to 1; 1 without subgraphs.
        cut_bytes: the bytes that go from subgraph to subgraph.
        critical_paths: the longest path for each of `EDGE_COSTS`.
        makespan: when a list schedule on the cores of the target ends.
        bsp: the BSP cost.
    """

    subgraph_count: int
    total_work: int
    largest_work: int
    median_work: float
    work_balance: float
    cut_bytes: int
    critical_paths: Mapping[int, int]
    makespan: int
    bsp: BspCost

    def value(self, objective: Objective) -> int:
        """The number that `objective` wants small."""
        match objective:
            case Objective.BSP:
                return self.bsp.cost
            case Objective.CRITICAL_PATH:
                return self.critical_paths[EDGE_COSTS[-1]]
            case Objective.CUT:
                return self.cut_bytes


def measure_partition(
    graph: TileGraph, subgraphs: Sequence[int], tensor_bytes: Sequence[int], target: Target
) -> PartitionMetrics:
    """Measure a partition.

    Args:
        graph: the operations and tensors of a function.
        subgraphs: per operation its subgraph, 0, 1, … without gaps.
        tensor_bytes: per tensor its size.
        target: whose cores run the subgraphs.

    Raises:
        ValueError: subgraphs depend on one another in a cycle.

    Notes:
        O(operations + operands + edges between subgraphs, and subgraphs · cores) up to log factors.
    """
    count = 1 + max(subgraphs, default=-1)
    parts, cut_bytes = _quotient(graph, subgraphs, count, tensor_bytes)
    order = topological_order(parts)
    paths = {cost: max(weighted_depths(parts.work, parts.parents, cost, order)[0], default=0) for cost in EDGE_COSTS}
    total, largest = sum(parts.work), max(parts.work, default=0)
    counts = (target.aic_cores, target.aiv_cores, max(1, target.aicpu_cores))
    return PartitionMetrics(
        subgraph_count=count,
        total_work=total,
        largest_work=largest,
        median_work=float(median(parts.work)) if count else 0.0,
        work_balance=total / count / largest if largest > 0 else 1.0,
        cut_bytes=cut_bytes,
        critical_paths=paths,
        makespan=makespan(parts, counts, START_COST),
        bsp=_bsp_cost(parts, counts),
    )


def _quotient(graph: TileGraph, subgraphs: Sequence[int], count: int, tensor_bytes: Sequence[int]) -> tuple[Dag, int]:
    """The graph of the subgraphs, and the bytes that its edges carry."""
    work, cores = [0] * count, [0] * count
    writers: list[set[int]] = [set() for _ in range(graph.tensor_count)]
    readers: list[set[int]] = [set() for _ in range(graph.tensor_count)]
    for operation, subgraph in enumerate(subgraphs):
        work[subgraph] += graph.latencies[operation]
        cores[subgraph] |= _CORE_BITS[graph.opcodes[operation]]
        for tensor in graph.outputs[operation]:
            writers[tensor].add(subgraph)
        for tensor in graph.inputs[operation]:
            readers[tensor].add(subgraph)
    edges: set[tuple[int, int]] = set()
    sent_bytes = [0] * count
    cut_bytes = 0
    for tensor, writing in enumerate(writers):
        if writing:
            # With several writers, even one that reads the tensor needs what the others wrote.
            reading = readers[tensor] - writing if len(writing) == 1 else readers[tensor]
            cut_bytes += tensor_bytes[tensor] * len(reading)
            for source in writing:
                if reading:
                    sent_bytes[source] += tensor_bytes[tensor]
                edges.update([(source, target) for target in reading if target != source])
    communication = [int(BYTE_COST * (STARTING_BYTES + sent)) if sent else 0 for sent in sent_bytes]
    types = [_type_of_cores(mask) for mask in cores]
    return dag_of_edges(work, edges, communication=communication, types=types), cut_bytes


def _type_of_cores(mask: int) -> int:
    """The type of the first core in `mask`; a subgraph of both sides takes a cube core, of neither a vector core."""
    return next((type for type in _TYPES.values() if mask >> type & 1), _TYPES[CoreType.AIV])


def _bsp_cost(parts: Dag, counts: Sequence[int]) -> BspCost:
    """The cheaper of two schedules of the subgraphs: one core of each type, and GreedyChildren on all cores."""
    machine = BspMachine([type for type, count in enumerate(counts) for _ in range(count)], VALUE_COST, STEP_COST)
    costs: list[BspCost] = []
    for schedule in (serial_schedule(parts, machine), greedy_children(parts, machine)):
        work, sent = work_cost(parts, schedule), exchanges(parts, schedule)
        cost = work + VALUE_COST * sum(sent) + STEP_COST * len(sent)
        costs.append(BspCost(cost, work, sum(sent), len(sent)))
    return min(costs)
