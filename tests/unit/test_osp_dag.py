"""DAGs: neighbours, levels, contraction, cycles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.graph_partition.osp.coins import BalancedCoin, ThueMorseCoin
from transforms.graph_partition.osp.dag import (
    Dag,
    contract,
    dag_of_edges,
    induced,
    is_acyclic,
    quotient,
    renumber_topologically,
    topological_order,
)
from transforms.graph_partition.osp.dag_paths import depths, longest_path

ELEVEN = dag_of_edges(
    [1] * 11, [(0, 1), (0, 2), (1, 2), (1, 6), (2, 3), (3, 7), (4, 6), (5, 6), (6, 7), (6, 10), (7, 9)]
)


@st.composite
def dags(draw: st.DrawFn, largest: int = 12) -> Dag:
    """Small DAGs whose vertices are numbered in any order."""
    count = draw(st.integers(0, largest))
    numbers = draw(st.permutations(range(count)))
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    work = draw(st.lists(st.sampled_from([0, 10, 100, 600, 2000]), min_size=count, max_size=count))
    types = draw(st.lists(st.integers(0, 1), min_size=count, max_size=count))
    scopes = draw(st.lists(st.sampled_from([0, 0, 0, 1, 2]), min_size=count, max_size=count))
    communication = draw(st.lists(st.sampled_from([0, 5, 50]), min_size=count, max_size=count))
    named = [(numbers[a], numbers[b]) for a, b in edges]
    return dag_of_edges(work, named, types=types, scopes=scopes, communication=communication)


def test_neighbours() -> None:
    """Children and parents ascending."""
    assert ELEVEN.children == [[1, 2], [2, 6], [3], [7], [6], [6], [7, 10], [9], [], [], []]
    assert ELEVEN.parents == [[], [0], [0, 1], [2], [], [], [1, 4, 5], [3, 6], [], [7], [6]]
    assert ELEVEN.edge_count == 11


def test_depths() -> None:
    """Edges on the longest path from a source and to a sink."""
    order = topological_order(ELEVEN)
    assert depths(ELEVEN.children, reversed(order)) == [5, 4, 3, 2, 3, 3, 2, 1, 0, 0, 0]
    assert depths(ELEVEN.parents, order) == [0, 1, 2, 3, 0, 0, 2, 4, 0, 5, 3]


def test_cycle_is_refused() -> None:
    """A cycle of three has no topological order."""
    cyclic = dag_of_edges([1, 1, 1], [(0, 1), (1, 2), (2, 0)])
    assert not is_acyclic(cyclic)
    with pytest.raises(ValueError, match="cycle"):
        topological_order(cyclic)


def test_longest_path() -> None:
    """Work of six vertices and five edges; nothing in an empty graph."""
    assert longest_path(ELEVEN, 10) == 6 + 5 * 10
    assert longest_path(dag_of_edges([], []), 10) == 0


def test_contraction_sums_and_renumbers() -> None:
    """Two vertices become one; the ready part with the smallest member comes first."""
    dag = dag_of_edges([1, 2, 4, 8], [(2, 0), (0, 1)], communication=[1, 1, 1, 1])
    coarse, part_of = contract(dag, [[0, 1]])
    assert part_of == [1, 1, 0, 2]
    assert coarse.work == [4, 3, 8]
    assert coarse.children == [[1], [], []]


def test_contraction_that_closes_a_cycle() -> None:
    """The ends of a path cannot become one without its middle."""
    dag = dag_of_edges([1, 1, 1], [(0, 1), (1, 2)])
    assert renumber_topologically(dag, [0, 1, 0], 2) is None
    with pytest.raises(ValueError, match="cycle"):
        contract(dag, [[0, 2]])


def test_induced_subgraph_keeps_places() -> None:
    """Vertices are numbered by their place in the list."""
    part = induced(ELEVEN, [6, 1, 0])
    assert part.children == [[], [0], [1]]
    assert part.parents == [[1], [2], []]


@given(dags())
def test_quotient_by_identity_is_the_graph(dag: Dag) -> None:
    """Every vertex a part."""
    assert quotient(dag, list(range(dag.vertex_count)), dag.vertex_count) == dag


@given(dags())
def test_topological_order_law(dag: Dag) -> None:
    """A permutation with every parent before its children."""
    order = topological_order(dag)
    assert sorted(order) == list(range(dag.vertex_count))
    place = {vertex: number for number, vertex in enumerate(order)}
    assert all(place[vertex] < place[child] for vertex, children in enumerate(dag.children) for child in children)


def test_coins() -> None:
    """The flips that the reference's generators give."""
    thue_morse, balanced = ThueMorseCoin(1729), BalancedCoin(1729)
    assert "".join(str(int(thue_morse.flip())) for _ in range(32)) == "11010011001011010010110011010011"
    assert "".join(str(int(balanced.flip())) for _ in range(32)) == "01010111001110110100110001101001"
    fresh = ThueMorseCoin(0)
    assert [int(fresh.flip()) for _ in range(8)] == [0, 1, 1, 0, 1, 0, 0, 1]
