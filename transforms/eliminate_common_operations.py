"""The pass `eliminate-common-operations`: what a subgraph computes twice is computed once.

Before:

```mlir
%0 = tile.view %x[0, 0] {subgraph = 0} : !tile.tensor<64x64xf32, ub>
%1 = tile.exp %0 {subgraph = 0} : !tile.tensor<64x64xf32, ub>
%2 = tile.exp %0 {subgraph = 0} : !tile.tensor<64x64xf32, ub>
tile.assemble %1 into %y[0, 0] {subgraph = 0}
tile.assemble %2 into %y[64, 0] {subgraph = 0}
```

After:

```mlir
%0 = tile.view %x[0, 0] {subgraph = 0} : !tile.tensor<64x64xf32, ub>
%1 = tile.exp %0 {subgraph = 0} : !tile.tensor<64x64xf32, ub>
tile.assemble %1 into %y[0, 0] {subgraph = 0}
tile.assemble %1 into %y[64, 0] {subgraph = 0}
```
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException

from dialect.collection import paused_collection
from dialect.compat import Compat
from dialect.ops import FuncOp
from transforms.merging.function_edit import edit_function
from transforms.merging.graph_reduction import changed_inputs, without_common_operations
from transforms.merging.reports import report_eliminated
from transforms.module_rules import compat_of, resolved_functions
from transforms.partitioned_function import partitioned_function
from transforms.tensor_facts import tensor_facts

PASS_NAME = "eliminate-common-operations"


@dataclass
class EliminateCommonOperations(RewritePattern):
    """Lets the readers of a tensor that one subgraph of a function computes twice read the first one."""

    compat: Compat

    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        partitioned = partitioned_function(op)
        parts, ordered = partitioned.parts, partitioned.ordered
        try:
            found = without_common_operations(
                ordered,
                parts.operations,
                tensor_facts(op, parts),
                partitioned.subgraphs,
                partitioned.outcasts,
                self.compat,
            )
            report_eliminated(PASS_NAME, op.symbol, found.common, found.dead, parts)
            inputs = changed_inputs(parts.graph, found.ordered)
            edit_function(op, parts, inputs, [*found.common, *found.dead], found.moved_windows)
        except PassFailedException as error:
            raise PassFailedException(f"@{op.symbol}: {error}") from error
        if inputs or found.common or found.dead:
            rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class EliminateCommonOperationsPass(ModulePass):
    """Computes once what a subgraph computes twice, and then removes what nothing needs.

    Two tensors are equal if their producers agree in opcode, inputs, attributes and subgraph; ops without a subgraph
    count as being in one. Views, copies from L1 to L0, ops with the parameter DONT_TOUCH and outcasts are left alone.
    """

    name = PASS_NAME

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pattern = EliminateCommonOperations(compat_of(op))
        with paused_collection():
            for function in resolved_functions(op):
                pattern.match_and_rewrite(function, PatternRewriter(function))
