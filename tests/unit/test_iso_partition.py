"""The Iso partition as a whole: bounds, targets, counts, limits, and why groups are not merged."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from tile_graphs import Op, tile_graph
from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from dialect.opcodes import CoreType
from transforms.graph import Scope, TileGraph
from transforms.graph_partition.group_merge_step import MergeRefusal
from transforms.graph_partition.iso import partition
from transforms.graph_partition.partition_result import IsoParameters, SubgraphSummary

BOTH = pytest.mark.parametrize("compat", list(Compat))


def branches(count: int, *opcodes: str, latency: int = 13) -> list[Op]:
    """`count` chains of `opcodes`, from tensor a{k} to tensor z{k}."""
    ops: list[Op] = []
    for k in range(count):
        names = [f"a{k}", *(f"m{k}_{step}" for step in range(1, len(opcodes))), f"z{k}"]
        ends = zip(opcodes, pairwise(names), strict=True)
        ops += [Op(opcode, before, after, latency) for opcode, (before, after) in ends]
    return ops


@BOTH
def test_isomorphic_branches_become_one_group(compat: Compat) -> None:
    """Four like chains are four subgraphs of one group; the summary says what each consists of."""
    result = partition(tile_graph(*branches(4, "EXP", "ABS")), IsoParameters(compat=compat))
    assert sorted(result.subgraphs) == [0, 0, 1, 1, 2, 2, 3, 3]
    assert result.groups == [range(4)]
    assert result.summaries == [SubgraphSummary(2, 26, CoreType.AIV)] * 4
    assert (result.super_node_count, result.class_count, result.cycle_bound) == (8, 2, 1536)


@BOTH
def test_empty_function(compat: Compat) -> None:
    """Case U06: no operations, no subgraphs, no error."""
    result = partition(tile_graph(), IsoParameters(compat=compat), explain=True)
    assert (result.subgraph_count, list(result.subgraphs), list(result.groups)) == (0, [], [])


def test_lite_target_has_one_subgraph() -> None:
    """Everything is subgraph 0, operations are neither sorted nor marked, and nothing is checked."""
    graph = tile_graph(Op("EXP", "b", "c"), Op("A_MUL_B", "l0a.a l0b.b", "l0c.c"))
    result = partition(graph, IsoParameters(single_subgraph=True))
    assert list(result.subgraphs) == [0, 0]
    assert result.subgraph_count == 1
    assert result.is_cube is None
    assert list(result.order) == [0, 1]


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        (IsoParameters(parallel_lower_bound=-2), "pg_parallel_lower_bound"),
        (IsoParameters(lower_bound=-1), "pg_lower_bound"),
        (IsoParameters(lower_bound=2**31), "pg_lower_bound"),
    ],
)
def test_bounds_out_of_range(parameters: IsoParameters, name: str) -> None:
    """Case U05: the message names the option, the value and the range."""
    with pytest.raises(PassFailedException, match=rf"{name} is -?\d+, expected 0\.\.2147483647"):
        partition(tile_graph(), parameters)


@pytest.mark.parametrize(
    ("total", "bound"),
    [
        (49_999, 1_536),
        (50_000, 10_000),
        (289_999, 10_000),
        (290_000, 150_000),
        (9_999_999, 150_000),
        (10_000_000, 5_000_000),
    ],
)
def test_cycle_bound_follows_the_sum_of_latencies(total: int, bound: int) -> None:
    """The table of section 1; negative latencies do not count, and are reported."""
    graph = tile_graph(Op("EXP", "a", "b", latency=total), Op("EXP", "c", "d", latency=-7))
    result = partition(graph, IsoParameters())
    assert result.cycle_bound == bound
    assert result.negative_latencies == [1]


def two_arms() -> TileGraph:
    """Four times two arms EXP that a MUL joins: a group of 8 lanes before one of 4."""
    ops = branches(8, "EXP")
    ops += [Op("MUL", f"z{2 * k} z{2 * k + 1}", f"p{k}") for k in range(4)]
    return tile_graph(*ops)


@BOTH
@pytest.mark.parametrize(
    ("parallel", "lower", "count"), [(1, 0, 4), (8, 0, 12), (8, 100_000, 4), (4, 0, 4), (5, 12, 12), (5, 13, 4)]
)
def test_bounds_on_merging_groups_of_different_lane_counts(
    parallel: int, lower: int, count: int, compat: Compat
) -> None:
    """Cases U10 to U12: 8 lanes merge into 4 if there are enough lanes, or the smaller subgraphs are short."""
    result = partition(two_arms(), IsoParameters(parallel, lower, compat))
    assert result.subgraph_count == count


@BOTH
def test_unknown_conversions_are_reported(compat: Compat) -> None:
    """A CONVERT that does not say from where to where is no error."""
    graph = tile_graph(Op("EXP", "a", "b"), Op("CONVERT", "b", "c"), Op("CONVERT", "c", "d", conversion=(0, 0)))
    assert partition(graph, IsoParameters(compat=compat)).unknown_conversions == [1]


class TestOverflow:
    """Cycle sums that do not fit into 32 bits are an error, not a wrap-around."""

    @BOTH
    def test_super_node(self, compat: Compat) -> None:
        """Two operations of 2^30 cycles in one super node."""
        ops = Op("EXP", "a", "b", latency=2**30), Op("COPY_OUT", "b", "ddr.c", latency=2**30)
        with pytest.raises(PassFailedException, match=r"super node sum up to 2147483648 cycles.*EXP \(magic 10000\)"):
            partition(tile_graph(*ops), IsoParameters(compat=compat))

    @BOTH
    def test_merged_subgraph(self, compat: Compat) -> None:
        """A candidate for a merge."""
        ops = Op("EXP", "a", "b", latency=2**31 - 1), Op("ABS", "b", "c", latency=2**31 - 1)
        with pytest.raises(PassFailedException, match="do not fit into 32 bits"):
            partition(tile_graph(*ops), IsoParameters(compat=compat))

    @BOTH
    def test_largest_sum_fits(self, compat: Compat) -> None:
        """2^31 - 1 cycles are fine."""
        result = partition(tile_graph(Op("EXP", "a", "b", latency=2**31 - 1)), IsoParameters(compat=compat))
        assert result.summaries == [SubgraphSummary(1, 2**31 - 1, CoreType.AIV)]


@BOTH
def test_long_chain_does_not_recurse(compat: Compat) -> None:
    """20,000 operations one after another, in subgraphs of at most the cycle bound."""
    graph = tile_graph(*[Op("ABS", f"t{k}", f"t{k + 1}", latency=50) for k in range(20_000)])
    result = partition(graph, IsoParameters(compat=compat))
    assert max(summary.cycles for summary in result.summaries) <= result.cycle_bound == 150_000
    assert result.subgraph_count == 7


@BOTH
def test_lane_that_ends_before_the_last_one(compat: Compat) -> None:
    """Section 8: where only the last lane's node has a link, node 0 stands in for the others' candidates."""
    graph = tile_graph(
        Op("CAST", "y", "z", magic=10058),
        Op("ADD", "ddr.a", "c", runtime_reads="ddr.b", magic=10036),
        Op("L0C_COPY_L1", "ddr.x", "ddr.a", magic=10034),
        Op("L0C_COPY_L1", "ddr.x", "ddr.b", magic=10035),
    )
    result = partition(graph, IsoParameters(3, 512, compat, balanced=False))
    assert result.subgraphs == [0, 3, 2, 1]


def refusals(*ops: Op, parameters: IsoParameters | None = None) -> set[MergeRefusal]:
    result = partition(tile_graph(*ops), parameters or IsoParameters(), explain=True)
    return {refused.reason for refused in result.refused_merges}


class TestRefusedMerges:
    """Why neighbouring groups are not one, if somebody asks."""

    def test_only_if_asked(self) -> None:
        """By default nothing is collected."""
        result = partition(tile_graph(Op("EXP", "a", "l0a.b"), Op("L1_TO_L0A", "l0a.b", "l0a.c")), IsoParameters())
        assert result.subgraph_count == 2
        assert list(result.refused_merges) == []

    def test_groups_are_named_by_their_places(self) -> None:
        """A cube and a vector subgraph next to each other."""
        graph = tile_graph(Op("EXP", "a", "l0a.b"), Op("L1_TO_L0A", "l0a.b", "l0a.c"))
        result = partition(graph, IsoParameters(), explain=True)
        (refused,) = result.refused_merges
        assert (refused.first, refused.second, refused.reason) == (0, 1, MergeRefusal.CORE)
        assert list(result.groups) == [range(1), range(1, 2)]

    def test_cycle_bound(self) -> None:
        """Two operations that are too long together."""
        ops = Op("EXP", "a", "b", latency=1_000), Op("ABS", "b", "c", latency=1_000)
        assert refusals(*ops) == {MergeRefusal.CYCLE_BOUND}

    def test_scope(self) -> None:
        """Two different scopes that both allow cross-scope merges."""
        ops = Op("EXP", "a", "b", scope=Scope(1, False, True)), Op("ABS", "b", "c", scope=Scope(2, False, True))
        assert refusals(*ops) == {MergeRefusal.SCOPE}

    def test_not_mergeable(self) -> None:
        """A scope that stands alone."""
        assert refusals(Op("EXP", "a", "b", scope=Scope(1, False, False)), Op("ABS", "b", "c")) == {
            MergeRefusal.NOT_MERGEABLE
        }

    def test_lane_kind(self) -> None:
        """One subgraph that feeds two like ones."""
        ops = Op("EXP", "a", "b"), Op("ABS", "b", "c"), Op("ABS", "b", "d")
        assert refusals(*ops) == {MergeRefusal.LANE_KIND}

    def test_lane_count_bound(self) -> None:
        """Eight lanes before four, with bounds that forbid it."""
        graph = two_arms()
        result = partition(graph, IsoParameters(8, 0), explain=True)
        assert [refused.reason for refused in result.refused_merges] == [MergeRefusal.LANE_COUNT_BOUND]

    def test_lane_match(self) -> None:
        """Two lanes each of which feeds both lanes behind."""
        ops = (
            Op("EXP", "a", "b"),
            Op("EXP", "c", "d"),
            Op("MUL", "b d", "e"),
            Op("MUL", "b d", "f"),
        )
        assert refusals(*ops) == {MergeRefusal.LANE_MATCH}

    def test_several_neighbours(self) -> None:
        """EXP and MUL are neighbours, but EXP feeds another subgraph too and MUL reads another one too."""
        alone = Scope(1, False, False)
        ops = (
            Op("EXP", "a", "b"),
            Op("ABS", "b", "c", scope=alone),
            Op("SQRT", "d", "e", scope=alone),
            Op("MUL", "b e", "f"),
        )
        assert refusals(*ops) == {MergeRefusal.NOT_MERGEABLE, MergeRefusal.SEVERAL_NEIGHBOURS}

    def test_explaining_changes_nothing(self) -> None:
        """The partition is the same, asked or not."""
        plain = partition(two_arms(), IsoParameters(8, 0))
        asked = partition(two_arms(), IsoParameters(8, 0), explain=True)
        assert replace(asked, refused_merges=()) == replace(plain, refused_merges=())
