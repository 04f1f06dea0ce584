"""The graph algorithms under the Iso partition, against plain ones."""

from __future__ import annotations

from bisect import bisect_left

from hypothesis import given
from hypothesis import strategies as st

from transforms.graph_partition.ascending import AscendingUnion, contains
from transforms.graph_partition.classes import NodeClasses, dependent_classes, split_by_depth
from transforms.graph_partition.colour_graph import ColourGraph
from transforms.graph_partition.lane_graph import LaneGraph
from transforms.graph_partition.lane_matching import LaneNeighbours
from transforms.graph_partition.node_graph import NodeGraph
from transforms.graph_partition.readiness import Readiness, is_acyclic, node_depths
from transforms.graph_partition.strong_components import node_cycles, strong_components

COUNT = 8
Links = list[tuple[set[int], set[int]]]
nodes = st.integers(0, COUNT - 1)
links = st.lists(st.tuples(st.sets(nodes, min_size=1, max_size=4), st.sets(nodes, min_size=1, max_size=4)), max_size=8)
edges = st.sets(st.tuples(nodes, nodes).filter(lambda edge: edge[0] != edge[1]), max_size=14)


def node_graph(ends: Links) -> NodeGraph:
    """The graph with these sources and targets, cleaned as `contract` does it."""
    kept: Links = []
    for sources, targets in ends:
        if len(sources) == 1:
            targets = targets - sources
        elif len(targets) == 1:
            sources = sources - targets
        if sources and targets:
            kept.append((sources, targets))
    return NodeGraph(
        sources=[sorted(sources) for sources, _ in kept],
        targets=[sorted(targets) for _, targets in kept],
        incoming=[[link for link, (_, targets) in enumerate(kept) if node in targets] for node in range(COUNT)],
        outgoing=[[link for link, (sources, _) in enumerate(kept) if node in sources] for node in range(COUNT)],
    )


def reachable(graph: NodeGraph) -> list[set[int]]:
    reach = [graph.successors(node) for node in range(COUNT)]
    for _ in range(COUNT):
        reach = [near.union(*(reach[node] for node in near)) for near in reach]
    return reach


@given(links)
def test_release_says_which_nodes_become_ready(ends: Links) -> None:
    """A node is reported once, exactly when its last predecessor is released, ascending."""
    graph = node_graph(ends)
    readiness = Readiness(graph)
    assert readiness.initial == [node for node in range(COUNT) if not graph.predecessors(node)]
    released: set[int] = set()
    known = list(readiness.initial)
    for node in known:
        released.add(node)
        newly_ready = [
            other
            for other in range(COUNT)
            if node in graph.predecessors(other) and graph.predecessors(other) <= released
        ]
        assert readiness.release(node) == newly_ready
        known += newly_ready
    assert is_acyclic(graph) == (len(known) == COUNT)


@given(links)
def test_acyclic_means_that_no_node_reaches_itself(ends: Links) -> None:
    """Also where a node is a source and a target of one link; the cycles are those of reachability."""
    graph = node_graph(ends)
    reach = reachable(graph)
    assert is_acyclic(graph) == all(node not in reach[node] for node in range(COUNT))
    cycles = {frozenset(cycle) for cycle in node_cycles(graph)}
    assert cycles == {
        frozenset({node} | {other for other in reach[node] if node in reach[other]})
        for node in range(COUNT)
        if node in reach[node]
    }


@given(links)
def test_depth_is_the_longest_path(ends: Links) -> None:
    """One more than the deepest predecessor."""
    graph = node_graph(ends)
    if is_acyclic(graph):
        depths = node_depths(graph)
        for node in range(COUNT):
            assert depths[node] == max((depths[before] + 1 for before in graph.predecessors(node)), default=0)


@given(st.lists(st.lists(nodes, max_size=4), min_size=COUNT, max_size=COUNT))
def test_strong_components(successors: list[list[int]]) -> None:
    """Two vertices share a component exactly if each reaches the other."""
    reach = [{vertex, *near} for vertex, near in enumerate(successors)]
    for _ in range(COUNT):
        reach = [near.union(*(reach[vertex] for vertex in near)) for near in reach]
    component = strong_components(successors)
    for one in range(COUNT):
        for other in range(COUNT):
            assert (component[one] == component[other]) == (other in reach[one] and one in reach[other])


def test_strong_components_do_not_recurse() -> None:
    """A ring of 50,000 vertices is one component."""
    ring = [[(vertex + 1) % 50_000] for vertex in range(50_000)]
    assert set(strong_components(ring)) == {0}


def test_classes_that_only_wait_for_each_other() -> None:
    """Neither class depends on itself, yet each waits for a member of the other; split, none does any more."""
    graph = node_graph([({0}, {2}), ({3}, {1})])
    classes = NodeClasses([0, 0, 1, 1, 2, 2, 2, 2], [[0, 1], [2, 3], [4, 5, 6, 7]])
    assert dependent_classes(graph, classes) == [0, 1]
    split = split_by_depth(graph, classes, [0, 1])
    assert split.members == [[0], [1], [2], [3], [4, 5, 6, 7]]
    assert dependent_classes(graph, split) == []


@given(links, st.lists(st.integers(0, 3), min_size=COUNT, max_size=COUNT))
def test_dependent_classes_are_those_on_cycles_of_the_class_graph(ends: Links, keys: list[int]) -> None:
    """On any acyclic graph; after the split by depth there are none."""
    graph = node_graph(ends)
    if not is_acyclic(graph):
        return
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    class_of = [numbers[key] for key in keys]
    members = [[node for node in range(COUNT) if class_of[node] == number] for number in range(len(numbers))]
    classes = NodeClasses(class_of, members)
    reach = [{class_of[after] for node in inside for after in graph.successors(node)} for inside in members]
    for _ in members:
        reach = [near.union(*(reach[number] for number in near)) for near in reach]
    dependent = dependent_classes(graph, classes)
    assert dependent == [number for number, near in enumerate(reach) if number in near]
    assert dependent_classes(graph, split_by_depth(graph, classes, dependent)) == []


@given(st.sets(st.integers(0, 40)), st.sets(st.integers(0, 40), max_size=5))
def test_ascending_union(base: set[int], more: set[int]) -> None:
    """It looks like the sorted union."""
    union = AscendingUnion(sorted(base), more)
    merged = sorted(base | more)
    assert [union[position] for position in range(len(union))] == merged
    for number in range(42):
        assert bisect_left(union, number) == bisect_left(merged, number)
        assert contains(union, number) == (number in merged)


@given(edges, st.lists(st.tuples(st.sets(nodes, max_size=3), st.sets(nodes, max_size=3)), max_size=3), st.data())
def test_colours_know_their_only_neighbours(pairs: set[tuple[int, int]], hubs: Links, data: st.DataObject) -> None:
    """After every merge, the only neighbour is that of the quotient graph."""
    colours = ColourGraph(COUNT, sorted(pairs), [(sorted(sources), sorted(targets)) for sources, targets in hubs])
    all_pairs = pairs | {(a, b) for sources, targets in hubs for a in sources for b in targets}
    colour = list(range(COUNT))
    left = list(range(COUNT))
    while True:
        quotient = {(colour[a], colour[b]) for a, b in all_pairs if colour[a] != colour[b]}
        for one in left:
            before, after = {a for a, b in quotient if b == one}, {b for a, b in quotient if a == one}
            assert colours.only_predecessor(one) == (before.pop() if len(before) == 1 else None)
            assert colours.only_successor(one) == (after.pop() if len(after) == 1 else None)
        if len(left) == 1:
            return
        kept = data.draw(st.sampled_from(left))
        gone = data.draw(st.sampled_from([one for one in left if one != kept]))
        colours.merge(kept, gone)
        left.remove(gone)
        colour = [kept if one == gone else one for one in colour]


@given(edges, st.lists(st.tuples(st.sets(nodes, max_size=3), st.sets(nodes, max_size=3)), max_size=2), st.data())
def test_lanes_match_their_neighbours(pairs: set[tuple[int, int]], hubs: Links, data: st.DataObject) -> None:
    """Also after lanes have absorbed others, keepers get exactly the losers next to them, if those are disjoint."""
    graph = LaneGraph(
        [a for a, _ in sorted(pairs)],
        [b for _, b in sorted(pairs)],
        [(sorted(sources), sorted(targets)) for sources, targets in hubs],
    )
    touching = pairs | {(a, b) for sources, targets in hubs for a in sources for b in targets}
    lanes = LaneNeighbours(COUNT, graph)
    owner = list(range(COUNT))
    for _ in range(data.draw(st.integers(0, 3))):
        keeper, lost = data.draw(st.sampled_from(sorted(touching or {(0, 1)})))
        keeper, lost = owner[keeper], owner[lost]
        if keeper != lost:
            lanes.absorb(keeper, lost)
            owner = [keeper if one == lost else one for one in owner]
    assert [lanes.root(lane) for lane in range(COUNT)] == owner
    roots = sorted(set(owner))
    keepers = data.draw(st.lists(st.sampled_from(roots), unique=True, min_size=1, max_size=2))
    others = [root for root in roots if root not in keepers]
    if not others:
        return
    losers = data.draw(st.lists(st.sampled_from(others), unique=True, min_size=1, max_size=3))
    stale = data.draw(st.dictionaries(nodes, st.integers(0, len(losers) - 1), max_size=2))
    position = {lane: losers.index(owner[lane]) if owner[lane] in losers else -1 for lane in range(COUNT)}
    for lane, place in stale.items():
        position[lane] = max(position[lane], place)
    near = []
    for keeper in keepers:
        outside = {b for a, b in touching if owner[a] == keeper} | {a for a, b in touching if owner[b] == keeper}
        near.append({position[lane] for lane in outside if owner[lane] != keeper} - {-1})
    matched = sum(map(len, near)) == len(set().union(*near)) == len(losers)
    found = lanes.match(keepers, losers, stale)
    assert found == ([sorted(one) for one in near] if matched else None)
