"""Hash arithmetic and which nodes count as alike (graph partition, sections 7 and 14)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tile_graphs import Op, tile_graph

from dialect.compat import Compat
from dialect.opcodes import OPCODE_BY_NAME
from transforms.canonical_order import canonical_order
from transforms.graph import TileGraph
from transforms.graph_partition.node_hashes import balanced_values, node_hashes, plain_values
from transforms.graph_partition.operation_hashes import fold, mix, operation_hash
from transforms.graph_partition.ordered_graph import OrderedGraph, order_graph
from transforms.graph_partition.super_node_builder import SuperNodeRules, build_super_nodes
from transforms.graph_partition.super_nodes import SuperNodes

UINT64 = st.integers(0, 2**64 - 1)


@pytest.mark.parametrize(
    ("opcode", "inputs", "outputs", "value"),
    [
        ("VIEW", [(15, 7)], [(0, 7)], 0x3934C4219C7118A9),
        ("ADD", [(0, 7), (0, 7)], [(0, 7)], 0xE258D3A439ACEAD4),
        ("A_MUL_B", [(2, 6), (3, 6)], [(4, 7)], 0x8CB0311DC21BE55E),
    ],
)
def test_operation_hash_check_values(
    opcode: str, inputs: list[tuple[int, int]], outputs: list[tuple[int, int]], value: int
) -> None:
    """The check values of the specification."""
    assert operation_hash(OPCODE_BY_NAME[opcode].number, inputs, outputs) == value


@pytest.mark.parametrize(("a", "b", "value"), [(0, 1, 0xF4FF80EC63C103D4), (1, 2, 0x86668A560EC835A1), (0, 0, 0)])
def test_mix_check_values(a: int, b: int, value: int) -> None:
    """The check values of the specification."""
    assert mix(a, b) == value


@given(UINT64, UINT64)
def test_arithmetic_stays_within_64_bits(a: int, b: int) -> None:
    """Both operations wrap around."""
    assert 0 <= mix(a, b) < 2**64
    assert 0 <= fold(a, b) < 2**64


@given(st.lists(UINT64, min_size=1, max_size=6))
def test_node_hash_is_the_mix_of_its_values(values: list[int]) -> None:
    """The loop that is written out for speed is `mix`."""
    expected = 0
    for value in values:
        expected = mix(expected, value)
    assert node_hashes(values, [list(range(len(values)))]) == [expected]


def pair_chain() -> TileGraph:
    """Four branches COPY_IN, MULS, ADDS whose results an unbalanced chain of pair sums adds up."""
    branches = [
        op
        for k in range(4)
        for op in (
            Op("COPY_IN", f"unknown.i{k}", f"unknown.a{k}"),
            Op("MULS", f"unknown.a{k}", f"unknown.b{k}"),
            Op("ADDS", f"unknown.b{k}", f"unknown.c{k}"),
        )
    ]
    return tile_graph(
        *branches,
        Op("PAIRSUM", "unknown.c0 unknown.c1", "unknown.s1"),
        Op("PAIRSUM", "unknown.c2 unknown.s1", "unknown.s2"),
        Op("PAIRSUM", "unknown.c3 unknown.s2", "unknown.s3"),
    )


def hashes_of(graph: TileGraph, opcode: str, *, balanced: bool) -> list[int]:
    """The hashes of the nodes that contain an operation `opcode`."""
    ordered = order_graph(graph, canonical_order(graph))
    nodes = build_super_nodes(ordered, SuperNodeRules(Compat.PYPTO, couples_cores=False))
    values = balanced_values(ordered, Compat.PYPTO) if balanced else plain_values(ordered)
    hashes = node_hashes(values, nodes.nodes)
    return [hashes[node] for node in nodes_with(ordered, nodes, opcode)]


def nodes_with(ordered: OrderedGraph, nodes: SuperNodes, opcode: str) -> Sequence[int]:
    number = OPCODE_BY_NAME[opcode].number
    return [nodes.node_of[index] for index, other in enumerate(ordered.opcodes) if other == number]


def test_branches_of_a_reduction_differ_by_plain_values() -> None:
    """Case U01: the four loads have 3 distinct hashes, since the chain is unbalanced."""
    hashes = hashes_of(pair_chain(), "COPY_IN", balanced=False)
    assert (len(hashes), len(set(hashes))) == (4, 3)


def test_branches_of_a_reduction_are_alike_by_balanced_values() -> None:
    """Case U02: the same loads have one hash, since the chain of pair sums counts as one reduction."""
    hashes = hashes_of(pair_chain(), "COPY_IN", balanced=True)
    assert (len(hashes), len(set(hashes))) == (4, 1)


def test_neighbour_met_twice_counts_once() -> None:
    """A consumer of two outputs of one producer is like a consumer of one of them and of nothing else."""
    graph = tile_graph(
        Op("TRANSPOSE_VNCHWCONV", "a", "b c"),
        Op("ADD", "b c", "d"),
        Op("TRANSPOSE_VNCHWCONV", "e", "f g"),
        Op("ADD", "f x", "h"),
    )
    ordered = order_graph(graph, canonical_order(graph))
    values = balanced_values(ordered, Compat.PYPTO)
    of_operation = dict(zip(ordered.order, values, strict=True))
    assert of_operation[1] == of_operation[3]


def test_hash_ignores_latency_scope_and_shape_but_not_memory() -> None:
    """Operations that differ in latency only are alike, and those that differ in a memory are not."""
    graph = tile_graph(Op("EXP", "a", "b", latency=1), Op("EXP", "c", "d", latency=99), Op("EXP", "e", "l1.f"))
    ordered = order_graph(graph, canonical_order(graph))
    of_operation = dict(zip(ordered.order, balanced_values(ordered, Compat.PYPTO), strict=True))
    assert of_operation[0] == of_operation[1]
    assert of_operation[0] != of_operation[2]
