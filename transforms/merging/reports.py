"""Remarks about merges that were asked for and did not happen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from transforms.classes import class_name
from transforms.graph_of_function import FunctionGraph
from transforms.merging.capacity import Overfull
from transforms.merging.guards import Refusal, RefusalReason
from transforms.merging.mixing import Mixing
from transforms.merging.n_buffer import NBufferMerge
from transforms.operation_description import describe_operation
from transforms.remarks import Remark, emit

_REASONS: Mapping[RefusalReason, str] = {
    RefusalReason.CYCLE: "subgraphs would depend on one another in a cycle",
    RefusalReason.CAPACITY: "their tiles would exceed a memory",
}

_SHOWN = 8


def report_refusals(pass_name: str, function: str, refusals: Sequence[Refusal]) -> None:
    """One remark for each merge that a guard did not allow."""
    for refusal in refusals:
        message = (
            f"subgraph {refusal.subgraph} did not join subgraph {refusal.target}: {_REASONS[refusal.reason]} "
            "(ids before the pass)"
        )
        details = {"subgraph": refusal.subgraph, "target": refusal.target, "reason": str(refusal.reason)}
        emit(Remark(pass_name, "refused-merge", message, function, details))


def report_reshapes(pass_name: str, function: str, magic: int, result: NBufferMerge) -> None:
    """A remark for the class of subgraphs that only hold RESHAPE, if merging was asked for."""
    for order, (value, number) in enumerate(zip(result.classes.hashes, result.numbers, strict=True)):
        if not value and number.count > 1:
            message = f"class {class_name(magic, order)} only holds RESHAPE and never merges"
            emit(Remark(pass_name, "only-reshapes", message, function, {"order": order}))


def report_narrow_grouping(pass_name: str, function: str, magic: int, result: NBufferMerge) -> None:
    """One remark for each class that the narrow grouping kept from merging as far as was asked for."""
    for order, (number, groups) in enumerate(zip(result.numbers, result.groups, strict=True)):
        members = sum(map(len, groups))
        wanted = min(number.count, members)
        largest = max(map(len, groups))
        if not result.classes.hashes[order] or largest >= wanted:
            continue
        message = (
            f"class {class_name(magic, order)}: {wanted} subgraphs at a time were asked for ({number.key}), and the "
            f"largest group has {largest}, because only subgraphs that share an input or output neighbour merge; "
            "DEFAULT, func keys or grouping=wide merge any"
        )
        details = {"order": order, "asked": number.count, "largest_group": largest, "members": members}
        emit(Remark(pass_name, "narrow-grouping", message, function, details))


def report_capacity(pass_name: str, function: str, overfull: Sequence[Overfull]) -> None:
    """One remark for each merged subgraph whose tiles exceed a memory."""
    for group in overfull:
        message = (
            f"merged subgraphs {_listed(group.members)} (ids before the pass) keep {group.kept} bytes of tiles in "
            f"{group.memory}, which holds {group.size}"
        )
        details = {
            "members": tuple(group.members),
            "memory": group.memory,
            "kept_bytes": group.kept,
            "memory_bytes": group.size,
        }
        emit(Remark(pass_name, "capacity", message, function, details))


def report_eliminated(
    pass_name: str, function: str, common: Sequence[int], dead: Sequence[int], parts: FunctionGraph
) -> None:
    """One remark for the operations that were computed twice, one for those that nothing needs."""
    for kind, what, operations in (
        ("common-operations", "that an earlier op of the subgraph computes", common),
        ("dead-operations", "that no outcast depends on", dead),
    ):
        if operations:
            shown = ", ".join(describe_operation(parts.graph, operation) for operation in operations[:_SHOWN])
            more = f", … {len(operations) - _SHOWN} more" if len(operations) > _SHOWN else ""
            message = f"{len(operations)} ops {what} are removed: {shown}{more}"
            magics = tuple(parts.graph.magics[operation] for operation in operations)
            emit(Remark(pass_name, kind, message, function, {"magics": magics}))


def report_mixing(pass_name: str, function: str, mixing: Mixing, automatic: bool) -> None:
    """What was joined, and one remark for each group that was a candidate and stays apart."""
    members: dict[int, list[int]] = {}
    for subgraph, root in enumerate(mixing.roots):
        members.setdefault(root, []).append(subgraph)
    message = f"{len(mixing.roots)} subgraphs become {len(members)}"
    emit(Remark(pass_name, "merged", message, function, {"before": len(mixing.roots), "after": len(members)}))
    if automatic and len(members) == len(mixing.roots):
        emit(Remark(pass_name, "nothing-merged", "auto_mix_partition is 1 and nothing could merge", function))
    for group in members.values():
        if len(group) > 1:
            message = f"subgraphs {_listed(group)} (ids before the pass) are one now"
            emit(Remark(pass_name, "merged-group", message, function, {"members": tuple(group)}))
    for candidate, reason in mixing.refused:
        forced = ", which a scope asks for," if candidate.forced else ""
        message = (
            f"subgraphs {_listed(candidate.members)}{forced} exchange {candidate.bytes} bytes and stay apart: {reason}"
        )
        details = {
            "members": candidate.members,
            "bytes": candidate.bytes,
            "forced": candidate.forced,
            "reason": reason.name.lower().replace("_", "-"),
        }
        emit(Remark(pass_name, "refused-merge", message, function, details))


def _listed(subgraphs: Sequence[int]) -> str:
    more = f", … {len(subgraphs) - _SHOWN} more" if len(subgraphs) > _SHOWN else ""
    return ", ".join(map(str, subgraphs[:_SHOWN])) + more
