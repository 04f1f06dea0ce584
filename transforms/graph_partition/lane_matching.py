"""Which lanes of one group are next to which lanes of another (graph partition, section 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from transforms.graph_partition.lane_graph import LaneGraph


class LaneNeighbours:
    """The lanes outside each lane that touch it, while lanes absorb one another in one merge step.

    Neighbours are kept by their numbers at the beginning of the step. Uniting smaller into larger sets, all absorptions
    of a step cost O(edges log edges).
    """

    def __init__(self, lane_count: int, graph: LaneGraph) -> None:
        """`lane_count` lanes, numbered from 0."""
        self._parent = list(range(lane_count))
        self._members: dict[int, list[int]] = {}
        self._outside: dict[int, set[int]] = {}
        for source, target in zip(graph.sources, graph.targets, strict=True):
            self._outside.setdefault(source, set()).add(target)
            self._outside.setdefault(target, set()).add(source)
        # The hubs of each lane, numbered per side, and the lanes on the other side of each.
        self._hubs: dict[int, set[int]] = {}
        self._hub_ends: list[Sequence[int]] = []
        for sources, targets in graph.hubs:
            for near, far in ((sources, targets), (targets, sources)):
                for lane in near:
                    self._hubs.setdefault(lane, set()).add(len(self._hub_ends))
                self._hub_ends.append(far)

    def root(self, lane: int) -> int:
        """The lane that has absorbed `lane`, or itself."""
        parent = self._parent
        while parent[lane] != lane:
            parent[lane] = lane = parent[parent[lane]]
        return lane

    def match(self, keepers: Sequence[int], losers: Sequence[int], stale: Mapping[int, int]) -> list[list[int]] | None:
        """For each keeper, the positions of the losers next to it, if each loser is next to exactly one keeper.

        Args:
            keepers: lanes that have not been absorbed.
            losers: lanes that have not been absorbed, of another group.
            stale: lanes, by their numbers at the beginning of the step, that count as the loser at a position as well;
                the larger position wins.

        Returns:
            positions in `losers`, ascending, for each keeper; None if there is no such assignment.
        """
        position_of = {lane: position for position, lane in enumerate(losers)}
        hub_hits: dict[int, list[tuple[int, int]]] = {}

        def position(lane: int) -> int:
            found = position_of.get(self.root(lane), -1)
            return max(found, stale.get(lane, -1)) if stale else found

        matches: list[list[int]] = []
        taken: set[int] = set()
        for keeper in keepers:
            near = {position(lane) for lane in self._outside.get(keeper, ())}
            for hub in self._hubs.get(keeper, ()):
                hits = hub_hits.get(hub)
                if hits is None:
                    positions = ((lane, position(lane)) for lane in self._hub_ends[hub])
                    hits = hub_hits[hub] = [(lane, found) for lane, found in positions if found >= 0]
                near.update(found for lane, found in hits if self.root(lane) != keeper)
            near.discard(-1)
            if not taken.isdisjoint(near):
                return None
            taken |= near
            matches.append(sorted(near))
        return matches if len(taken) == len(losers) else None

    def absorb(self, keeper: int, lost: int) -> None:
        """Let `keeper` absorb `lost`."""
        self._parent[lost] = keeper
        larger = self._outside.pop(keeper, set()), self._members.pop(keeper, [keeper])
        smaller = self._outside.pop(lost, set()), self._members.pop(lost, [lost])
        if len(larger[0]) + len(larger[1]) < len(smaller[0]) + len(smaller[1]):
            larger, smaller = smaller, larger
        outside, members = larger
        outside.difference_update(smaller[1])
        outside.update(lane for lane in smaller[0] if self.root(lane) != keeper)
        members.extend(smaller[1])
        self._outside[keeper], self._members[keeper] = outside, members
        hubs = self._hubs.pop(lost, None)
        if hubs:
            self._hubs[keeper] = self._hubs.get(keeper, set()) | hubs
