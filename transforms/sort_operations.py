"""The pass `sort-operations`: puts the ops of each function into another topological order.

Before (`order=breadth-first` turns it into what stands below):

```mlir
%0 = tile.view %x[0, 0] : !tile.tensor<64x64xf32, ub>
%1 = tile.exp %0 : !tile.tensor<64x64xf32, ub>
%2 = tile.view %x[64, 0] : !tile.tensor<64x64xf32, ub>
%3 = tile.exp %2 : !tile.tensor<64x64xf32, ub>
```

After:

```mlir
%0 = tile.view %x[0, 0] : !tile.tensor<64x64xf32, ub>
%1 = tile.view %x[64, 0] {magic = 10002} : !tile.tensor<64x64xf32, ub>
%2 = tile.exp %0 {magic = 10001} : !tile.tensor<64x64xf32, ub>
%3 = tile.exp %1 : !tile.tensor<64x64xf32, ub>
```
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from dialect.collection import paused_collection
from dialect.ops import BufferOp, FuncOp
from transforms.graph import TileGraph
from transforms.graph_of_function import graph_of
from transforms.module_rules import resolved_functions
from transforms.remarks import Remark, emit, is_collecting
from transforms.stated_magics import state_magics

Order = Literal["breadth-first", "depth-first", "reverse-depth-first", "stable"]

_PASS_NAME = "sort-operations"


def predecessors_of(graph: TileGraph) -> list[list[int]]:
    """Per operation, those that must stand right before it: an earlier writer of what it writes, then, in operand
    order, the last writer of each tensor that it reads.

    Writers of one tensor keep their order among themselves, so that the last one stands for all of them.

    Notes:
        O(operations + operands).
    """
    last_writer: dict[int, int] = {}
    predecessors: list[list[int]] = []
    for operation in range(graph.operation_count):
        outputs = graph.outputs[operation]
        tensors = (*outputs, *graph.inputs[operation], *graph.runtime_reads.get(operation, ()))
        predecessors.append(list(dict.fromkeys(last_writer[tensor] for tensor in tensors if tensor in last_writer)))
        last_writer.update(dict.fromkeys(outputs, operation))
    return predecessors


def sorted_operations(predecessors: Sequence[Sequence[int]], order: Order) -> list[int]:
    """The operations in a topological order.

    Breadth-first takes of all operations that are ready the one that was ready first; depth-first the one that was
    ready last, of equals the one that stands first. Reverse depth-first goes from the operations that nobody reads,
    each behind all that it needs. Stable does so from all operations in their order, and so changes a topological
    order as little as possible: not at all.

    Parameters:
        predecessors: per operation, those that must stand before it, as `predecessors_of` gives them.

    Notes:
        O(operations + predecessors).
    """
    count = len(predecessors)
    if order in ("reverse-depth-first", "stable"):
        needed = {operation for found in predecessors for operation in found}
        starts = range(count) if order == "stable" else [op for op in range(count) if op not in needed]
        return _behind_predecessors(predecessors, starts)
    successors: list[list[int]] = [[] for _ in range(count)]
    for operation, found in enumerate(predecessors):
        for predecessor in found:
            successors[predecessor].append(operation)
    waiting = [len(found) for found in predecessors]
    sources = [operation for operation in range(count) if not waiting[operation]]
    ready = deque(sources if order == "breadth-first" else reversed(sources))
    result: list[int] = []
    while ready:
        operation = ready.popleft() if order == "breadth-first" else ready.pop()
        result.append(operation)
        released: list[int] = []
        for successor in successors[operation]:
            waiting[successor] -= 1
            if not waiting[successor]:
                released.append(successor)
        ready.extend(released if order == "breadth-first" else reversed(released))
    return result


def _behind_predecessors(predecessors: Sequence[Sequence[int]], starts: Iterable[int]) -> list[int]:
    result: list[int] = []
    seen = bytearray(len(predecessors))
    for start in starts:
        if seen[start]:
            continue
        seen[start] = True
        path = [(start, iter(predecessors[start]))]
        while path:
            operation, remaining = path[-1]
            following = next((found for found in remaining if not seen[found]), None)
            if following is None:
                path.pop()
                result.append(operation)
            else:
                seen[following] = True
                path.append((following, iter(predecessors[following])))
    return result


@dataclass
class SortOperations(RewritePattern):
    """Sorts the ops of one function; buffers come first."""

    order: Order

    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        graph, operations = graph_of(op)
        order = sorted_operations(predecessors_of(graph), self.order)
        moved = sum(operation != place for place, operation in enumerate(order))
        if is_collecting():
            message = f"{self.order} order: {moved} of {len(order)} ops stand elsewhere"
            emit(Remark(_PASS_NAME, "order", message, op.symbol, {"order": self.order, "moved": moved}))
        if not moved:
            return
        state_magics(op)
        block = op.body.block
        others: list[Operation] = [other for other in block.ops if isinstance(other, BufferOp)]
        for other in list(block.ops):
            other.detach()
        block.add_ops([*others, *(operations[operation] for operation in order)])
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class SortOperationsPass(ModulePass):
    """Puts the ops of each function into another topological order; magics stay with their ops.

    This is the only pass whose purpose is the order in the text. Results that follow magics, such as subgraph ids, do
    not change.
    """

    name = _PASS_NAME

    order: Order = "stable"
    """The order; of equals, the op that stands first comes first."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pattern = SortOperations(self.order)
        with paused_collection():
            for function in resolved_functions(op):
                pattern.match_and_rewrite(function, PatternRewriter(function))
