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
from dataclasses import dataclass
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
from dialect.targets import Target
from transforms.effective_options import EffectiveOptions, effective_options
from transforms.graph import TileGraph
from transforms.graph_of_function import FunctionGraph, function_graph
from transforms.graph_partition.best_partition import best_partition, check_result
from transforms.graph_partition.iso import partition
from transforms.graph_partition.osp_partition import OspParameters, partition_by_bsp, partition_by_sarkar
from transforms.graph_partition.partition_remarks import explain_choice, explain_partition
from transforms.graph_partition.partition_result import IsoParameters, Partition
from transforms.module_rules import compat_of, resolved_functions, target_of
from transforms.partition_metrics import Objective
from transforms.remarks import Remark, emit, is_collecting
from transforms.tensor_facts import tensor_facts
from transforms.tensor_sizes import tensor_bytes

_DUMP_NAME_BY_ALGORITHM = {"iso": "Iso", "osp-sarkar": "OspSarkar", "osp-bsp": "OspBsp", "best": "best"}
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


@dataclass
class PartitionFunction(RewritePattern):
    """Partitions one function and stamps the ids, cube marks and scopes on its ops."""

    options: GraphPartitionPass
    compat: Compat
    target: Target

    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        found = function_graph(op)
        effective = effective_options(op, self.options.name, self.options.given(), self.compat)
        if not found.operations:
            emit(Remark("graph-partition", "empty", "no ops, nothing to partition", op.symbol))
            return
        try:
            result = self._partition(op, found, effective)
        except PassFailedException as error:
            raise PassFailedException(f"graph-partition of @{op.symbol}: {error}") from error
        _write(found.operations, found.graph, result)
        rewriter.notify_op_modified(op)
        if is_collecting():
            explain_partition(op.symbol, result)

    def _partition(self, op: FuncOp, found: FunctionGraph, effective: EffectiveOptions) -> Partition:
        """The checked partition of a function."""
        target, graph, explain = self.target, found.graph, is_collecting()
        iso = IsoParameters(
            parallel_lower_bound=effective.integer("pg_parallel_lower_bound"),
            lower_bound=effective.integer("pg_lower_bound"),
            compat=self.compat,
            mixed_cores=target.has_mixed_cores,
            single_subgraph=target.is_lite,
        )
        if target.is_lite:
            return partition(graph, iso)
        osp = OspParameters(
            lower_bound=iso.lower_bound,
            compat=self.compat,
            mixed_cores=target.has_mixed_cores,
            core_counts=(target.aic_cores, target.aiv_cores, target.aicpu_cores),
        )

        def sizes() -> list[int]:
            return tensor_bytes(tensor_facts(op, found), graph.elements)

        match effective.text("pg_partition_algorithm"):
            case "Iso":
                result = partition(graph, iso, explain=explain)
            case "OspSarkar":
                result = partition_by_sarkar(graph, osp, explain=explain)
            case "OspBsp":
                result = partition_by_bsp(graph, osp, sizes(), explain=explain)
            case _:
                objective = Objective(self.options.objective or Objective.BSP)
                best = best_partition(graph, iso, osp, sizes(), target, objective, explain=explain)
                explain_choice(op.symbol, best, objective)
                return best.partition
        check_result(graph, result, iso)
        return result


@dataclass(frozen=True)
class GraphPartitionPass(ModulePass):
    """Decides which ops run together: gives every op the id of its subgraph, a cube mark and its scope.

    Isomorphic parts of the graph become isomorphic subgraphs. Options given here win over those captured in the
    function. Rules follow the module's `tile.compat`, the chip its `tile.soc`.
    """

    name = "graph-partition"

    algorithm: Literal["iso", "osp-sarkar", "osp-bsp", "best"] | None = None
    """How ops are grouped (default: captured, else iso); best runs all and keeps one, see docs/partitioning.md."""
    objective: Literal["bsp", "critical-path", "cut"] | None = None
    """What algorithm=best makes small (default: bsp)."""
    pg_parallel_lower_bound: int | None = None
    """Groups of at least so many subgraphs may merge with groups of other sizes (default: captured, else 20)."""
    pg_lower_bound: int | None = None
    """Subgraphs of at most so many cycles may do so too; osp-sarkar batches such ones (default: captured, else 512)."""

    def __post_init__(self) -> None:
        if self.objective is not None and self.algorithm != "best":
            raise ValueError("objective is an option of algorithm=best")
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
        pattern = PartitionFunction(self, compat_of(op), target_of(op))
        with paused_collection():
            for function in resolved_functions(op):
                pattern.match_and_rewrite(function, PatternRewriter(function))
