"""Metrics of partitions, and the best of several partitions."""

from __future__ import annotations

from io import StringIO

import pytest
from hypothesis import given, settings
from test_osp_dag import dags
from tile_graphs import Op, tile_graph
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.parser import Parser

from dialect.compat import Compat
from dialect.targets import find_target
from dialect.tile import TILE
from tools.driver.errors import UserError
from tools.formats.partition_metrics import PartitionMetricsTarget
from transforms.graph import NO_SCOPE, TileGraph
from transforms.graph_partition.best_partition import best_partition
from transforms.graph_partition.osp.acyclic_multilevel import multilevel_partition
from transforms.graph_partition.osp.dag import dag_of_edges, renumber_topologically
from transforms.graph_partition.osp.part_metrics import volume
from transforms.graph_partition.osp_partition import OspParameters
from transforms.graph_partition.partition_result import IsoParameters
from transforms.partition_metrics import BspCost, Objective, measure_partition
from transforms.tensor_facts import TensorFacts
from transforms.tensor_sizes import tensor_bytes

A2A3 = find_target("a2a3")


def test_measures_of_three_subgraphs() -> None:
    """A cube subgraph whose result two vector subgraphs read, by hand."""
    graph = tile_graph(
        Op("A_MUL_B", "l0a.a l0b.b", "l0c.c", 1000), Op("EXP", "l0c.c", "d", 300), Op("ABS", "l0c.c", "e", 500)
    )
    metrics = measure_partition(graph, [0, 1, 2], [4096] * 5, A2A3)
    assert metrics.subgraph_count == 3
    assert (metrics.total_work, metrics.largest_work, metrics.median_work) == (1800, 1000, 500.0)
    assert metrics.work_balance == pytest.approx(0.6)
    assert metrics.cut_bytes == 2 * 4096
    assert metrics.critical_paths == {0: 1500, 100: 1600, 1000: 2500}
    assert metrics.makespan == 1200 + 700
    # On two vector cores, to each of which trunc(0.01 * (10 + 4096)) = 41 units are sent, at the end of one superstep.
    assert metrics.bsp == BspCost(1500 + 82 + 8000, 1500, 82, 1)


def test_one_subgraph_cuts_nothing() -> None:
    """No edge, no superstep."""
    graph = tile_graph(Op("EXP", "a", "b", 300), Op("ABS", "b", "c", 500))
    metrics = measure_partition(graph, [0, 0], [4096] * 3, A2A3)
    assert (metrics.cut_bytes, metrics.bsp.cost, metrics.work_balance) == (0, 800, 1.0)
    assert set(metrics.critical_paths.values()) == {800}


def test_tensor_of_several_writers() -> None:
    """Whoever reads a tensor that several subgraphs write gets it from others, even if it writes a part itself."""
    graph = tile_graph(
        Op("COPY_OUT", "a", "ddr.t", 100), Op("COPY_OUT", "b", "ddr.t", 100), Op("COPY_IN", "ddr.t", "c", 100)
    )
    assert measure_partition(graph, [0, 1, 1], [8] * 4, A2A3).cut_bytes == 8
    assert measure_partition(graph, [0, 1, 2], [8] * 4, A2A3).cut_bytes == 8


def test_empty_function() -> None:
    """All zero."""
    metrics = measure_partition(tile_graph(), [], [], A2A3)
    assert (metrics.subgraph_count, metrics.makespan, metrics.bsp.cost, metrics.work_balance) == (0, 0, 0, 1.0)


def test_cycle_is_refused() -> None:
    """Subgraphs that wait for one another have no longest path."""
    graph = tile_graph(Op("EXP", "a", "b"), Op("ABS", "b", "c"), Op("EXP", "c", "d"))
    with pytest.raises(ValueError, match="cycle"):
        measure_partition(graph, [0, 1, 0], [8] * 4, A2A3)


def test_tensor_bytes() -> None:
    """Sizes are rounded up to what the memory allots; nothing is known of dynamic extents."""
    facts = TensorFacts(
        shapes=[(3, 5), (3, 5), (3, 5), (2, -1)],
        storages=[0] * 4,
        storage_bytes=[0] * 4,
        offsets=[()] * 4,
        dynamic_offsets=[None] * 4,
        valid_shapes=[None] * 4,
        target_memories=[15, 0, 4, 15],
    )
    assert tensor_bytes(facts, [7] * 4) == [60, 64, 512, 0]


def branches() -> TileGraph:
    """Three loads, each with a chain, and a sum of all."""
    ops = [op for i in range(3) for op in (Op("COPY_IN", f"ddr.x{i}", f"a{i}", 300), Op("EXP", f"a{i}", f"b{i}", 700))]
    return tile_graph(*ops, Op("ADD", "b0 b1", "s", 200), Op("ADD", "s b2", "t", 200))


@pytest.mark.parametrize("objective", Objective)
@pytest.mark.parametrize("compat", Compat)
def test_best_is_the_best_of_all(objective: Objective, compat: Compat) -> None:
    """The partition that was chosen has the smallest value of all that were found, and says which they are."""
    graph = branches()
    best = best_partition(
        graph, IsoParameters(compat=compat), OspParameters(compat=compat), [4096] * graph.tensor_count, A2A3, objective
    )
    assert set(best.metrics) >= {"iso", "osp-sarkar", "osp-bsp", "multilevel"}
    chosen = measure_partition(graph, best.partition.subgraphs, [4096] * graph.tensor_count, A2A3)
    assert chosen == best.metrics[best.algorithm]
    assert chosen.value(objective) == min(metrics.value(objective) for metrics in best.metrics.values())


def test_best_goes_on_where_an_algorithm_fails() -> None:
    """A hub is refused by the shipped OspSarkar and OspBsp; Iso remains, and the failures are told."""
    graph = tile_graph(Op("EXP", "a", "b"), Op("HUB", "b", "c"), Op("EXP", "c", "d"))
    parameters = IsoParameters(compat=Compat.PYPTO), OspParameters(compat=Compat.PYPTO)
    best = best_partition(graph, *parameters, [8] * 4, A2A3, Objective.BSP)
    assert best.algorithm == "iso"
    assert set(best.failures) == {"osp-sarkar", "osp-bsp", "multilevel"}


def test_strict_sarkar_is_tried_where_leniency_does_harm() -> None:
    """Of two vertices in series that share a child each merge may cost a little; here nothing has to be tried again."""
    best = best_partition(
        tile_graph(Op("EXP", "a", "b", 400, NO_SCOPE), Op("ABS", "b", "c", 400)),
        IsoParameters(),
        OspParameters(),
        [8] * 3,
        A2A3,
        Objective.CRITICAL_PATH,
    )
    assert "strict-sarkar" not in best.metrics


def test_multilevel_keeps_the_bound_and_cuts_light_edges() -> None:
    """Of a chain of three, the ends of the heavy edge share a part if the bound allows two."""
    dag = dag_of_edges([100] * 3, [(0, 1), (1, 2)], communication=[5, 50, 0])
    assert multilevel_partition(dag, 200) == [0, 1, 1]
    assert multilevel_partition(dag, 300) == [0, 0, 0]
    assert multilevel_partition(dag, 99) == [0, 1, 2]


@settings(deadline=None)
@given(dags())
def test_multilevel_law(dag) -> None:  # pyright: ignore
    """Numbered topologically, one type and one scope, the bound kept, and nothing more is sent than without parts."""
    parts = multilevel_partition(dag, 800)
    count = 1 + max(parts, default=-1)
    assert renumber_topologically(dag, parts, count) == parts
    for part in range(count):
        members = [vertex for vertex, other in enumerate(parts) if other == part]
        assert len({dag.types[vertex] for vertex in members}) == 1
        assert len({dag.scopes[vertex] for vertex in members} - {0}) <= 1
        assert len(members) == 1 or sum(dag.work[vertex] for vertex in members) <= 800
    assert volume(dag, parts) <= volume(dag, list(range(dag.vertex_count)))


def emitted(text: str, format: str = "table") -> str:
    ctx = Context()
    ctx.load_dialect(Builtin)
    ctx.load_dialect(TILE)
    stream = StringIO()
    PartitionMetricsTarget(format).emit(ctx, Parser(ctx, text).parse_module(), stream)  # pyright: ignore
    return stream.getvalue()


def test_target_without_ids_or_functions() -> None:
    """A function that was not partitioned cannot be measured: the message says what to run; no function, no table."""
    function = "tile.func @one ins(%x: !tile.tensor<8xf32, ub>) { %0 = tile.exp %x : !tile.tensor<8xf32, ub> }"
    with pytest.raises(UserError, match=r"cannot measure @one: EXP .* run graph-partition first"):
        emitted(function)
    assert "no tile functions" in emitted("builtin.module {}")
    assert '"functions": []' in emitted("builtin.module {}", "json")
