"""The pass `eliminate-dead-operations`: removes ops that no outcast depends on.

Before:

```mlir
%0 = tile.view %x[0, 0] : !tile.tensor<64x64xf32, ub>
%1 = tile.exp %0 : !tile.tensor<64x64xf32, ub>
%2 = tile.abs %0 : !tile.tensor<64x64xf32, ub>
tile.assemble %1 into %y[0, 0]
```

After:

```mlir
%0 = tile.view %x[0, 0] : !tile.tensor<64x64xf32, ub>
%1 = tile.exp %0 : !tile.tensor<64x64xf32, ub>
tile.assemble %1 into %y[0, 0]
```
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from dialect.collection import paused_collection
from dialect.compat import Compat
from dialect.ops import FuncOp
from transforms.merging.function_edit import edit_function
from transforms.merging.graph_reduction import without_dead_operations
from transforms.merging.reports import report_eliminated
from transforms.module_rules import compat_of, resolved_functions
from transforms.partitioned_function import partitioned_function

PASS_NAME = "eliminate-dead-operations"


@dataclass
class EliminateDeadOperations(RewritePattern):
    """Removes the ops of one function that no outcast depends on."""

    compat: Compat

    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        partitioned = partitioned_function(op)
        parts = partitioned.parts
        found = without_dead_operations(partitioned.ordered, parts.operations, partitioned.outcasts, self.compat)
        report_eliminated(PASS_NAME, op.symbol, (), found.dead, parts)
        if found.dead:
            edit_function(op, parts, {}, found.dead, {})
            rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class EliminateDeadOperationsPass(ModulePass):
    """Removes ops that no outcast depends on, directly or through others.

    Ops with the parameter DONT_TOUCH stay, and so does all that they depend on. Ops without outputs stay too, except
    with pypto rules.
    """

    name = PASS_NAME

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pattern = EliminateDeadOperations(compat_of(op))
        with paused_collection():
            for function in resolved_functions(op):
                pattern.match_and_rewrite(function, PatternRewriter(function))
