"""Every row of the compatibility table that concerns the Iso partition, on both sides."""

from __future__ import annotations

import pytest
from tile_graphs import Op, tile_graph
from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from transforms.graph import Scope, TileGraph
from transforms.graph_partition.iso import partition
from transforms.graph_partition.partition_result import IsoParameters, Partition
from transforms.partition_check import ViolationKind, check_partition

PYPTO = IsoParameters(compat=Compat.PYPTO)
PUBLISHED = IsoParameters(compat=Compat.PUBLISHED)


def valid(graph: TileGraph) -> Partition:
    """The published partition, which the checker finds nothing wrong with."""
    result = partition(graph, PUBLISHED)
    assert check_partition(graph, result.subgraphs, Compat.PUBLISHED) == []
    return result


CROSSED_SETS = (
    Op("ABS", "s", "a1"),
    Op("EXP", "a1", "b1"),
    Op("EXP", "r", "b2"),
    Op("ABS", "b2", "a2"),
    Op("INDEX_PUT", "a1 a2", "ddr.a"),
    Op("INDEX_PUT", "b1 b2", "ddr.b"),
)


class TestNodeCycles:
    """P-D1: sets of operations, each of them convex, that depend on one another."""

    def test_pypto_fails(self) -> None:
        """The message names operations of the cycle."""
        with pytest.raises(PassFailedException, match=r"depend on one another in a cycle: .*\(magic 1000\d\)"):
            partition(tile_graph(*CROSSED_SETS), PYPTO)

    def test_published_contracts_them(self) -> None:
        """Both sets become one subgraph."""
        assert valid(tile_graph(*CROSSED_SETS)).subgraphs == [0] * 6

    def test_published_refuses_to_contract_different_scopes(self) -> None:
        """Two scopes that depend on one another cannot both be subgraphs of their own: the message names them."""
        one, other = Scope(1, False, False), Scope(2, False, True)
        scopes = (one, other, other, one, one, other)
        ops = [op._replace(scope=scope) for op, scope in zip(CROSSED_SETS, scopes, strict=True)]
        with pytest.raises(PassFailedException, match="scopes 1, 2 depend on one another"):
            partition(tile_graph(*ops), PUBLISHED)

    def test_published_refuses_to_contract_both_sides(self) -> None:
        """A set on the cube core and one on the vector core that depend on one another cannot be one subgraph."""
        ops = (
            Op("A_MUL_B", "l0a.s l0b.t", "l0c.a1"),
            Op("EXP", "l0c.a1", "b1"),
            Op("EXP", "r", "b2"),
            Op("A_MUL_B", "b2 l0b.t", "l0c.a2"),
            Op("INDEX_PUT", "l0c.a1 l0c.a2", "ddr.a"),
            Op("INDEX_PUT", "b1 b2", "ddr.b"),
        )
        with pytest.raises(PassFailedException, match=r"cube core and others on the vector core: .*\(magic "):
            partition(tile_graph(*ops), PUBLISHED)


def shared_loads(sums: int) -> TileGraph:
    """Loads of one tensor, each shared by two neighbouring sums; a load belongs to the first of them only."""
    ops = [Op("VIEW", "ddr.x", f"v{k}") for k in range(sums + 1)]
    ops += [Op("ADD", f"v{k} v{k + 1}", f"a{k}") for k in range(sums)]
    ops += [Op("ASSEMBLE", f"a{k}", f"ddr.s{k}") for k in range(sums)]
    return tile_graph(*ops)


class TestClassesThatWaitForThemselves:
    """P-D2: operations that look alike and depend on one another."""

    def test_three_sums_agree_and_four_fail_in_pypto(self) -> None:
        """Section 17, D2: with three sums the ends differ from the middle; with four two middles look alike."""
        assert partition(shared_loads(3), PYPTO) == partition(shared_loads(3), PUBLISHED)
        with pytest.raises(PassFailedException, match=r"look alike wait for one another: those of \w+ \(magic 100"):
            partition(shared_loads(4), PYPTO)

    @pytest.mark.parametrize("sums", [4, 5, 9, 40])
    def test_published_partitions_any_number_of_sums(self, sums: int) -> None:
        """The class is split by depth."""
        assert valid(shared_loads(sums)).subgraph_count >= 1


TWO_CROSS_SCOPES = (
    Op("EXP", "s", "x", scope=Scope(1, False, True)),
    Op("ABS", "x", "y"),
    Op("SQRT", "x", "w"),
    Op("LN", "y", "z", scope=Scope(2, False, True)),
)


class TestScopesThatMeet:
    """P-D3: an unscoped group absorbs one cross-merge scope and then another."""

    def test_pypto_mixes_them(self) -> None:
        """One subgraph with both scopes, which the published checker objects to."""
        graph = tile_graph(*TWO_CROSS_SCOPES)
        result = partition(graph, PYPTO)
        assert result.subgraphs[0] == result.subgraphs[3]
        assert check_partition(graph, result.subgraphs, Compat.PYPTO) == []
        (violation,) = check_partition(graph, result.subgraphs, Compat.PUBLISHED)
        assert violation.kind is ViolationKind.MIXED_SCOPES
        assert set(violation.operations) == {0, 3}

    def test_published_never_does(self) -> None:
        """They end in two subgraphs."""
        result = valid(tile_graph(*TWO_CROSS_SCOPES))
        assert result.subgraphs[0] != result.subgraphs[3]

    def test_one_scope_in_two_pieces_may_meet(self) -> None:
        """The same scope on both ends is no reason to refuse: both rule sets make one subgraph."""
        ops = (*TWO_CROSS_SCOPES[:3], TWO_CROSS_SCOPES[3]._replace(scope=Scope(1, False, True)))
        graph = tile_graph(*ops)
        assert valid(graph).subgraphs == partition(graph, PYPTO).subgraphs == [0, 0, 0, 0]


class TestReductionsOfBothSides:
    """P-D4: a vector operation between two multiplies of one reduction."""

    OPS = (
        Op("A_MUL_B", "l0a.a l0b.b", "l0c.c"),
        Op("EXP", "l0c.c", "l0a.e"),
        Op("A_MUL_B", "l0a.e l0c.c", "l0c.f"),
    )

    def test_pypto_fails(self) -> None:
        """The reference goes on with undefined memory; we say so."""
        with pytest.raises(PassFailedException, match="undefined memory"):
            partition(tile_graph(*self.OPS), PYPTO)

    def test_published_partitions(self) -> None:
        """Hash values need no core."""
        result = valid(tile_graph(*self.OPS))
        assert result.subgraph_count == 3


class TestZeroCycles:
    """P-D6: a subgraph whose latencies sum up to 0."""

    OPS = (Op("L1_TO_L0A", "l1.a", "l0a.b", latency=0), Op("EXP", "c", "d"))

    def test_pypto_fails(self) -> None:
        """The message names the operation."""
        with pytest.raises(PassFailedException, match=r"0 cycles: L1_TO_L0A \(magic 10000\)"):
            partition(tile_graph(*self.OPS), PYPTO)

    def test_published_gives_it_an_id(self) -> None:
        """Like any other subgraph."""
        result = valid(tile_graph(*self.OPS))
        assert sorted(result.subgraphs) == [0, 1]


class TestAssembleWithoutProducer:
    """P-D9: an assemble into DDR whose input on the chip comes from nowhere."""

    OPS = (Op("EXP", "a", "b"), Op("ASSEMBLE", "c b", "ddr.d"))

    def test_pypto_fails(self) -> None:
        """The reference reads undefined memory; we say so and name the operation."""
        with pytest.raises(PassFailedException, match=r"ASSEMBLE \(magic 10001\) .*undefined memory"):
            partition(tile_graph(*self.OPS), PYPTO)

    def test_published_treats_it_as_a_copy_out(self) -> None:
        """It stays with the producers that it has."""
        assert valid(tile_graph(*self.OPS)).subgraphs == [0, 0]


class TestCubeMarks:
    """P-D10: a view that a scope joins to a cube node."""

    OPS = (
        Op("A_MUL_B", "l0a.a l0b.b", "l0c.c", scope=Scope(1, False, False)),
        Op("VIEW", "l0c.c", "ddr.d", scope=Scope(1, False, False)),
    )

    def test_pypto_keeps_stale_marks(self) -> None:
        """The view is in a cube subgraph and not marked."""
        result = partition(tile_graph(*self.OPS), PYPTO)
        assert result.subgraphs == [0, 0]
        assert result.is_cube == [True, False]

    def test_published_refreshes_them(self) -> None:
        """The view is marked like the multiply."""
        result = valid(tile_graph(*self.OPS))
        assert result.subgraphs == [0, 0]
        assert result.is_cube == [True, True]


class TestSidesMixedThroughAny:
    """P-D11: a store that runs anywhere ties a cube and a vector operation."""

    OPS = (
        Op("A_MUL_B", "l0a.a l0b.b", "l0c.c"),
        Op("EXP", "d", "e"),
        Op("INDEX_PUT", "l0c.c e", "ddr.f"),
    )

    def test_pypto_mixes_them(self) -> None:
        """One subgraph, which the published checker objects to."""
        graph = tile_graph(*self.OPS)
        result = partition(graph, PYPTO)
        assert result.subgraphs == [0, 0, 0]
        assert check_partition(graph, result.subgraphs, Compat.PYPTO) == []
        (violation,) = check_partition(graph, result.subgraphs, Compat.PUBLISHED)
        assert violation.kind is ViolationKind.MIXED_CORES

    def test_published_refuses_the_second_union(self) -> None:
        """The store stays with its first producer only."""
        result = valid(tile_graph(*self.OPS))
        assert result.subgraphs[0] == result.subgraphs[2] != result.subgraphs[1]

    def test_published_fails_where_a_hull_would_mix(self) -> None:
        """A vector operation on a path between two cube operations of one node, with an ANY root, is an error."""
        ops = (
            Op("RESHAPE", "l0c.s", "l0c.a"),
            Op("A_MUL_B", "l0c.a l0b.b", "l0c.c"),
            Op("RESHAPE", "l0c.c", "l0c.d"),
            Op("EXP", "l0c.a", "e"),
            Op("RESHAPE", "l0c.d e", "l0c.f"),
            Op("INDEX_PUT", "l0c.a l0c.c l0c.f", "ddr.g"),
        )
        assert partition(tile_graph(*ops), PYPTO).subgraph_count == 1
        with pytest.raises(PassFailedException, match="lies between operations that must stay together"):
            partition(tile_graph(*ops), PUBLISHED)
