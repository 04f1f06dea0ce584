"""How the subgraphs of a function depend on one another: the quotient graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from heapq import heapify, heappop, heappush

from transforms.graph_partition.node_graph import NodeGraph, contract
from transforms.graph_partition.ordered_graph import OrderedGraph
from transforms.graph_partition.readiness import Readiness
from transforms.graph_partition.strong_components import node_cycles


def subgraph_graph(ordered: OrderedGraph, subgraphs: Sequence[int], count: int) -> NodeGraph:
    """The quotient graph of `count` subgraphs, one node for each.

    Args:
        subgraphs: per index, the subgraph; an operation with a negative one is left out.

    Notes:
        O(operations + operands).
    """
    if min(subgraphs, default=0) < 0:
        ordered = replace(
            ordered, producers=_inside(ordered.producers, subgraphs), consumers=_inside(ordered.consumers, subgraphs)
        )
    return contract(ordered, subgraphs, count)


def _inside(users: Sequence[Sequence[int]], subgraphs: Sequence[int]) -> list[Sequence[int]]:
    return [[index for index in indices if subgraphs[index] >= 0] for indices in users]


def smallest_first_order(graph: NodeGraph) -> list[int]:
    """A topological order that always takes the smallest ready node; nodes that lie behind a cycle are missing.

    Notes:
        O(nodes log nodes + link ends). Source: merge passes, section 2.8.
    """
    readiness = Readiness(graph)
    ready = list(readiness.initial)
    heapify(ready)
    order: list[int] = []
    while ready:
        node = heappop(ready)
        order.append(node)
        for released in readiness.release(node):
            heappush(ready, released)
    return order


def describe_cycle(graph: NodeGraph) -> str:
    """A cycle of subgraphs, such as `3 -> 5 -> 3`; the graph has one."""
    inside = node_cycles(graph)[0]
    members = set(inside)
    node, place = inside[0], dict[int, int]()
    while node not in place:
        place[node] = len(place)
        node = min(graph.successors(node) & members)
    cycle = list(place)[place[node] :]
    shown = [str(subgraph) for subgraph in cycle[:8]]
    if len(cycle) > len(shown):
        shown.append(f"… {len(cycle) - len(shown)} more")
    return " -> ".join([*shown, shown[0]])
