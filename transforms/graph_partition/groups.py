"""Groups: isomorphic lanes of nodes, seeded from classes and grown along links (graph partition, section 8)."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from transforms.graph_partition.ascending import Ascending, AscendingUnion, contains
from transforms.graph_partition.classes import NodeClasses
from transforms.graph_partition.core_types import COMPATIBLE
from transforms.graph_partition.cycles import LARGEST_CYCLES, check_cycles
from transforms.graph_partition.ordered_graph import OrderedGraph
from transforms.graph_partition.readiness import Readiness
from transforms.graph_partition.super_nodes import SuperNodes


@dataclass(slots=True)
class Lane:
    """A future subgraph.

    Attributes:
        nodes: its nodes.
        cycles: the sum of their cycles.
        core: the core type bit of its first node; a lane that absorbs others keeps it, as it keeps the next two.
        scope_id: the scope id of its first node.
        cross: whether that scope allows cross-scope merges.
        held_scope_id: the id of a scope that it contains anywhere, -1 for none.
        number: its number in the current merge step.
        history: its (group, lane) places in all merge steps so far, as `group * radix + lane`.
    """

    nodes: list[int]
    cycles: int
    core: int
    scope_id: int
    cross: bool
    held_scope_id: int
    number: int = -1
    history: set[int] = field(default_factory=set[int])


@dataclass(slots=True)
class Group:
    """Lanes that are meant to be isomorphic; *single* with one lane, *multi* with more."""

    lanes: list[Lane]
    mergeable: bool


_LONG = 64
"""A link with more targets keeps track of which of them may be candidates."""

_SEVERAL = -1


def grow_groups(
    ordered: OrderedGraph, super_nodes: SuperNodes, classes: NodeClasses, cycle_bound: int
) -> tuple[list[Group], list[int]]:
    """Seed a group from each class whose members are ready and grow it while all lanes find a like node.

    Returns:
        the groups, and the nodes that are in none, because they never became ready together with their whole class.

    Raises:
        PassFailedException: cycles do not fit into 32 bits.

    Notes:
        O(nodes + link ends), and for each lane the nodes behind it; behind a tensor with many consumers only those that
        are ready and of a fitting class are looked at.
    """
    grower = _Grower(ordered, super_nodes, classes, cycle_bound)
    return grower.run(), grower.left_over()


class _Grower:
    def __init__(self, ordered: OrderedGraph, super_nodes: SuperNodes, classes: NodeClasses, cycle_bound: int) -> None:
        self._ordered = ordered
        self._super_nodes = super_nodes
        self._classes = classes
        self._cycle_bound = cycle_bound
        self._graph = super_nodes.graph
        self._readiness = Readiness(super_nodes.graph)
        self._queue: deque[int] = deque()
        self._unready_members = [len(members) for members in classes.members]
        self._class_taken = bytearray(len(classes.members))
        # Ready, mergeable and in no group yet.
        self._growable = bytearray(super_nodes.graph.node_count)
        self._lane_counts = [len(classes.members[number]) for number in classes.class_of]
        # Per link with many targets, the growable ones by the number of lanes that they are candidates for.
        self._growable_behind: dict[int, dict[int, set[int]]] = {
            link: {} for link, targets in enumerate(self._graph.targets) if len(targets) > _LONG
        }

    def run(self) -> list[Group]:
        classes = self._classes
        initial = self._readiness.initial
        for node in initial:
            self._note_ready(node)
        self._queue.extend(reversed(initial))
        groups: list[Group] = []
        while self._queue:
            number = classes.class_of[self._queue.popleft()]
            if self._unready_members[number] or self._class_taken[number]:
                continue
            self._class_taken[number] = True
            group = self._seed(classes.members[number])
            groups.append(group)
            if group.mergeable:
                self._grow(group)
        return groups

    def left_over(self) -> list[int]:
        return [node for node, number in enumerate(self._classes.class_of) if not self._class_taken[number]]

    def _note_ready(self, node: int) -> None:
        self._unready_members[self._classes.class_of[node]] -= 1
        if self._super_nodes.mergeable[node]:
            self._growable[node] = True
            for candidates in self._long_candidates(node):
                candidates.add(node)

    def _note_taken(self, node: int) -> None:
        if self._growable[node]:
            self._growable[node] = False
            for candidates in self._long_candidates(node):
                candidates.discard(node)

    def _long_candidates(self, node: int) -> list[set[int]]:
        """The sets of candidates, at links with many targets, that `node` belongs to while it is growable."""
        if not self._growable_behind:
            return []
        long_links = [link for link in self._graph.incoming[node] if link in self._growable_behind]
        return [self._growable_behind[link].setdefault(self._lane_counts[node], set()) for link in long_links]

    def _release(self, node: int) -> list[int]:
        self._note_taken(node)
        ready = self._readiness.release(node)
        for successor in ready:
            self._note_ready(successor)
        self._queue.extend(ready)
        return ready

    def _seed(self, members: Sequence[int]) -> Group:
        nodes = self._super_nodes
        lanes: list[Lane] = []
        for node in members:
            self._note_taken(node)
        for node in members:
            self._release(node)
            scope_id, _, cross = nodes.scopes[node]
            lanes.append(Lane([node], nodes.cycles[node], nodes.cores[node], scope_id, cross, scope_id))
        return Group(lanes, bool(nodes.mergeable[members[0]]))

    def _grow(self, group: Group) -> None:
        lanes = group.lanes
        lane_of_link: dict[int, int] = {}
        if len(lanes) > 1:
            for number, lane in enumerate(lanes):
                self._mark_links(lane_of_link, number, lane.nodes[0])
        position = 0
        while position < len(lanes[-1].nodes):
            if self._graph.outgoing[lanes[-1].nodes[position]]:
                self._grow_behind(_Front(lanes, [lane.nodes[position] for lane in lanes], lane_of_link))
            position += 1

    def _grow_behind(self, front: _Front) -> None:
        """Try the nodes behind one node of each lane, in the order of the last lane's links."""
        first_node, several = front.nodes[0], len(front.lanes) > 1
        targets = self._graph.targets
        if sum([len(targets[link]) for link in self._graph.outgoing[first_node]]) <= _LONG:
            for choice in range(len(self._behind(front, len(front.lanes) - 1))):
                self._try(front, choice)
            return
        promising = self._promising(first_node, len(front.lanes))
        if not promising and not several:
            return
        behind_first, behind_last = self._behind(front, 0), self._behind(front, len(front.lanes) - 1)
        end = min(len(behind_first), len(behind_last))
        choices = sorted({bisect_left(behind_first, node) for node in promising})
        choices = choices[: bisect_left(choices, len(behind_last))]
        choices.extend(range(len(behind_first), len(behind_last)))
        while choices:
            choice = heappop(choices)
            for node in self._try(front, choice):
                later = bisect_left(behind_first, node)
                if choice < later < end and behind_first[later] == node:
                    heappush(choices, later)

    def _try(self, front: _Front, choice: int) -> list[int]:
        """Add the node behind each lane with number `choice` if all are acceptable; returns the nodes ready by it."""
        nodes, lanes, class_of = self._super_nodes, front.lanes, self._classes.class_of
        behind = self._behind(front, 0)
        first = behind[choice] if choice < len(behind) else 0
        number = class_of[first]
        if not self._growable[first] or self._lane_counts[first] != len(lanes) or self._unready_members[number]:
            return []
        cycles = lanes[0].cycles + nodes.cycles[first]
        if self._cycle_bound < cycles <= LARGEST_CYCLES or not COMPATIBLE[lanes[0].core | nodes.cores[first]]:
            return []
        chosen: dict[int, Lane] = {}
        for lane_number, lane in enumerate(lanes):
            behind = self._behind(front, lane_number)
            node = behind[choice] if choice < len(behind) else 0
            if (
                class_of[node] != number
                or node in chosen
                or nodes.scopes[node].id != lane.scope_id
                or any(front.lane_of_link.get(link, lane_number) != lane_number for link in self._graph.incoming[node])
            ):
                return []
            chosen[node] = lane
        self._class_taken[number] = True
        ready: list[int] = []
        for lane_number, (node, lane) in enumerate(chosen.items()):
            lane.nodes.append(node)
            lane.cycles += nodes.cycles[node]
            if abs(lane.cycles) > LARGEST_CYCLES:
                check_cycles(lane.cycles, "subgraph", self._ordered, nodes.nodes[node])
            ready.extend(self._release(node))
            if len(lanes) > 1:
                self._mark_links(front.lane_of_link, lane_number, node)
        return ready

    def _mark_links(self, lane_of_link: dict[int, int], lane_number: int, node: int) -> None:
        for link in self._graph.outgoing[node]:
            if lane_of_link.setdefault(link, lane_number) != lane_number:
                lane_of_link[link] = _SEVERAL

    def _behind(self, front: _Front, lane_number: int) -> Ascending:
        """The distinct nodes that depend on the node of a lane, ascending."""
        behind = front.behind[lane_number]
        if behind is None:
            behind = front.behind[lane_number] = self._successors(front.nodes[lane_number])
        return behind

    def _successors(self, node: int) -> Ascending:
        targets = self._graph.targets
        lists = [targets[link] for link in self._graph.outgoing[node]]
        if not lists:
            return ()
        longest = max(lists, key=len)
        if len(lists) > 1 and len(longest) <= _LONG:
            return sorted({successor for successors in lists for successor in successors if successor != node})
        others = {successor for successors in lists if successors is not longest for successor in successors}
        others.discard(node)
        if contains(longest, node):
            return sorted(others.union(longest) - {node})
        return AscendingUnion(longest, others) if others else longest

    def _promising(self, node: int, lane_count: int) -> list[int]:
        """The nodes behind `node` that a group of `lane_count` lanes might take now."""
        promising: list[int] = []
        for link in self._graph.outgoing[node]:
            if link in self._growable_behind:
                promising.extend(self._growable_behind[link].get(lane_count, ()))
            else:
                promising.extend(target for target in self._graph.targets[link] if self._growable[target])
        return [successor for successor in promising if successor != node]


class _Front:
    """The place where a group tries to grow: one node of each lane, and the nodes behind them as far as looked up."""

    __slots__ = ("behind", "lane_of_link", "lanes", "nodes")

    def __init__(self, lanes: Sequence[Lane], nodes: Sequence[int], lane_of_link: dict[int, int]) -> None:
        self.lanes = lanes
        self.nodes = nodes
        self.lane_of_link = lane_of_link
        self.behind: list[Ascending | None] = [None] * len(lanes)
