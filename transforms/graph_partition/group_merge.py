"""Merges groups that are each other's only neighbour on a side (graph partition, section 9)."""

from __future__ import annotations

from collections.abc import Sequence

from dialect.compat import Compat
from transforms.graph_partition.group_merge_step import MergeBounds, MergeStep, RefusedMerge
from transforms.graph_partition.groups import Group, Lane
from transforms.graph_partition.lane_graph import lane_graph_of_nodes, renumbered
from transforms.graph_partition.ordered_graph import OrderedGraph
from transforms.graph_partition.super_nodes import SuperNodes

_MAXIMUM_STEPS = 100


class GroupMerger:
    """Merges groups step by step; after `run`, `groups` are the final ones."""

    def __init__(
        self,
        ordered: OrderedGraph,
        super_nodes: SuperNodes,
        groups: Sequence[Group],
        bounds: MergeBounds,
        compat: Compat,
    ) -> None:
        """`groups` holds every node exactly once; its lanes are changed in place."""
        self.groups = list(groups)
        self._ordered = ordered
        self._super_nodes = super_nodes
        self._bounds = bounds
        self._compat = compat
        lane_of = [0] * super_nodes.graph.node_count
        lanes = self._lanes()
        for number, lane in enumerate(lanes):
            for node in lane.nodes:
                lane_of[node] = number
        self._lane_graph = lane_graph_of_nodes(super_nodes.graph, lane_of, len(lanes))

    def run(self) -> None:
        """Merge single groups, then multi groups, each in steps until a step changes nothing.

        Raises:
            PassFailedException: the cycles of a merged subgraph do not fit into 32 bits.

        Notes:
            A step is linear in lanes, edges and hub ends, up to log factors.
        """
        for multi in (False, True):
            for _ in range(_MAXIMUM_STEPS):
                step = self._step(multi)
                changed = step.run()
                step.remember_places()
                if not changed:
                    break
                self.groups = [group for group in self.groups if group.lanes]
                number_of = {lane.number: number for number, lane in enumerate(self._lanes())}
                self._lane_graph = renumbered(
                    self._lane_graph, [number_of[lane] for lane in step.roots()], len(number_of)
                )

    def refused_merges(self) -> list[RefusedMerge]:
        """Why neighbouring groups are not merged further, by their places in `groups`, ascending.

        Tensors that very many groups write and very many read are left out; such groups have several neighbours.
        """
        return self._step(multi=True).refused_merges()

    def _lanes(self) -> list[Lane]:
        return [lane for group in self.groups for lane in group.lanes]

    def _step(self, multi: bool) -> MergeStep:
        return MergeStep(
            self._ordered, self._super_nodes, self.groups, self._lane_graph, self._bounds, self._compat, multi
        )
