"""From subgraphs to the tasks that the device gets: order of calls, HUB tasks, task numbers (cost model, 6.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tools.simulate.leaves.boundary import Boundary
from tools.simulate.leaves.partitioned_graph import PartitionedGraph
from tools.simulate.tasks.call_order import call_list, renumbered
from tools.simulate.tasks.library_sort import library_sorted
from tools.simulate.tasks.task_graph import NO_LEAF, TaskGraph, TaskKind
from tools.simulate.tasks.transitive_reduction import transitive_reduction

_LARGEST_EDGE_SURPLUS = 10
"""More edges than this beyond what a HUB would need, and a HUB replaces them."""

_TASKS_FOR_A_HUB = 3
"""So many tasks without predecessors (successors) get a common HUB before (behind) them."""

NO_SUBGRAPH = -1
"""The subgraph of a HUB task."""


@dataclass(frozen=True, slots=True)
class BuiltTasks:
    """The tasks of a function.

    Attributes:
        subgraphs: per task, the id of its subgraph in the graph, `NO_SUBGRAPH` for a HUB.
        final_ids: per task, the id that the compiler gives the subgraph when it makes functions; -1 for a HUB.
    """

    graph: TaskGraph
    subgraphs: Sequence[int]
    final_ids: Sequence[int]


def build_tasks(
    graph: PartitionedGraph,
    members: Sequence[Sequence[int]],
    boundary: Boundary,
    kinds: Sequence[TaskKind],
    leaves: Sequence[int],
) -> BuiltTasks:
    """The tasks of a function, one for each subgraph, and HUB tasks.

    Args:
        members: per subgraph, its operations; a subgraph without any has no task.
        kinds, leaves: per subgraph, what runs it and the number of its leaf.

    Notes:
        O(edges) where a tensor with w writing and r reading subgraphs counts w · r, and `transitive_reduction`.
    """
    occupied = [subgraph for subgraph, operations in enumerate(members) if operations]
    before: list[set[int]] = [set() for _ in members]
    for writers, readers in zip(boundary.writers, boundary.readers, strict=True):
        if writers:
            for reader in readers:
                before[reader].update(writers)
    after: list[list[int]] = [[] for _ in members]
    for subgraph in occupied:
        before[subgraph].discard(subgraph)
        for writer in before[subgraph]:
            after[writer].append(subgraph)
    order = renumbered([sorted(earlier) for earlier in before], after)
    order = [subgraph for subgraph in order if members[subgraph]]
    final_id = {subgraph: number for number, subgraph in enumerate(order)}
    calls = call_list(
        [_producers_of_inputs(graph, members[subgraph], subgraph, boundary, final_id) for subgraph in order]
    )
    place_of_call = {order[call]: place for place, call in enumerate(calls)}
    subgraphs = [order[call] for call in calls]
    edges = transitive_reduction([sorted(place_of_call[later] for later in after[subgraph]) for subgraph in subgraphs])
    successors = _with_hubs(edges)
    hubs = len(successors) - len(subgraphs)
    kinds_of_list = [*(kinds[subgraph] for subgraph in subgraphs), *[TaskKind.HUB] * hubs]
    subgraphs += [NO_SUBGRAPH] * hubs
    return _numbered(successors, kinds_of_list, subgraphs, leaves, final_id)


def _producers_of_inputs(
    graph: PartitionedGraph, operations: Sequence[int], subgraph: int, boundary: Boundary, final_id: dict[int, int]
) -> list[list[int]]:
    """Per listed input of a call, the final ids of the calls that write it."""
    producers: list[list[int]] = []
    for operation in operations:
        for tensor in reversed(graph.inputs[operation]):
            writers = [final_id[writer] for writer in boundary.writers[tensor] if writer != subgraph]
            if writers:
                producers.append(sorted(writers))
    return producers


def _with_hubs(edges: Sequence[Sequence[int]]) -> list[list[int]]:
    """The successors of all entries of the list; HUBs stand behind the calls, in the order in which they are made."""
    successors = [list(after) for after in edges]
    groups: dict[tuple[int, ...], list[int]] = {}
    for call, after in enumerate(edges):
        if after:
            groups.setdefault(tuple(after), []).append(call)
    for after, group in groups.items():
        if len(group) * len(after) - len(group) - len(after) > _LARGEST_EDGE_SURPLUS:
            for call in group:
                successors[call] = [len(successors)]
            successors.append(list(after))
    has_predecessor = [False] * len(successors)
    for after in successors:
        for successor in after:
            has_predecessor[successor] = True
    first = [entry for entry, waits in enumerate(has_predecessor) if not waits]
    last = [entry for entry, after in enumerate(successors) if not after]
    if len(first) >= _TASKS_FOR_A_HUB:
        successors.append(first)
    if len(last) >= _TASKS_FOR_A_HUB:
        for entry in last:
            successors[entry] = [len(successors)]
        successors.append([])
    return successors


def _numbered(
    successors: Sequence[Sequence[int]],
    kinds: Sequence[TaskKind],
    subgraphs: Sequence[int],
    leaves: Sequence[int],
    final_id: dict[int, int],
) -> BuiltTasks:
    predecessor_counts = [0] * len(successors)
    for after in successors:
        for successor in after:
            predecessor_counts[successor] += 1
    order = library_sorted([(count, int(kind)) for count, kind in zip(predecessor_counts, kinds, strict=True)])
    number_of = {entry: number for number, entry in enumerate(order)}
    tasks = TaskGraph(
        [kinds[entry] for entry in order],
        [NO_LEAF if subgraphs[entry] == NO_SUBGRAPH else leaves[subgraphs[entry]] for entry in order],
        [[number_of[successor] for successor in successors[entry]] for entry in order],
    )
    return BuiltTasks(
        tasks, [subgraphs[entry] for entry in order], [final_id.get(subgraphs[entry], -1) for entry in order]
    )
