"""What may refuse a merge, and merging one by one under guards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol

from transforms.graph_partition.node_graph import NodeGraph
from transforms.merging.acyclic_merging import AcyclicMerging


class RefusalReason(StrEnum):
    """Why a guard did not allow a merge."""

    CYCLE = "cycle"
    CAPACITY = "capacity"


class Refusal(NamedTuple):
    """A merge that did not happen: `subgraph` would have joined `target`; both are ids before the merge."""

    target: int
    subgraph: int
    reason: RefusalReason


class MergeGuard(Protocol):
    """Watches merges of subgraphs, named by their ids before the pass."""

    reason: RefusalReason

    def allows(self, target: int, subgraph: int) -> bool:
        """Whether `subgraph`, and all that it has absorbed, may join `target`."""
        ...

    def merge(self, target: int, subgraph: int) -> None:
        """Take note that it has joined."""
        ...


class CycleGuard:
    """Allows no merge that makes subgraphs depend on one another in a cycle."""

    reason = RefusalReason.CYCLE

    def __init__(self, graph: NodeGraph) -> None:
        self._merging = AcyclicMerging(graph)

    def allows(self, target: int, subgraph: int) -> bool:
        return self._merging.stays_acyclic((target, subgraph))

    def merge(self, target: int, subgraph: int) -> None:
        self._merging.merge((target, subgraph))


class Merging:
    """Subgraphs that merge under guards.

    Attributes:
        target_of: per subgraph, the one that it has joined, or itself.
        refusals: the merges that a guard did not allow.
    """

    def __init__(self, count: int, guards: Sequence[MergeGuard]) -> None:
        self.target_of = list(range(count))
        self.refusals: list[Refusal] = []
        self._guards = guards

    def roots(self) -> list[int]:
        """Per subgraph, the one that its operations belong to in the end."""
        roots = list(self.target_of)
        for subgraph, target in enumerate(roots):
            while self.target_of[target] != target:
                target = self.target_of[target]
            roots[subgraph] = target
        return roots

    def allows(self, target: int, subgraph: int) -> bool:
        """Whether all guards allow the merge; a refusal is noted."""
        for guard in self._guards:
            if not guard.allows(target, subgraph):
                self.refusals.append(Refusal(target, subgraph, guard.reason))
                return False
        return True

    def merge(self, target: int, subgraph: int) -> None:
        """Merge without asking."""
        self.target_of[subgraph] = target
        for guard in self._guards:
            guard.merge(target, subgraph)


def merge_runs(merging: Merging, runs: Iterable[Sequence[int]]) -> None:
    """Let the first subgraph of each run absorb those of the others that guards allow."""
    for first, *others in runs:
        for subgraph in others:
            if merging.allows(first, subgraph):
                merging.merge(first, subgraph)


def groups_by_root(members: Iterable[int], roots: Sequence[int]) -> list[list[int]]:
    """Members of a class by the subgraph that each ends in, which comes first if it is one of them.

    Args:
        roots: per subgraph, the one that it ends in.
    """
    groups: dict[int, list[int]] = {}
    for member in members:
        group = groups.setdefault(roots[member], [])
        group.insert(0 if member == roots[member] else len(group), member)
    return list(groups.values())
