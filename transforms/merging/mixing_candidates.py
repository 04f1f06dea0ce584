"""Groups of subgraphs that may become one mixed subgraph, the most rewarding first (merge passes, 4.2 and 4.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dialect.opcodes import OPCODE_BY_NAME, OPCODES, CoreType
from transforms.graph_partition.ordered_graph import OrderedGraph
from transforms.merging.boundary_tensors import BoundaryTensor

_IS_AICPU = tuple(opcode.core is CoreType.AICPU for opcode in OPCODES)
_IS_ASSEMBLE_LIKE = tuple(opcode.is_assemble_like for opcode in OPCODES)
_RESHAPE = OPCODE_BY_NAME["RESHAPE"].number


@dataclass(frozen=True, slots=True)
class Candidate:
    """A group of subgraphs.

    Attributes:
        members: ascending.
        bytes: what is moved between them, the priority.
        forced: whether a scope of cube and vector operations asks for the merge.
        automatic: whether it may be merged without being asked for.
    """

    members: tuple[int, ...]
    bytes: int
    forced: bool
    automatic: bool


def mixing_candidates(
    ordered: OrderedGraph, subgraphs: Sequence[int], count: int, tensors: Sequence[BoundaryTensor]
) -> list[Candidate]:
    """The groups in the order in which they are tried.

    Notes:
        O(operations + operands), and the sizes of the groups: subgraphs that read or write the same tensors share one.
    """
    never, not_automatic = _excluded(ordered, subgraphs)
    groups = [tensor.group for tensor in tensors]
    forced = {group for group, tensor in zip(groups, tensors, strict=True) if tensor.fusion_id >= 0}
    partners = _fork_partners(ordered, subgraphs)
    listed = [*_by_tensor(groups, tensors), *_by_subgraph(groups, tensors, count)]
    listed.sort(key=lambda entry: entry[1])
    candidates: list[Candidate] = []
    seen: set[tuple[int, ...]] = set()
    for group, size in reversed(listed):
        if group in seen:
            continue
        seen.add(group)
        if not never.isdisjoint(group):
            continue
        members = group
        if partners and any(member in partners for member in group):
            members = tuple(sorted({*group, *(other for member in group for other in partners.get(member, ()))}))
        candidates.append(Candidate(members, size, group in forced, not_automatic.isdisjoint(members)))
    return candidates


def _excluded(ordered: OrderedGraph, subgraphs: Sequence[int]) -> tuple[set[int], set[int]]:
    """The subgraphs that are never mixed, and those that are only if they must."""
    never: set[int] = set()
    not_automatic: set[int] = set()
    sizes: dict[int, int] = {}
    reshapes: list[int] = []
    for index, (opcode, subgraph) in enumerate(zip(ordered.opcodes, subgraphs, strict=True)):
        sizes[subgraph] = sizes.get(subgraph, 0) + 1
        if _IS_AICPU[opcode]:
            never.add(subgraph)
        if opcode == _RESHAPE:
            reshapes.append(index)
    for index in reshapes:
        own = subgraphs[index]
        before = {subgraphs[other] == own for read in ordered.inputs[index] for other in ordered.producers[read]}
        after = {subgraphs[other] == own for made in ordered.outputs[index] for other in ordered.consumers[made]}
        if len(before) > 1 or len(after) > 1 or sizes[own] == 1:
            not_automatic.add(own)
    return never, not_automatic


def _fork_partners(ordered: OrderedGraph, subgraphs: Sequence[int]) -> Mapping[int, set[int]]:
    """Per subgraph, those that produce an input of one assemble-like operation together with it."""
    partners: dict[int, set[int]] = {}
    for opcode, inputs in zip(ordered.opcodes, ordered.inputs, strict=True):
        if _IS_ASSEMBLE_LIKE[opcode]:
            producing = {subgraphs[index] for tensor in inputs for index in ordered.producers[tensor]}
            if len(producing) > 1:
                for subgraph in producing:
                    partners.setdefault(subgraph, set()).update(producing)
    return partners


def _by_tensor(
    groups: Sequence[tuple[int, ...]], tensors: Sequence[BoundaryTensor]
) -> Iterable[tuple[tuple[int, ...], int]]:
    """Every distinct group of a tensor, ascending, with the bytes of all its tensors."""
    bytes_of: dict[tuple[int, ...], int] = {}
    for group, tensor in zip(groups, tensors, strict=True):
        bytes_of[group] = bytes_of.get(group, 0) + tensor.bytes
    return sorted(bytes_of.items())


def _by_subgraph(
    groups: Sequence[tuple[int, ...]], tensors: Sequence[BoundaryTensor], count: int
) -> Iterable[tuple[tuple[int, ...], int]]:
    """For every subgraph all that it writes to, then for every subgraph all that it reads from, with the bytes."""
    number_of_group: dict[tuple[int, ...], int] = {}
    numbers = [number_of_group.setdefault(group, len(number_of_group)) for group in groups]
    distinct = list(number_of_group)
    unions: dict[tuple[int, ...], tuple[int, ...]] = {}
    for side in ("producing", "consuming"):
        bytes_of = [0] * count
        touched: list[set[int]] = [set() for _ in range(count)]
        for number, tensor in zip(numbers, tensors, strict=True):
            ends = tensor.producing_operations if side == "producing" else tensor.consuming_operations
            for subgraph in ends:
                bytes_of[subgraph] += tensor.bytes
                touched[subgraph].add(number)
        for subgraph in range(count):
            if touched[subgraph]:
                key = tuple(sorted(touched[subgraph]))
                union = unions.get(key)
                if union is None:
                    members = {member for number in key for member in distinct[number]}
                    union = unions[key] = distinct[key[0]] if len(key) == 1 else tuple(sorted(members))
                yield union, bytes_of[subgraph]
