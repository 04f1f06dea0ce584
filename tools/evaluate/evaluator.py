"""Runs tile functions: op by op, subgraph by subgraph, or launch by launch."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from xdsl.dialects.builtin import DictionaryAttr, FloatAttr, IntegerAttr
from xdsl.ir import Attribute, SSAValue

from dialect.attributes import ScalarAttr
from dialect.function import TileFunction
from dialect.operation import TileOperation
from dialect.ops import BufferOp, FuncOp
from dialect.outlined import LaunchOp, LeafOp, launches_in
from dialect.types import TensorType
from dialect.values import boolean_of, integer_of, integers_of, items_of, string_of
from tools.evaluate.errors import EvaluationError
from tools.evaluate.expressions import value_of
from tools.evaluate.number_formats import Array, converted, number_format
from tools.evaluate.semantics import SEMANTICS, WINDOWS, Call, Parameter
from tools.evaluate.tensors import Tensor, new_tensor, tensor_of
from transforms.graph_of_function import graph_of
from transforms.outlining.launch_order import launch_order

_MOST_ELEMENTS = 2**27
"""The size of the largest tensor that is evaluated; no on-chip graph comes near it."""

_REFUSED_PARAMS = ("op_attr_atomic_add", "op_attr_input_combine_axis", "op_attr_output_combine_axis")
"""Parameters of any op that are covered only as 0, false, or lists of these."""


def evaluate(
    function: FuncOp,
    inputs: Sequence[Array],
    symbols: Mapping[str, int] | None = None,
    leaves: Mapping[str, LeafOp] | None = None,
) -> list[Array]:
    """Run a function, in the order that its form says.

    An outlined function runs launch by launch; one whose ops all have a subgraph runs subgraph by subgraph, in an order
    in which writers come before readers; any other runs op by op.

    Args:
        inputs: what each of the function's `ins` holds.
        symbols: the value of each symbol in symbolic offsets and shapes.
        leaves: the leaves of the module by name.

    Returns:
        what each argument, `ins` and then `outs`, holds afterwards; where nothing was written an `outs` is 0.

    Raises:
        EvaluationError: an opcode, an element type, a shape or a parameter is not covered; a symbol has no value; or an
            op overwrites what another one wrote, so that the result would depend on the order.
        PassFailedException: subgraph ids are there, but have gaps or depend on one another in a cycle.
    """
    check_covered([function] if leaves is None else [function, *leaves.values()])
    run = _Run(function, dict(symbols or {}))
    if len(inputs) != len(function.ins):
        raise EvaluationError(f"@{function.symbol} has {len(function.ins)} ins, found {len(inputs)} arrays")
    arguments = [tensor_of(array.copy()) for array in inputs]
    for position, (argument, tensor) in enumerate(zip(function.ins, arguments, strict=True)):
        expected = shape_of(argument)
        if tensor.shape != expected:
            raise EvaluationError(f"argument {position} of @{function.symbol} is {expected}, found {tensor.shape}")
    arguments += [new_tensor(shape_of(argument), format_of(argument)) for argument in function.outs]
    run.tensors.update(zip(function.arguments, arguments, strict=True))
    with np.errstate(all="ignore"):
        if launches_in(function):
            run.launches(leaves or {})
        else:
            run.operations(_in_order(function))
    return [tensor.cells.data for tensor in arguments]


def _in_order(function: FuncOp) -> Iterable[TileOperation]:
    graph, operations = graph_of(function)
    subgraphs = [op.subgraph for op in operations]
    ids = [subgraph for subgraph in subgraphs if subgraph is not None]
    if not ids or len(ids) < len(operations):
        return operations
    members: dict[int, list[TileOperation]] = {}
    for op, subgraph in zip(operations, ids, strict=True):
        members.setdefault(subgraph, []).append(op)
    return [op for subgraph in launch_order(graph, ids) for op in members[subgraph]]


def check_covered(functions: Iterable[TileFunction]) -> None:
    """Raises EvaluationError if an opcode of the functions is not covered; the message names them all."""
    missing: dict[str, int] = {}
    for function in functions:
        for op in function.operations():
            name = op.opcode.name
            if name not in SEMANTICS and name not in WINDOWS:
                missing[name] = missing.get(name, 0) + 1
    if missing:
        named = ", ".join(f"{name} ({count} op{'s' * (count > 1)})" for name, count in sorted(missing.items()))
        raise EvaluationError(f"not covered by the evaluator: {named}; docs/evaluator.md lists what is")


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The shape of a tensor. Raises EvaluationError if an extent is not known, or the tensor is too large."""
    assert isinstance(value.type, TensorType)
    shape = value.type.shape
    if any(extent < 0 for extent in shape):
        raise EvaluationError(f"a tensor has a dynamic shape, {value.type}: only static shapes are covered")
    if math.prod(shape) > _MOST_ELEMENTS:
        raise EvaluationError(f"a tensor has {math.prod(shape)} elements, at most {_MOST_ELEMENTS} are covered")
    return shape


def format_of(value: SSAValue) -> type[np.generic]:
    """The numpy type of the elements of a tensor. Raises EvaluationError if the element type is not covered."""
    assert isinstance(value.type, TensorType)
    format = number_format(value.type.element)
    if format is None:
        raise EvaluationError(f"elements of type {value.type.element_type} are not covered")
    return format


class _Run:
    """The tensors of one function or leaf while its ops run."""

    def __init__(self, function: TileFunction, symbols: Mapping[str, int]) -> None:
        self.tensors: dict[SSAValue, Tensor] = {}
        self._function = function
        self._symbols = symbols
        self._missing_writers: dict[SSAValue, int] = {}
        for op in function.body.block.ops:
            if isinstance(op, BufferOp):
                self.tensors[op.tensor] = self._with_valid(
                    new_tensor(shape_of(op.tensor), format_of(op.tensor)), op.valid, {}
                )
            elif isinstance(op, TileOperation | LaunchOp):
                for value in op.destinations:
                    self._missing_writers[value] = self._missing_writers.get(value, 0) + 1

    def operations(self, operations: Iterable[TileOperation]) -> None:
        """Run ops in the given order."""
        for op in operations:
            try:
                self._run_operation(op)
            except EvaluationError as error:
                raise EvaluationError(f"{op.display_name} of @{self._function.symbol}: {error}") from error
            self._finish(op.destinations)

    def launches(self, leaves: Mapping[str, LeafOp]) -> None:
        """Run the launches in text order, each in a space of its own that has just what the launch gives it."""
        for launch in launches_in(self._function):
            leaf = leaves[launch.leaf_name]
            symbols = {
                name: self._integer(value)
                for name, value in zip(leaf.symbol_names, items_of(launch.properties.get("symbols")) or (), strict=True)
            }
            inner = _Run(leaf, symbols)
            windows = iter(launch.windows)
            kinds = (True,) * len(leaf.ins) + launch.output_kinds
            values = (*launch.inputs, *launch.outputs)
            reads = len(leaf.ins)
            for position, (argument, value, given) in enumerate(zip(leaf.arguments, values, kinds, strict=True)):
                if not given:
                    self.tensors[value] = new_tensor(shape_of(value), format_of(value))
                tensor = self._readable(value) if position < reads else self.tensors[value]
                window = next(windows) if given else {}
                if window:
                    tensor = tensor.window(self._offsets(window), shape_of(argument))
                inner.tensors[argument] = tensor
            inner.operations(leaf.operations())
            for argument, value, given in zip(leaf.outs, launch.outputs, launch.output_kinds, strict=True):
                if not given:
                    self.tensors[value] = inner.tensors[argument]
            self._finish(launch.destinations)

    def _finish(self, destinations: Iterable[SSAValue]) -> None:
        for value in destinations:
            self._missing_writers[value] -= 1

    def _readable(self, value: SSAValue) -> Tensor:
        if value not in self.tensors or self._missing_writers.get(value):
            raise EvaluationError("it reads a tensor before all writers of the tensor have run")
        return self.tensors[value]

    def _integer(self, value: Attribute) -> int:
        number = integer_of(value)
        return value_of(string_of(value) or "", self._symbols) if number is None else number

    def _integers(self, attribute: Attribute | None) -> tuple[int, ...] | None:
        items = items_of(attribute)
        return None if items is None else tuple(self._integer(item) for item in items)

    def _offsets(self, properties: Mapping[str, Attribute]) -> Sequence[int]:
        static = integers_of(properties.get("offsets")) or ()
        dynamic = self._integers(properties.get("dyn_offsets"))
        if dynamic is not None and len(dynamic) != len(static):
            raise EvaluationError(f"it has {len(static)} static and {len(dynamic)} dynamic offsets")
        return static if dynamic is None else dynamic

    def _with_valid(self, tensor: Tensor, stated: Attribute | None, properties: Mapping[str, Attribute]) -> Tensor:
        """The tensor with the extents that a property says hold data."""
        valid = self._integers(stated)
        if valid is None:
            return tensor
        return replace(tensor, valid=_clipped(valid, tensor.shape))

    def _run_operation(self, op: TileOperation) -> None:
        params = _params(op)
        for name in _REFUSED_PARAMS:
            value = params.get(name)
            if any(value) if isinstance(value, list) else value:
                raise EvaluationError(f"parameter {name} is not covered")
        if op.opcode.is_view_like:
            self._view(op, transposed=bool(params.get("op_attr_l1_to_l0_transpose")))
        elif op.opcode.is_assemble_like:
            self._assemble(op)
        else:
            self._compute(op, params)

    def _view(self, op: TileOperation, *, transposed: bool) -> None:
        if len(op.inputs) != 1 or len(op.outputs) != 1:
            raise EvaluationError(f"it has {len(op.inputs)} inputs and {len(op.outputs)} outputs, expected 1 and 1")
        source, target = self._readable(op.inputs[0]), op.outputs[0]
        shape = shape_of(target)
        extents = (*shape[:-2], *reversed(shape[-2:])) if transposed else shape
        if len(extents) != len(source.shape):
            raise EvaluationError(f"a window of rank {len(extents)} in a tensor of rank {len(source.shape)}")
        offsets = self._offsets(op.properties) or (0,) * len(extents)
        window = source.read(offsets, extents)
        valid = self._integers(op.properties.get("valid"))
        self._put(op, np.swapaxes(window, -1, -2) if transposed else window, valid)

    def _assemble(self, op: TileOperation) -> None:
        if len(op.inputs) != 1 or len(op.outputs) != 1:
            raise EvaluationError(f"it has {len(op.inputs)} inputs and {len(op.outputs)} outputs, expected 1 and 1")
        source, target = self._readable(op.inputs[0]), op.outputs[0]
        if target not in self.tensors:
            self.tensors[target] = new_tensor(shape_of(target), format_of(target))
        tensor = self.tensors[target]
        if len(source.shape) != len(tensor.shape):
            raise EvaluationError(f"a window of rank {len(source.shape)} in a tensor of rank {len(tensor.shape)}")
        valid = self._integers(op.properties.get("valid"))
        extents = source.valid if valid is None else _clipped(valid, source.shape)
        offsets = self._offsets(op.properties) or (0,) * len(tensor.shape)
        assert isinstance(target.type, TensorType)
        values = converted(source.read(), target.type.element)
        tensor.write(values, extents, offsets, op.display_name)
        self.tensors[target] = self._with_valid(tensor, op.properties.get("tensor_valid"), op.properties)

    def _compute(self, op: TileOperation, params: Mapping[str, Parameter]) -> None:
        semantics = SEMANTICS[op.opcode.name]
        if "attr" in op.properties:
            raise EvaluationError("its `attr` is not interpreted, so what it does is not known")
        if len(op.inputs) != semantics.input_count:
            raise EvaluationError(f"it has {len(op.inputs)} inputs, expected {semantics.input_count}")
        if not op.outputs:
            raise EvaluationError("it has no output")
        target = op.outputs[0]
        format_of(target)
        assert isinstance(target.type, TensorType)
        sources = [self._readable(value) for value in op.inputs]
        call = Call(
            [source.read() for source in sources],
            [source.valid for source in sources],
            params,
            shape_of(target),
            target.type.element,
        )
        try:
            result = semantics.compute(call)
        except ValueError as error:
            raise EvaluationError(f"shapes {', '.join(str(array.shape) for array in call.inputs)}: {error}") from error
        self._put(op, result, None)
        for scratch in op.outputs[1:]:
            if scratch not in self.tensors:
                self.tensors[scratch] = new_tensor(shape_of(scratch), format_of(scratch))

    def _put(self, op: TileOperation, result: Array, valid: tuple[int, ...] | None) -> None:
        """Let the first output be `result`, 0 beyond the extents that hold data."""
        target = op.outputs[0]
        shape = shape_of(target)
        if result.shape != shape:
            raise EvaluationError(f"it computes a tensor of shape {result.shape}, its output is {shape}")
        if valid is None and op.results:
            stated = op.properties.get("tensor_valid" if op.opcode.is_windowed else "valid")
            first = stated if len(op.results) == 1 else (items_of(stated) or (None,))[0]
            valid = self._integers(first)
        extents = shape if valid is None else _clipped(valid, shape)
        assert isinstance(target.type, TensorType)
        result = converted(result, target.type.element)
        if target in self.tensors:
            self.tensors[target].write(result, extents, (0,) * len(shape), op.display_name)
            return
        if extents != shape:
            kept = np.zeros_like(result)
            inside = tuple(slice(extent) for extent in extents)
            kept[inside] = result[inside]
            result = kept
        self.tensors[target] = replace(tensor_of(result), valid=extents)


def _clipped(valid: Sequence[int], shape: tuple[int, ...]) -> tuple[int, ...]:
    if len(valid) != len(shape):
        raise EvaluationError(f"a valid shape of rank {len(valid)} for a tensor of rank {len(shape)}")
    return tuple(max(0, min(extent, size)) for extent, size in zip(valid, shape, strict=True))


def _params(op: TileOperation) -> dict[str, Parameter]:
    params = op.properties.get("params")
    return {key: _plain(value) for key, value in params.data.items()} if isinstance(params, DictionaryAttr) else {}


def _plain(value: Attribute) -> Parameter:
    """A value of `params` as a Python value; None for what has none."""
    if isinstance(value, ScalarAttr):
        number = getattr(value.value, "data", None)
        return number if isinstance(number, int | float) else None
    if isinstance(value, FloatAttr):
        return value.value.data
    if (flag := boolean_of(value)) is not None:
        return flag
    if isinstance(value, IntegerAttr):
        return int(value.value.data)
    if (items := items_of(value)) is not None:
        return [_plain(item) for item in items]
    return string_of(value)
