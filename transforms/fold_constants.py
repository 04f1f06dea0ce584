"""The pass `fold-constants`: computes what depends on constants only.

Before:

```mlir
%0 = tile.vec_dup {params = {SCALAR = #tile.scalar<f32, 2.0>}} : !tile.tensor<64x64xf32, ub>
%1 = tile.muls %0 {params = {SCALAR = #tile.scalar<f32, 0.25>}} : !tile.tensor<64x64xf32, ub>
```

After:

```mlir
%0 = tile.vec_dup {magic = 10001, params = {SCALAR = #tile.scalar<f32, 0.5>}} : !tile.tensor<64x64xf32, ub>
```
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, FloatData, IntAttr, ModuleOp
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from dialect.attributes import ScalarAttr
from dialect.collection import paused_collection
from dialect.opcodes import OPCODE_BY_NAME
from dialect.operation import INTO, TileOperation
from dialect.ops import OPERATION_CLASSES, FuncOp
from dialect.types import TensorType
from dialect.values import boolean_of
from transforms.graph_of_function import refuse_outlined
from transforms.module_rules import resolved_functions
from transforms.remarks import Remark, emit
from transforms.stated_magics import state_magics

_PASS_NAME = "fold-constants"

_FILL = OPERATION_CLASSES[OPCODE_BY_NAME["VEC_DUP"].number]
"""The op that fills a tensor with one number."""

_FORMATS: Mapping[str, type[np.generic]] = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
}
"""The numpy type of each element type whose arithmetic is exact or rounds as IEEE 754 says, so that the chip agrees."""

_INTEGER_BITS: Mapping[type[np.generic], int] = {np.int16: 16, np.int32: 32, np.int64: 64}

_Number = Any
"""A numpy number."""

_UNARY: Mapping[str, Callable[[_Number], _Number]] = {
    "ABS": np.abs,
    "NEG": np.negative,
    "RELU": lambda value: np.maximum(value, value.dtype.type(0)),
}

_BINARY: Mapping[str, Callable[[_Number, _Number], _Number]] = {
    "ADD": np.add,
    "SUB": np.subtract,
    "MUL": np.multiply,
    "DIV": np.divide,
    "MAXIMUM": np.maximum,
    "MINIMUM": np.minimum,
}

_WITH_SCALAR: Mapping[str, Callable[[_Number, _Number], _Number]] = {
    "ADDS": np.add,
    "SUBS": np.subtract,
    "MULS": np.multiply,
    "DIVS": np.divide,
    "MAXS": np.maximum,
    "MINS": np.minimum,
}

_FLOATS_ONLY = frozenset({"DIV", "DIVS"})

_UNDERSTOOD = frozenset({"SCALAR", "op_attr_reverseOperand"})
"""Parameters that folding takes into account; an op with another one is left alone."""


def constant_of(op: TileOperation) -> _Number | None:
    """The number that a constant fills its tensor with; None if the op is no constant that can be folded."""
    if op.opcode is not _FILL.opcode or op.operands or len(op.results) != 1:
        return None
    parameters = _parameters(op)
    if not parameters.keys() <= {"SCALAR", "op_attr_shape"}:
        return None
    return _number(parameters.get("SCALAR"), op.results[0].type)


def _parameters(op: TileOperation) -> Mapping[str, Attribute]:
    parameters = op.properties.get("params")
    return parameters.data if isinstance(parameters, DictionaryAttr) else {}


def _number(scalar: Attribute | None, type: Attribute) -> _Number | None:
    """A scalar in the element type of a tensor; None if there is none, or it has no exact arithmetic."""
    format = _FORMATS.get(str(type.element_type)) if isinstance(type, TensorType) else None
    if format is None or not isinstance(scalar, ScalarAttr) or not isinstance(scalar.value, IntAttr | FloatData):
        return None
    value = scalar.value.data
    if format in _INTEGER_BITS and not (isinstance(value, int) and -_limit(format) <= value < _limit(format)):
        return None
    with np.errstate(all="ignore"):
        return format(value)


def _limit(format: type[np.generic]) -> int:
    return 1 << (_INTEGER_BITS[format] - 1)


def folded(op: TileOperation, inputs: Sequence[_Number]) -> _Number | None:
    """What an op makes of constants; None if that cannot be told, or is not finite.

    Parameters:
        inputs: the number in each operand; all are of one type.
    """
    name, parameters = op.opcode.name, _parameters(op)
    if not parameters.keys() <= _UNDERSTOOD or INTO in op.properties or len(op.results) != 1:
        return None
    element = str(getattr(op.results[0].type, "element_type", ""))
    if _FORMATS.get(element) is not type(inputs[0]) or (name in _FLOATS_ONLY and element.startswith("i")):
        return None
    with np.errstate(all="ignore"):
        if name in _UNARY and len(inputs) == 1:
            result = _UNARY[name](inputs[0])
        elif name in _BINARY and len(inputs) == 2:
            result = _BINARY[name](*inputs)
        elif name in _WITH_SCALAR and len(inputs) == 1:
            scalar = _number(parameters.get("SCALAR"), op.results[0].type)
            if scalar is None:
                return None
            pair = (inputs[0], scalar)
            is_reversed = boolean_of(parameters.get("op_attr_reverseOperand")) or False
            result = _WITH_SCALAR[name](*(reversed(pair) if is_reversed else pair))
        else:
            return None
    return result if np.isfinite(result) else None


@dataclass
class FoldConstants(RewritePattern):
    """Folds the constant chains of one function from their beginning, and removes constants that nobody needs then."""

    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        refuse_outlined(op)
        constants: dict[int, _Number] = {}
        replaced: list[tuple[TileOperation, _Number]] = []
        for operation in op.operations():
            number = constant_of(operation)
            if number is None and _may_fold(operation):
                inputs = [constants[id(value)] for value in operation.operands if id(value) in constants]
                if inputs and len(inputs) == len(operation.operands):
                    number = folded(operation, inputs)
                    if number is not None:
                        replaced.append((operation, number))
            if number is not None:
                constants[id(operation.results[0])] = number
        if not replaced:
            return
        state_magics(op)
        sources: list[SSAValue] = []
        for operation, number in replaced:
            sources += operation.operands
            sources.append(_replace(operation, number))
        removed = _remove_unused(sources)
        message = (
            f"ops on constants that are computed: {len(replaced)}; constants that are not needed any more: {removed}"
        )
        emit(Remark(_PASS_NAME, "folded", message, op.symbol, {"computed": len(replaced), "removed": removed}))
        rewriter.notify_op_modified(op)


def _may_fold(op: TileOperation) -> bool:
    """Whether an op computes number by number on tensors of one shape, and nobody asked to leave it alone."""
    shapes = {value.type.shape for value in (*op.operands, *op.results) if isinstance(value.type, TensorType)}
    return len(shapes) == 1 and bool(op.operands)


def _replace(op: TileOperation, number: _Number) -> SSAValue:
    """Put a constant with the magic and all else of an op in its place; the constant's value."""
    (result,) = op.results
    assert isinstance(result.type, TensorType), "verified: results are tensors"
    value = IntAttr(int(number)) if type(number) in _INTEGER_BITS else FloatData(float(number))
    scalar = ScalarAttr(result.type.element_type, value)
    properties = {name: kept for name, kept in op.properties.items() if name not in ("params", "latency")}
    if "latency" in op.properties:
        (source, *_) = [operand.owner for operand in op.operands]
        if isinstance(source, TileOperation) and "latency" in source.properties:
            properties["latency"] = source.properties["latency"]
    properties["params"] = DictionaryAttr({"SCALAR": scalar})
    constant = _FILL.create(result_types=[result.type], properties=properties, attributes=dict(op.attributes))
    constant.results[0].name_hint = result.name_hint
    assert op.parent is not None, "ops of a function stand in its block"
    op.parent.insert_op_before(constant, op)
    result.replace_all_uses_with(constant.results[0])
    op.detach()
    op.erase()
    return constant.results[0]


def _remove_unused(values: Sequence[SSAValue]) -> int:
    """Remove constants that nobody reads, and count them."""
    removed = 0
    for value in dict.fromkeys(values):
        op = value.owner
        if isinstance(op, TileOperation) and op.parent is not None and value.first_use is None:
            op.detach()
            op.erase()
            removed += 1
    return removed


@dataclass(frozen=True)
class FoldConstantsPass(ModulePass):
    """Computes ops whose operands are all constants: VEC_DUP with a SCALAR, and what is computed from such.

    Sums, differences, products, quotients, maxima, minima, absolute values and signs of f16, f32, f64, i16, i32 and i64
    are computed as the chip does; other ops, other types and results that are not finite are left alone.
    """

    name = _PASS_NAME

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pattern = FoldConstants()
        with paused_collection():
            for function in resolved_functions(op):
                pattern.match_and_rewrite(function, PatternRewriter(function))
