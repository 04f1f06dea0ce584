"""Super nodes: sets of operations that always share a subgraph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dialect.opcodes import OPCODE_BY_NAME
from transforms.graph import NO_SCOPE, Scope
from transforms.graph_partition.core_types import AIC, AIV, ANY
from transforms.graph_partition.cycles import LARGEST_CYCLES, check_cycles
from transforms.graph_partition.hull_closure import NumberedNodes
from transforms.graph_partition.memories import UB
from transforms.graph_partition.node_graph import NodeGraph
from transforms.graph_partition.ordered_graph import OrderedGraph

_RESHAPE = OPCODE_BY_NAME["RESHAPE"].number


@dataclass(frozen=True, slots=True)
class SuperNodes:
    """The super nodes of a graph (graph partition, section 5.5).

    Attributes:
        node_of: per index, its node.
        nodes: per node, its indices, ascending.
        graph: how the nodes depend on one another.
        scopes: per node, the scope of its last operation that has one and is not view-like or assemble-like.
        cycles: per node, the sum of its latencies.
        cores: per node, the bit of the core type of its first operation that is not ANY; AIV if all are.
        mergeable: per node, whether it may share a subgraph with other nodes.
        node_cycles: the sets of nodes that depend on one another; empty with published rules.
        operation_scopes: per index, its scope after propagation.
        is_cube: per index, whether its node contains an AIC operation.
        cv_fuse: per index, the number of the scope with cube and vector operations that its node belongs to, or -1.
    """

    node_of: Sequence[int]
    nodes: Sequence[Sequence[int]]
    graph: NodeGraph
    scopes: Sequence[Scope]
    cycles: Sequence[int]
    cores: Sequence[int]
    mergeable: Sequence[int]
    node_cycles: Sequence[Sequence[int]]
    operation_scopes: Sequence[Scope]
    is_cube: Sequence[bool]
    cv_fuse: Sequence[int]


def describe_nodes(ordered: OrderedGraph, numbered: NumberedNodes, operation_scopes: Sequence[Scope]) -> SuperNodes:
    """What the partition knows of each node; no CV-fuse ids yet.

    Raises:
        PassFailedException: the cycles of a node do not fit into 32 bits.

    Notes:
        O(operations + link ends). Source: graph partition, section 5.5.
    """
    node_of, nodes, graph = numbered.node_of, numbered.nodes, numbered.graph
    cycles = [0] * len(nodes)
    for node, latency in zip(node_of, ordered.latencies, strict=True):
        cycles[node] += latency
    if any(abs(total) > LARGEST_CYCLES for total in (min(cycles, default=0), max(cycles, default=0))):
        for node, total in enumerate(cycles):
            check_cycles(total, "super node", ordered, nodes[node])
    cores, has_cube = _node_cores(ordered, numbered)
    return SuperNodes(
        node_of=node_of,
        nodes=nodes,
        graph=graph,
        scopes=_node_scopes(ordered, numbered, operation_scopes),
        cycles=cycles,
        cores=cores,
        mergeable=_mergeable_nodes(ordered, numbered, operation_scopes),
        node_cycles=numbered.cycles,
        operation_scopes=operation_scopes,
        is_cube=[has_cube[node] for node in node_of],
        cv_fuse=(),
    )


def _node_cores(ordered: OrderedGraph, numbered: NumberedNodes) -> tuple[list[int], list[bool]]:
    cores = [ANY] * len(numbered.nodes)
    has_cube = [False] * len(numbered.nodes)
    for node, core in zip(numbered.node_of, ordered.cores, strict=True):
        if cores[node] == ANY:
            cores[node] = core
        if core == AIC:
            has_cube[node] = True
    return [AIV if core == ANY else core for core in cores], has_cube


def _node_scopes(ordered: OrderedGraph, numbered: NumberedNodes, operation_scopes: Sequence[Scope]) -> Sequence[Scope]:
    scopes = [NO_SCOPE] * len(numbered.nodes)
    windowed, node_of = ordered.windowed, numbered.node_of
    scoped = [index for index, scope in enumerate(operation_scopes) if scope[0] != -1]
    if scoped:
        only_windowed = [True] * len(scopes)
        for node, is_windowed in zip(node_of, windowed, strict=True):
            if not is_windowed:
                only_windowed[node] = False
        for index in scoped:
            if not windowed[index] or only_windowed[node_of[index]]:
                scopes[node_of[index]] = operation_scopes[index]
    return scopes


def _mergeable_nodes(
    ordered: OrderedGraph, numbered: NumberedNodes, operation_scopes: Sequence[Scope]
) -> Sequence[int]:
    mergeable = bytearray(b"\1") * len(numbered.nodes)
    node_of, memories = numbered.node_of, ordered.graph.memories
    for index, (id, _, cross) in enumerate(operation_scopes):
        if id != -1 and not cross:
            mergeable[node_of[index]] = False
    dynamic_windows = ordered.graph.dynamic_windows
    for index, operation in enumerate(ordered.order):
        if dynamic_windows[operation]:
            inputs, outputs = ordered.inputs[index], ordered.outputs[index]
            if inputs and outputs and memories[inputs[0]] == UB == memories[outputs[0]]:
                mergeable[node_of[index]] = False
    for index, opcode in enumerate(ordered.opcodes):
        if opcode == _RESHAPE and len(numbered.nodes[node_of[index]]) == 1:
            arrivals = _count_up_to_two(numbered.graph.incoming, numbered.graph.sources, node_of[index])
            departures = _count_up_to_two(numbered.graph.outgoing, numbered.graph.targets, node_of[index])
            if max(arrivals, departures) == 2 and arrivals != 1 and departures != 1:
                mergeable[node_of[index]] = False
    return mergeable


def _count_up_to_two(links_of: Sequence[Sequence[int]], ends: Sequence[Sequence[int]], node: int) -> int:
    """How many neighbours `node` has on one side, counted no further than two."""
    first = -1
    for link in links_of[node]:
        for neighbour in ends[link]:
            if neighbour not in (node, first):
                if first >= 0:
                    return 2
                first = neighbour
    return int(first >= 0)
