"""Ops that compute each element of their result from the elements at the same place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from dialect.python_api.data_types import DATA_TYPE_BY_NAME, DataType, data_type_of
from dialect.python_api.errors import argument_error, value_error
from dialect.python_api.recording import flag_argument, integer_argument, record, scalar_attribute, tensor_argument
from dialect.python_api.symbols import Extent
from dialect.python_api.tensors import Tensor
from dialect.types import DYNAMIC

Operand: TypeAlias = "Tensor | int | float | bool"
"""A tensor, or a number that is known when the kernel is traced; numpy's numbers count."""

_BOOL = DATA_TYPE_BY_NAME["DT_BOOL"]


class _Binary(NamedTuple):
    """A function of two operands: its opcode for tensors, and those for a number as second and as first operand."""

    opcode: str
    scalar_opcode: str | None = None
    reversed_opcode: str | None = None
    """The opcode for a number as first operand; the same opcode says so by a parameter."""
    is_commutative: bool = False
    says_order: bool = True
    """Whether the scalar opcodes have the parameter that says which operand is the number."""


def _symmetric(opcode: str, scalar_opcode: str) -> _Binary:
    return _Binary(opcode, scalar_opcode, scalar_opcode, is_commutative=True)


def _ordered(opcode: str, scalar_opcode: str) -> _Binary:
    return _Binary(opcode, scalar_opcode, scalar_opcode)


_BINARY: Mapping[str, _Binary] = {
    "add": _symmetric("ADD", "ADDS"),
    "sub": _ordered("SUB", "SUBS"),
    "mul": _symmetric("MUL", "MULS"),
    "div": _ordered("DIV", "DIVS"),
    "mod": _ordered("MOD", "MODS"),
    "remainder": _Binary("REM", "REMS", "REMRS"),
    "floor_div": _Binary("FLOORDIV", "FLOORDIVS", says_order=False),
    "pow": _ordered("POW", "POWS"),
    "maximum": _symmetric("MAXIMUM", "MAXS"),
    "minimum": _symmetric("MINIMUM", "MINS"),
    "gcd": _symmetric("GCD", "GCDS"),
    "bitwise_and": _symmetric("BITWISEAND", "BITWISEANDS"),
    "bitwise_or": _symmetric("BITWISEOR", "BITWISEORS"),
    "bitwise_xor": _symmetric("BITWISEXOR", "BITWISEXORS"),
    "bitwise_left_shift": _Binary("BITWISELEFTSHIFT", "BITWISELEFTSHIFTS", "SBITWISELEFTSHIFT"),
    "bitwise_right_shift": _Binary("BITWISERIGHTSHIFT", "BITWISERIGHTSHIFTS", "SBITWISERIGHTSHIFT"),
    "atan2": _Binary("ATAN2"),
    "hypot": _Binary("HYPOT"),
    "copysign": _Binary("COPYSIGN"),
    "logical_and": _Binary("LOGICALAND"),
    "prelu": _Binary("PRELU"),
}
"""The opcodes of each function of two operands."""

_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
"""The comparisons; the place of one is its number in the parameter of CMP and CMPS."""

_SWAPPED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_ONLY_INTEGERS = frozenset(name for name in _BINARY if name.startswith("bitwise")) | {"gcd"}
_ONLY_FLOATS = frozenset({"atan2", "hypot", "copysign", "prelu"})


def broadcast(function: str, argument: str, first: Tensor, second: Tensor) -> tuple[int, ...]:
    """The shape of a result of two tensors; dimensions are matched from the last, and extent 1 is repeated.

    Raises:
        ValueError: two extents differ and neither is 1.
    """
    if first.shape == second.shape:
        return first.shape
    rank = max(first.ndim, second.ndim)
    padded = [(1,) * (rank - tensor.ndim) + tensor.shape for tensor in (first, second)]
    shape: list[int] = []
    for one, other in zip(*padded, strict=True):
        if one == other or other == 1:
            shape.append(one)
        elif one == 1 or one == DYNAMIC:
            shape.append(other)
        elif other == DYNAMIC:
            shape.append(one)
        else:
            raise value_error(function, argument, f"a shape that fits {list(first.shape)}", second)
    return tuple(shape)


def _valid_of(shape: tuple[int, ...], *tensors: Tensor) -> tuple[Extent, ...] | None:
    return next((tensor.valid_shape for tensor in tensors if tensor.shape == shape and tensor.valid_shape), None)


def binary(function: str, first: object, second: object, names: tuple[str, str] = ("input", "other")) -> Tensor:
    """The op of a function of two operands, of which one may be a number.

    Raises:
        TypeError: an operand is no tensor and no number, both are numbers, or the function takes tensors only.
        ValueError: shapes or element types do not fit.
    """
    if function in _COMPARISONS:
        return _compare(function, first, second)
    row = _BINARY[function]
    if isinstance(first, Tensor) and isinstance(second, Tensor):
        _check_same_type(function, names[1], first, second)
        _check_kind(function, names[0], first)
        shape = broadcast(function, names[1], first, second)
        operands = [(names[0], first), (names[1], second)]
        return record(
            function, row.opcode, operands, [(shape, first.dtype)], valid_shape=_valid_of(shape, first, second)
        )[0]
    if isinstance(first, Tensor):
        return _with_number(function, row.scalar_opcode, first, names, second, is_reversed=False)
    if isinstance(second, Tensor):
        opcode = row.reversed_opcode
        return _with_number(function, opcode, second, (names[1], names[0]), first, is_reversed=not row.is_commutative)
    raise argument_error(function, names[0], "a tensor, or the other operand to be one", first)


def _with_number(
    function: str, opcode: str | None, tensor: Tensor, names: tuple[str, str], number: object, *, is_reversed: bool
) -> Tensor:
    if opcode is None:
        raise argument_error(function, names[1], "a tensor (there is no such op with a number here)", number)
    _check_kind(function, names[0], tensor)
    parameters: dict[str, object] = {"SCALAR": scalar_attribute(function, names[1], number, tensor.dtype)}
    if _BINARY[function].says_order:
        parameters["op_attr_reverseOperand"] = is_reversed
    return record(
        function, opcode, [(names[0], tensor)], [(tensor.shape, tensor.dtype)], parameters, tensor.valid_shape
    )[0]


def _check_same_type(function: str, argument: str, first: Tensor, second: Tensor) -> None:
    if first.dtype != second.dtype:
        raise value_error(function, argument, f"elements of {first.dtype}, as the first operand has; see cast", second)


def _check_kind(function: str, argument: str, tensor: Tensor) -> None:
    if function in _ONLY_INTEGERS and tensor.dtype.is_float:
        raise value_error(function, argument, "a tensor of integers", tensor)
    if function in _ONLY_FLOATS and not tensor.dtype.is_float:
        raise value_error(function, argument, "a tensor of floating-point numbers", tensor)


def _compare(function: str, first: object, second: object) -> Tensor:
    if isinstance(first, Tensor) and isinstance(second, Tensor):
        _check_same_type(function, "other", first, second)
        shape = broadcast(function, "other", first, second)
        parameters: dict[str, object] = {"op_attr_cmp_operation": _COMPARISONS.index(function)}
        operands = [("input", first), ("other", second)]
        return record(function, "CMP", operands, [(shape, _BOOL)], parameters)[0]
    if isinstance(second, Tensor):
        return _compare(_SWAPPED[function], second, first)
    tensor = tensor_argument(function, "input", first)
    parameters = {
        "op_attr_cmp_operation": _COMPARISONS.index(function),
        "SCALAR": scalar_attribute(function, "other", second, tensor.dtype),
    }
    return record(function, "CMPS", [("input", tensor)], [(tensor.shape, _BOOL)], parameters)[0]


def unary(
    function: str, opcode: str, input: object, parameters: Mapping[str, object] | None = None, *, floats: bool = False
) -> Tensor:
    """The op of a function of one tensor, whose result has the same shape and type.

    Raises:
        TypeError: `input` is no tensor.
        ValueError: `floats`, and it holds no floating-point numbers.
    """
    tensor = tensor_argument(function, "input", input)
    if floats and not tensor.dtype.is_float:
        raise value_error(function, "input", "a tensor of floating-point numbers; see cast", tensor)
    return record(
        function, opcode, [("input", tensor)], [(tensor.shape, tensor.dtype)], parameters, tensor.valid_shape
    )[0]


def _predicate(function: str, opcode: str, input: object) -> Tensor:
    tensor = tensor_argument(function, "input", input)
    return record(function, opcode, [("input", tensor)], [(tensor.shape, _BOOL)], valid_shape=tensor.valid_shape)[0]


_PRECISE: Mapping[str, object] = {"precision_type": 0}
"""What dumps say of these functions."""


def exp(input: Tensor) -> Tensor:
    """e to the power of each element: the op EXP."""
    return unary("exp", "EXP", input, _PRECISE, floats=True)


def exp2(input: Tensor) -> Tensor:
    """2 to the power of each element: the op EXP2."""
    return unary("exp2", "EXP2", input, floats=True)


def expm1(input: Tensor) -> Tensor:
    """e to the power of each element, minus 1: the op EXPM1."""
    return unary("expm1", "EXPM1", input, floats=True)


def log(input: Tensor) -> Tensor:
    """The natural logarithm of each element: the op LN."""
    return unary("log", "LN", input, floats=True)


def log1p(input: Tensor) -> Tensor:
    """The natural logarithm of 1 plus each element: the op Log1p."""
    return unary("log1p", "Log1p", input, floats=True)


def sqrt(input: Tensor) -> Tensor:
    """The square root of each element: the op SQRT."""
    return unary("sqrt", "SQRT", input, _PRECISE, floats=True)


def rsqrt(input: Tensor) -> Tensor:
    """1 divided by the square root of each element: the op RSQRT."""
    return unary("rsqrt", "RSQRT", input, floats=True)


def reciprocal(input: Tensor) -> Tensor:
    """1 divided by each element: the op RECIPROCAL."""
    return unary("reciprocal", "RECIPROCAL", input, floats=True)


def neg(input: Tensor) -> Tensor:
    """Each element with the other sign: the op NEG."""
    return unary("neg", "NEG", input)


def abs(input: Tensor) -> Tensor:
    """The absolute value of each element: the op ABS."""
    return unary("abs", "ABS", input)


def sign(input: Tensor) -> Tensor:
    """-1, 0 or 1 by the sign of each element: the op SIGN."""
    return unary("sign", "SIGN", input)


def relu(input: Tensor) -> Tensor:
    """Each element, or 0 where it is negative: the op RELU."""
    return unary("relu", "RELU", input)


def ceil(input: Tensor) -> Tensor:
    """The smallest integer that is not below each element: the op CEIL."""
    return unary("ceil", "CEIL", input, floats=True)


def floor(input: Tensor) -> Tensor:
    """The largest integer that is not above each element: the op FLOOR."""
    return unary("floor", "FLOOR", input, floats=True)


def trunc(input: Tensor) -> Tensor:
    """Each element without its fraction: the op TRUNC."""
    return unary("trunc", "TRUNC", input, floats=True)


def tan(input: Tensor) -> Tensor:
    """The tangent of each element: the op TAN."""
    return unary("tan", "TAN", input, floats=True)


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent of each element: the op TANH."""
    return unary("tanh", "TANH", input, floats=True)


def sin(input: Tensor) -> Tensor:
    """The sine of each element: the op SIN."""
    return unary("sin", "SIN", input, floats=True)


def cos(input: Tensor) -> Tensor:
    """The cosine of each element: the op COS."""
    return unary("cos", "COS", input, floats=True)


def sinh(input: Tensor) -> Tensor:
    """The hyperbolic sine of each element: the op SINH."""
    return unary("sinh", "SINH", input, floats=True)


def cosh(input: Tensor) -> Tensor:
    """The hyperbolic cosine of each element: the op COSH."""
    return unary("cosh", "COSH", input, floats=True)


def asin(input: Tensor) -> Tensor:
    """The arc sine of each element: the op ASIN."""
    return unary("asin", "ASIN", input, floats=True)


def acos(input: Tensor) -> Tensor:
    """The arc cosine of each element: the op ACOS."""
    return unary("acos", "ACOS", input, floats=True)


def atan(input: Tensor) -> Tensor:
    """The arc tangent of each element: the op ATAN."""
    return unary("atan", "ATAN", input, floats=True)


def asinh(input: Tensor) -> Tensor:
    """The inverse hyperbolic sine of each element: the op ASINH."""
    return unary("asinh", "ASINH", input, floats=True)


def acosh(input: Tensor) -> Tensor:
    """The inverse hyperbolic cosine of each element: the op ACOSH."""
    return unary("acosh", "ACOSH", input, floats=True)


def atanh(input: Tensor) -> Tensor:
    """The inverse hyperbolic tangent of each element: the op ATANH."""
    return unary("atanh", "ATANH", input, floats=True)


def erf(input: Tensor) -> Tensor:
    """The error function of each element: the op ERF."""
    return unary("erf", "ERF", input, floats=True)


def erfc(input: Tensor) -> Tensor:
    """1 minus the error function of each element: the op ERFC."""
    return unary("erfc", "ERFC", input, floats=True)


def round(input: Tensor, decimals: int = 0) -> Tensor:
    """Each element rounded to a number of decimals: the op ROUND."""
    places = integer_argument("round", "decimals", decimals)
    return unary("round", "ROUND", input, {"op_attr_powDecimals": 10.0**places}, floats=True)


def bitwise_not(input: Tensor) -> Tensor:
    """The complement of each integer: the op BITWISENOT."""
    tensor = tensor_argument("bitwise_not", "input", input)
    if tensor.dtype.is_float:
        raise value_error("bitwise_not", "input", "a tensor of integers", tensor)
    return unary("bitwise_not", "BITWISENOT", tensor)


def logical_not(input: Tensor) -> Tensor:
    """Whether each element is 0: the op LOGICALNOT."""
    return _predicate("logical_not", "LOGICALNOT", input)


def isfinite(input: Tensor) -> Tensor:
    """Whether each element is a finite number: the op ISFINITE."""
    return _predicate("isfinite", "ISFINITE", input)


def isnan(input: Tensor) -> Tensor:
    """Whether each element is no number: the op ISNAN."""
    return _predicate("isnan", "ISNAN", input)


def signbit(input: Tensor) -> Tensor:
    """Whether each element has the sign bit set: the op SIGNBIT."""
    return _predicate("signbit", "SIGNBIT", input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """Each element, times `negative_slope` where it is negative: the op LReLU."""
    tensor = tensor_argument("leaky_relu", "input", input)
    slope = scalar_attribute("leaky_relu", "negative_slope", negative_slope, tensor.dtype)
    return unary("leaky_relu", "LReLU", tensor, {"SCALAR": slope})


def add(input: Operand, other: Operand) -> Tensor:
    """The sum of both: the op ADD, with a number ADDS."""
    return binary("add", input, other)


def sub(input: Operand, other: Operand) -> Tensor:
    """`input` minus `other`: the op SUB, with a number SUBS."""
    return binary("sub", input, other)


def mul(input: Operand, other: Operand) -> Tensor:
    """The product of both: the op MUL, with a number MULS."""
    return binary("mul", input, other)


def div(input: Operand, other: Operand) -> Tensor:
    """`input` divided by `other`: the op DIV, with a number DIVS."""
    return binary("div", input, other)


def mod(input: Operand, other: Operand) -> Tensor:
    """The rest of `input` divided by `other`, with the sign of `input`: the op MOD, with a number MODS."""
    return binary("mod", input, other)


def remainder(input: Operand, other: Operand) -> Tensor:
    """The rest of `input` divided by `other`, with the sign of `other`: the op REM, with a number REMS or REMRS."""
    return binary("remainder", input, other)


def floor_div(input: Operand, other: Operand) -> Tensor:
    """The quotient of both, rounded down: the op FLOORDIV, with a number as `other` FLOORDIVS."""
    return binary("floor_div", input, other)


def pow(input: Operand, other: Operand) -> Tensor:
    """`input` to the power of `other`: the op POW, with a number POWS."""
    return binary("pow", input, other)


def maximum(input: Operand, other: Operand) -> Tensor:
    """The larger of both: the op MAXIMUM, with a number MAXS."""
    return binary("maximum", input, other)


def minimum(input: Operand, other: Operand) -> Tensor:
    """The smaller of both: the op MINIMUM, with a number MINS."""
    return binary("minimum", input, other)


def gcd(input: Operand, other: Operand) -> Tensor:
    """The greatest common divisor of both: the op GCD, with a number GCDS."""
    return binary("gcd", input, other)


def bitwise_and(input: Operand, other: Operand) -> Tensor:
    """The bits that both have: the op BITWISEAND, with a number BITWISEANDS."""
    return binary("bitwise_and", input, other)


def bitwise_or(input: Operand, other: Operand) -> Tensor:
    """The bits that either has: the op BITWISEOR, with a number BITWISEORS."""
    return binary("bitwise_or", input, other)


def bitwise_xor(input: Operand, other: Operand) -> Tensor:
    """The bits that one of both has: the op BITWISEXOR, with a number BITWISEXORS."""
    return binary("bitwise_xor", input, other)


def bitwise_left_shift(input: Operand, other: Operand) -> Tensor:
    """`input` shifted left by `other` bits: the op BITWISELEFTSHIFT.

    With a number as `other` the op is BITWISELEFTSHIFTS, with one as `input` SBITWISELEFTSHIFT.
    """
    return binary("bitwise_left_shift", input, other)


def bitwise_right_shift(input: Operand, other: Operand) -> Tensor:
    """`input` shifted right by `other` bits: the op BITWISERIGHTSHIFT.

    With a number as `other` the op is BITWISERIGHTSHIFTS, with one as `input` SBITWISERIGHTSHIFT.
    """
    return binary("bitwise_right_shift", input, other)


def eq(input: Operand, other: Operand) -> Tensor:
    """Whether both are equal: the op CMP, with a number CMPS."""
    return binary("eq", input, other)


def ne(input: Operand, other: Operand) -> Tensor:
    """Whether both differ: the op CMP, with a number CMPS."""
    return binary("ne", input, other)


def lt(input: Operand, other: Operand) -> Tensor:
    """Whether `input` is below `other`: the op CMP, with a number CMPS."""
    return binary("lt", input, other)


def le(input: Operand, other: Operand) -> Tensor:
    """Whether `input` is not above `other`: the op CMP, with a number CMPS."""
    return binary("le", input, other)


def gt(input: Operand, other: Operand) -> Tensor:
    """Whether `input` is above `other`: the op CMP, with a number CMPS."""
    return binary("gt", input, other)


def ge(input: Operand, other: Operand) -> Tensor:
    """Whether `input` is not below `other`: the op CMP, with a number CMPS."""
    return binary("ge", input, other)


def atan2(input: Tensor, other: Tensor) -> Tensor:
    """The angle of the point (`other`, `input`): the op ATAN2."""
    return binary("atan2", input, other)


def hypot(input: Tensor, other: Tensor) -> Tensor:
    """The square root of the sum of both squares: the op HYPOT."""
    return binary("hypot", input, other)


def copysign(input: Tensor, other: Tensor) -> Tensor:
    """`input` with the sign of `other`: the op COPYSIGN."""
    return binary("copysign", input, other)


def logical_and(input: Tensor, other: Tensor) -> Tensor:
    """Whether both are not 0: the op LOGICALAND."""
    return binary("logical_and", input, other)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Each element, times `weight` where it is negative: the op PRELU."""
    return binary("prelu", input, weight, ("input", "weight"))


def where(condition: Tensor, input: Operand, other: Operand) -> Tensor:
    """`input` where the condition holds, `other` elsewhere: the ops WHERE_TT, WHERE_TS, WHERE_ST.

    At least one of `input` and `other` is a tensor; the other may be a number.

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: shapes or element types do not fit.
    """
    function = "where"
    mask = tensor_argument(function, "condition", condition)
    if not mask.dtype.is_bool:
        raise value_error(function, "condition", "a tensor of DT_BOOL", mask)
    if isinstance(input, Tensor) and isinstance(other, Tensor):
        _check_same_type(function, "other", input, other)
        shape = broadcast(function, "other", input, other)
        operands = [("condition", mask), ("input", input), ("other", other)]
        return record(function, "WHERE_TT", operands, [(shape, input.dtype)])[0]
    if isinstance(input, Tensor):
        tensor, name, number, number_name, opcode = input, "input", other, "other", "WHERE_TS"
    else:
        tensor, name = tensor_argument(function, "other", other), "other"
        number, number_name, opcode = input, "input", "WHERE_ST"
    shape = broadcast(function, name, mask, tensor)
    parameters = {"SCALAR": scalar_attribute(function, number_name, number, tensor.dtype)}
    operands = [("condition", mask), (name, tensor)]
    return record(function, opcode, operands, [(shape, tensor.dtype)], parameters)[0]


def cast(input: Tensor, dtype: DataType | object, *, saturate: bool = True) -> Tensor:
    """The elements as another type: the op CAST; the tensor itself if it has that type.

    Parameters:
        saturate: whether numbers out of the range of `dtype` become its nearest ones.

    Raises:
        TypeError: an argument of the wrong type.
    """
    tensor = tensor_argument("cast", "input", input)
    target = data_type_of(dtype, "cast", "dtype")
    parameters = {"op_attr_mode": 0, "op_attr_satmode": int(flag_argument("cast", "saturate", saturate))}
    if target == tensor.dtype:
        return tensor
    return record("cast", "CAST", [("input", tensor)], [(tensor.shape, target)], parameters, tensor.valid_shape)[0]
