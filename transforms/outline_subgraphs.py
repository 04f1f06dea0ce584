"""The pass `outline-subgraphs`: makes each subgraph a leaf of its own, and the function a list of launches.

Before:

```mlir
tile.func @f magic(8) ins(%x : !tile.tensor<128x64xf32, ddr>) outs(%y : !tile.tensor<128x64xf32, ddr>) {
  %0 = tile.view %x[0, 0] {subgraph = 0} : !tile.tensor<64x64xf32, ub>
  tile.assemble %0 into %y[0, 0] {subgraph = 0}
  %1 = tile.view %x[64, 0] {subgraph = 1} : !tile.tensor<64x64xf32, ub>
  tile.assemble %1 into %y[64, 0] {subgraph = 1}
}
```

After:

```mlir
tile.func @f magic(8) ins(%x : !tile.tensor<128x64xf32, ddr>) outs(%y : !tile.tensor<128x64xf32, ddr>) {
  tile.launch @leaf_0(%x[0, 0]) into %y[0, 0] {subgraph = 0, ops = [{magic = 10000}, {magic = 10001}]}
  tile.launch @leaf_0(%x[64, 0]) into %y[64, 0] {subgraph = 1, ops = [{magic = 10002}, {magic = 10003}]}
}
tile.leaf @leaf_0 ins(%0 : !tile.tensor<64x64xf32, ddr>) outs(%1 : !tile.tensor<64x64xf32, ddr>) {
  %2 = tile.view %0[0, 0] : !tile.tensor<64x64xf32, ub>
  tile.assemble %2 into %1[0, 0]
}
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException

from dialect.collection import paused_collection
from dialect.ops import BufferOp, FuncOp
from dialect.outlined import LeafOp
from transforms.graph_of_function import function_graph
from transforms.module_rules import resolved_functions
from transforms.outlining.attribute_numbers import AttributeNumbers
from transforms.outlining.description import describe
from transforms.outlining.launch_building import build_launch
from transforms.outlining.launch_order import launch_order
from transforms.outlining.leaf_building import build_leaf
from transforms.outlining.listing import canonical_listing
from transforms.outlining.outlined_graph import OutlinedGraph, outlined_graph
from transforms.remarks import Remark, emit, is_collecting


@dataclass(frozen=True, slots=True)
class _KnownLeaf:
    """A leaf, and for a subgraph that looks like it the place in the leaf of each op of its listing."""

    leaf: LeafOp
    places: Sequence[int]


@dataclass
class LeafTable:
    """The leaves made so far, found by what subgraphs look like."""

    names: Iterator[str]
    numbers: AttributeNumbers = field(default_factory=AttributeNumbers)
    _by_text: dict[tuple[object, ...], _KnownLeaf] = field(default_factory=dict[tuple[object, ...], _KnownLeaf])
    _by_listing: dict[tuple[object, ...], _KnownLeaf] = field(default_factory=dict[tuple[object, ...], _KnownLeaf])

    def leaf_of(self, outlined: OutlinedGraph, operations: Sequence[int]) -> tuple[LeafOp, Sequence[int], bool]:
        """The leaf of a subgraph, its ops in the order of the leaf, and whether the leaf is new.

        Args:
            operations: the ops of the subgraph in text order.
        """
        description = describe(outlined, operations)
        known = self._by_text.get(description.signature)
        if known is not None:
            return known.leaf, [operations[place] for place in known.places], False
        listing = canonical_listing(outlined, operations)
        signature = describe(outlined, listing).signature
        known = self._by_listing.get(signature)
        if known is not None:
            in_leaf_order = [listing[place] for place in known.places]
            place_of = {op: place for place, op in enumerate(operations)}
            places = [place_of[op] for op in in_leaf_order]
            self._by_text[description.signature] = _KnownLeaf(known.leaf, places)
            return known.leaf, in_leaf_order, False
        leaf = build_leaf(next(self.names), outlined, operations, description)
        place_of = {op: place for place, op in enumerate(listing)}
        self._by_listing[signature] = _KnownLeaf(leaf, [place_of[op] for op in operations])
        self._by_text[description.signature] = _KnownLeaf(leaf, range(len(operations)))
        return leaf, operations, True


@dataclass
class OutlineFunction(RewritePattern):
    """Replaces the ops of one function by launches and puts new leaves at the end of the module."""

    module: ModuleOp
    table: LeafTable

    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        of_function = function_graph(op)
        graph, operations, _ = of_function
        if not operations:
            emit(Remark("outline-subgraphs", "empty", "no ops, nothing to outline", op.symbol))
            return
        subgraphs = [-1 if operation.subgraph is None else operation.subgraph for operation in operations]
        try:
            order = launch_order(graph, subgraphs)
        except PassFailedException as error:
            raise PassFailedException(f"@{op.symbol}: {error}") from error
        outlined = outlined_graph(op, of_function, subgraphs, self.table.numbers)
        members: list[list[int]] = [[] for _ in order]
        for operation, subgraph in enumerate(subgraphs):
            members[subgraph].append(operation)
        block = op.body.block
        buffers = [owner for tensor in outlined.buffers if isinstance(owner := outlined.values[tensor].owner, BufferOp)]
        values: dict[int, SSAValue] = {}
        launched: dict[str, list[int]] = {}
        for subgraph in order:
            leaf, sequence, is_new = self.table.leaf_of(outlined, members[subgraph])
            if is_new:
                self.module.body.block.add_op(leaf)
            launched.setdefault(leaf.symbol, []).append(subgraph)
            description = describe(outlined, sequence)
            launch = build_launch(leaf.symbol, outlined, sequence, description, values)
            block.add_op(launch)
            for argument, value in zip(description.outs, launch.outputs, strict=True):
                if value in launch.results:
                    value.name_hint = outlined.values[argument.tensor].name_hint
                    values[argument.tensor] = value
        for operation in (*reversed(operations), *buffers):
            block.erase_op(operation, safe_erase=False)
        rewriter.notify_op_modified(op)
        if is_collecting():
            _explain(op.symbol, len(order), launched)


def _explain(function: str, subgraph_count: int, launched: dict[str, list[int]]) -> None:
    source = "outline-subgraphs"
    message = f"{subgraph_count} subgraphs, {len(launched)} {'leaf' if len(launched) == 1 else 'leaves'}"
    emit(Remark(source, "outlined", message, function, {"subgraphs": subgraph_count, "leaves": len(launched)}))
    for leaf, subgraphs in launched.items():
        shown = ", ".join(map(str, subgraphs[:8])) + (f" and {len(subgraphs) - 8} more" if len(subgraphs) > 8 else "")
        emit(
            Remark(
                source,
                "leaf",
                f"@{leaf} runs subgraph{'s' * (len(subgraphs) > 1)} {shown}",
                function,
                {"leaf": leaf, "subgraphs": tuple(subgraphs)},
            )
        )


@dataclass(frozen=True)
class OutlineSubgraphsPass(ModulePass):
    """Makes each subgraph a leaf of its own, and the function a list of launches.

    Subgraphs that are equal but for where their windows are share a leaf. Launches stand in an order in which writers
    come before readers, and carry the hints of the merges.
    """

    name = "outline-subgraphs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        table = LeafTable(_free_names(op))
        with paused_collection():
            for function in resolved_functions(op):
                OutlineFunction(op, table).match_and_rewrite(function, PatternRewriter(function))


def _free_names(module: ModuleOp) -> Iterator[str]:
    """`leaf_0`, `leaf_1`, …, without those that the module has."""
    taken = {string.data for op in module.walk() if isinstance(string := op.properties.get("sym_name"), StringAttr)}
    return (name for number in count() if (name := f"leaf_{number}") not in taken)
