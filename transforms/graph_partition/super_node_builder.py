"""Builds the super nodes of a graph, with option scopes honoured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from transforms.graph import NO_SCOPE
from transforms.graph_partition.hull_closure import close_hulls, number_nodes
from transforms.graph_partition.operation_sets import OperationSets
from transforms.graph_partition.ordered_graph import OrderedGraph
from transforms.graph_partition.scope_merge import join_scopes
from transforms.graph_partition.scope_propagation import propagate_scopes
from transforms.graph_partition.super_node_rules import unite_by_rules
from transforms.graph_partition.super_nodes import SuperNodes, describe_nodes


def build_super_nodes(ordered: OrderedGraph, compat: Compat, mixed_cores: bool) -> SuperNodes:
    """The super nodes with option scopes honoured (graph partition, sections 5 and 6).

    Args:
        ordered: the graph in canonical order.
        compat: with published rules AIC and AIV operations never share a node, nodes that depend on one another are
            contracted, and cube marks are those of the final nodes.
        mixed_cores: whether a subgraph may hold cube and vector operations after ReduceCopyMerge.

    Raises:
        PassFailedException: core types do not allow a set; a scope holds cube and vector operations and the cores are
            separate; nodes of different scopes depend on one another.

    Notes:
        Linear in operations and operands, up to log factors, unless sets are not convex.
    """
    published = compat is Compat.PUBLISHED
    operation_scopes = propagate_scopes(ordered)
    sets = OperationSets(ordered, ordered.cores, keeps_sides_apart=published)
    unite_by_rules(ordered, sets, compat)
    nodes = describe_nodes(ordered, close_hulls(ordered, sets), operation_scopes)

    scope_join = join_scopes(ordered, nodes, mixed_cores)
    if scope_join.operation_lists is not None:
        sets = OperationSets(ordered, ordered.cores, keeps_sides_apart=published)
        for indices in scope_join.operation_lists:
            for index in indices[1:]:
                sets.hang(index, indices[0])
            if published and sets.mixes_sides(indices[0]):
                raise PassFailedException(
                    f"a scope joins cube and vector operations: {ordered.describe_all(sorted(indices))}"
                )
        stale_marks = nodes.is_cube
        nodes = describe_nodes(ordered, close_hulls(ordered, sets), operation_scopes)
        if not published:
            nodes = replace(nodes, is_cube=stale_marks)
    if published and nodes.node_cycles:
        _contract_cycles(ordered, sets, nodes)
        nodes = describe_nodes(ordered, number_nodes(ordered, sets), operation_scopes)
    return replace(nodes, cv_fuse=_cv_fuse_ids(nodes, scope_join.cv_fuse_ids))


def _contract_cycles(ordered: OrderedGraph, sets: OperationSets, nodes: SuperNodes) -> None:
    """Unite nodes that depend on one another, under the root of the first."""
    for cycle in nodes.node_cycles:
        scope_ids = sorted({nodes.scopes[node].id for node in cycle} - {NO_SCOPE.id})
        indices = sorted(index for node in cycle for index in nodes.nodes[node])
        if len(scope_ids) > 1:
            raise PassFailedException(
                f"the scopes {', '.join(map(str, scope_ids))} depend on one another, so that none of them can be a "
                f"subgraph of its own: {ordered.describe_all(indices)}"
            )
        first = nodes.nodes[cycle[0]][0]
        for node in cycle[1:]:
            sets.hang(nodes.nodes[node][0], first)
        if sets.mixes_sides(first):
            raise PassFailedException(
                f"sets of operations that must stay together depend on one another, but some of them run on the cube "
                f"core and others on the vector core: {ordered.describe_all(indices)}"
            )


def _cv_fuse_ids(nodes: SuperNodes, cv_fuse_ids: dict[int, int]) -> Sequence[int]:
    """Per index, the CV-fuse id of the first operation of its node whose scope has one."""
    cv_fuse = [-1] * len(nodes.node_of)
    if cv_fuse_ids:
        for indices in nodes.nodes:
            scope_ids = (nodes.operation_scopes[index].id for index in indices)
            found = next((cv_fuse_ids[scope_id] for scope_id in scope_ids if scope_id in cv_fuse_ids), -1)
            for index in indices:
                cv_fuse[index] = found
    return cv_fuse
