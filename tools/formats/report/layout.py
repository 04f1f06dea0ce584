"""Where the subgraphs of a graph are drawn: in columns, so that data flows from left to right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from transforms.graph_partition.node_graph import NodeGraph
from transforms.subgraph_graph import smallest_first_order


class Place(NamedTuple):
    """A column, counted from the left, and a row in it."""

    column: int
    row: int


def layered(graph: NodeGraph, count: int) -> list[Place]:
    """Per node of an acyclic graph, its place: one column behind its last predecessor.

    In a column, nodes stand by the mean row of their predecessors, then by number, which keeps edges short.

    Notes:
        O(nodes log nodes + edges). The layering is that of Sugiyama, Tagawa and Toda, "Methods for visual understanding
        of hierarchical system structures" (1981), with one sweep of the barycenter method.
    """
    columns = [0] * count
    predecessors: list[list[int]] = [[] for _ in range(count)]
    for node in smallest_first_order(graph):
        for successor in graph.successors(node):
            predecessors[successor].append(node)
            columns[successor] = max(columns[successor], columns[node] + 1)
    nodes_of_column: list[list[int]] = [[] for _ in range(max(columns, default=-1) + 1)]
    for node, column in enumerate(columns):
        nodes_of_column[column].append(node)
    rows = [0] * count
    for nodes in nodes_of_column:
        nodes.sort(key=lambda node: (_mean([rows[other] for other in predecessors[node]]), node))
        for row, node in enumerate(nodes):
            rows[node] = row
    return [Place(column, row) for column, row in zip(columns, rows, strict=True)]


def _mean(rows: Sequence[int]) -> float:
    return sum(rows) / len(rows) if rows else 0.0
