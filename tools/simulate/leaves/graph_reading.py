"""Turns a partitioned function into the arrays that the simulator lowers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DictionaryAttr
from xdsl.ir import SSAValue

from dialect.attributes import StorageAttr
from dialect.compat import Compat
from dialect.opcodes import OPCODES
from dialect.operation import TileOperation
from dialect.ops import FuncOp
from dialect.types import TensorType
from dialect.values import boolean_of, integer_of
from tools.simulate.leaves.partitioned_graph import PartitionedGraph
from transforms.canonical_order import canonical_order
from transforms.graph_of_function import FunctionGraph
from transforms.graph_partition.ordered_graph import OrderedGraph, order_graph
from transforms.merging.graph_reduction import without_common_operations
from transforms.outlining.attribute_numbers import AttributeNumbers
from transforms.tensor_facts import TensorFacts
from transforms.tensor_properties import tensor_property

_KEY_PROPERTIES = ("attr", "from", "to", "offsets", "dyn_offsets", "valid")
_TRANSPOSE = "op_attr_l1_to_l0_transpose"
_AXIS = "op_attr_AXIS"


def partitioned_graph(
    function: FuncOp, function_graph: FunctionGraph, tensors: TensorFacts, compat: Compat
) -> tuple[PartitionedGraph, OrderedGraph]:
    """The graph of a function whose ops all have a subgraph, without what is computed twice in one subgraph.

    The merge passes leave such ops out; a function that has only been partitioned still has them (cost model,
    section 6.1, step 0).

    Returns:
        the graph, and the ordered graph whose indices its operations are.

    Raises:
        PassFailedException: the ops form a cycle.
    """
    graph, operations, values = function_graph
    ordered = order_graph(graph, canonical_order(graph))
    argument_count = len(function.arguments)
    subgraphs = [operation.subgraph or 0 for operation in operations]
    outcasts = frozenset(range(len(function.ins), argument_count))
    reduced = without_common_operations(
        ordered, operations, tensors, [subgraphs[operation] for operation in ordered.order], outcasts, compat
    ).ordered
    splits_rows = _tensors_that_split_rows(function, values)
    return _arrays(reduced, operations, subgraphs, tensors, splits_rows), reduced


def _tensors_that_split_rows(function: FuncOp, values: Sequence[SSAValue]) -> frozenset[int]:
    """The columns of one element per row whose raw tensors have more in a row."""
    properties = function.properties_of_arguments()
    splitting: set[int] = set()
    for number, value in enumerate(values):
        type = value.type
        if isinstance(type, TensorType) and type.shape[-1:] == (1,):
            storage = tensor_property(value, "storage", properties)
            if isinstance(storage, StorageAttr) and storage.shape[-1:] != (1,):
                splitting.add(number)
    return frozenset(splitting)


def _arrays(
    ordered: OrderedGraph,
    operations: Sequence[TileOperation],
    subgraphs: Sequence[int],
    tensors: TensorFacts,
    splits_rows: frozenset[int],
) -> PartitionedGraph:
    numbers = AttributeNumbers()
    transposed: set[int] = set()
    axes: dict[int, int] = {}
    attributes: list[int] = []
    for index, operation in enumerate(ordered.order):
        op = operations[operation]
        properties = op.properties
        key = [numbers.of(properties[name]) if name in properties else -1 for name in _KEY_PROPERTIES]
        params = properties.get("params")
        if isinstance(params, DictionaryAttr):
            if op.opcode.is_windowed:
                if boolean_of(params.data.get(_TRANSPOSE)):
                    transposed.add(index)
            else:
                key.append(numbers.of(params))
                axis = integer_of(params.data.get(_AXIS))
                if axis is not None:
                    axes[index] = axis
        attributes.append(numbers.of_value(tuple(key)))
    return PartitionedGraph(
        opcodes=[OPCODES[opcode].name for opcode in ordered.opcodes],
        inputs=ordered.inputs,
        outputs=ordered.outputs,
        subgraphs=[subgraphs[operation] for operation in ordered.order],
        attributes=attributes,
        transposed=frozenset(transposed),
        axes=axes,
        shapes=tensors.shapes,
        elements=ordered.graph.elements,
        memories=ordered.graph.memories,
        places=[
            numbers.of_value((storage, offset))
            for storage, offset in zip(tensors.storages, tensors.offsets, strict=True)
        ],
        splits_rows=splits_rows,
    )
