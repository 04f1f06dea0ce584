"""The pass `graph-partition`: gives every op the id of its subgraph.

Before:

```mlir
%0 = tile.view %x[0, 0] : !tile.tensor<64x64xf32, ub>
%1 = tile.exp %0 : !tile.tensor<64x64xf32, ub>
```

After:

```mlir
%0 = tile.view %x[0, 0] {subgraph = 0, is_cube = false} : !tile.tensor<64x64xf32, ub>
%1 = tile.exp %0 {subgraph = 0, is_cube = false} : !tile.tensor<64x64xf32, ub>
```
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr, i1, i64
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException

from dialect.collection import paused_collection
from dialect.operation import TileOperation
from dialect.ops import FuncOp, functions_of
from dialect.suggestions import did_you_mean
from dialect.values import integer_of, string_of
from transforms.graph import TileGraph
from transforms.graph_of_function import graph_of
from transforms.graph_partition.iso import partition
from transforms.graph_partition.partition_result import IsoParameters, Partition
from transforms.module_rules import compat_of, target_of
from transforms.partition_check import check_partition
from transforms.remarks import Remark, emit, is_collecting

_ALGORITHM_BY_DUMP_NAME = {"Iso": "iso", "OspSarkar": "osp-sarkar", "OspBsp": "osp-bsp"}
_TRUE, _FALSE = IntegerAttr(1, i1), IntegerAttr(0, i1)
_FLAGS = ("allow_parallel_merge", "allow_cross_scope_merge")


def _write(operations: Sequence[TileOperation], graph: TileGraph, result: Partition) -> None:
    ids = [IntegerAttr(subgraph, i64) for subgraph in range(result.subgraph_count)]
    for index, op in enumerate(operations):
        properties = op.properties
        properties["subgraph"] = ids[result.subgraphs[index]]
        if result.is_cube is not None:
            properties["is_cube"] = _TRUE if result.is_cube[index] else _FALSE
        if result.cv_fuse[index] >= 0:
            properties["cv_fuse_id"] = IntegerAttr(result.cv_fuse[index], i64)
        scope = result.scopes[index]
        if scope != graph.scopes[index]:
            properties["scope_id"] = IntegerAttr(scope.id, i64)
            for flag, is_set in zip(_FLAGS, scope[1:], strict=True):
                properties.pop(flag, None)
                if is_set:
                    properties[flag] = UnitAttr()


def _explain(function: str, result: Partition) -> None:
    source = "graph-partition"
    emit(
        Remark(
            source,
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
    for subgraph, summary in enumerate(result.summaries):
        emit(
            Remark(
                source,
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
    for refused in result.refused_merges:
        first, second = result.groups[refused.first], result.groups[refused.second]
        emit(
            Remark(
                source,
                "refused-merge",
                f"subgraphs {_range_text(first)} and {_range_text(second)} did not merge: {refused.reason}",
                function,
                {"first": tuple(first), "second": tuple(second), "reason": str(refused.reason)},
            )
        )


def _range_text(ids: range) -> str:
    return str(ids.start) if len(ids) == 1 else f"{ids.start}..{ids.stop - 1}"


@dataclass
class PartitionFunction(RewritePattern):
    """Partitions one function and stamps the ids, cube marks and scopes on its ops."""

    options: GraphPartitionPass
    base: IsoParameters

    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        graph, operations = graph_of(op)
        self._check_algorithm(op)
        parameters = IsoParameters(
            parallel_lower_bound=self._bound(op, "pg_parallel_lower_bound", self.base.parallel_lower_bound),
            lower_bound=self._bound(op, "pg_lower_bound", self.base.lower_bound),
            compat=self.base.compat,
            mixed_cores=self.base.mixed_cores,
            single_subgraph=self.base.single_subgraph,
        )
        if not operations:
            emit(Remark("graph-partition", "empty", "no ops, nothing to partition", op.symbol))
            return
        try:
            result = partition(graph, parameters, explain=is_collecting())
            if not parameters.single_subgraph:
                violations = check_partition(graph, result.subgraphs, parameters.compat, parameters.mixed_cores)
                if violations:
                    raise PassFailedException(f"the partition is not valid: {violations[0].message}")
        except PassFailedException as error:
            raise PassFailedException(f"graph-partition of @{op.symbol}: {error}") from error
        _write(operations, graph, result)
        rewriter.notify_op_modified(op)
        if is_collecting():
            _explain(op.symbol, result)

    def _bound(self, op: FuncOp, name: str, default: int) -> int:
        given = getattr(self.options, name)
        if given is not None:
            return given
        if op.pass_options is None or (value := op.pass_options.data.get(name)) is None:
            return default
        captured = integer_of(value)
        if captured is None:
            raise PassFailedException(f"pass_options of @{op.symbol}: {name} is {value}, expected an integer")
        return captured

    def _check_algorithm(self, op: FuncOp) -> None:
        algorithm = self.options.algorithm
        if algorithm is None:
            captured = None if op.pass_options is None else op.pass_options.data.get("pg_partition_algorithm")
            name = "Iso" if captured is None else string_of(captured)
            algorithm = None if name is None else _ALGORITHM_BY_DUMP_NAME.get(name, name)
        if algorithm == "iso":
            return
        known = tuple(_ALGORITHM_BY_DUMP_NAME.values())
        if algorithm in known:
            raise PassFailedException(
                f"graph-partition of @{op.symbol}: the algorithm {algorithm} is not built yet; use algorithm=iso"
            )
        raise PassFailedException(
            f"graph-partition of @{op.symbol}: unknown algorithm '{algorithm}'{did_you_mean(str(algorithm), known)} "
            f"(known: {', '.join(known)})"
        )


@dataclass(frozen=True)
class GraphPartitionPass(ModulePass):
    """Decides which ops run together: gives every op the id of its subgraph, a cube mark and its scope.

    Isomorphic parts of the graph become isomorphic subgraphs. Options given here win over those captured in the
    function. Rules follow the module's `tile.compat`, the chip its `tile.soc`.
    """

    name = "graph-partition"

    algorithm: Literal["iso", "osp-sarkar", "osp-bsp"] | None = None
    """How ops are grouped (default: captured, else iso); osp-sarkar and osp-bsp are not built yet and say so."""
    pg_parallel_lower_bound: int | None = None
    """Groups of at least so many subgraphs may merge with groups of other sizes (default: captured, else 20)."""
    pg_lower_bound: int | None = None
    """Subgraphs of at most so many cycles may do so too (default: captured, else 512)."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        base = IsoParameters(compat=compat_of(op), mixed_cores=target.has_mixed_cores, single_subgraph=target.is_lite)
        pattern = PartitionFunction(self, base)
        with paused_collection():
            for function in functions_of(op):
                pattern.match_and_rewrite(function, PatternRewriter(function))
