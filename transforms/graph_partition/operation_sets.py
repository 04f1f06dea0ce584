"""Sets of operations that must stay together, with the reference's roots and core-type checks."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.utils.exceptions import PassFailedException

from transforms.graph_partition.buckets import members_of
from transforms.graph_partition.core_types import (
    AICPU,
    BOTH_SIDES,
    COMPATIBLE,
    COMPATIBLE_ON_MIXED_CORES,
    HUB,
    core_type_of,
)
from transforms.graph_partition.ordered_graph import OrderedGraph


class OperationSets:
    """A union-find over operation indices in which the direction of every union matters.

    The root of a set decides its node number, so sets are hung as the reference hangs them and paths are only halved:
    O(log operations) per union, amortised (graph partition, section 5.3).
    """

    def __init__(
        self, ordered: OrderedGraph, cores: Sequence[int], keeps_sides_apart: bool, mixes_cores: bool = False
    ) -> None:
        """Singletons.

        Args:
            ordered: the graph, for messages and for which operations are view-like or assemble-like.
            cores: per index, the bit of the core type that the checks see.
            keeps_sides_apart: whether a union is refused that would put AIC and AIV operations into one set.
            mixes_cores: whether operations of all core types may meet.
        """
        self._ordered = ordered
        self._cores = cores
        self._compatible = COMPATIBLE_ON_MIXED_CORES if mixes_cores else COMPATIBLE
        self._keeps_sides_apart = keeps_sides_apart
        self._parent = list(range(len(cores)))
        self._sides = list(cores)

    def root(self, index: int) -> int:
        """The root of the set of `index`."""
        parent = self._parent
        while parent[index] != index:
            parent[index] = index = parent[parent[index]]
        return index

    def unite(self, a: int, b: int) -> bool:
        """Hang the root of `a` under the root of `b`.

        Returns:
            False if the union was refused because it would mix the two sides.

        Raises:
            PassFailedException: the core types of `a`, `b` and their roots may not meet.
        """
        root_a, root_b = self.root(a), self.root(b)
        cores = self._cores
        mask = cores[a] | cores[b] | cores[root_a] | cores[root_b]
        if not self._compatible[mask] and not self._is_excused(a, b, mask):
            raise PassFailedException(self._conflict(a, b, root_a, root_b))
        if root_a == root_b:
            return True
        sides = self._sides[root_a] | self._sides[root_b]
        if self._keeps_sides_apart and sides & BOTH_SIDES == BOTH_SIDES:
            return False
        self._parent[root_a] = root_b
        self._sides[root_b] = sides
        return True

    def hang(self, a: int, b: int) -> None:
        """Hang the root of `a` under the root of `b` without any check."""
        root_a, root_b = self.root(a), self.root(b)
        self._parent[root_a] = root_b
        self._sides[root_b] |= self._sides[root_a]

    def mixes_sides(self, index: int) -> bool:
        """Whether the set of `index` holds AIC and AIV operations."""
        return self._sides[self.root(index)] & BOTH_SIDES == BOTH_SIDES

    def numbered(self) -> tuple[list[int], list[Sequence[int]]]:
        """The sets as nodes, numbered by ascending root.

        Returns:
            per index its node, and per node its indices, ascending.
        """
        parent = self._parent
        number = [0] * len(parent)
        node_count = 0
        for index, above in enumerate(parent):
            if above == index:
                number[index] = node_count
                node_count += 1
        node_of = [number[above] if parent[above] == above else number[self.root(i)] for i, above in enumerate(parent)]
        return node_of, members_of(node_of, node_count, self._ordered.alone)

    def _is_excused(self, a: int, b: int, mask: int) -> bool:
        cores, windowed = self._cores, self._ordered.windowed
        if (cores[a] == AICPU and windowed[b]) or (cores[b] == AICPU and windowed[a]):
            return True
        if mask.bit_count() != 2 or not mask & HUB:
            return False
        if cores[b] != HUB:
            return windowed[b]
        return cores[a] != HUB and windowed[a]

    def _conflict(self, a: int, b: int, root_a: int, root_b: int) -> str:
        def named(index: int) -> str:
            return f"{self._ordered.describe(index)} on {core_type_of(self._cores[index])}"

        return (
            f"core types do not allow one super node for {named(a)} and {named(b)}, "
            f"whose sets have the roots {named(root_a)} and {named(root_b)}"
        )
