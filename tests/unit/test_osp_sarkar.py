"""OspSarkar: what comes out of small graphs, and what holds for all."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from test_osp_dag import ELEVEN, dags

from transforms.graph_partition.osp.dag import Dag, dag_of_edges, renumber_topologically, topological_order
from transforms.graph_partition.osp.dag_paths import depths, longest_paths
from transforms.graph_partition.osp.fan_merges import full_fan_merges, partial_fan_merges
from transforms.graph_partition.osp.level_merges import level_merges
from transforms.graph_partition.osp.line_merges import line_merges
from transforms.graph_partition.osp.sarkar import sarkar_partition
from transforms.graph_partition.osp.twin_batches import TwinNeighbours, batch_sizes, twin_batches


def chain(*work: int, types: list[int] | None = None) -> Dag:
    return dag_of_edges(work, [(i, i + 1) for i in range(len(work) - 1)], types=types)


def diamond(work: int) -> Dag:
    return dag_of_edges([work] * 4, [(0, 1), (0, 2), (1, 3), (2, 3)])


def fan(work: int) -> Dag:
    return dag_of_edges([work] * 4, [(0, 1), (0, 2), (0, 3)])


@pytest.mark.parametrize(
    ("dag", "parts"),
    [
        (chain(*[1] * 8), [0] * 8),
        (chain(*[600] * 8), [0] * 8),
        (fan(500), [0] * 4),
        (fan(1500), [0, 1, 2, 3]),
        (diamond(700), [0] * 4),
        (diamond(1200), [0, 1, 2, 3]),
        (dag_of_edges([100] * 10, []), [0] * 10),
        (chain(300, 200, 200, 400, 100, 100, types=[0, 1, 1, 0, 1, 1]), [0, 1, 1, 2, 3, 3]),
        (dag_of_edges([], []), []),
        (dag_of_edges([0], []), [0]),
    ],
)
def test_examples(dag: Dag, parts: list[int]) -> None:
    """Chains fuse; sides of a diamond fuse unless running them one after the other costs more than an edge."""
    assert sarkar_partition(dag, 512) == parts


def test_scopes_do_not_meet() -> None:
    """A vertex outside joins the first scope; two scopes stay apart."""
    dag = dag_of_edges([100] * 4, [(0, 1), (1, 2), (2, 3)], scopes=[1, 0, 0, 2])
    parts = sarkar_partition(dag, 512)
    assert parts[0] != parts[3]
    assert len(set(parts)) == 2


@settings(deadline=None)
@given(dags())
def test_partition_law(dag: Dag) -> None:
    """Parts are numbered topologically without gaps, hold one type and one scope at most, and come out alike again."""
    parts = sarkar_partition(dag, 512)
    count = 1 + max(parts, default=-1)
    assert sorted(set(parts)) == list(range(count))
    assert renumber_topologically(dag, parts, count) == parts
    for part in range(count):
        members = [vertex for vertex, other in enumerate(parts) if other == part]
        assert len({dag.types[vertex] for vertex in members}) == 1
        assert len({dag.scopes[vertex] for vertex in members} - {0}) <= 1
    assert sarkar_partition(dag, 512) == parts


@settings(deadline=None)
@given(dags())
def test_every_contraction_keeps_the_graph_acyclic(dag: Dag) -> None:
    """Sets of each shape are disjoint, of one type, and their quotient has no cycle."""
    order = topological_order(dag)
    down, up = depths(dag.parents, order), depths(dag.children, reversed(order))
    paths = longest_paths(dag, 100, order, down, 0.005)
    upwards = [-depth for depth in up]
    for sets in (
        line_merges(paths, down),
        line_merges(paths, upwards),
        partial_fan_merges(paths),
        partial_fan_merges(paths.mirrored(up)),
        full_fan_merges(paths),
        full_fan_merges(paths.mirrored(up)),
        *[level_merges(paths, levels, parity) for levels in (down, upwards) for parity in (0, 1)],
        *[twin_batches(paths, up, 600, shared) for shared in TwinNeighbours],
    ):
        members = [vertex for merged in sets for vertex in merged]
        assert len(members) == len(set(members))
        assert all(len({dag.types[vertex] for vertex in merged}) == 1 for merged in sets)
        part_of = list(range(dag.vertex_count))
        for merged in sets:
            for vertex in merged:
                part_of[vertex] = merged[0]
        numbers = {part: number for number, part in enumerate(sorted(set(part_of)))}
        assert renumber_topologically(dag, [numbers[part] for part in part_of], len(numbers)) is not None


def test_each_shape_finds_something() -> None:
    """The eleven vertices have lines, fans and levels to merge."""
    order = topological_order(ELEVEN)
    down, up = depths(ELEVEN.parents, order), depths(ELEVEN.children, reversed(order))
    paths = longest_paths(ELEVEN, 100, order, down)
    assert line_merges(paths, down) and partial_fan_merges(paths) and level_merges(paths, down, 0)
    assert full_fan_merges(longest_paths(fan(1), 10, [0, 1, 2, 3], [0, 1, 1, 1])) == [[0, 1, 2, 3]]
    assert full_fan_merges(paths.mirrored(up))


@pytest.mark.parametrize(
    ("count", "work", "sizes"),
    [
        (10, 100, [5, 5]),
        (13, 60, [13]),
        (7, 100, [7]),
        (5, 0, [3, 2]),
        (6, 600, [2, 2, 2]),
        (23, 100, [6, 6, 6, 5]),
        (3, 1, [3]),
    ],
)
def test_batch_sizes(count: int, work: int, sizes: list[int]) -> None:
    """Equal batches where the count allows, else two sizes with many divisors."""
    assert batch_sizes(count, work, 512) == sizes
