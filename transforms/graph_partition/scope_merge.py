"""Which super nodes a scope joins (graph partition, section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.utils.exceptions import PassFailedException

from transforms.graph import NO_SCOPE
from transforms.graph_partition.ordered_graph import OrderedGraph
from transforms.graph_partition.super_nodes import SuperNodes


@dataclass(frozen=True, slots=True)
class ScopeJoin:
    """What scopes ask for.

    Attributes:
        operation_lists: the indices of every node after the merge, the operations of its nodes one after another; the
            first is the new root. None if no scope joins anything, and then nodes keep their numbers.
        cv_fuse_ids: the number of each scope that holds cube and vector operations, by scope id.
    """

    operation_lists: Sequence[Sequence[int]] | None
    cv_fuse_ids: dict[int, int]


def join_scopes(ordered: OrderedGraph, nodes: SuperNodes, mixed_cores: bool) -> ScopeJoin:
    """Join the nodes of each scope: all of them if it allows parallel merges, else those that are direct neighbours.

    Raises:
        PassFailedException: a scope holds cube and vector operations and the cores are separate.

    Notes:
        O(operations + link ends).
    """
    nodes_of_scope: dict[int, list[int]] = {}
    parallel: set[int] = set()
    for node, scope in enumerate(nodes.scopes):
        if scope is not NO_SCOPE and scope.id != NO_SCOPE.id:
            nodes_of_scope.setdefault(scope.id, []).append(node)
            if scope.parallel:
                parallel.add(scope.id)

    cv_fuse_ids: dict[int, int] = {}
    adjacent: set[int] = set()
    joins: list[tuple[int, int]] = []
    for scope_id, (cube, vector) in sorted(_sides_of_scopes(ordered, nodes).items()):
        if cube >= 0 and vector >= 0:
            if not mixed_cores:
                raise PassFailedException(
                    f"scope {scope_id} holds cube and vector operations, such as {ordered.describe(cube)} and "
                    f"{ordered.describe(vector)}, which no subgraph of this target may hold"
                )
            cv_fuse_ids[scope_id] = len(cv_fuse_ids)
        elif scope_id in parallel:
            members = nodes_of_scope[scope_id]
            joins.extend((members[0], member) for member in members[1:])
        elif scope_id in nodes_of_scope:
            adjacent.add(scope_id)
    if adjacent:
        joins.extend(_adjacent_nodes(nodes, adjacent))
    return ScopeJoin(_operation_lists(nodes.nodes, joins) if joins else None, cv_fuse_ids)


def _sides_of_scopes(ordered: OrderedGraph, nodes: SuperNodes) -> dict[int, tuple[int, int]]:
    """Per scope id, the first operation in a cube node and in a vector node that carries it, -1 for none."""
    sides: dict[int, tuple[int, int]] = {}
    for index, scope in enumerate(nodes.operation_scopes):
        if scope[0] != -1 and not ordered.windowed[index]:
            cube, vector = sides.get(scope.id, (-1, -1))
            if nodes.is_cube[index]:
                sides[scope.id] = (index if cube < 0 else cube, vector)
            else:
                sides[scope.id] = (cube, index if vector < 0 else vector)
    return sides


def _adjacent_nodes(nodes: SuperNodes, scope_ids: set[int]) -> list[tuple[int, int]]:
    """Pairs that connect the nodes of one of `scope_ids` that are direct neighbours.

    All sources of a link are neighbours of all its targets, so those of one scope are one connected piece.
    """
    pairs: list[tuple[int, int]] = []
    for sources, targets in zip(nodes.graph.sources, nodes.graph.targets, strict=True):
        first_source: dict[int, int] = {}
        for source in sources:
            if nodes.scopes[source].id in scope_ids:
                first_source.setdefault(nodes.scopes[source].id, source)
        if first_source:
            met: set[int] = set()
            for target in targets:
                scope_id = nodes.scopes[target].id
                if scope_id in first_source:
                    met.add(scope_id)
                    pairs.append((first_source[scope_id], target))
            pairs.extend(
                (first_source[nodes.scopes[source].id], source) for source in sources if nodes.scopes[source].id in met
            )
    return [(a, b) for a, b in pairs if a != b]


def _operation_lists(nodes: Sequence[Sequence[int]], joins: Sequence[tuple[int, int]]) -> list[list[int]]:
    """The operations of joined nodes, concatenated in node order; the lists by their smallest node."""
    parent = list(range(len(nodes)))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = node = parent[parent[node]]
        return node

    for a, b in joins:
        parent[root(b)] = root(a)
    lists: dict[int, list[int]] = {}
    for node, indices in enumerate(nodes):
        lists.setdefault(root(node), []).extend(indices)
    return list(lists.values())
