"""What users know a subgraph by: its label, its merge classes, its operands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

from xdsl.ir import Attribute, SSAValue

from dialect.attributes import StorageAttr
from dialect.ops import FuncOp
from dialect.types import TensorType
from dialect.values import integer_of
from transforms.graph_of_function import function_graph
from transforms.hints import HashOrder, hash_orders_of, subgraph_hash_orders
from transforms.tensor_properties import tensor_property


class Operand(NamedTuple):
    """A tensor that a subgraph shares with others; `element` is the number of the dump format."""

    magic: int
    shape: tuple[int, ...]
    element: int
    raw_magic: int


@dataclass(frozen=True, slots=True)
class SubgraphFacts:
    """One subgraph.

    Attributes:
        label: the semantic label of its first op that has one, else empty.
        hash_orders: for each merge, the class that it belonged to.
        inputs: what it reads and does not make, in the order of its ops, each once.
        outputs: what it makes and others read, or the function returns, likewise.
    """

    label: str
    hash_orders: Mapping[str, HashOrder]
    inputs: Sequence[Operand]
    outputs: Sequence[Operand]


def subgraph_facts(function: FuncOp) -> dict[int, SubgraphFacts]:
    """The facts of all subgraphs of a function whose ops all have one.

    Notes:
        O(operations + operands).
    """
    graph, operations, values = function_graph(function)
    members: dict[int, list[int]] = {}
    for number, op in enumerate(operations):
        assert op.subgraph is not None
        members.setdefault(op.subgraph, []).append(number)
    reading: list[set[int]] = [set() for _ in values]
    for subgraph, numbers in members.items():
        for number in numbers:
            for tensor in graph.inputs[number]:
                reading[tensor].add(subgraph)
    returned = range(len(function.ins), len(function.arguments))
    properties = function.properties_of_arguments()
    operands = [_operand(value, number, properties) for number, value in enumerate(values)]
    facts: dict[int, SubgraphFacts] = {}
    for subgraph, numbers in members.items():
        ops = [operations[number] for number in numbers]
        made = dict.fromkeys(tensor for number in numbers for tensor in graph.outputs[number])
        read = dict.fromkeys(tensor for number in numbers for tensor in graph.inputs[number])
        facts[subgraph] = SubgraphFacts(
            next((label for op in ops if (label := op.semantic_label)), ""),
            subgraph_hash_orders(hash_orders_of(op.properties.get("hashorder")) for op in ops),
            [operands[tensor] for tensor in read if tensor not in made],
            [operands[tensor] for tensor in made if tensor in returned or reading[tensor] - {subgraph}],
        )
    return facts


def _operand(value: SSAValue, number: int, properties: Sequence[Mapping[str, Attribute]]) -> Operand:
    magic = integer_of(tensor_property(value, "tensor_magic", properties))
    storage = tensor_property(value, "storage", properties)
    type = cast(TensorType, value.type)
    return Operand(
        number if magic is None else magic,
        type.shape,
        type.element.number,
        storage.number.data if isinstance(storage, StorageAttr) else number if magic is None else magic,
    )
