"""The super nodes of a function as a weighted DAG, for OspSarkar and OspBsp (OSP, section 2.3)."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.utils.exceptions import PassFailedException

from transforms.graph import NO_SCOPE
from transforms.graph_partition.core_types import AIC, AICPU, AIV, core_type_of
from transforms.graph_partition.ordered_graph import OrderedGraph
from transforms.graph_partition.osp.dag import Dag
from transforms.graph_partition.super_node_builder import SuperNodeRules
from transforms.graph_partition.super_nodes import SuperNodes

_TYPES_APART = {AIC: 0, AIV: 1, AICPU: 2}
_TYPES_MIXED = {AIC: 0, AIV: 0, AICPU: 1}
FIRST_OWN_TYPE = 3
_BYTE_COST = 0.01
_STARTING_BYTES = 10


def node_dag(
    ordered: OrderedGraph, nodes: SuperNodes, rules: SuperNodeRules, tensor_bytes: Sequence[int] | None = None
) -> Dag:
    """One vertex for each super node.

    Work is the sum of latencies. The type is that of the core: AIC 0, AIV 1, AICPU 2, or 0, 0, 1 if cores are mixed. A
    node that must stay alone, because its scope is isolated or its operations run on a hub, has a type of its own, from
    3 on; a scope that may meet operations outside is the scope of its vertex.

    Args:
        ordered: the graph.
        nodes: its super nodes, which must not depend on one another in a cycle.
        rules: those that the super nodes were made by.
        tensor_bytes: per tensor, its size; without it, nothing costs communication.

    Raises:
        PassFailedException: with pypto rules, a node runs neither on AIC, AIV nor AICPU.

    Notes:
        O(operations + operands + edges); a tensor with p producing and c consuming nodes is p · c edges.
    """
    children = [sorted(nodes.graph.successors(node)) for node in range(len(nodes.nodes))]
    parents: list[list[int]] = [[] for _ in children]
    for node, targets in enumerate(children):
        for target in targets:
            parents[target].append(node)
    types, scopes = _types_and_scopes(ordered, nodes, rules)
    communication = [0] * len(children) if tensor_bytes is None else _communication(ordered, nodes, tensor_bytes)
    return Dag(nodes.cycles, communication, types, scopes, children, parents)


def _types_and_scopes(ordered: OrderedGraph, nodes: SuperNodes, rules: SuperNodeRules) -> tuple[list[int], list[int]]:
    types: list[int] = []
    scopes = [0] * len(nodes.nodes)
    type_of_core = _TYPES_MIXED if rules.mixes_cores else _TYPES_APART
    number_of_scope: dict[int, int] = {}
    isolated = bytearray(len(nodes.nodes))
    for node, scope in zip(nodes.node_of, nodes.operation_scopes, strict=True):
        if scope.id != NO_SCOPE.id and not scope.cross:
            isolated[node] = True
    for node, core in enumerate(nodes.cores):
        type = type_of_core.get(core)
        if type is None:
            if not rules.heals:
                raise PassFailedException(
                    f"{ordered.describe_all(nodes.nodes[node])} runs on {core_type_of(core)}, which the reference's "
                    "algorithms OspSarkar and OspBsp refuse"
                )
            type = FIRST_OWN_TYPE + node
        if rules.honours_scopes:
            if isolated[node]:
                type = FIRST_OWN_TYPE + node
            elif (scope_id := nodes.scopes[node].id) != NO_SCOPE.id:
                scopes[node] = number_of_scope.setdefault(scope_id, 1 + len(number_of_scope))
        types.append(type)
    return types, scopes


def _communication(ordered: OrderedGraph, nodes: SuperNodes, tensor_bytes: Sequence[int]) -> list[int]:
    """Per node, the cost of sending the outputs that other nodes read, each once."""
    node_of, consumers = nodes.node_of, ordered.consumers
    sent = [set[int]() for _ in nodes.nodes]
    for index, outputs in enumerate(ordered.outputs):
        node = node_of[index]
        for tensor in outputs:
            if any(node_of[consumer] != node for consumer in consumers[tensor]):
                sent[node].add(tensor)
    return [int(_BYTE_COST * (_STARTING_BYTES + sum([tensor_bytes[tensor] for tensor in tensors]))) for tensors in sent]
