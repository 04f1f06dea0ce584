"""Makes the leaf of each subgraph (cost model, sections 6.1 and 6.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tools.simulate.leaves.axis_combination import combined_columns, pad_tiles, spread_columns
from tools.simulate.leaves.boundary import Boundary
from tools.simulate.leaves.emission_order import emission_order
from tools.simulate.leaves.leaf import Leaf
from tools.simulate.leaves.lowering import LoweredSubgraph, lower_subgraph
from tools.simulate.leaves.partitioned_graph import OFF_CHIP, UB, PartitionedGraph
from tools.simulate.leaves.spilling import peak_bytes, spill, tile_bytes


@dataclass(frozen=True, slots=True)
class LoweringRules:
    """How the compiler lowers subgraphs.

    Attributes:
        ub_bytes: the unified buffer; tiles that do not fit are spilled.
        broadcasts_columns: whether the core reads a column of one element per row beside a wider input.
        combines_axes: whether the compiler combines the axis of such columns; released versions before 2026 do not.
    """

    ub_bytes: int
    broadcasts_columns: bool
    combines_axes: bool = True


@dataclass(frozen=True, slots=True)
class BuiltLeaf:
    """The leaf of a subgraph, and what its copies move.

    Attributes:
        copies_in, copies_out: how often it copies from and to global memory, spills included.
        bytes_in, bytes_out: what these copies move, counted on chip and with padding.
        peak_ub_bytes: what lives in the unified buffer at once, before anything is spilled.
        spills: how many tiles leave the unified buffer for lack of space.
    """

    leaf: Leaf
    copies_in: int
    copies_out: int
    bytes_in: int
    bytes_out: int
    peak_ub_bytes: int
    spills: int


def build_leaf(
    graph: PartitionedGraph,
    operations: Sequence[int],
    subgraph: int,
    boundary: Boundary,
    places: Sequence[int],
    rules: LoweringRules,
) -> BuiltLeaf:
    """The leaf of the `operations` of a subgraph.

    Args:
        places: as `lowering.merged_places`.
    """
    lowered = lower_subgraph(graph, operations, subgraph, boundary, places)
    return _finish(lowered, graph, rules)


def _finish(lowered: LoweredSubgraph, graph: PartitionedGraph, rules: LoweringRules) -> BuiltLeaf:
    combined = combined_columns(lowered, graph.axes, graph.splits_rows) if rules.combines_axes else frozenset[int]()
    tiles = pad_tiles(lowered.tiles, combined)
    operations = lowered.operations
    if rules.combines_axes:
        operations = spread_columns(lowered, tiles, combined, broadcasts_columns=rules.broadcasts_columns)
    operations = [operations[number] for number in emission_order(operations, len(tiles))]
    peak = peak_bytes(operations, tiles, UB)
    spills = 0
    if peak > rules.ub_bytes:
        operations, tiles, spills = spill(operations, tiles, UB, rules.ub_bytes)
    moved_in = [
        tile_bytes(tiles[operation.outputs[0]])
        for operation in operations
        if operation.inputs
        and operation.outputs
        and tiles[operation.inputs[0]].memory in OFF_CHIP
        and tiles[operation.outputs[0]].memory not in OFF_CHIP
    ]
    moved_out = [
        tile_bytes(tiles[operation.inputs[0]])
        for operation in operations
        if operation.inputs
        and operation.outputs
        and tiles[operation.inputs[0]].memory not in OFF_CHIP
        and tiles[operation.outputs[0]].memory in OFF_CHIP
    ]
    return BuiltLeaf(
        Leaf(tiles, operations), len(moved_in), len(moved_out), sum(moved_in), sum(moved_out), peak, spills
    )
