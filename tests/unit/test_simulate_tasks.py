"""The tasks of a function: order of calls, needless edges, HUB tasks, task numbers."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from tools.simulate.leaves.boundary import boundary_of
from tools.simulate.leaves.partitioned_graph import DDR, PartitionedGraph
from tools.simulate.tasks import transitive_reduction as reduction
from tools.simulate.tasks.building import NO_SUBGRAPH, BuiltTasks, build_tasks
from tools.simulate.tasks.call_order import call_list, renumbered
from tools.simulate.tasks.library_sort import library_sorted
from tools.simulate.tasks.task_graph import NO_LEAF, TaskGraph, TaskKind
from tools.simulate.tasks.transitive_reduction import transitive_reduction

AIC, AIV, HUB = TaskKind.AIC, TaskKind.AIV, TaskKind.HUB


@st.composite
def acyclic_successors(draw: st.DrawFn, largest: int = 14) -> list[list[int]]:
    """Successors of each node, which have larger numbers, in any order."""
    count = draw(st.integers(0, largest))
    return [
        draw(st.lists(st.integers(node + 1, count - 1), unique=True)) if node < count - 1 else []
        for node in range(count)
    ]


def reachable(successors: Sequence[Sequence[int]]) -> list[set[int]]:
    """Per node, all nodes behind it."""
    behind: list[set[int]] = [set() for _ in successors]
    for node in range(len(successors) - 1, -1, -1):
        for successor in successors[node]:
            behind[node] |= {successor, *behind[successor]}
    return behind


@given(acyclic_successors(), st.sampled_from([1, 3, 4096]))
def test_transitive_reduction(successors: list[list[int]], block: int) -> None:
    """Reachability stays, no edge is left that a longer path replaces, and the order stays; in blocks of any size."""
    before = reduction._BLOCK
    reduction._BLOCK = block
    try:
        reduced = transitive_reduction(successors)
    finally:
        reduction._BLOCK = before
    assert reachable(reduced) == reachable(successors)
    behind = reachable(successors)
    for node, after in enumerate(reduced):
        assert after == [successor for successor in successors[node] if successor in after]
        assert not any(successor in behind[other] for other in after for successor in after)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=120))
def test_library_sort(keys: list[tuple[int, int]]) -> None:
    """A permutation in ascending order; stable up to 16 entries."""
    order = library_sorted(keys)
    assert sorted(order) == list(range(len(keys)))
    assert [keys[place] for place in order] == sorted(keys)
    if len(keys) <= 16:
        assert order == sorted(range(len(keys)), key=keys.__getitem__)


def test_library_sort_of_equal_keys_is_not_stable() -> None:
    """The order in which `std::sort` of libstdc++ leaves 20 equal elements."""
    assert library_sorted([(0,)] * 20) == [10, 19, 18, 17, 16, 15, 14, 13, 12, 11, 0, 9, 8, 7, 6, 5, 4, 3, 2, 1]


def test_renumbering_follows_chains() -> None:
    """Product 0 gets its vector work behind it, before product 1."""
    predecessors = [[], [], [0], [0], [1], [1]]
    successors = [[2, 3], [4, 5], [], [], [], []]
    assert renumbered(predecessors, successors) == [0, 3, 2, 1, 5, 4]


def test_renumbering_numbers_predecessors_first() -> None:
    """The largest open predecessor first."""
    assert renumbered([[1, 2], [], []], [[], [0], [0]]) == [2, 1, 0]


@given(acyclic_successors())
def test_renumbering_is_topological(successors: list[list[int]]) -> None:
    """Each subgraph once, behind its predecessors."""
    after = [sorted(behind) for behind in successors]
    before = [[node for node, behind in enumerate(after) if number in behind] for number in range(len(after))]
    order = renumbered(before, after)
    assert sorted(order) == list(range(len(after)))
    place = {subgraph: place for place, subgraph in enumerate(order)}
    assert all(place[earlier] < place[subgraph] for subgraph, earliers in enumerate(before) for earlier in earliers)


def test_call_list_is_a_reversed_breadth_first_order() -> None:
    """Calls that nobody reads come last, the smallest at the end; repeats of an input count."""
    assert call_list([[], [], [[0]], [[0], [1], [0]]]) == [0, 1, 3, 2]


def tasks_of(edges: Sequence[tuple[int, int]], count: int, kinds: Sequence[TaskKind] | None = None) -> BuiltTasks:
    """The tasks of subgraphs with one op each; an edge is a tensor in global memory."""
    made = {place: count + place for place in range(len(edges))}
    graph = PartitionedGraph(
        opcodes=["EXP"] * count,
        inputs=[tuple(made[place] for place, edge in enumerate(edges) if edge[1] == node) for node in range(count)],
        outputs=[
            (node, *(made[place] for place, edge in enumerate(edges) if edge[0] == node)) for node in range(count)
        ],
        subgraphs=range(count),
        attributes=[0] * count,
        transposed=frozenset(),
        axes={},
        shapes=[(64, 64)] * (count + len(edges)),
        elements=[7] * (count + len(edges)),
        memories=[DDR] * (count + len(edges)),
        places=range(count + len(edges)),
        splits_rows=frozenset(),
    )
    members = graph.operations_of_subgraphs()
    return build_tasks(graph, members, boundary_of(graph), kinds or [AIV] * count, range(count))


def test_few_tasks_need_no_hub() -> None:
    """Two sources and two sinks."""
    built = tasks_of([(0, 2), (1, 3)], 4)
    assert HUB not in built.graph.kinds
    assert built.graph.successors == [[2], [3], [], []] or built.graph.successors == [[3], [2], [], []]


def test_three_sources_or_sinks_get_a_hub() -> None:
    """One task that all wait for at the start, and one that waits for all at the end."""
    graph = tasks_of([], 3).graph
    assert graph.kinds == [HUB, AIV, AIV, AIV, HUB]
    assert graph.leaves[0] == graph.leaves[4] == NO_LEAF
    assert graph.successors == [[1, 2, 3], [4], [4], [4], []]


def test_a_hub_replaces_many_edges() -> None:
    """Where that saves more than ten: 4 producers and 6 consumers save 24 - 10, 10 and 2 only 20 - 12."""
    many = tasks_of([(source, target) for source in range(4) for target in range(4, 10)], 10).graph
    few = tasks_of([(source, target) for source in range(10) for target in range(10, 12)], 12).graph
    assert many.kinds.count(HUB) == 3
    assert few.kinds.count(HUB) == 1
    (hub,) = [task for task, kind in enumerate(many.kinds) if kind is HUB and len(many.predecessors()[task]) == 4]
    assert len(many.successors[hub]) == 6


def test_needless_edges_are_dropped() -> None:
    """0 -> 2 follows from 0 -> 1 -> 2."""
    assert sorted(map(len, tasks_of([(0, 1), (1, 2), (0, 2)], 3).graph.successors)) == [0, 1, 1]


def test_task_numbers_follow_predecessors_and_kinds() -> None:
    """Fewest predecessors first, then vector before cube before HUB."""
    built = tasks_of([(0, 2), (1, 2)], 3, [AIC, AIV, AIV])
    assert built.graph.kinds == [AIV, AIC, AIV]
    assert list(built.subgraphs) == [1, 0, 2]


def test_ids_may_have_gaps() -> None:
    """A subgraph without ops is no task."""
    graph = PartitionedGraph(["EXP"], [()], [(0,)], [3], [0], frozenset(), {}, [(8, 8)], [7], [DDR], [0], frozenset())
    built = build_tasks(graph, graph.operations_of_subgraphs(), boundary_of(graph), [AIV] * 4, [0] * 4)
    assert (list(built.subgraphs), list(built.final_ids)) == ([3], [0])


@given(acyclic_successors(10), st.data())
def test_every_subgraph_is_a_task_once(successors: list[list[int]], data: st.DataObject) -> None:
    """And waits for those it reads from, directly or through others."""
    count = len(successors)
    kinds = data.draw(st.lists(st.sampled_from([AIC, AIV]), min_size=count, max_size=count))
    edges = [(source, target) for source, targets in enumerate(successors) for target in targets]
    built = tasks_of(edges, count, kinds)
    assert sorted(subgraph for subgraph in built.subgraphs if subgraph != NO_SUBGRAPH) == list(range(count))
    assert all(
        (subgraph == NO_SUBGRAPH) == (kind is HUB) and (kind is HUB or kind is kinds[subgraph])
        for subgraph, kind in zip(built.subgraphs, built.graph.kinds, strict=True)
    )
    assert behind_of_subgraphs(built.graph, built.subgraphs) == reachable(successors)


def behind_of_subgraphs(graph: TaskGraph, subgraphs: Sequence[int]) -> list[set[int]]:
    """Per subgraph, the subgraphs whose tasks come behind its task."""
    behind: dict[int, set[int]] = {}
    for task, subgraph in enumerate(subgraphs):
        seen, stack = {task}, [task]
        while stack:
            for successor in graph.successors[stack.pop()]:
                if successor not in seen:
                    seen.add(successor)
                    stack.append(successor)
        if subgraph != NO_SUBGRAPH:
            behind[subgraph] = {subgraphs[other] for other in seen - {task}} - {NO_SUBGRAPH}
    return [behind[subgraph] for subgraph in sorted(behind)]
