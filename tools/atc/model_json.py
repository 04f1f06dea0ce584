"""A module as plain JSON for other programs (`--mode=1` and `--mode=5`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import DictionaryAttr, ModuleOp
from xdsl.ir import SSAValue

from dialect.ops import FuncOp, functions_of
from dialect.types import TensorType
from dialect.values import string_of
from transforms.graph_of_function import function_graph
from transforms.inline_subgraphs import inlined
from transforms.module_rules import compat_of, target_of

Json = Mapping[str, object]


def model_as_json(module: ModuleOp, *, with_shapes: bool) -> Json:
    """Rules, chip, GE options and functions of a verified module.

    Tensors are numbered per function, incasts first, then outcasts; operations name their tensors by number. Without
    `with_shapes` the shapes are left out.
    """
    options = module.attributes.get("ge.options")
    return {
        "rules": str(compat_of(module)),
        "chip": target_of(module).name,
        "options": {key: string_of(value) for key, value in options.data.items()}
        if isinstance(options, DictionaryAttr)
        else {},
        "functions": [_function(function, with_shapes) for function in functions_of(inlined(module))],
    }


def _function(function: FuncOp, with_shapes: bool) -> Json:
    graph, operations, tensors = function_graph(function)
    magic = function.magic
    return {
        "name": function.symbol,
        "magic": None if magic is None else magic.value.data,
        "ins": list(range(len(function.ins))),
        "outs": list(range(len(function.ins), len(function.arguments))),
        "tensors": [_tensor(tensor, with_shapes) for tensor in tensors],
        "operations": [
            {
                "magic": graph.magics[index],
                "opcode": op.opcode.name,
                "inputs": list(graph.inputs[index]),
                "outputs": list(graph.outputs[index]),
                "cycles": graph.latencies[index],
                "subgraph": op.subgraph,
            }
            for index, op in enumerate(operations)
        ],
    }


def _tensor(tensor: SSAValue, with_shapes: bool) -> Json:
    type = tensor.type
    assert isinstance(type, TensorType), "verified: values of a function are tensors"
    described: dict[str, object] = {"element": str(type.element_type), "memory": str(type.memory)}
    if with_shapes:
        described["shape"] = _dims(type.shape)
    return described


def _dims(shape: Sequence[int]) -> list[int | None]:
    return [None if extent < 0 else extent for extent in shape]
