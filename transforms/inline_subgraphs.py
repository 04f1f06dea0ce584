"""The pass `inline-subgraphs`: undoes `outline-subgraphs`.

Before:

```mlir
tile.func @f magic(8) ins(%x : !tile.tensor<64x64xf32, ddr>) outs(%y : !tile.tensor<64x64xf32, ddr>) {
  tile.launch @leaf_0(%x[0, 0]) into %y[0, 0] {subgraph = 0, ops = [{magic = 10000}, {magic = 10001}]}
}
tile.leaf @leaf_0 ins(%0 : !tile.tensor<64x64xf32, ddr>) outs(%1 : !tile.tensor<64x64xf32, ddr>) {
  %2 = tile.view %0[0, 0] : !tile.tensor<64x64xf32, ub>
  tile.assemble %2 into %1[0, 0]
}
```

After:

```mlir
tile.func @f magic(8) ins(%x : !tile.tensor<64x64xf32, ddr>) outs(%y : !tile.tensor<64x64xf32, ddr>) {
  %0 = tile.view %x[0, 0] {subgraph = 0} : !tile.tensor<64x64xf32, ub>
  tile.assemble %0 into %y[0, 0] {subgraph = 0}
}
```
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException

from dialect.collection import paused_collection
from dialect.operation import FIRST_MAGIC
from dialect.ops import FuncOp, functions_of
from dialect.outlined import LaunchOp, LeafOp, launches_in, leaves_of
from dialect.values import integer_of
from transforms.outlining.inlining import inline_launch


@dataclass
class InlineFunction(RewritePattern):
    """Replaces the launches of one function by the ops of their leaves."""

    leaves: Mapping[str, LeafOp]

    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        launches = launches_in(op)
        if not launches:
            return
        magics = count(_first_free_magic(op, launches))
        values: dict[SSAValue, SSAValue] = {}
        try:
            for launch in launches:
                inline_launch(launch, self.leaves[launch.leaf_name], values, magics)
        except PassFailedException as error:
            raise PassFailedException(f"inline-subgraphs of @{op.symbol}: {error}") from error
        for old, new in values.items():
            old.replace_all_uses_with(new)
        for launch in reversed(launches):
            op.body.block.erase_op(launch)
        rewriter.notify_op_modified(op)


def _first_free_magic(function: FuncOp, launches: list[LaunchOp]) -> int:
    """A number that is larger than every magic in the function."""
    largest = FIRST_MAGIC - 1
    for op in function.operations():
        largest = max(largest, op.magic or 0)
    for launch in launches:
        for entry in launch.entries:
            largest = max(largest, integer_of(entry.get("magic")) or 0)
    return largest + 1


def inline_all(module: ModuleOp) -> None:
    """Inline every launch of a verified module and remove the leaves.

    Raises:
        PassFailedException: an op uses a window otherwise than outlining makes it.

    Notes:
        O(ops + operands).
    """
    leaves = leaves_of(module)
    pattern = InlineFunction(leaves)
    with paused_collection():
        for function in functions_of(module):
            pattern.match_and_rewrite(function, PatternRewriter(function))
        for leaf in leaves.values():
            module.body.block.erase_op(leaf)


def inlined(module: ModuleOp) -> ModuleOp:
    """The module itself if it has no leaves, else a copy of it with all launches inlined."""
    if not leaves_of(module):
        return module
    copy = module.clone()
    inline_all(copy)
    return copy


@dataclass(frozen=True)
class InlineSubgraphsPass(ModulePass):
    """Makes ops of every launch again and removes the leaves: undoes outline-subgraphs.

    All ops, with all that they carry, are as before, grouped by subgraph. Ops of a launch that does not state their
    magics get new ones.
    """

    name = "inline-subgraphs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        inline_all(op)
