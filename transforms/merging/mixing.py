"""ReduceCopyMerge: cube and vector subgraphs become mixed ones (merge passes, section 4.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from transforms.graph_partition.node_graph import NodeGraph
from transforms.merging.acyclic_merging import AcyclicMerging
from transforms.merging.boundary_tensors import BoundaryTensor
from transforms.merging.capacity import CapacityGuard
from transforms.merging.mixing_borders import Borders
from transforms.merging.mixing_candidates import Candidate

LONGEST = 10_000_000
"""Cycles that a mixed subgraph may have."""

_LARGEST_RATIO = 1e6
_ROUNDS = 5


class MixingReason(StrEnum):
    """Why a group did not become one subgraph."""

    CYCLE = "subgraphs would depend on one another in a cycle"
    NOT_AUTOMATIC = "auto_mix_partition is 0"
    RESHAPE = "a reshape stands at the border of a member, or alone"
    EXTERNAL_USE = "a tensor in global memory that passes inside it also passes outside"
    NOT_MIXED = "it holds no cube work, or no vector work"
    TOO_LONG = "it would have more than 10000000 cycles"
    UNBALANCED = "its vector and cube cycles are too far apart"
    MANY_TO_MANY = "a tensor passes from several members to several"
    SINK = "a member that only reads would read from several subgraphs"
    TWO_WAYS = "one member reads from several and another feeds several"
    NO_EDGE = "no tensor passes between its members"
    CAPACITY = "its tiles would exceed a memory"


@dataclass(frozen=True, slots=True)
class Mixing:
    """What was merged.

    Attributes:
        roots: per subgraph, the one that stands for all that it has merged with.
        refused: the candidates that are still apart in the end, with the reason of the last try.
    """

    roots: Sequence[int]
    refused: Sequence[tuple[Candidate, MixingReason]]


def mix_subgraphs(
    graph: NodeGraph,
    tensors: Sequence[BoundaryTensor],
    candidates: Sequence[Candidate],
    cube_cycles: Sequence[int],
    vector_cycles: Sequence[int],
    *,
    automatic: bool,
    capacity: CapacityGuard | None = None,
) -> Mixing:
    """Merge candidates: those that scopes ask for, then those that pay.

    Args:
        graph: how the subgraphs depend on one another; acyclic.
        cube_cycles, vector_cycles: per subgraph, not negative.
        automatic: whether groups merge that no scope asks for.
        capacity: refuses merges whose tiles exceed a memory.

    Notes:
        At most five rounds; a try costs the tensors at the border of its group, and the search for a cycle.
    """
    return _Mixer(graph, tensors, candidates, cube_cycles, vector_cycles, automatic, capacity).run()


class _Mixer:
    def __init__(
        self,
        graph: NodeGraph,
        tensors: Sequence[BoundaryTensor],
        candidates: Sequence[Candidate],
        cube_cycles: Sequence[int],
        vector_cycles: Sequence[int],
        automatic: bool,
        capacity: CapacityGuard | None,
    ) -> None:
        count = graph.node_count
        self._merging = AcyclicMerging(graph)
        self._candidates = candidates
        self._cube = list(cube_cycles)
        self._vector = list(vector_cycles)
        self._automatic = automatic
        self._capacity = capacity
        self._merges = 0
        self._borders = Borders(tensors, count)

    def run(self) -> Mixing:
        reasons: dict[int, MixingReason] = {}
        tried_at: dict[int, int] = {}
        for round_number in range(_ROUNDS):
            before = self._merges
            for number, candidate in enumerate(self._candidates):
                if not candidate.forced and not (self._automatic and round_number):
                    reasons[number] = MixingReason.NOT_AUTOMATIC
                elif tried_at.get(number) != self._merges:
                    # A try that nothing has happened since would end as before.
                    tried_at[number] = self._merges
                    self._try(number, candidate, reasons)
            if round_number and self._merges == before:
                break
        roots = [self._borders.root(subgraph) for subgraph in range(len(self._cube))]
        still_apart = [
            (self._candidates[number], reason)
            for number, reason in sorted(reasons.items())
            if not _are_one([roots[member] for member in self._candidates[number].members])
        ]
        return Mixing(roots, still_apart)

    def _try(self, number: int, candidate: Candidate, reasons: dict[int, MixingReason]) -> None:
        group = {self._borders.root(member) for member in candidate.members}
        reason = self._refusal(candidate, group) if len(group) > 1 else None
        if reason is not None:
            reasons[number] = reason
            return
        reasons.pop(number, None)
        if len(group) > 1:
            self._merge(group)

    def _refusal(self, candidate: Candidate, group: set[int]) -> MixingReason | None:
        reason = None if candidate.forced else self._automatic_refusal(candidate, group)
        if reason is not None:
            return reason
        if not self._merging.stays_acyclic(group):
            return MixingReason.CYCLE
        if self._capacity is not None and not self._capacity.allows_together(group):
            return MixingReason.CAPACITY
        return None

    def _automatic_refusal(self, candidate: Candidate, group: set[int]) -> MixingReason | None:
        if not candidate.automatic:
            return MixingReason.RESHAPE
        return self._cost_refusal(group) or self._border_refusal(group)

    def _cost_refusal(self, group: set[int]) -> MixingReason | None:
        cube, vector = sum([self._cube[root] for root in group]), sum([self._vector[root] for root in group])
        if cube <= 0 or vector <= 0:
            return MixingReason.NOT_MIXED
        if cube + vector > LONGEST:
            return MixingReason.TOO_LONG
        return None if 1 / _LARGEST_RATIO <= vector / cube <= _LARGEST_RATIO else MixingReason.UNBALANCED

    def _border_refusal(self, group: set[int]) -> MixingReason | None:
        """What the tensors at the border have against the merge: the predicates `inner` and `pattern`."""
        borders = self._borders
        if any(borders.passes_itself(root, group) for root in group):
            return MixingReason.EXTERNAL_USE
        edges: set[tuple[int, int]] = set()
        for number in borders.inner_tensors(group):
            producers, consumers = borders.producers[number] & group, borders.consumers[number] & group
            if not producers or not consumers:
                continue
            if borders.passes_outside(number, group):
                return MixingReason.EXTERNAL_USE
            if len(producers) > 1 and len(consumers) > 1:
                return MixingReason.MANY_TO_MANY
            edges.update((source, target) for source in producers for target in consumers if source != target)
        if not borders.holds_all_sinks(group) and any(
            not borders.produces(root) and borders.has_two_sources(root) for root in group
        ):
            return MixingReason.SINK
        if not edges:
            return MixingReason.NO_EDGE
        sources, targets = Counter(source for source, _ in edges), Counter(target for _, target in edges)
        return MixingReason.TWO_WAYS if max(sources.values()) > 1 and max(targets.values()) > 1 else None

    def _merge(self, group: set[int]) -> None:
        self._merges += 1
        self._merging.merge(group)
        kept = self._borders.merge(group)
        for gone in group - {kept}:
            self._cube[kept] += self._cube[gone]
            self._vector[kept] += self._vector[gone]
            if self._capacity is not None:
                self._capacity.merge(kept, gone)


def _are_one(roots: Sequence[int]) -> bool:
    return all(root == roots[0] for root in roots)
