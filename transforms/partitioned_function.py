"""A function with the subgraphs and labels of its ops, as the merge passes read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dialect.ops import FuncOp
from dialect.values import integer_of, string_of
from transforms.canonical_order import canonical_order
from transforms.graph_of_function import FunctionGraph, function_graph
from transforms.graph_partition.ordered_graph import OrderedGraph, order_graph


@dataclass(frozen=True, slots=True)
class PartitionedFunction:
    """One function.

    Attributes:
        function: its IR.
        parts: its graph, operations and tensors.
        ordered: the graph in canonical order.
        subgraphs: per index of `ordered`, the id; -1 for none.
        labels: per index of `ordered`, the semantic label; None for none.
    """

    function: FuncOp
    parts: FunctionGraph
    ordered: OrderedGraph
    subgraphs: Sequence[int]
    labels: Sequence[str | None]

    @property
    def outcasts(self) -> frozenset[int]:
        """The tensors that the function returns."""
        return frozenset(range(len(self.function.ins), len(self.function.arguments)))

    def labelled(self) -> dict[str, list[int]]:
        """Per label in the function, the subgraphs with an op that carries it, ascending; one op is enough."""
        labelled: dict[str, set[int]] = {}
        for label, subgraph in zip(self.labels, self.subgraphs, strict=True):
            if label:
                labelled.setdefault(label, set()).add(subgraph)
        return {label: sorted(subgraphs - {-1}) for label, subgraphs in labelled.items()}


def partitioned_function(function: FuncOp) -> PartitionedFunction:
    """The arrays of a verified function.

    Raises:
        PassFailedException: the ops form a cycle.

    Notes:
        O(operations log operations + operands).
    """
    parts = function_graph(function)
    ordered = order_graph(parts.graph, canonical_order(parts.graph))
    subgraphs: list[int] = []
    labels: list[str | None] = []
    for operation in ordered.order:
        properties = parts.operations[operation].properties
        subgraph = integer_of(properties.get("subgraph"))
        subgraphs.append(-1 if subgraph is None else subgraph)
        labels.append(string_of(properties["semantic_label"]) if "semantic_label" in properties else None)
    return PartitionedFunction(function, parts, ordered, subgraphs, labels)
