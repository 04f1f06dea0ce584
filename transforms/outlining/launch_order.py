"""The order in which subgraphs run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.utils.exceptions import PassFailedException

from transforms.canonical_order import canonical_order
from transforms.graph import TileGraph
from transforms.graph_partition.ordered_graph import order_graph
from transforms.partition_check import check_ids
from transforms.subgraph_graph import describe_cycle, smallest_first_order, subgraph_graph


def launch_order(graph: TileGraph, subgraphs: Sequence[int]) -> list[int]:
    """The subgraphs, writers of a tensor before its readers; of those that may come next always the smallest id.

    Args:
        subgraphs: per operation, its subgraph, negative for none. What is read at run time counts as read.

    Raises:
        PassFailedException: ids are missing or have gaps, or subgraphs depend on one another in a cycle.

    Notes:
        O(operations log operations + operands).
    """
    if subgraphs and max(subgraphs) < 0:
        raise PassFailedException("no op has a subgraph: run graph-partition first")
    violations = check_ids(graph, subgraphs)
    if violations:
        more = f" (and {len(violations) - 1} more such)" if len(violations) > 1 else ""
        raise PassFailedException(f"{violations[0].message}{more}")
    inputs = list(graph.inputs)
    for operation, reads in graph.runtime_reads.items():
        inputs[operation] += reads
    ordered = order_graph(replace(graph, inputs=inputs), canonical_order(graph))
    subgraph_count = max(subgraphs, default=-1) + 1
    quotient = subgraph_graph(ordered, [subgraphs[operation] for operation in ordered.order], subgraph_count)
    order = smallest_first_order(quotient)
    if len(order) < subgraph_count:
        raise PassFailedException(f"subgraphs depend on one another in a cycle: {describe_cycle(quotient)}")
    return order
