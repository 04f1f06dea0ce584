"""What `graph-partition` decided, as remarks."""

from __future__ import annotations

from transforms.graph_partition.best_partition import BestPartition
from transforms.graph_partition.partition_result import IsoPartition, OspPartition, Partition
from transforms.partition_metrics import Objective
from transforms.remarks import Remark, emit

_SOURCE = "graph-partition"


def explain_partition(function: str, result: Partition) -> None:
    """Emit the remarks of a partition of `function`."""
    if isinstance(result, IsoPartition):
        _explain_iso(function, result)
    elif isinstance(result, OspPartition):
        _explain_osp(function, result)
    for subgraph, summary in enumerate(result.summaries):
        emit(
            Remark(
                _SOURCE,
                "subgraph",
                f"subgraph {subgraph}: {summary.operation_count} ops, {summary.cycles} cycles, {summary.core}",
                function,
                {
                    "subgraph": subgraph,
                    "ops": summary.operation_count,
                    "cycles": summary.cycles,
                    "core": str(summary.core),
                },
            )
        )
    if isinstance(result, IsoPartition):
        _explain_refused_merges(function, result)
    elif isinstance(result, OspPartition):
        _explain_refused_fusions(function, result)


def explain_choice(function: str, best: BestPartition, objective: Objective) -> None:
    """Emit the remarks on why the partition of one algorithm was preferred to those of others."""
    values = {name: metrics.value(objective) for name, metrics in best.metrics.items()}
    others = ", ".join(f"{name} {value}" for name, value in values.items() if name != best.algorithm)
    unit = "bytes" if objective is Objective.CUT else "cycles"
    emit(
        Remark(
            _SOURCE,
            "best",
            f"{best.algorithm} is best by {objective} with {values[best.algorithm]} {unit}"
            + (f"; {others}" if others else ""),
            function,
            {"algorithm": best.algorithm, "objective": str(objective), "values": values},
        )
    )
    for name, reason in best.failures.items():
        emit(Remark(_SOURCE, "failed-algorithm", f"{name}: {reason}", function, {"algorithm": name, "reason": reason}))


def _explain_iso(function: str, result: IsoPartition) -> None:
    emit(
        Remark(
            _SOURCE,
            "partition",
            f"{result.subgraph_count} subgraphs in {len(result.groups)} groups, from {result.super_node_count} super "
            f"nodes of {result.class_count} classes; subgraphs grow up to {result.cycle_bound} cycles",
            function,
            {
                "subgraphs": result.subgraph_count,
                "groups": len(result.groups),
                "super_nodes": result.super_node_count,
                "classes": result.class_count,
                "cycle_bound": result.cycle_bound,
            },
        )
    )


def _explain_refused_merges(function: str, result: IsoPartition) -> None:
    for refused in result.refused_merges:
        first, second = result.groups[refused.first], result.groups[refused.second]
        emit(
            Remark(
                _SOURCE,
                "refused-merge",
                f"subgraphs {_range_text(first)} and {_range_text(second)} did not merge: {refused.reason}",
                function,
                {"first": tuple(first), "second": tuple(second), "reason": str(refused.reason)},
            )
        )


def _range_text(ids: range) -> str:
    return str(ids.start) if len(ids) == 1 else f"{ids.start}..{ids.stop - 1}"


def _explain_osp(function: str, result: OspPartition) -> None:
    message = f"{result.subgraph_count} subgraphs from {result.super_node_count} super nodes by {result.algorithm}"
    if result.group_count is not None:
        message += f", in {result.group_count} groups"
    if result.longest_path_before is not None:
        message += (
            f"; the longest path takes {result.longest_path_after} cycles, {result.longest_path_before} before, with "
            f"{result.edge_cost} for each edge between subgraphs"
        )
    emit(
        Remark(
            _SOURCE,
            "partition",
            message,
            function,
            {
                "algorithm": result.algorithm,
                "subgraphs": result.subgraph_count,
                "super_nodes": result.super_node_count,
                "groups": result.group_count,
                "edge_cost": result.edge_cost,
                "longest_path_before": result.longest_path_before,
                "longest_path_after": result.longest_path_after,
            },
        )
    )
    if result.unlike_copy_count:
        emit(
            Remark(
                _SOURCE,
                "unlike-copies",
                f"{result.unlike_copy_count} parts of the graph look like others but are not isomorphic to them; each "
                "was scheduled by itself",
                function,
                {"count": result.unlike_copy_count},
            )
        )


def _explain_refused_fusions(function: str, result: OspPartition) -> None:
    for first, second, reason in result.refused_fusions:
        emit(
            Remark(
                _SOURCE,
                "refused-fusion",
                f"subgraphs {first} and {second} were not fused: {reason}",
                function,
                {"first": first, "second": second, "reason": str(reason)},
            )
        )
