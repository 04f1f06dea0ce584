"""The OspBsp partition of a DAG: isomorphic subgraphs, one of each kind scheduled on its share of the machine."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import chain

from transforms.graph_partition.osp.bsp_schedule import BspMachine, BspSchedule
from transforms.graph_partition.osp.copies import Copies
from transforms.graph_partition.osp.copy_maps import presumed_map, verified_map
from transforms.graph_partition.osp.copy_trimming import trim_copies
from transforms.graph_partition.osp.dag import Dag, induced, renumber_topologically
from transforms.graph_partition.osp.group_schedule import GroupScheduler, parts_of_schedule
from transforms.graph_partition.osp.orbit_merging import merge_orbits
from transforms.graph_partition.osp.orbits import orbits
from transforms.graph_partition.osp.processor_shares import share_processors
from transforms.graph_partition.osp.sarkar import sarkar_partition

VALUE_COST = 1
STEP_COST = 8000
"""Cycles for a unit of communication, and for a synchronisation."""


@dataclass(frozen=True, slots=True)
class BspPartition:
    """Per vertex its part; how many groups of copies there are, and how many copies are unlike the rest of theirs."""

    part_of: Sequence[int]
    group_count: int
    unlike_copy_count: int = 0


def bsp_partition(
    dag: Dag,
    labels: Sequence[Hashable],
    processor_counts: Sequence[int],
    *,
    mixes_types: bool = False,
    heals: bool = True,
) -> BspPartition:
    """Find groups of isomorphic subgraphs, schedule one of each, and make a part of what runs together.

    Args:
        dag: the graph; a vertex of a type without entry in `processor_counts` becomes a part of its own.
        labels: per vertex, what it has in common with vertices that do the same.
        processor_counts: per type, the processors of the machine.
        mixes_types: whether vertices of the types 0 and 1 may share a group.
        heals: whether copies are matched by isomorphisms that are verified, defects of the reference are avoided, and
            parts are numbered topologically; otherwise parts may depend on one another in a cycle.

    Returns:
        parts are numbered from 0 without gaps.

    Raises:
        ValueError: a type has vertices but no processor; see also `share_processors`; or the edges form a cycle.

    Notes:
        Deterministic. Orbits are numbered by first appearance in topological order, where the reference takes them out
        of a hash table. Source: OSP, section 5.
    """
    for type in sorted(set(dag.types)):
        if type < len(processor_counts) and not processor_counts[type]:
            raise ValueError(f"there are vertices of type {type}, but the machine has no processor for them")
    labels = list(zip(labels, dag.types, dag.scopes, strict=True))
    groups, children = merge_orbits(dag, orbits(dag, labels), mixes_types)
    trimmed = [trim_copies(copies, dag.types, processor_counts, heals=heals) for copies in groups]
    shares = share_processors(dag, trimmed, children, processor_counts, heals=heals)
    parts, scheduler = _Parts(dag), GroupScheduler()
    unlike_copy_count = 0
    for pieces, copies, share in zip(groups, trimmed, shares.by_type, strict=True):
        types = [type for type, count in enumerate(share) for _ in range(count)]
        machine = BspMachine(types, VALUE_COST, STEP_COST)
        if not types:
            parts.add_whole(copies)
        elif heals:
            unlike_copy_count += _place_verified(dag, labels, parts, scheduler, machine, pieces, len(copies))
        else:
            _place_presumed(dag, parts, scheduler, machine, copies)
    if not heals:
        return BspPartition(parts.part_of, len(groups))
    part_of = _acyclic(dag, parts, trimmed)
    return BspPartition(part_of, len(groups), unlike_copy_count)


class _Parts:
    """Parts as they are numbered."""

    def __init__(self, dag: Dag) -> None:
        self.part_of = [-1] * dag.vertex_count
        self.count = 0

    def add(self, vertices: Sequence[int], schedule: BspSchedule) -> None:
        """What a schedule runs together becomes a part; `vertices` correspond to those of the schedule."""
        parts = parts_of_schedule(schedule)
        for vertex, place in zip(vertices, zip(schedule.steps, schedule.processors, strict=True), strict=True):
            self.part_of[vertex] = self.count + parts[place]
        self.count += len(parts)

    def add_whole(self, copies: Copies) -> None:
        """Each copy becomes a part."""
        for copy in copies:
            for vertex in copy:
                self.part_of[vertex] = self.count
            self.count += 1


def _place_verified(
    dag: Dag,
    labels: Sequence[Hashable],
    parts: _Parts,
    scheduler: GroupScheduler,
    machine: BspMachine,
    pieces: Copies,
    copy_count: int,
) -> int:
    """Schedule a copy that is like all others, and those that are not by themselves; returns how many these are.

    A copy is so many consecutive pieces; each piece is matched with the first one.
    """
    matched = [pieces[0], *[verified_map(dag, labels, pieces[0], piece) for piece in pieces[1:]]]
    together = len(pieces) // copy_count
    schedule: BspSchedule | None = None
    unlike_count = 0
    for begin in range(0, len(pieces), together):
        ordered = [piece for piece in matched[begin : begin + together] if piece is not None]
        if len(ordered) == together:
            vertices = list(chain.from_iterable(ordered))
            if schedule is None:
                schedule = scheduler.schedule(induced(dag, vertices), machine)
            parts.add(vertices, schedule)
        else:
            vertices = list(chain.from_iterable(pieces[begin : begin + together]))
            parts.add(vertices, scheduler.schedule(induced(dag, vertices), machine))
            unlike_count += 1
    return unlike_count


def _place_presumed(dag: Dag, parts: _Parts, scheduler: GroupScheduler, machine: BspMachine, copies: Copies) -> None:
    """Schedule the first copy, and let the others follow as the reference presumes them to correspond to it."""
    representative = copies[0]
    schedule = scheduler.schedule(induced(dag, representative), machine)
    parts.add(representative, schedule)
    for copy in copies[1:]:
        counterparts = presumed_map(dag, representative, copy)
        vertex_of = {counterpart: vertex for vertex, counterpart in counterparts.items()}
        parts.add([vertex_of[vertex] for vertex in representative], schedule)


def _acyclic(dag: Dag, parts: _Parts, groups: Sequence[Copies]) -> list[int]:
    """The parts, numbered topologically; if they depend on one another in a cycle, coarser ones, else Sarkar's."""
    part_of = renumber_topologically(dag, parts.part_of, parts.count)
    if part_of is None:
        whole = _Parts(dag)
        for copies in groups:
            for copy in copies:
                types = sorted({dag.types[vertex] for vertex in copy})
                whole.add_whole([[vertex for vertex in copy if dag.types[vertex] == type] for type in types])
        part_of = renumber_topologically(dag, whole.part_of, whole.count)
    return sarkar_partition(dag, 0) if part_of is None else part_of
