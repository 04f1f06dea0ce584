"""Remarks about what the L1 step did not merge, and what it saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from transforms.classes import class_name
from transforms.graph_of_function import FunctionGraph
from transforms.merging.l1_copy_in_reuse import L1Merge
from transforms.merging.l1_reuse import ReuseReason
from transforms.remarks import Remark, emit

_SHOWN = 8

_REASONS: Mapping[ReuseReason, str] = {
    ReuseReason.LIMIT: "the subgraph that holds a common tile is as large as the number allows",
    ReuseReason.VOLUME_BOUND: "their copies would exceed mg_copyin_upper_bound",
    ReuseReason.ORDER: "a subgraph that they read from comes after the one that holds a common tile",
    ReuseReason.NOT_CUBE: "they hold an op whose is_cube is false",
    ReuseReason.NO_PARTNER: "no subgraph before them copies one of their tiles (for their side)",
    ReuseReason.CYCLE: "subgraphs would depend on one another in a cycle",
    ReuseReason.CAPACITY: "their tiles would exceed a memory",
}


def report_reuse(pass_name: str, function: str, magic: int, result: L1Merge, volume_bound: int) -> None:
    """One remark for each class and reason why members that were asked to did not join another subgraph."""
    steps = result.steps
    classes = steps.reuse_classes
    if classes is None or not steps.limits:
        return
    absorbing = {steps.reuse_roots[member] for member in range(steps.count) if steps.reuse_roots[member] != member}
    for order, members in enumerate(classes.members):
        by_reason: dict[ReuseReason, list[int]] = {}
        for member in members:
            reason = steps.reasons.get(member)
            limit = steps.limits[member]
            asked = limit.count + bool(limit.larger_groups)
            # The first member of a group has no partner before it; that is not worth a word.
            if reason is None or asked <= 1 or (reason is ReuseReason.NO_PARTNER and member in absorbing):
                continue
            by_reason.setdefault(reason, []).append(member)
        for reason, alone in by_reason.items():
            _emit_reason(pass_name, function, class_name(magic, order), reason, alone, volume_bound)


def _emit_reason(
    pass_name: str, function: str, name: str, reason: ReuseReason, alone: Sequence[int], volume_bound: int
) -> None:
    shown = ", ".join(map(str, alone[:_SHOWN]))
    more = f", … {len(alone) - _SHOWN} more" if len(alone) > _SHOWN else ""
    bound = f" ({volume_bound} bytes)" if reason is ReuseReason.VOLUME_BOUND else ""
    message = f"class {name}: subgraphs {shown}{more} (ids before the pass) joined none: {_REASONS[reason]}{bound}"
    details = {"class": name, "reason": str(reason), "subgraphs": tuple(alone)}
    emit(Remark(pass_name, "not-merged", message, function, details))


def report_cube_bound(pass_name: str, function: str, magic: int, result: L1Merge, volume_bound: int) -> None:
    """One remark for each class of the cube step whose groups the volume bound keeps smaller than asked for."""
    steps = result.steps
    if steps.cube_classes is None or not steps.numbers:
        return
    rows = zip(steps.cube_classes.members, steps.numbers, steps.cube_volumes, strict=True)
    for order, (members, number, volume) in enumerate(rows):
        wanted = min(number.count, len(members))
        largest = max(1, volume_bound // volume) if volume > 0 else len(members)
        if largest < wanted:
            name = class_name(magic, order)
            message = (
                f"cube class {name}: {wanted} subgraphs at a time were asked for ({number.key}), and "
                f"mg_copyin_upper_bound ({volume_bound} bytes) allows {largest}, with {volume} bytes of copies each"
            )
            details = {
                "class": name,
                "reason": str(ReuseReason.VOLUME_BOUND),
                "asked": number.count,
                "largest": largest,
            }
            emit(Remark(pass_name, "not-merged", message, function, details))


def report_duplicates(pass_name: str, function: str, result: L1Merge, parts: FunctionGraph) -> None:
    """One remark for the copies that are gone because their subgraph has the tile already."""
    if result.duplicates:
        message = f"{len(result.duplicates)} copies to L1 are removed: their subgraph has copied the tile before"
        magics = tuple(parts.graph.magics[operation] for operation in result.duplicates)
        emit(Remark(pass_name, "duplicate-copies", message, function, {"magics": magics}))
