"""The target `partition-metrics`: how good the partition of each function is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from dialect.ops import FuncOp, functions_of
from dialect.targets import Target as Chip
from tools.driver.errors import UserError
from tools.formats.markdown_table import markdown_table
from transforms.graph_of_function import function_graph
from transforms.inline_subgraphs import inlined
from transforms.module_rules import compat_of, target_of
from transforms.partition_check import check_ids
from transforms.partition_metrics import (
    EDGE_COSTS,
    START_COST,
    STEP_COST,
    VALUE_COST,
    PartitionMetrics,
    measure_partition,
)
from transforms.tensor_facts import tensor_facts
from transforms.tensor_sizes import tensor_bytes


@dataclass(frozen=True)
class PartitionMetricsTarget(Target):
    """Prints number and work of subgraphs, edge cut, critical path, makespan and BSP cost of each function.

    `docs/partitioning.md` defines them; cycles and bytes.
    """

    name = "partition-metrics"

    format: Literal["table", "json"] = "table"
    """A table, or JSON with the same numbers and their parts."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        chip = target_of(module)
        measured = {function.symbol: _measure(function, chip) for function in functions_of(inlined(module))}
        if self.format == "json":
            functions = [{"function": name, **_as_json(metrics)} for name, metrics in measured.items()]
            document = {"rules": str(compat_of(module)), "chip": chip.name, "functions": functions}
            output.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
            return
        output.write(f"rules: {compat_of(module)}, chip: {chip.name}\n\n")
        output.write(_as_table(measured) if measured else "no tile functions\n")


def _measure(function: FuncOp, chip: Chip) -> PartitionMetrics:
    found = function_graph(function)
    subgraphs = [-1 if op.subgraph is None else op.subgraph for op in found.operations]
    violations = check_ids(found.graph, subgraphs)
    if violations:
        raise UserError(f"cannot measure @{function.symbol}: {violations[0].message}; run graph-partition first")
    sizes = tensor_bytes(tensor_facts(function, found), found.graph.elements)
    try:
        return measure_partition(found.graph, subgraphs, sizes, chip)
    except ValueError as error:
        raise UserError(
            f"cannot measure @{function.symbol}: subgraphs depend on one another in a cycle; check-partition names it"
        ) from error


def _as_json(metrics: PartitionMetrics) -> Mapping[str, object]:
    return {
        "subgraphs": metrics.subgraph_count,
        "work": {
            "total": metrics.total_work,
            "largest": metrics.largest_work,
            "median": metrics.median_work,
            "balance": round(metrics.work_balance, 6),
        },
        "cut_bytes": metrics.cut_bytes,
        "critical_path": {str(cost): length for cost, length in metrics.critical_paths.items()},
        "makespan": {"start_cost": START_COST, "cycles": metrics.makespan},
        "bsp": {"value_cost": VALUE_COST, "step_cost": STEP_COST, **metrics.bsp._asdict()},
    }


def _as_table(measured: Mapping[str, PartitionMetrics]) -> str:
    headings = [
        "function",
        "subgraphs",
        "work",
        "largest",
        "balance",
        "cut bytes",
        *[f"path +{cost}" for cost in EDGE_COSTS],
        "makespan",
        "BSP cost",
        "BSP supersteps",
    ]
    rows: list[Sequence[str]] = [headings]
    for name, metrics in measured.items():
        numbers = (
            metrics.subgraph_count,
            metrics.total_work,
            metrics.largest_work,
            f"{metrics.work_balance:.2f}",
            metrics.cut_bytes,
            *metrics.critical_paths.values(),
            metrics.makespan,
            metrics.bsp.cost,
            metrics.bsp.supersteps,
        )
        rows.append([f"@{name}", *map(str, numbers)])
    return markdown_table(rows)
