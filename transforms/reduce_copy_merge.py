"""The pass `reduce-copy-merge`: joins cube and vector subgraphs, so that what passes between them stays on the core.

Before (A5; the product of subgraph 0 passes through global memory):

```mlir
%4 = tile.a_mul_b %2, %3 {subgraph = 0, is_cube = true} : !tile.tensor<64x64xf32, l0c>
tile.assemble %4 into %m[0, 0] {subgraph = 0, is_cube = true}
%5 = tile.view %m[0, 0] {subgraph = 1, is_cube = false} : !tile.tensor<64x64xf32, ub>
%6 = tile.exp %5 {subgraph = 1, is_cube = false} : !tile.tensor<64x64xf32, ub>
```

After `reduce-copy-merge{auto-mix-partition=1}` all ops are in subgraph 0, and vector ops keep their former id:

```mlir
%6 = tile.exp %5 {subgraph = 0, is_cube = false, params = {reduce_copy_pre_subgraph_id = 1}} : …
```
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, i64
from xdsl.ir import Attribute
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException

from dialect.collection import paused_collection
from dialect.compat import Compat
from dialect.operation import TileOperation
from dialect.ops import FuncOp
from dialect.pass_options import OptionValue, option_from_python
from dialect.targets import Target
from dialect.values import boolean_of, integer_of
from transforms.effective_options import EffectiveOptions, effective_options
from transforms.merging.boundary_tensors import boundary_tensors
from transforms.merging.capacity import CapacityGuard, CapacityRule, capacity_rule, kept_bytes, overfull_groups
from transforms.merging.mixing import Mixing, mix_subgraphs
from transforms.merging.mixing_candidates import mixing_candidates
from transforms.merging.reports import report_capacity, report_mixing
from transforms.merging.subgraph_ids import check_every_op_has_one
from transforms.module_rules import compat_of, resolved_functions, target_of
from transforms.partitioned_function import PartitionedFunction, partitioned_function
from transforms.remarks import Remark, emit, is_collecting
from transforms.subgraph_graph import describe_cycle, smallest_first_order, subgraph_graph
from transforms.subgraph_writing import write_subgraphs
from transforms.tensor_facts import tensor_facts, tensor_shapes

PASS_NAME = "reduce-copy-merge"
_FORMER_ID = "reduce_copy_pre_subgraph_id"


def _write_former_ids(operations: Sequence[TileOperation], subgraphs: Sequence[int]) -> None:
    """Let every op that is marked as none for the cube core keep the id that it had."""
    made: dict[tuple[int, int], tuple[Attribute | None, DictionaryAttr]] = {}
    for op, subgraph in zip(operations, subgraphs, strict=True):
        if boolean_of(op.properties.get("is_cube")) is not False:
            continue
        before = op.properties.get("params")
        known = made.get((id(before), subgraph))
        if known is None:
            entries: dict[str, Attribute] = dict(before.data) if isinstance(before, DictionaryAttr) else {}
            after = DictionaryAttr({**entries, _FORMER_ID: IntegerAttr(subgraph, i64)})
            known = made[id(before), subgraph] = before, after
        op.properties["params"] = known[1]


@dataclass
class MergeCubeAndVector(RewritePattern):
    """Merges cube and vector subgraphs of one function."""

    options: ReduceCopyMergePass
    compat: Compat
    target: Target

    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        given: Mapping[str, OptionValue | None] = {"auto_mix_partition": self.options.auto_mix_partition}
        options = effective_options(op, PASS_NAME, given, self.compat)
        partitioned = partitioned_function(op)
        if not partitioned.subgraphs:
            return
        try:
            check_every_op_has_one(partitioned.ordered, partitioned.subgraphs)
            before = sorted(set(partitioned.subgraphs))
            rank = {subgraph: place for place, subgraph in enumerate(before)}
            subgraphs = [rank[subgraph] for subgraph in partitioned.subgraphs]
            mixing = self._mix(partitioned, subgraphs, len(before), options)
        except PassFailedException as error:
            raise PassFailedException(f"@{op.symbol}: {error}") from error
        new_ids: dict[int, int] = {}
        new_id_of = [new_ids.setdefault(root, len(new_ids)) for root in mixing.roots]
        operations = [partitioned.parts.operations[operation] for operation in partitioned.ordered.order]
        _write_former_ids(operations, partitioned.subgraphs)
        write_subgraphs(operations, [new_id_of[subgraph] for subgraph in subgraphs], len(new_ids))
        rewriter.notify_op_modified(op)
        report_mixing(PASS_NAME, op.symbol, mixing, options.integer("auto_mix_partition") == 1)

    def _mix(
        self, partitioned: PartitionedFunction, subgraphs: Sequence[int], count: int, options: EffectiveOptions
    ) -> Mixing:
        ordered, operations = partitioned.ordered, partitioned.parts.operations
        graph = subgraph_graph(ordered, subgraphs, count)
        if len(smallest_first_order(graph)) < count:
            raise PassFailedException(
                f"subgraphs depend on one another in a cycle before the merge: {describe_cycle(graph)}"
            )
        cube, vector = [0] * count, [0] * count
        fusion_ids: list[int] = []
        for index, operation in enumerate(ordered.order):
            properties = operations[operation].properties
            cycles = cube if boolean_of(properties.get("is_cube")) else vector
            cycles[subgraphs[index]] += ordered.latencies[index]
            fusion_id = integer_of(properties.get("cv_fuse_id"))
            fusion_ids.append(-1 if fusion_id is None else fusion_id)
        tensors = boundary_tensors(
            ordered, tensor_facts(partitioned.function, partitioned.parts), subgraphs, fusion_ids
        )
        rule = capacity_rule(self.options.capacity, self.compat)
        kept = None
        if rule == "enforce" or (rule == "warn" and is_collecting()):
            kept = kept_bytes(ordered, tensor_shapes(partitioned.parts), subgraphs, count, self.target)
        mixing = mix_subgraphs(
            graph,
            tensors,
            mixing_candidates(ordered, subgraphs, count, tensors),
            self._checked_cycles(cube),
            self._checked_cycles(vector),
            automatic=options.integer("auto_mix_partition") == 1,
            capacity=CapacityGuard(kept) if kept is not None and rule == "enforce" else None,
        )
        if kept is not None and rule == "warn":
            report_capacity(PASS_NAME, partitioned.function.symbol, overfull_groups(kept, mixing.roots))
        return mixing

    def _checked_cycles(self, cycles: Sequence[int]) -> Sequence[int]:
        if min(cycles) >= 0:
            return cycles
        if self.compat is Compat.PYPTO:
            subgraph = next(subgraph for subgraph, total in enumerate(cycles) if total < 0)
            raise PassFailedException(f"the latencies of subgraph {subgraph} sum up to {cycles[subgraph]} cycles")
        return [max(0, total) for total in cycles]


@dataclass(frozen=True)
class ReduceCopyMergePass(ModulePass):
    """Joins cube and vector subgraphs to mixed ones, where that saves copies through global memory (A5 only).

    Subgraphs that a scope of cube and vector ops holds together are always joined, others only if `auto_mix_partition`
    is 1. No merge makes subgraphs depend on one another in a cycle. On other chips nothing is done.
    """

    name = PASS_NAME

    auto_mix_partition: int | None = None
    """1 to join also what no scope asks for (default: captured, else 0)."""
    capacity: CapacityRule | None = None
    """What to do about merged subgraphs whose tiles exceed L1 or UB (default: warn, with pypto rules off)."""

    def __post_init__(self) -> None:
        if self.auto_mix_partition is not None:
            option_from_python("auto_mix_partition", self.auto_mix_partition, Compat.PUBLISHED)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        if not target.has_mixed_cores:
            emit(Remark(self.name, "skipped", f"skipped: {target.name} has no mixed cores"))
            return
        pattern = MergeCubeAndVector(self, compat_of(op), target)
        with paused_collection():
            for function in resolved_functions(op):
                pattern.match_and_rewrite(function, PatternRewriter(function))
