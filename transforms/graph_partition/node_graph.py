"""The graph of nodes: sets of operations, linked by the tensors that pass between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from transforms.graph_partition.buckets import append_to
from transforms.graph_partition.ordered_graph import OrderedGraph


@dataclass(frozen=True, slots=True)
class NodeGraph:
    """Nodes and *links*; a link is a tensor that passes between nodes.

    Every source of a link other than the target itself precedes each of its targets. A tensor with p producing and c
    consuming nodes costs p + c entries and never p · c.

    Attributes:
        sources, targets: per link, its distinct producing and consuming nodes, ascending; a node may be both only if
            the link has several sources and several targets.
        incoming, outgoing: per node, the links that it consumes and produces.
    """

    sources: Sequence[Sequence[int]]
    targets: Sequence[Sequence[int]]
    incoming: Sequence[Sequence[int]]
    outgoing: Sequence[Sequence[int]]

    @property
    def node_count(self) -> int:
        return len(self.incoming)

    def predecessors(self, node: int) -> set[int]:
        """The distinct nodes other than `node` that `node` depends on."""
        return {source for link in self.incoming[node] for source in self.sources[link]} - {node}

    def successors(self, node: int) -> set[int]:
        """The distinct nodes other than `node` that depend on it."""
        return {target for link in self.outgoing[node] for target in self.targets[link]} - {node}


def contract(ordered: OrderedGraph, node_of: Sequence[int], node_count: int) -> NodeGraph:
    """The graph of the nodes that `node_of` (per index) says. O(operations + operands)."""
    alone = ordered.alone
    sources: list[Sequence[int]] = []
    targets: list[Sequence[int]] = []
    incoming: list[Sequence[int]] = [()] * node_count
    outgoing: list[Sequence[int]] = [()] * node_count
    for producers, consumers in zip(ordered.producers, ordered.consumers, strict=True):
        if not producers or not consumers:
            continue
        if len(producers) == 1 and len(consumers) == 1:
            source, target = node_of[producers[0]], node_of[consumers[0]]
            if source == target:
                continue
            append_to(outgoing, source, len(sources), alone)
            append_to(incoming, target, len(sources), alone)
            sources.append(alone[source])
            targets.append(alone[target])
            continue
        from_nodes = {node_of[index] for index in producers}
        to_nodes = {node_of[index] for index in consumers}
        if len(from_nodes) == 1:
            to_nodes -= from_nodes
        elif len(to_nodes) == 1:
            from_nodes -= to_nodes
        if not from_nodes or not to_nodes:
            continue
        for node in from_nodes:
            append_to(outgoing, node, len(sources), alone)
        for node in to_nodes:
            append_to(incoming, node, len(sources), alone)
        sources.append(sorted(from_nodes))
        targets.append(sorted(to_nodes))
    return NodeGraph(sources, targets, incoming, outgoing)
