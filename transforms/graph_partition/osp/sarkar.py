"""The OspSarkar partition of a DAG: internalisation in many rounds of disjoint merges (OSP, section 3)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from transforms.graph_partition.osp.coins import BalancedCoin, ThueMorseCoin
from transforms.graph_partition.osp.dag import Dag, contract, topological_order
from transforms.graph_partition.osp.dag_paths import DagPaths, depths, longest_paths
from transforms.graph_partition.osp.fan_merges import full_fan_merges, partial_fan_merges
from transforms.graph_partition.osp.level_merges import level_merges
from transforms.graph_partition.osp.line_merges import line_merges
from transforms.graph_partition.osp.twin_batches import TwinNeighbours, twin_batches

EDGE_COSTS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Cycles of an edge between parts, in the order in which they are tried."""

LENIENCY = 0.005
"""By which share of the longest path through it a merge may lengthen that path."""

_ROUNDS = 3
_IDLE_CALLS = 3
_SEED = 1729


def sarkar_partition(dag: Dag, small_work: int, leniency: float = LENIENCY) -> list[int]:
    """Fuse vertices where that makes the longest path no longer, then batch small ones that are alike.

    Args:
        dag: the graph; `communication` is not looked at.
        small_work: up to how many cycles a vertex is batched (`pg_lower_bound`).
        leniency: by which share of the longest path through it a merge may lengthen that path. It is granted to each
            merge anew and adds up, so that 0 gives far shorter paths on irregular graphs (OSP, section 10.2).

    Returns:
        per vertex, its part; parts are numbered topologically from 0 without gaps.

    Raises:
        ValueError: the edges form a cycle.

    Notes:
        A few hundred sweeps of O(edges · log). Deterministic. Sources: V. Sarkar, "Partitioning and Scheduling Parallel
        Programs for Multiprocessors", 1989; OSP, section 3.
    """
    coarsening = _Coarsening(dag, small_work, leniency)
    for edge_cost in EDGE_COSTS:
        coarsening.run_rounds(edge_cost)
    coarsening.batch_twins(EDGE_COSTS[-1])
    return coarsening.part_of


class _Coarsening:
    """The current DAG, which vertex of it each original vertex has gone into, and the coins."""

    def __init__(self, dag: Dag, small_work: int, leniency: float) -> None:
        self._small_work, self._leniency = small_work, leniency
        self._shapes = ThueMorseCoin(_SEED)
        self._directions = BalancedCoin(_SEED)
        self.part_of = list(range(dag.vertex_count))
        self._is_numbered_topologically = False
        self._set_dag(dag)

    def _set_dag(self, dag: Dag) -> None:
        self._dag = dag
        self._order = topological_order(dag)
        self._from_sources = depths(dag.parents, self._order)
        self._from_sinks = depths(dag.children, reversed(self._order))
        # The same as levels that grow along edges: minus the distance from the sinks.
        self._upwards = [-depth for depth in self._from_sinks]
        self._paths: DagPaths | None = None
        self._exhausted: set[Hashable] = set()

    def _paths_at(self, edge_cost: int) -> DagPaths:
        if self._paths is None or self._paths.edge_cost != edge_cost:
            self._paths = longest_paths(self._dag, edge_cost, self._order, self._from_sources, self._leniency)
        return self._paths

    def _apply(self, name: str, edge_cost: int, find: Callable[[DagPaths], list[Sequence[int]]]) -> bool:
        """Contract what `find` finds; returns whether that removed a vertex.

        What `find` finds depends on nothing but the DAG and the edge cost, so that a shape that found nothing is not
        asked again until one of them changes.
        """
        if (name, edge_cost) in self._exhausted:
            return False
        sets = find(self._paths_at(edge_cost))
        if sets or not self._is_numbered_topologically:
            coarse, renumbered = contract(self._dag, sets)
            self.part_of = [renumbered[part] for part in self.part_of]
            self._set_dag(coarse)
            self._is_numbered_topologically = True
        if not sets:
            self._exhausted.add((name, edge_cost))
        return bool(sets)

    def run_rounds(self, edge_cost: int) -> None:
        for _ in range(_ROUNDS):
            for shape in (self._merge_lines, self._merge_partial_fans, self._merge_full_fans, self._merge_levels):
                idle = 0
                while idle < _IDLE_CALLS:
                    idle = 0 if shape(edge_cost) else idle + 1

    def _merge_lines(self, edge_cost: int) -> bool:
        if self._shapes.flip():
            return self._apply("lines down", edge_cost, lambda paths: line_merges(paths, self._from_sources))
        return self._apply("lines up", edge_cost, lambda paths: line_merges(paths, self._upwards))

    def _merge_partial_fans(self, edge_cost: int) -> bool:
        if self._shapes.flip():
            return self._apply(
                "partial fans in", edge_cost, lambda paths: partial_fan_merges(paths.mirrored(self._from_sinks))
            )
        return self._apply("partial fans out", edge_cost, partial_fan_merges)

    def _merge_full_fans(self, edge_cost: int) -> bool:
        if self._shapes.flip():
            return self._apply(
                "full fans in", edge_cost, lambda paths: full_fan_merges(paths.mirrored(self._from_sinks))
            )
        return self._apply("full fans out", edge_cost, full_fan_merges)

    def _merge_levels(self, edge_cost: int) -> bool:
        parity = 0 if self._shapes.flip() else 1
        if self._directions.flip():
            return self._apply(
                f"levels down {parity}", edge_cost, lambda paths: level_merges(paths, self._from_sources, parity)
            )
        return self._apply(f"levels up {parity}", edge_cost, lambda paths: level_merges(paths, self._upwards, parity))

    def batch_twins(self, edge_cost: int) -> None:
        idle = 0
        while idle < _IDLE_CALLS:
            removed = self._batch(TwinNeighbours.ALL, edge_cost)
            if not removed:
                first, second = TwinNeighbours.PARENTS, TwinNeighbours.CHILDREN
                if self._shapes.flip():
                    first, second = second, first
                removed = self._batch(first, edge_cost) or self._batch(second, edge_cost)
            if removed:
                self.run_rounds(edge_cost)
            idle = 0 if removed else idle + 1

    def _batch(self, shared: TwinNeighbours, edge_cost: int) -> bool:
        return self._apply(
            f"twins {shared.name}",
            edge_cost,
            lambda paths: twin_batches(paths, self._from_sinks, self._small_work, shared),
        )
