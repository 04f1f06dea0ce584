"""Whether merging closes a cycle, against contracting and looking."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.graph_partition.node_graph import NodeGraph
from transforms.merging import acyclic_merging
from transforms.merging.acyclic_merging import AcyclicMerging

Links = list[tuple[list[int], list[int]]]


@st.composite
def acyclic_links(draw: st.DrawFn) -> tuple[int, Links]:
    """Links between numbered nodes; the sources come before the targets, but for one node that may be on both sides."""
    count = draw(st.integers(2, 10))
    links: Links = []
    for _ in range(draw(st.integers(1, 5))):
        split = draw(st.integers(1, count - 1))
        sources = draw(st.lists(st.integers(0, split - 1), min_size=1, unique=True))
        targets = draw(st.lists(st.integers(split, count - 1), min_size=1, unique=True))
        if len(sources) > 1 and draw(st.booleans()):
            targets.append(max(sources))
        links.append((sorted(sources), sorted(targets)))
    return count, links


def node_graph(count: int, links: Links) -> NodeGraph:
    incoming: list[list[int]] = [[] for _ in range(count)]
    outgoing: list[list[int]] = [[] for _ in range(count)]
    kept: Links = []
    for sources, targets in links:
        if len(targets) == 1:
            sources = [source for source in sources if source not in targets]
        for source in sources:
            outgoing[source].append(len(kept))
        for target in targets:
            incoming[target].append(len(kept))
        kept.append((sources, targets))
    return NodeGraph([sources for sources, _ in kept], [targets for _, targets in kept], incoming, outgoing)


def is_acyclic(edges: set[tuple[int, int]]) -> bool:
    nodes = {node for edge in edges for node in edge}
    while nodes:
        free = {node for node in nodes if not any(target == node and source in nodes for source, target in edges)}
        if not free:
            return False
        nodes -= free
    return True


@pytest.mark.parametrize("hubs", [False, True])
@settings(max_examples=200)
@given(acyclic_links(), st.data())
def test_same_as_contraction(hubs: bool, case: tuple[int, Links], data: st.DataObject) -> None:
    """Every answer, during a sequence of merges, with links as edges and as hubs."""
    count, links = case
    graph = node_graph(count, links)
    edges = {(source, target) for sources, targets in links for source in sources for target in targets}
    edges = {(source, target) for source, target in edges if source != target}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(acyclic_merging, "is_wide", lambda sources, targets: hubs and sources > 1 and targets > 1)
        merging = AcyclicMerging(graph)
    root = list(range(count))
    for _ in range(6):
        group = data.draw(st.lists(st.integers(0, count - 1), min_size=2, max_size=4, unique=True))
        roots = {root[node] for node in group}
        merged = [min(roots) if one in roots else one for one in root]
        contracted = {(merged[source], merged[target]) for source, target in edges if merged[source] != merged[target]}
        assert merging.stays_acyclic(group) == is_acyclic(contracted)
        if is_acyclic(contracted):
            merging.merge(group)
            root = merged
            assert len({merging.root(node) for node in group}) == 1
