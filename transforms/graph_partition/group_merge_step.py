"""One step of merging groups (graph partition, section 9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from dialect.compat import Compat
from transforms.graph_partition.colour_graph import ColourGraph
from transforms.graph_partition.core_types import COMPATIBLE
from transforms.graph_partition.cycles import check_cycles
from transforms.graph_partition.groups import Group, Lane
from transforms.graph_partition.lane_graph import NO_LANE_GRAPH, Ends, LaneGraph, is_wide
from transforms.graph_partition.lane_matching import LaneNeighbours
from transforms.graph_partition.ordered_graph import OrderedGraph
from transforms.graph_partition.super_nodes import SuperNodes


class MergeRefusal(StrEnum):
    """Why two neighbouring groups are not merged."""

    NOT_MERGEABLE = "not-mergeable"
    LANE_KIND = "lane-kind"
    SEVERAL_NEIGHBOURS = "several-neighbours"
    SCOPE = "scope"
    CORE = "core"
    CYCLE_BOUND = "cycle-bound"
    LANE_COUNT_BOUND = "lane-count-bound"
    LANE_MATCH = "lane-match"
    PHASE_OVER = "phase-over"


@dataclass(frozen=True, slots=True)
class MergeBounds:
    """What limits merging: the largest cycles of a subgraph, and from where on lane counts may differ.

    Groups of different lane counts merge only if both have at least `lanes` lanes, or the smaller subgraph has at most
    `cycles` cycles.
    """

    cycle_bound: int
    lanes: int
    cycles: int


@dataclass(frozen=True, slots=True)
class RefusedMerge:
    """Two neighbouring groups, by their places in the group list, and why they are not one."""

    first: int
    second: int
    reason: MergeRefusal


class MergeStep:
    """Merges groups of one kind, by the neighbours that they have at the beginning of the step."""

    def __init__(
        self,
        ordered: OrderedGraph,
        super_nodes: SuperNodes,
        groups: list[Group],
        lane_graph: LaneGraph,
        bounds: MergeBounds,
        compat: Compat,
        multi: bool,
    ) -> None:
        """Number the lanes of `groups` and freeze who neighbours whom.

        Args:
            ordered, super_nodes: what the lanes consist of, for messages and cycle sums.
            groups: the groups; a step replaces the groups of merged colours and leaves others without lanes.
            lane_graph: how the lanes depend on one another, numbered in group order.
            bounds: the limits.
            compat: with pypto rules a lane counts as whatever lane it was in an earlier step too; with published rules
                different scopes never meet in one lane.
            multi: whether groups of several lanes are merged, or groups of one.
        """
        self._ordered = ordered
        self._super_nodes = super_nodes
        self._groups = groups
        self._bounds = bounds
        self._published = compat is Compat.PUBLISHED
        self._multi = multi
        self._lanes = [lane for group in groups for lane in group.lanes]
        self._first_lanes = [0]
        for group in groups:
            self._first_lanes.append(self._first_lanes[-1] + len(group.lanes))
        self._radix = super_nodes.graph.node_count + 1
        for number, lane in enumerate(self._lanes):
            lane.number = number
        edges, hubs = self._between_groups(lane_graph)
        self._colours = ColourGraph(len(groups), edges, hubs)
        self._edges = edges
        self._neighbours = LaneNeighbours(len(self._lanes), lane_graph if multi else NO_LANE_GRAPH)

    def _between_groups(self, lane_graph: LaneGraph) -> tuple[list[tuple[int, int]], list[Ends]]:
        group_of = [place for place, group in enumerate(self._groups) for _ in group.lanes]
        ends = zip(lane_graph.sources, lane_graph.targets, strict=True)
        edges = {(group_of[source], group_of[target]) for source, target in ends}
        hubs: list[Ends] = []
        for sources, targets in lane_graph.hubs:
            from_groups = {group_of[lane] for lane in sources}
            to_groups = {group_of[lane] for lane in targets}
            if is_wide(len(from_groups), len(to_groups)):
                hubs.append((sorted(from_groups), sorted(to_groups)))
            else:
                edges.update((source, target) for source in from_groups for target in to_groups)
        return sorted((source, target) for source, target in edges if source != target), hubs

    def run(self) -> bool:
        """Merge what can be merged, group by group; returns whether anything was.

        Raises:
            PassFailedException: the cycles of a merged subgraph do not fit into 32 bits.
        """
        changed = False
        current = 0
        while current < len(self._groups):
            if self._takes_part(current) and self._merge_with_a_neighbour(current):
                changed = True
            else:
                current += 1
        return changed

    def roots(self) -> list[int]:
        """Per lane at the beginning of the step, the number of the lane that it is in now."""
        return [self._neighbours.root(number) for number in range(len(self._lanes))]

    def remember_places(self) -> None:
        """Note in each lane of several which places its lanes had in this step; pypto rules look at them later."""
        if self._published:
            return
        for place, first in enumerate(self._first_lanes[:-1]):
            count = self._first_lanes[place + 1] - first
            if count > 1:
                for number in range(count):
                    owner = self._lanes[self._neighbours.root(first + number)]
                    owner.history.add(place * self._radix + number)

    def refused_merges(self) -> list[RefusedMerge]:
        """For each two groups with a direct edge, why they are not merged, as far as this step can tell."""
        refused: list[RefusedMerge] = []
        for first, second in sorted({(min(edge), max(edge)) for edge in self._edges}):
            refused.append(RefusedMerge(first, second, self._reason(first, second)))
        return refused

    def _reason(self, first: int, second: int) -> MergeRefusal:
        one, other = self._groups[first], self._groups[second]
        if not one.mergeable or not other.mergeable:
            return MergeRefusal.NOT_MERGEABLE
        if (len(one.lanes) > 1) != (len(other.lanes) > 1):
            return MergeRefusal.LANE_KIND
        if second not in self._only_neighbours(first) and first not in self._only_neighbours(second):
            return MergeRefusal.SEVERAL_NEIGHBOURS
        refusal = self._refusal(one, other)
        if refusal is None and len(one.lanes) > 1 and self._match(one, other) is None:
            return MergeRefusal.LANE_MATCH
        return refusal or MergeRefusal.PHASE_OVER

    def _takes_part(self, place: int) -> bool:
        group = self._groups[place]
        return group.mergeable and (len(group.lanes) > 1 if self._multi else len(group.lanes) == 1)

    def _only_neighbours(self, place: int) -> list[int]:
        """The only predecessor and the only successor of a group, where it has exactly one."""
        only = (self._colours.only_predecessor(place), self._colours.only_successor(place))
        return [neighbour for neighbour in only if neighbour is not None]

    def _merge_with_a_neighbour(self, current: int) -> bool:
        for neighbour in self._only_neighbours(current):
            if self._takes_part(neighbour) and self._merge(current, neighbour):
                return True
        return False

    def _merge(self, current: int, neighbour: int) -> bool:
        one, other = self._groups[current], self._groups[neighbour]
        if self._refusal(one, other) is not None:
            return False
        matches = self._match(one, other)
        if matches is None:
            return False
        keeper, loser = _keeper_and_loser(one, other)
        if self._published and any(
            _holds_two_scopes([lane, *(loser.lanes[position] for position in match)])
            for lane, match in zip(keeper.lanes, matches, strict=True)
        ):
            return False
        for lane, match in zip(keeper.lanes, matches, strict=True):
            for position in match:
                self._absorb(lane, loser.lanes[position])
        self._groups[current] = Group(keeper.lanes, True)
        self._groups[neighbour] = Group([], True)
        self._colours.merge(current, neighbour)
        return True

    def _refusal(self, one: Group, other: Group) -> MergeRefusal | None:
        """Why two groups are not suitable, whatever lanes are next to each other."""
        if not (_scopes_allow(one, other) and _scopes_allow(other, one)):
            return MergeRefusal.SCOPE
        first, second = one.lanes[0], other.lanes[0]
        if not COMPATIBLE[first.core | second.core]:
            return MergeRefusal.CORE
        one_count, other_count = len(one.lanes), len(other.lanes)
        if one_count <= other_count:
            cycles = first.cycles + second.cycles * (other_count // one_count)
        else:
            cycles = first.cycles * (one_count // other_count) + second.cycles
        self._check_cycles(cycles, first)
        if cycles > self._bounds.cycle_bound:
            return MergeRefusal.CYCLE_BOUND
        if (
            one_count != other_count
            and min(one_count, other_count) < self._bounds.lanes
            and min(first.cycles, second.cycles) > self._bounds.cycles
        ):
            return MergeRefusal.LANE_COUNT_BOUND
        return None

    def _check_cycles(self, cycles: int, lane: Lane) -> None:
        check_cycles(cycles, "merged subgraph", self._ordered, self._super_nodes.nodes[lane.nodes[0]])

    def _match(self, one: Group, other: Group) -> list[list[int]] | None:
        """The positions of the losing lanes that each keeping lane absorbs, or None if lanes do not match."""
        keeper, loser = _keeper_and_loser(one, other)
        if len(loser.lanes) == 1:
            return [[0]]
        keepers, losers = [lane.number for lane in keeper.lanes], [lane.number for lane in loser.lanes]
        return self._neighbours.match(keepers, losers, self._stale_places(loser))

    def _stale_places(self, loser: Group) -> dict[int, int]:
        """Lanes of this step whose place a lane of `loser` had in an earlier step, and the position of that lane."""
        stale: dict[int, int] = {}
        first_lanes = self._first_lanes
        for position, lane in enumerate(loser.lanes):
            for place in lane.history:
                group, number = divmod(place, self._radix)
                if group < len(self._groups) and first_lanes[group] + number < first_lanes[group + 1]:
                    stale[first_lanes[group] + number] = position
        return stale

    def _absorb(self, keeper: Lane, lost: Lane) -> None:
        self._neighbours.absorb(keeper.number, lost.number)
        larger, smaller = keeper.nodes, lost.nodes
        if len(larger) < len(smaller):
            larger, smaller = smaller, larger
        larger.extend(smaller)
        keeper.nodes, lost.nodes = larger, []
        keeper.cycles += lost.cycles
        self._check_cycles(keeper.cycles, keeper)
        keeper.history |= lost.history
        if keeper.held_scope_id == -1:
            keeper.held_scope_id = lost.held_scope_id


def _keeper_and_loser(one: Group, other: Group) -> tuple[Group, Group]:
    return (one, other) if len(one.lanes) <= len(other.lanes) else (other, one)


def _scopes_allow(one: Group, other: Group) -> bool:
    """Whether the scopes of `one` let it merge with `other`."""
    scoped = [lane for lane in one.lanes if lane.scope_id != -1]
    return not scoped or (all(lane.cross for lane in scoped) and all(lane.scope_id == -1 for lane in other.lanes))


def _holds_two_scopes(lanes: Sequence[Lane]) -> bool:
    return len({lane.held_scope_id for lane in lanes} - {-1}) > 1
