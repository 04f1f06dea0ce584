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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr, i1, i64
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException

from dialect.collection import paused_collection
from dialect.compat import Compat
from dialect.operation import TileOperation
from dialect.ops import FuncOp
from dialect.pass_options import OptionValue, option_from_python
from dialect.suggestions import did_you_mean
from transforms.effective_options import EffectiveOptions, effective_options
from transforms.graph import TileGraph
from transforms.graph_of_function import graph_of
from transforms.graph_partition.iso import partition
from transforms.graph_partition.partition_result import IsoParameters, Partition
from transforms.module_rules import compat_of, resolved_functions, target_of
from transforms.partition_check import check_partition
from transforms.remarks import Remark, emit, is_collecting

_DUMP_NAME_BY_ALGORITHM = {"iso": "Iso", "osp-sarkar": "OspSarkar", "osp-bsp": "OspBsp"}
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
        effective = effective_options(op, self.options.name, self.options.given(), self.base.compat)
        self._check_algorithm(op, effective)
        parameters = replace(
            self.base,
            parallel_lower_bound=effective.integer("pg_parallel_lower_bound"),
            lower_bound=effective.integer("pg_lower_bound"),
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

    def _check_algorithm(self, op: FuncOp, effective: EffectiveOptions) -> None:
        name = effective.text("pg_partition_algorithm")
        if name == "Iso":
            return
        known = {dump_name: algorithm for algorithm, dump_name in _DUMP_NAME_BY_ALGORITHM.items()}
        if name in known:
            raise PassFailedException(
                f"graph-partition of @{op.symbol}: the algorithm {known[name]} is not built yet; use algorithm=iso"
            )
        raise PassFailedException(
            f"graph-partition of @{op.symbol}: unknown algorithm '{name}'{did_you_mean(name, known)} "
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

    def __post_init__(self) -> None:
        for name in ("pg_parallel_lower_bound", "pg_lower_bound"):
            if (value := getattr(self, name)) is not None:
                option_from_python(name, value, Compat.PUBLISHED)

    def given(self) -> Mapping[str, OptionValue | None]:
        """The options as PyPTO names them; None where the pipeline says nothing."""
        return {
            "pg_partition_algorithm": None if self.algorithm is None else _DUMP_NAME_BY_ALGORITHM[self.algorithm],
            "pg_parallel_lower_bound": self.pg_parallel_lower_bound,
            "pg_lower_bound": self.pg_lower_bound,
        }

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        base = IsoParameters(compat=compat_of(op), mixed_cores=target.has_mixed_cores, single_subgraph=target.is_lite)
        pattern = PartitionFunction(self, base)
        with paused_collection():
            for function in resolved_functions(op):
                pattern.match_and_rewrite(function, PatternRewriter(function))
