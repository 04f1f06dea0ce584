"""Strongly connected components."""

from __future__ import annotations

from collections.abc import Sequence

from transforms.graph_partition.node_graph import NodeGraph


def strong_components(successors: Sequence[Sequence[int]]) -> list[int]:
    """Per vertex, the number of its strongly connected component.

    Notes:
        Iterative, O(vertices + edges). Source: R. Tarjan, "Depth-first search and linear graph algorithms", 1972.
    """
    count = len(successors)
    component = [-1] * count
    entered = [-1] * count
    low = [0] * count
    open_vertices: list[int] = []
    clock = component_count = 0
    for start in range(count):
        if entered[start] >= 0:
            continue
        path: list[tuple[int, int]] = [(start, 0)]
        while path:
            vertex, position = path.pop()
            if position == 0:
                entered[vertex] = low[vertex] = clock
                clock += 1
                open_vertices.append(vertex)
            else:
                low[vertex] = min(low[vertex], low[successors[vertex][position - 1]])
            following = successors[vertex]
            while position < len(following):
                successor = following[position]
                position += 1
                if entered[successor] < 0:
                    path.append((vertex, position))
                    path.append((successor, 0))
                    break
                if component[successor] < 0:
                    low[vertex] = min(low[vertex], entered[successor])
            else:
                if low[vertex] == entered[vertex]:
                    member = -1
                    while member != vertex:
                        member = open_vertices.pop()
                        component[member] = component_count
                    component_count += 1
    return component


def node_cycles(graph: NodeGraph) -> list[list[int]]:
    """The sets of two or more nodes that depend on one another, each ascending, by smallest node."""
    node_count = graph.node_count
    successors = [[node_count + link for link in links] for links in graph.outgoing]
    successors.extend(list(targets) for targets in graph.targets)
    members: dict[int, list[int]] = {}
    for node, component in enumerate(strong_components(successors)[:node_count]):
        members.setdefault(component, []).append(node)
    return [nodes for nodes in members.values() if len(nodes) > 1]
