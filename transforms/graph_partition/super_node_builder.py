"""Builds the super nodes of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

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


@dataclass(frozen=True, slots=True)
class SuperNodeRules:
    """What an algorithm asks of its super nodes.

    Attributes:
        compat: with published rules AIC and AIV operations never share a node unless cores are mixed, nodes that depend
            on one another are contracted, and cube marks are those of the final nodes.
        couples_cores: whether the target couples a cube core with vector cores, so that a scope may hold both.
        mixes_cores: whether operations of all cores may share a node.
        joins_expansions: whether an EXPAND joins its only consumer.
        honours_scopes: whether option scopes are propagated and merged; otherwise they are left alone.
    """

    compat: Compat
    couples_cores: bool
    mixes_cores: bool = False
    joins_expansions: bool = False
    honours_scopes: bool = True

    @property
    def heals(self) -> bool:
        return self.compat is Compat.PUBLISHED

    @property
    def keeps_sides_apart(self) -> bool:
        return self.heals and not self.mixes_cores


def build_super_nodes(ordered: OrderedGraph, rules: SuperNodeRules) -> SuperNodes:
    """The super nodes of a graph in canonical order (graph partition, sections 5 and 6).

    Raises:
        PassFailedException: core types do not allow a set; a scope holds cube and vector operations and the cores are
            separate; nodes of different scopes depend on one another.

    Notes:
        Linear in operations and operands, up to log factors, unless sets are not convex.
    """
    if rules.honours_scopes:
        operation_scopes = propagate_scopes(ordered)
    else:
        operation_scopes = [ordered.graph.scopes[operation] for operation in ordered.order]
    sets = _singletons(ordered, rules)
    unite_by_rules(ordered, sets, rules.compat, joins_expansions=rules.joins_expansions)
    nodes = describe_nodes(ordered, close_hulls(ordered, sets), operation_scopes)

    cv_fuse_ids: dict[int, int] = {}
    if rules.honours_scopes:
        scope_join = join_scopes(ordered, nodes, rules.couples_cores)
        cv_fuse_ids = scope_join.cv_fuse_ids
        if scope_join.operation_lists is not None:
            sets = _singletons(ordered, rules)
            for indices in scope_join.operation_lists:
                for index in indices[1:]:
                    sets.hang(index, indices[0])
                if rules.keeps_sides_apart and sets.mixes_sides(indices[0]):
                    raise PassFailedException(
                        f"a scope joins cube and vector operations: {ordered.describe_all(sorted(indices))}"
                    )
            stale_marks = nodes.is_cube
            nodes = describe_nodes(ordered, close_hulls(ordered, sets), operation_scopes)
            if not rules.heals:
                nodes = replace(nodes, is_cube=stale_marks)
    if rules.heals and nodes.node_cycles:
        _contract_cycles(ordered, sets, nodes, rules.keeps_sides_apart)
        nodes = describe_nodes(ordered, number_nodes(ordered, sets), operation_scopes)
    return replace(nodes, cv_fuse=_cv_fuse_ids(nodes, cv_fuse_ids))


def _singletons(ordered: OrderedGraph, rules: SuperNodeRules) -> OperationSets:
    return OperationSets(ordered, ordered.cores, rules.keeps_sides_apart, rules.mixes_cores)


def _contract_cycles(ordered: OrderedGraph, sets: OperationSets, nodes: SuperNodes, keeps_sides_apart: bool) -> None:
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
        if keeps_sides_apart and sets.mixes_sides(first):
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
