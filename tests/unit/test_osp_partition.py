"""OspSarkar and OspBsp of tile graphs: every row of the compatibility table that concerns them, and bad input."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from test_iso_compat import CROSSED_SETS
from tile_graphs import Op, tile_graph
from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from transforms.graph import NO_SCOPE, Scope, TileGraph
from transforms.graph_partition.osp_partition import OspParameters, partition_by_bsp, partition_by_sarkar
from transforms.graph_partition.partition_result import FusionObstacle, OspPartition
from transforms.partition_check import check_partition

PYPTO = OspParameters(compat=Compat.PYPTO)
PUBLISHED = OspParameters(compat=Compat.PUBLISHED)
MIXED_PYPTO = OspParameters(compat=Compat.PYPTO, mixed_cores=True, core_counts=(28, 56, 5))
MIXED = OspParameters(compat=Compat.PUBLISHED, mixed_cores=True, core_counts=(28, 56, 5))

ALONE, CROSS, PARALLEL = Scope(1, False, False), Scope(1, False, True), Scope(1, True, False)
Partitioner = Callable[[TileGraph, OspParameters], OspPartition]


def sarkar(graph: TileGraph, parameters: OspParameters) -> OspPartition:
    return partition_by_sarkar(graph, parameters, explain=True)


def bsp(graph: TileGraph, parameters: OspParameters) -> OspPartition:
    return partition_by_bsp(graph, parameters, [16384] * graph.tensor_count, explain=True)


@pytest.fixture(params=[sarkar, bsp])
def partitioner(request: pytest.FixtureRequest) -> Partitioner:
    """Both algorithms."""
    return request.param


def valid(partitioner: Partitioner, graph: TileGraph, parameters: OspParameters = PUBLISHED) -> OspPartition:
    """The published partition, which the checker finds nothing wrong with."""
    result = partitioner(graph, parameters)
    mixed = parameters.mixed_cores
    assert check_partition(graph, result.subgraphs, Compat.PUBLISHED, mixed, may_mix_sides=mixed) == []
    return result


def chain(*scopes: Scope, latency: int = 13) -> TileGraph:
    """EXP after EXP, with these scopes."""
    return tile_graph(*[Op("EXP", f"t{i}", f"t{i + 1}", latency, scope) for i, scope in enumerate(scopes)])


class TestScopes:
    """O1: option scopes are honoured by published rules and ignored by pypto ones."""

    def test_isolated_scope_stays_alone(self, partitioner: Partitioner) -> None:
        """Neighbours of one scope are one subgraph; nothing else joins them."""
        graph = chain(NO_SCOPE, ALONE, ALONE, NO_SCOPE)
        assert valid(partitioner, graph).subgraphs == [0, 1, 1, 2]
        assert partitioner(graph, PYPTO).subgraphs == [0, 0, 0, 0]

    def test_cross_scope_may_meet_others(self, partitioner: Partitioner) -> None:
        """A scope with cross flag fuses with operations outside, but not with another scope."""
        assert valid(partitioner, chain(NO_SCOPE, CROSS, NO_SCOPE)).subgraph_count == 1
        result = valid(partitioner, chain(CROSS, NO_SCOPE, CROSS._replace(id=2)))
        assert result.subgraph_count == 2
        assert {refused.reason for refused in result.refused_fusions} == {FusionObstacle.SCOPE}

    def test_parallel_scope_joins_branches(self, partitioner: Partitioner) -> None:
        """Branches that are not connected are one subgraph."""
        graph = tile_graph(
            Op("EXP", "a", "b", 4000, PARALLEL), Op("EXP", "c", "d", 4000, PARALLEL), Op("EXP", "e", "f", 4000)
        )
        subgraphs = valid(partitioner, graph).subgraphs
        assert subgraphs[0] == subgraphs[1] != subgraphs[2]

    def test_all_operations_in_one_scope(self, partitioner: Partitioner) -> None:
        """One subgraph."""
        assert valid(partitioner, chain(ALONE, ALONE, ALONE)).subgraphs == [0, 0, 0]

    def test_scope_of_both_sides(self, partitioner: Partitioner) -> None:
        """Separate cores cannot run it: an error by published rules; with mixed cores it gets a CV-fuse id."""
        graph = tile_graph(
            Op("A_MUL_B", "l0a.a l0b.b", "l0c.c", scope=ALONE),
            Op("EXP", "l0c.c", "d", scope=ALONE),
            Op("ABS", "d", "e"),
        )
        with pytest.raises(PassFailedException, match="scope 1 holds cube and vector operations"):
            partitioner(graph, PUBLISHED)
        assert partitioner(graph, PYPTO).subgraph_count >= 2
        assert valid(partitioner, graph, MIXED).cv_fuse[:2] == [0, 0]


class TestCoreTypes:
    """O3: nodes on a hub; cube and vector operations; AICPU."""

    def test_hub_stays_alone(self, partitioner: Partitioner) -> None:
        """The shipped compiler fails; by published rules the hub is a subgraph of its own."""
        graph = tile_graph(Op("EXP", "a", "b"), Op("HUB", "b", "c"), Op("EXP", "c", "d"))
        assert valid(partitioner, graph).subgraphs == [0, 1, 2]
        with pytest.raises(PassFailedException, match=r"HUB \(magic 10001\) runs on HUB"):
            partitioner(graph, PYPTO)

    def test_sides_stay_apart(self, partitioner: Partitioner) -> None:
        """Cube and vector operations share a subgraph only where cores are mixed."""
        graph = tile_graph(Op("A_MUL_B", "l0a.a l0b.b", "l0c.c", 500), Op("EXP", "l0c.c", "d", 500))
        for parameters in (PUBLISHED, PYPTO):
            result = partitioner(graph, parameters)
            assert [result.summaries[subgraph].core for subgraph in result.subgraphs] == ["AIC", "AIV"]
            assert result.refused_fusions[0].reason is FusionObstacle.CORE
        for parameters in (MIXED, MIXED_PYPTO):
            result = partitioner(graph, parameters)
            assert result.subgraphs == [0, 0]
            assert result.summaries[0].core == "AIC+AIV"

    def test_no_core_of_a_type(self) -> None:
        """O5: an error that names the operation, where the reference never ends."""
        graph = tile_graph(Op("SHMEM_WAIT_UNTIL", "ddr.a ddr.b", "ddr.c"), Op("EXP", "d", "e"))
        for compat in Compat:
            with pytest.raises(PassFailedException, match=r"SHMEM_WAIT_UNTIL \(magic 10000\) needs AICPU cores"):
                bsp(graph, OspParameters(compat=compat, core_counts=(24, 48, 0)))
        assert bsp(graph, PUBLISHED).subgraph_count == 2

    def test_neighbouring_aicpu_nodes_on_mixed_cores(self) -> None:
        """O5: the reference reads beyond a table; by published rules it is a partition."""
        graph = tile_graph(
            Op("SHMEM_WAIT_UNTIL", "ddr.a ddr.b", "ddr.c"), Op("SHMEM_WAIT_UNTIL", "ddr.c ddr.b", "ddr.d")
        )
        with pytest.raises(PassFailedException, match="reads undefined memory"):
            bsp(graph, MIXED_PYPTO)
        assert valid(bsp, graph, MIXED).subgraph_count >= 1


class TestCycles:
    """O2 and O4: subgraphs, and sets of operations, that depend on one another."""

    def test_node_cycle(self, partitioner: Partitioner) -> None:
        """Contracted by published rules; the shipped compiler fails."""
        graph = tile_graph(*CROSSED_SETS)
        assert valid(partitioner, graph).subgraphs == [0] * 6
        with pytest.raises(PassFailedException, match=r"depend on one another in a cycle: .*\(magic 1000\d\)"):
            partitioner(graph, PYPTO)

    def test_operations_in_a_cycle(self, partitioner: Partitioner) -> None:
        """An error."""
        with pytest.raises(PassFailedException, match="cycle"):
            partitioner(tile_graph(Op("EXP", "a", "b"), Op("ABS", "b", "a")), PUBLISHED)

    def test_crossed_copies(self) -> None:
        """The shipped compiler matches copies by position, and the check then finds a cycle; healed there is none."""
        pairs = [(2, 19), (1, 18), (3, 15), (0, 17), (4, 16), (9, 10), (6, 11), (7, 12), (8, 13), (5, 14)]
        source = {target: vertex for vertex, target in pairs}
        latencies = [1500] * 10 + [3000] * 5 + [1500] * 5
        graph = tile_graph(
            *[
                Op("EXP", f"v{source[vertex]}" if vertex in source else f"x{vertex}", f"v{vertex}", latencies[vertex])
                for vertex in range(20)
            ]
        )
        shipped = partition_by_bsp(graph, PYPTO, [500] * graph.tensor_count)
        (violation,) = check_partition(graph, shipped.subgraphs, Compat.PYPTO, ignores_scopes=True)
        assert "depend on one another in a cycle" in violation.message
        valid(bsp, graph)


class TestZeroWork:
    """O5: operations without latency."""

    def test_group_without_work(self) -> None:
        """The reference divides by zero; by published rules it is a partition."""
        graph = chain(NO_SCOPE, NO_SCOPE, latency=0)
        assert valid(bsp, graph).subgraph_count == 1
        with pytest.raises(PassFailedException, match="without any latency"):
            bsp(graph, PYPTO)

    def test_sarkar_does_not_mind(self) -> None:
        """Both rule sets give one subgraph."""
        assert [sarkar(chain(NO_SCOPE, NO_SCOPE, latency=0), rules).subgraphs for rules in (PYPTO, PUBLISHED)] == [
            [0, 0],
            [0, 0],
        ]


class TestShapesOfGraphs:
    """Graphs at the edges of what there is."""

    def test_one_operation(self, partitioner: Partitioner) -> None:
        """A subgraph of its own."""
        assert valid(partitioner, chain(NO_SCOPE)).subgraphs == [0]

    def test_disconnected(self, partitioner: Partitioner) -> None:
        """Long independent operations stay apart; ids follow their order."""
        graph = tile_graph(*[Op("EXP", f"a{i}", f"b{i}", 4000) for i in range(3)])
        assert valid(partitioner, graph).subgraphs == [0, 1, 2]

    def test_bound_smaller_than_one_operation(self) -> None:
        """Nothing is batched then."""
        graph = tile_graph(*[Op("EXP", f"a{i}", f"b{i}", 100) for i in range(10)])
        assert sarkar(graph, OspParameters(lower_bound=99)).subgraph_count == 10
        assert sarkar(graph, OspParameters(lower_bound=512)).subgraph_count == 1

    def test_expand_joins_its_only_consumer(self) -> None:
        """Rule R8: they are one super node, whatever it costs."""
        graph = tile_graph(Op("EXPAND", "a", "b", 9000), Op("ADD", "b c", "d", 9000))
        assert sarkar(graph, PUBLISHED).super_node_count == 1
        graph = tile_graph(Op("EXPAND", "a", "b", 9000), Op("ADD", "b c", "d", 9000), Op("SUB", "b c", "e", 9000))
        assert sarkar(graph, PUBLISHED).super_node_count == 3

    def test_readers_before_writers(self, partitioner: Partitioner) -> None:
        """Operations that are not in a topological order are sorted first."""
        graph = tile_graph(Op("ABS", "b", "c", 4000), Op("EXP", "a", "b", 4000))
        assert valid(partitioner, graph).subgraphs == [0, 0]


def test_paths_are_explained() -> None:
    """Two operations of 400 cycles with an edge of 1000: 1800 before, 800 as one subgraph."""
    result = sarkar(chain(NO_SCOPE, NO_SCOPE, latency=400), PUBLISHED)
    assert (result.longest_path_before, result.longest_path_after) == (1800, 800)
    quiet = partition_by_sarkar(chain(NO_SCOPE, NO_SCOPE), PUBLISHED)
    assert quiet.longest_path_before is None and quiet.refused_fusions == ()


def test_ids_are_topological(partitioner: Partitioner) -> None:
    """O6: by published rules a subgraph has a larger id than those that it waits for; OspBsp's own begin at the end."""
    graph = tile_graph(
        *[
            op
            for i in range(6)
            for op in (Op("EXP", f"a{i}", f"b{i}", 3000), Op("ABS", f"b{i} b{i // 2}", f"c{i}", 3000))
        ]
    )
    subgraphs = valid(partitioner, graph).subgraphs
    for operation, inputs in enumerate(graph.inputs):
        for tensor in inputs:
            for other, outputs in enumerate(graph.outputs):
                if tensor in outputs:
                    assert subgraphs[other] <= subgraphs[operation]
    pair = tile_graph(Op("A_MUL_B", "l0a.a l0b.b", "l0c.c", 500), Op("EXP", "l0c.c", "d", 500))
    assert partitioner(pair, PUBLISHED).subgraphs == [0, 1]
    assert bsp(pair, PYPTO).subgraphs == [1, 0]
