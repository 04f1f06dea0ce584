"""The L1 step: subgraphs that copy the same tile to L1 are merged (merge passes, section 3.5)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from dialect.compat import Compat
from dialect.pass_options import MergeSetting, Side
from transforms.classes import SubgraphClasses, number_classes
from transforms.graph_partition.ordered_graph import OrderedGraph
from transforms.merging.copy_ins import CopyIns
from transforms.merging.guards import Merging
from transforms.merging.merge_counts import (
    AUTOMATIC_KEY,
    Chosen,
    check_count,
    counts_by_label,
    counts_by_order,
    sides_by_label,
    sides_by_order,
)

OPTION = "cube_l1_reuse_setting"
AUTOMATIC = -1

_HASH_WORD = 2**64 - 1


class ReuseReason(StrEnum):
    """Why a subgraph that could have joined another one for a common tile did not."""

    LIMIT = "limit"
    VOLUME_BOUND = "volume bound"
    ORDER = "order"
    NOT_CUBE = "not cube"
    NO_PARTNER = "no partner"
    CYCLE = "cycle"
    CAPACITY = "capacity"


@dataclass(frozen=True, slots=True)
class Limit:
    """How many subgraphs a merged one may hold so that another joins it; `key` is where the number comes from.

    `larger_groups` groups of the class may hold one more.
    """

    count: int
    key: str
    larger_groups: int = 0


@dataclass(frozen=True, slots=True)
class ReuseFacts:
    """What the L1 step knows of the subgraphs, by subgraph.

    Attributes:
        classes: the classes of the subgraphs with reusable copies.
        hashes: the hash of each subgraph.
        copies: the indices of the reusable copies, in canonical order.
        volumes: bytes of all reusable copies.
        first_not_cube: the index of the first operation whose cube mark is false; -1 for none.
        latest_producer: the largest other subgraph that it reads from; -1 for none.
    """

    classes: SubgraphClasses
    hashes: Sequence[int]
    copies: Sequence[Sequence[int]]
    volumes: Sequence[int]
    first_not_cube: Sequence[int]
    latest_producer: Sequence[int]


@dataclass(frozen=True, slots=True)
class ReuseResult:
    """What the L1 step made.

    Attributes:
        classes: the living subgraphs by the sum of the hashes that went into each.
        lists: per class, its members in the order in which the cube step takes them: those that absorbed none, then the
            others by the time of their last absorption.
        volumes: per subgraph, the bytes of its copies, duplicates included.
        reasons: per subgraph that joined none although it was allowed to, why.
    """

    classes: SubgraphClasses
    lists: Sequence[Sequence[int]]
    volumes: Sequence[int]
    reasons: Mapping[int, ReuseReason]


def latest_producers(ordered: OrderedGraph, subgraphs: Sequence[int], count: int) -> list[int]:
    """Per subgraph, the largest other subgraph that produces an input of one of its operations; -1 for none."""
    latest = [-1] * count
    two_largest: list[tuple[int, int] | None] = [None] * len(ordered.producers)
    for index, inputs in enumerate(ordered.inputs):
        subgraph = subgraphs[index]
        for tensor in inputs:
            writers = ordered.producers[tensor]
            if not writers:
                continue
            pair = two_largest[tensor]
            if pair is None:
                writing = sorted({subgraphs[writer] for writer in writers})
                pair = two_largest[tensor] = (writing[-1], writing[-2] if len(writing) > 1 else -1)
            other = pair[1] if pair[0] == subgraph else pair[0]
            if other > latest[subgraph]:
                latest[subgraph] = other
    return latest


def reuse_limits(
    setting: MergeSetting,
    function_magic: int,
    classes: SubgraphClasses,
    labelled: Mapping[str, Collection[int]],
    stable_names: Mapping[str, Collection[int]],
    *,
    aic_cores: int,
    others: int,
    compat: Compat,
) -> list[Limit]:
    """Per subgraph, its limit; -1 if there is an automatic number to be found and no core to find it for.

    Args:
        others: the ids without operations. With pypto rules, these and the subgraphs without reusable copies count as
            members of the first class when its automatic number is found.

    Raises:
        PassFailedException: a number below 1.

    Notes:
        Source: merge passes, section 3.5.
    """
    orders = [max(order, 0) for order in classes.order_of]
    stated = counts_by_order(setting, function_magic, len(classes.members), stable_names)
    for chosen in (stated.default, *stated.by_order.values()):
        if chosen is not None:
            check_count(OPTION, chosen.key, chosen.count)
    by_label = counts_by_label(setting, labelled, range(len(orders)))
    sizes = [len(members) for members in classes.members]
    if compat is Compat.PYPTO and sizes:
        sizes[0] += others + classes.order_of.count(-1)
    automatic: list[Limit] = []
    for size in sizes:
        if aic_cores < 1:
            automatic.append(Limit(AUTOMATIC, AUTOMATIC_KEY))
            continue
        groups = 2 * aic_cores
        larger = size % groups if compat is Compat.PUBLISHED else 0
        automatic.append(Limit(size // groups, AUTOMATIC_KEY, larger))
    limits: list[Limit] = []
    for subgraph, order in enumerate(orders):
        chosen: Chosen | None = by_label.get(subgraph) or stated.of(order)
        limits.append(automatic[order] if chosen is None else Limit(chosen.count, chosen.key))
    return limits


def reuse_sides(
    setting: MergeSetting,
    function_magic: int,
    classes: SubgraphClasses,
    labelled: Mapping[str, Collection[int]],
    stable_names: Mapping[str, Collection[int]],
) -> list[Side | None]:
    """Per subgraph, the matrix side that alone counts; None for both. Source: merge passes, section 3.9."""
    by_order = sides_by_order(setting, function_magic, len(classes.members), stable_names)
    by_label = sides_by_label(setting, labelled)
    return [by_label.get(subgraph) or by_order.of(max(order, 0)) for subgraph, order in enumerate(classes.order_of)]


def reuse_step(
    facts: ReuseFacts,
    copy_ins: CopyIns,
    limits: Sequence[Limit],
    sides: Sequence[Side | None],
    volume_bound: int,
    merging: Merging,
    compat: Compat,
) -> ReuseResult:
    """Let subgraphs join those that have copied one of their tiles before.

    Notes:
        O(copies log subgraphs), besides the guards.
    """
    return _ReuseStep(facts, copy_ins, limits, sides, volume_bound, merging, compat).run()


class _ReuseStep:
    def __init__(
        self,
        facts: ReuseFacts,
        copy_ins: CopyIns,
        limits: Sequence[Limit],
        sides: Sequence[Side | None],
        volume_bound: int,
        merging: Merging,
        compat: Compat,
    ) -> None:
        self._facts = facts
        self._copy_ins = copy_ins
        self._limits = limits
        self._sides = sides
        self._volume_bound = volume_bound
        self._merging = merging
        self._compat = compat
        self._volumes = list(facts.volumes)
        self._sizes = [1] * len(facts.hashes)
        self._hashes = list(facts.hashes)
        self._holder: dict[int, int] = {}
        self._reasons: dict[int, ReuseReason] = {}
        # The targets in the order of their last absorption.
        self._absorbed_at: dict[int, int] = {}
        self._rank_of_group: dict[int, int] = {}

    def run(self) -> ReuseResult:
        for members in self._facts.classes.members:
            groups = 0
            for subgraph in members:
                if not self._visit(subgraph):
                    self._rank_of_group[subgraph] = groups
                    groups += 1
        classes, lists = self._classes()
        return ReuseResult(classes, lists, self._volumes, self._reasons)

    def _visit(self, subgraph: int) -> bool:
        """Whether the subgraph joins another one."""
        copies = self._useful_copies(subgraph)
        vetoed_at = self._facts.first_not_cube[subgraph]
        if vetoed_at >= 0 and self._compat is Compat.PUBLISHED:
            self._reasons[subgraph] = ReuseReason.NOT_CUBE
            return False
        target = self._find_target(subgraph, copies)
        for index in copies:
            if 0 <= vetoed_at <= index:
                break
            self._holder[self._copy_ins.features[index]] = target
        if vetoed_at >= 0:
            self._reasons[subgraph] = ReuseReason.NOT_CUBE
            return False
        if target == subgraph:
            return False
        self._join(target, subgraph)
        return True

    def _useful_copies(self, subgraph: int) -> Sequence[int]:
        """The copies that feed the side of the subgraph, if it has one."""
        side, copies = self._sides[subgraph], self._facts.copies[subgraph]
        return copies if side is None else [index for index in copies if side in self._copy_ins.sides[index]]

    def _find_target(self, subgraph: int, copies: Sequence[int]) -> int:
        volume, volumes = self._facts.volumes[subgraph], self._volumes
        if volume > self._volume_bound:
            self._reasons[subgraph] = ReuseReason.VOLUME_BOUND
            return subgraph
        reason, refused = ReuseReason.NO_PARTNER, set[int]()
        for index in copies:
            holder = self._holder.get(self._copy_ins.features[index])
            if holder is None or holder in refused:
                continue
            if holder < self._facts.latest_producer[subgraph]:
                reason = ReuseReason.ORDER
            elif volumes[holder] + volume > self._volume_bound:
                reason = ReuseReason.VOLUME_BOUND
            elif not 0 < self._sizes[holder] < self._allowed(subgraph, holder):
                reason = ReuseReason.LIMIT
            elif not self._merging.allows(holder, subgraph):
                reason = ReuseReason(self._merging.refusals[-1].reason.value)
                refused.add(holder)
            else:
                return holder
        self._reasons[subgraph] = reason
        return subgraph

    def _allowed(self, subgraph: int, holder: int) -> int:
        limit = self._limits[subgraph]
        if not limit.larger_groups:
            return limit.count
        order_of = self._facts.classes.order_of
        same_class = order_of[subgraph] == order_of[holder]
        return limit.count + (same_class and self._rank_of_group.get(holder, limit.larger_groups) < limit.larger_groups)

    def _join(self, target: int, subgraph: int) -> None:
        self._merging.merge(target, subgraph)
        self._volumes[target] += self._volumes[subgraph]
        self._sizes[target] += 1
        self._sizes[subgraph] = 0
        self._hashes[target] = (self._hashes[target] + self._hashes[subgraph]) & _HASH_WORD
        self._absorbed_at.pop(target, None)
        self._absorbed_at[target] = subgraph

    def _classes(self) -> tuple[SubgraphClasses, list[list[int]]]:
        living = [
            subgraph
            for subgraph, (order, size) in enumerate(zip(self._facts.classes.order_of, self._sizes, strict=True))
            if order >= 0 and size
        ]
        classes = number_classes(self._hashes, living)
        clock = {subgraph: time for time, subgraph in enumerate(self._absorbed_at)}
        return classes, [sorted(members, key=lambda one: (clock.get(one, -1), one)) for members in classes.members]
