"""On random graphs the fast partition does what the step-by-step oracle does, and its result is a valid partition."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from iso_oracle import Oracle, OracleFailureError, OraclePartition
from iso_random_graphs import GRAPH_KINDS
from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from transforms.graph import TileGraph
from transforms.graph_partition import group_merge_step, groups, lane_graph, super_node_rules
from transforms.graph_partition.iso import partition
from transforms.graph_partition.partition_result import IsoParameters, Partition
from transforms.partition_check import check_partition


@st.composite
def graphs(draw: st.DrawFn) -> TileGraph:
    kind = draw(st.sampled_from(GRAPH_KINDS))
    seed = draw(st.integers(0, 2**32 - 1))
    return kind(Random(seed), draw(st.sampled_from((8, 15, 30, 50))))


parameters = st.builds(
    IsoParameters,
    parallel_lower_bound=st.sampled_from((0, 1, 2, 3, 20)),
    lower_bound=st.sampled_from((0, 1, 50, 512, 100_000)),
    compat=st.sampled_from(Compat),
    mixed_cores=st.booleans(),
    balanced=st.sampled_from((True, True, True, False)),
)


def outcome(graph: TileGraph, chosen: IsoParameters) -> Partition | None:
    try:
        return partition(graph, chosen)
    except PassFailedException as failure:
        assert "(magic " in str(failure)
        return None


def expected(graph: TileGraph, chosen: IsoParameters) -> tuple[OraclePartition | None, set[str]]:
    oracle = Oracle(
        graph,
        chosen.compat,
        chosen.parallel_lower_bound,
        chosen.lower_bound,
        chosen.mixed_cores,
        chosen.balanced,
    )
    try:
        return oracle.run(), oracle.rows
    except OracleFailureError:
        return None, oracle.rows


def assert_like_oracle(graph: TileGraph, chosen: IsoParameters) -> None:
    wanted, _ = expected(graph, chosen)
    result = outcome(graph, chosen)
    assert (result is None) == (wanted is None)
    if result is not None and wanted is not None:
        assert list(result.order) == wanted.order
        assert result.scopes == wanted.scopes
        assert result.is_cube == wanted.is_cube
        assert result.cv_fuse == wanted.cv_fuse
        assert result.subgraphs == wanted.subgraphs
        assert result.subgraph_count == wanted.count


@settings(max_examples=150)
@given(graphs(), parameters)
def test_partition_is_that_of_the_oracle(graph: TileGraph, chosen: IsoParameters) -> None:
    """Both rule sets: success or failure, order, scopes, marks and ids are those of the naive transcription."""
    assert_like_oracle(graph, chosen)


@pytest.mark.parametrize("seed", range(60))
def test_short_cuts_for_wide_tensors_change_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With every limit lowered, so that small graphs take the ways meant for wide tensors, ids stay the oracle's."""
    monkeypatch.setattr(groups, "_LONG", 1)
    monkeypatch.setattr(super_node_rules, "_FEW", 1)
    for module in (lane_graph, group_merge_step):
        monkeypatch.setattr(module, "is_wide", lambda sources, targets: sources > 1 and targets > 1)
    random = Random(seed)
    graph = GRAPH_KINDS[seed % len(GRAPH_KINDS)](random, random.choice((15, 30, 50)))
    for compat in Compat:
        assert_like_oracle(graph, IsoParameters(random.choice((1, 2, 20)), random.choice((1, 512)), compat))


@settings(max_examples=150)
@given(graphs(), parameters)
def test_partition_is_valid(graph: TileGraph, chosen: IsoParameters) -> None:
    """What is returned passes the independent checker; two runs agree."""
    result = outcome(graph, chosen)
    if result is not None:
        assert check_partition(graph, result.subgraphs, chosen.compat, chosen.mixed_cores) == []
        assert outcome(graph, chosen) == result
        assert sum(summary.operation_count for summary in result.summaries) == graph.operation_count
        assert sum(summary.cycles for summary in result.summaries) == sum(graph.latencies)


@settings(max_examples=100)
@given(graphs(), parameters)
def test_rule_sets_agree_where_no_row_applies(graph: TileGraph, chosen: IsoParameters) -> None:
    """Published and pypto rules give the same result on a graph that meets no row of the compatibility table."""
    _, rows = expected(graph, replace(chosen, compat=Compat.PYPTO))
    shipped = outcome(graph, replace(chosen, compat=Compat.PYPTO))
    published = outcome(graph, replace(chosen, compat=Compat.PUBLISHED))
    if not rows:
        assert published == shipped
    elif published is not None:
        found = check_partition(graph, published.subgraphs, Compat.PUBLISHED, chosen.mixed_cores)
        assert found == []


@settings(max_examples=60)
@given(graphs(), st.randoms(use_true_random=False))
def test_text_order_does_not_matter(graph: TileGraph, random: Random) -> None:
    """The operation list in another order gives the same ids: magics and operand order decide."""
    places = list(range(graph.operation_count))
    random.shuffle(places)
    moved_to = {operation: place for place, operation in enumerate(places)}
    shuffled = replace(
        graph,
        magics=[graph.magics[operation] for operation in places],
        opcodes=[graph.opcodes[operation] for operation in places],
        latencies=[graph.latencies[operation] for operation in places],
        inputs=[graph.inputs[operation] for operation in places],
        outputs=[graph.outputs[operation] for operation in places],
        scopes=[graph.scopes[operation] for operation in places],
        dynamic_windows=[graph.dynamic_windows[operation] for operation in places],
        conversions={moved_to[operation]: ends for operation, ends in graph.conversions.items()},
        runtime_reads={moved_to[operation]: tensors for operation, tensors in graph.runtime_reads.items()},
    )
    for compat in Compat:
        one, other = outcome(graph, IsoParameters(compat=compat)), outcome(shuffled, IsoParameters(compat=compat))
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            assert [other.subgraphs[moved_to[operation]] for operation in range(len(places))] == one.subgraphs


def test_random_graphs_meet_the_rows() -> None:
    """The generators are worth something: they meet every row that random graphs can meet, and mostly succeed."""
    met: set[str] = set()
    succeeded = 0
    for seed in range(450):
        graph = GRAPH_KINDS[seed % len(GRAPH_KINDS)](Random(seed), 30)
        result, rows = expected(graph, IsoParameters(2, 50, Compat.PYPTO))
        met |= rows
        succeeded += result is not None
    assert met >= {"P-D1", "P-D2", "P-D3", "P-D6", "P-D9", "P-D11"}
    assert succeeded > 250
