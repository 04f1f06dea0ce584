"""What each covered opcode computes. The semantics are those of this project; opcodes not listed are not covered.

Rules for all of them: operands are converted to the element type of the result unless the table says otherwise; results
are rounded to their element type after every op; outputs after the first are scratch space and become 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dialect.elements import Element
from tools.evaluate.errors import EvaluationError
from tools.evaluate.number_formats import Array, converted, number_format

Parameter = int | float | bool | str | Sequence["Parameter"] | None
"""A value of `params`."""


@dataclass(frozen=True)
class Call:
    """One op that is to be computed.

    Attributes:
        inputs: what it reads.
        valid: per input, the extents that hold data.
        params: its parameters.
        shape: the shape of its first output.
        element: the element type of its first output.
    """

    inputs: Sequence[Array]
    valid: Sequence[tuple[int, ...]]
    params: Mapping[str, Parameter]
    shape: tuple[int, ...]
    element: Element

    @property
    def is_float(self) -> bool:
        """Whether the result is of a float type."""
        return np.dtype(number_format(self.element)).kind == "f"

    def converted_inputs(self) -> list[Array]:
        """The inputs in the element type of the result."""
        return [converted(array, self.element) for array in self.inputs]

    def scalar(self, name: str = "SCALAR") -> Array:
        """A parameter as a number of the element type of the result.

        Raises:
            EvaluationError: it is absent or no number.
        """
        value = self.params.get(name)
        if not isinstance(value, int | float):
            raise EvaluationError(f"parameter {name} is {value!r}, expected a number")
        return converted(np.asarray(value), self.element)

    def integer(self, name: str) -> int | None:
        """An integer parameter, or None if it is absent."""
        value = self.params.get(name)
        if value is not None and not isinstance(value, int):
            raise EvaluationError(f"parameter {name} is {value!r}, expected an integer")
        return value


class Semantics(NamedTuple):
    """The number of inputs of an opcode, what it computes in words (a, b, c the inputs, s the scalar), and in numpy."""

    input_count: int
    meaning: str
    compute: Callable[[Call], Array]


def _floats_only(call: Call) -> None:
    if not call.is_float:
        raise EvaluationError(f"it is covered for floats only, found {call.element.type}")


def _integers_only(call: Call) -> None:
    if call.is_float:
        raise EvaluationError(f"it is covered for integers only, found {call.element.type}")


def _elementwise(
    input_count: int, meaning: str, function: Callable[..., Array], check: Callable[[Call], None] | None = None
) -> Semantics:
    def compute(call: Call) -> Array:
        if check is not None:
            check(call)
        return function(*call.converted_inputs())

    return Semantics(input_count, meaning, compute)


def _test(meaning: str, function: Callable[[Array], Array]) -> Semantics:
    def compute(call: Call) -> Array:
        return function(*call.inputs)

    return Semantics(1, meaning, compute)


def _pair(meaning: str, function: Callable[[Array, Array], Array]) -> Semantics:
    def compute(call: Call) -> Array:
        first, second = call.converted_inputs()
        if first.shape != second.shape:
            raise EvaluationError(f"it is covered for operands of one shape, found {first.shape} and {second.shape}")
        return function(first, second)

    return Semantics(2, meaning, compute)


def _scalar(
    meaning: str, function: Callable[[Array, Array], Array], check: Callable[[Call], None] | None = None
) -> Semantics:
    def compute(call: Call) -> Array:
        if check is not None:
            check(call)
        (array,), scalar = call.converted_inputs(), call.scalar()
        if call.params.get("op_attr_reverseOperand"):
            return function(scalar, array)
        return function(array, scalar)

    return Semantics(1, meaning, compute)


def _reduction(meaning: str, function: Callable[..., Array]) -> Semantics:
    def compute(call: Call) -> Array:
        (array,), (valid,) = call.converted_inputs(), call.valid
        axis = _reduced_axis(call, array.shape)
        kept = tuple(slice(None) if place != axis else slice(valid[axis]) for place in range(array.ndim))
        if valid[axis] == 0:
            return np.zeros(call.shape, array.dtype)
        return function(array[kept], axis=axis, keepdims=True)

    return Semantics(1, meaning, compute)


def _reduced_axis(call: Call, shape: tuple[int, ...]) -> int:
    axis = call.integer("op_attr_AXIS")
    if axis is not None:
        if not -len(shape) <= axis < len(shape):
            raise EvaluationError(f"parameter op_attr_AXIS is {axis}, for an input of rank {len(shape)}")
        return axis % len(shape)
    shrunk = [place for place, extents in enumerate(zip(shape, call.shape, strict=False)) if extents[0] != extents[1]]
    if len(shape) != len(call.shape) or len(shrunk) != 1:
        raise EvaluationError(f"no op_attr_AXIS, and {call.shape} does not tell which axis of {shape} is reduced")
    return shrunk[0]


def _sum(array: Array, axis: int, keepdims: bool) -> Array:
    wide = np.float64 if array.dtype.kind == "f" else array.dtype
    return np.sum(array, axis=axis, keepdims=keepdims, dtype=wide)


def _product(array: Array, axis: int, keepdims: bool) -> Array:
    wide = np.float64 if array.dtype.kind == "f" else array.dtype
    return np.prod(array, axis=axis, keepdims=keepdims, dtype=wide)


_NEUTRAL_MATMUL = (
    "op_attr_has_bias",
    "op_attr_gm_acc",
    "op_attr_relu_type",
    "op_attr_scale_value",
    "op_attr_trans_mode",
    "op_attr_is_mx",
)
"""Parameters of a multiply that are covered only as 0 or false."""


def _matmul(meaning: str, *, accumulate: bool = False, left: bool = False, right: bool = False) -> Semantics:
    def compute(call: Call) -> Array:
        for name in _NEUTRAL_MATMUL:
            if call.params.get(name):
                raise EvaluationError(f"parameter {name} is {call.params[name]!r}; only 0 and false are covered")
        if any(array.ndim != 2 for array in call.inputs):
            raise EvaluationError("it is covered for matrices only")
        wide = np.float64 if call.is_float else np.int64
        a, b = (array.astype(wide) for array in call.inputs[:2])
        a, b = a.T if left else a, b.T if right else b
        if a.shape[1] != b.shape[0]:
            raise EvaluationError(f"cannot multiply {a.shape} by {b.shape}")
        # Unlike a BLAS, this adds in an order that does not depend on threads or on where arrays lie.
        product = np.einsum("ij,jk->ik", a, b)
        return call.inputs[2].astype(wide) + product if accumulate else product

    return Semantics(3 if accumulate else 2, meaning, compute)


def _copy(call: Call) -> Array:
    return call.converted_inputs()[0]


def _whole_copy(call: Call) -> Array:
    if call.inputs[0].shape != call.shape:
        raise EvaluationError(f"it copies whole tensors here, found {call.inputs[0].shape} to {call.shape}")
    return _copy(call)


def _reshape(call: Call) -> Array:
    array = call.converted_inputs()[0]
    if array.size != math.prod(call.shape):
        raise EvaluationError(f"cannot reshape {array.shape} to {call.shape}")
    return array.reshape(call.shape)


def _expand(call: Call) -> Array:
    array = call.converted_inputs()[0]
    try:
        return np.broadcast_to(array, call.shape).copy()
    except ValueError:
        raise EvaluationError(f"cannot expand {array.shape} to {call.shape}") from None


def _swap_last_axes(call: Call) -> Array:
    array = call.converted_inputs()[0]
    if array.ndim < 2:
        raise EvaluationError("a transposition needs two axes")
    return np.swapaxes(array, -1, -2)


def _permute(call: Call) -> Array:
    axes = call.params.get("perm")
    array = call.converted_inputs()[0]
    if not isinstance(axes, list | tuple) or sorted(map(str, axes)) != sorted(map(str, range(array.ndim))):
        raise EvaluationError(f"parameter perm is {axes!r}, expected an order of the {array.ndim} axes")
    return np.transpose(array, [int(str(axis)) for axis in axes])


def _cumulative(function: Callable[..., Array]) -> Callable[[Call], Array]:
    def compute(call: Call) -> Array:
        array = call.converted_inputs()[0]
        axis = call.integer("op_attr_axis")
        if axis is None or not -array.ndim <= axis < array.ndim:
            raise EvaluationError(f"parameter op_attr_axis is {axis}, for an input of rank {array.ndim}")
        return function(array, axis=axis, dtype=np.float64 if call.is_float else array.dtype)

    return compute


def _each(function: Callable[[float], float]) -> Callable[[Array], Array]:
    vectorized = np.vectorize(function, otypes=[np.float64])
    return lambda array: vectorized(array.astype(np.float64))


def _reciprocal(array: Array) -> Array:
    return 1 / array


def _reciprocal_root(array: Array) -> Array:
    return 1 / np.sqrt(array)


def _positive_part(array: Array) -> Array:
    return np.maximum(array, array.dtype.type(0))


def _leaky_relu(call: Call) -> Array:
    array = call.converted_inputs()[0]
    return np.where(array >= 0, array, array * call.scalar())


def _logical_and(call: Call) -> Array:
    return np.logical_and(call.inputs[0], call.inputs[1])


def _fill(call: Call) -> Array:
    return np.broadcast_to(call.scalar(), call.shape)


_ADD = _elementwise(2, "a + b", np.add)
_SUB = _elementwise(2, "a - b", np.subtract)
_MUL = _elementwise(2, "a * b", np.multiply)
_DIV = _elementwise(2, "a / b, floats", np.divide, _floats_only)
_MAX = _elementwise(2, "the larger of a and b; NaN if one is", np.maximum)
_MIN = _elementwise(2, "the smaller of a and b; NaN if one is", np.minimum)
_ADDS = _scalar("a + s", np.add)
_SUBS = _scalar("a - s, reversed s - a", np.subtract)
_MULS = _scalar("a * s", np.multiply)
_DIVS = _scalar("a / s, reversed s / a; floats", np.divide, _floats_only)
_MAXS = _scalar("the larger of a and s", np.maximum)
_MINS = _scalar("the smaller of a and s", np.minimum)
_ROWMAX = _reduction("the largest of each row", np.max)
_ROWMIN = _reduction("the smallest of each row", np.min)
_ROWSUM = _reduction("the sum of each row, added in f64", _sum)
_ROWPROD = _reduction("the product of each row, in f64", _product)
_MOVE = Semantics(1, "a, of the same shape; only without `attr`, which may say a window", _whole_copy)
_TRANSPOSE = Semantics(1, "a with its last two axes exchanged; only without `attr`", _swap_last_axes)

SEMANTICS: Mapping[str, Semantics] = {
    "EXP": _elementwise(1, "e to the power of a, floats", np.exp, _floats_only),
    "EXP2": _elementwise(1, "2 to the power of a, floats", np.exp2, _floats_only),
    "EXPM1": _elementwise(1, "e to the power of a, less 1, floats", np.expm1, _floats_only),
    "LN": _elementwise(1, "the natural logarithm, floats", np.log, _floats_only),
    "Log1p": _elementwise(1, "the natural logarithm of 1 + a, floats", np.log1p, _floats_only),
    "SQRT": _elementwise(1, "the square root, floats", np.sqrt, _floats_only),
    "RSQRT": _elementwise(1, "1 / the square root, floats", _reciprocal_root, _floats_only),
    "RECIPROCAL": _elementwise(1, "1 / a, floats", _reciprocal, _floats_only),
    "ABS": _elementwise(1, "the absolute value", np.abs),
    "NEG": _elementwise(1, "-a", np.negative),
    "SIGN": _elementwise(1, "-1, 0 or 1", np.sign),
    "RELU": _elementwise(1, "the larger of a and 0", _positive_part),
    "CEIL": _elementwise(1, "the smallest integer that is not smaller", np.ceil, _floats_only),
    "FLOOR": _elementwise(1, "the largest integer that is not larger", np.floor, _floats_only),
    "TRUNC": _elementwise(1, "the integer towards 0", np.trunc, _floats_only),
    "SIN": _elementwise(1, "the sine, floats", np.sin, _floats_only),
    "COS": _elementwise(1, "the cosine, floats", np.cos, _floats_only),
    "TAN": _elementwise(1, "the tangent, floats", np.tan, _floats_only),
    "ASIN": _elementwise(1, "the arc sine, floats", np.arcsin, _floats_only),
    "ACOS": _elementwise(1, "the arc cosine, floats", np.arccos, _floats_only),
    "ATAN": _elementwise(1, "the arc tangent, floats", np.arctan, _floats_only),
    "SINH": _elementwise(1, "the hyperbolic sine, floats", np.sinh, _floats_only),
    "COSH": _elementwise(1, "the hyperbolic cosine, floats", np.cosh, _floats_only),
    "TANH": _elementwise(1, "the hyperbolic tangent, floats", np.tanh, _floats_only),
    "ASINH": _elementwise(1, "the inverse hyperbolic sine, floats", np.arcsinh, _floats_only),
    "ACOSH": _elementwise(1, "the inverse hyperbolic cosine, floats", np.arccosh, _floats_only),
    "ATANH": _elementwise(1, "the inverse hyperbolic tangent, floats", np.arctanh, _floats_only),
    "ERF": _elementwise(1, "the error function, floats", _each(math.erf), _floats_only),
    "ERFC": _elementwise(1, "1 - the error function, floats", _each(math.erfc), _floats_only),
    "BITWISENOT": _elementwise(1, "each bit inverted, integers", np.invert, _integers_only),
    "LOGICALNOT": _test("whether a is 0", np.logical_not),
    "ISFINITE": _test("whether a is neither infinite nor NaN", np.isfinite),
    "ISNAN": _test("whether a is NaN", np.isnan),
    "SIGNBIT": _test("whether the sign of a is negative", np.signbit),
    "CAST": Semantics(1, "a in another element type; to an integer: to nearest even, saturating, NaN to 0", _copy),
    "ADD": _ADD,
    "SUB": _SUB,
    "MUL": _MUL,
    "DIV": _DIV,
    "MAXIMUM": _MAX,
    "MINIMUM": _MIN,
    "ADD_BRC": _ADD,
    "SUB_BRC": _SUB,
    "MUL_BRC": _MUL,
    "DIV_BRC": _DIV,
    "MAX_BRC": _MAX,
    "MIN_BRC": _MIN,
    "S_ADD": _ADD,
    "S_SUB": _SUB,
    "S_MUL": _MUL,
    "S_DIV": _DIV,
    "S_MAX": _MAX,
    "S_MIN": _MIN,
    "POW": _elementwise(2, "a to the power of b, floats", np.power, _floats_only),
    "ATAN2": _elementwise(2, "the angle of the point (b, a), floats", np.arctan2, _floats_only),
    "HYPOT": _elementwise(2, "the square root of a² + b², floats", np.hypot, _floats_only),
    "COPYSIGN": _elementwise(2, "the size of a with the sign of b, floats", np.copysign, _floats_only),
    "GCD": _elementwise(2, "the greatest common divisor, integers", np.gcd, _integers_only),
    "BITWISEAND": _elementwise(2, "a and b, bit by bit, integers", np.bitwise_and, _integers_only),
    "BITWISEOR": _elementwise(2, "a or b, bit by bit, integers", np.bitwise_or, _integers_only),
    "BITWISEXOR": _elementwise(2, "a or b but not both, bit by bit, integers", np.bitwise_xor, _integers_only),
    "LOGICALAND": Semantics(2, "whether neither a nor b is 0", _logical_and),
    "PAIRMAX": _pair("the larger of a and b, of one shape", np.maximum),
    "PAIRMIN": _pair("the smaller of a and b, of one shape", np.minimum),
    "PAIRSUM": _pair("a + b, of one shape", np.add),
    "PAIRPROD": _pair("a * b, of one shape", np.multiply),
    "ADDS": _ADDS,
    "SUBS": _SUBS,
    "MULS": _MULS,
    "DIVS": _DIVS,
    "MAXS": _MAXS,
    "MINS": _MINS,
    "S_ADDS": _ADDS,
    "S_SUBS": _SUBS,
    "S_MULS": _MULS,
    "S_DIVS": _DIVS,
    "S_MAXS": _MAXS,
    "S_MINS": _MINS,
    "GCDS": _scalar("the greatest common divisor of a and s, integers", np.gcd, _integers_only),
    "BITWISEANDS": _scalar("a and s, bit by bit, integers", np.bitwise_and, _integers_only),
    "BITWISEORS": _scalar("a or s, bit by bit, integers", np.bitwise_or, _integers_only),
    "BITWISEXORS": _scalar("a or s but not both, bit by bit, integers", np.bitwise_xor, _integers_only),
    "LReLU": Semantics(1, "a, times s where it is negative", _leaky_relu),
    "ROWMAX": _ROWMAX,
    "ROWSUM": _ROWSUM,
    "ROWMAX_SINGLE": _ROWMAX,
    "ROWMIN_SINGLE": _ROWMIN,
    "ROWSUM_SINGLE": _ROWSUM,
    "ROWPROD_SINGLE": _ROWPROD,
    "CUM_SUM": Semantics(1, "the sums of the first elements along op_attr_axis", _cumulative(np.cumsum)),
    "CUM_PROD": Semantics(1, "the products of the first elements along op_attr_axis", _cumulative(np.cumprod)),
    "A_MUL_B": _matmul("a b, added in f64"),
    "A_MULACC_B": _matmul("c + a b, added in f64", accumulate=True),
    "A_MUL_Bt": _matmul("a bᵀ, added in f64", right=True),
    "A_MULACC_Bt": _matmul("c + a bᵀ, added in f64", accumulate=True, right=True),
    "At_MUL_B": _matmul("aᵀ b, added in f64", left=True),
    "At_MUL_Bt": _matmul("aᵀ bᵀ, added in f64", left=True, right=True),
    "RESHAPE": Semantics(1, "the elements of a in row-major order", _reshape),
    "EXPAND": Semantics(1, "a, repeated along axes of extent 1", _expand),
    "PERMUTE": Semantics(1, "a with its axes in the order `perm`", _permute),
    "TRANSPOSE_MOVEIN": _TRANSPOSE,
    "TRANSPOSE_MOVEOUT": _TRANSPOSE,
    "TRANSPOSE_VNCHWCONV": _TRANSPOSE,
    "L1_TO_L0At": _TRANSPOSE,
    "L1_TO_L0Bt": _TRANSPOSE,
    "VEC_DUP": Semantics(0, "s everywhere", _fill),
    "CONVERT": _MOVE,
    "COPY_IN": _MOVE,
    "COPY_OUT": _MOVE,
    "UB_COPY_IN": _MOVE,
    "UB_COPY_OUT": _MOVE,
    "UB_TO_UB": _MOVE,
    "L1_COPY_IN": _MOVE,
    "L1_COPY_OUT": _MOVE,
    "L1_TO_L1": _MOVE,
    "L1_TO_L0A": _MOVE,
    "L1_TO_L0B": _MOVE,
    "L0C_COPY_OUT": _MOVE,
    "L0C_COPY_L1": _MOVE,
    "L0C_COPY_UB": _MOVE,
    "L1_COPY_UB": _MOVE,
    "UB_COPY_L1": _MOVE,
}
"""The opcodes whose result is computed from values of inputs alone."""

WINDOWS: Mapping[str, str] = {
    "VIEW": "the window of a at the offsets; 0 beyond the tensor and beyond `valid`. With op_attr_l1_to_l0_transpose "
    "the window is transposed",
    "SLICE": "as VIEW",
    "ASSEMBLE": "writes a at the offsets of the output: as much of it as `valid` says (of the op, else of a), without "
    "what falls outside the tensor",
    "CONTRACT": "as ASSEMBLE",
}
"""The opcodes that read or write windows."""
