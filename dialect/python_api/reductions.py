"""Ops that make one element of many along a dimension."""

from __future__ import annotations

from collections.abc import Mapping

from dialect.python_api.data_types import DATA_TYPE_BY_NAME
from dialect.python_api.movement import reshape
from dialect.python_api.recording import dimension_argument, flag_argument, record, tensor_argument
from dialect.python_api.tensors import Tensor

_BYTES_PER_BLOCK = 32
_BYTES_PER_REPEAT = 256

_OPCODES: Mapping[str, tuple[str, str]] = {
    "sum": ("ROWSUM_SINGLE", "ROWSUMLINE"),
    "amax": ("ROWMAX_SINGLE", "ROWMAXLINE"),
    "amin": ("ROWMIN_SINGLE", "ROWMINLINE"),
    "prod": ("ROWPROD_SINGLE", "ROWPRODLINE"),
}
"""Per function the opcodes that reduce the last dimension and another one."""


def sum(input: Tensor, dim: int = -1, keepdim: bool = True) -> Tensor:
    """The sum along `dim`: the op ROWSUM_SINGLE for the last dimension, ROWSUMLINE for another one.

    Parameters:
        keepdim: whether the dimension stays, with extent 1; otherwise an op RESHAPE follows.

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: there is no such dimension.
    """
    return _reduce("sum", input, dim, keepdim)


def amax(input: Tensor, dim: int = -1, keepdim: bool = True) -> Tensor:
    """The largest element along `dim`: the op ROWMAX_SINGLE or ROWMAXLINE; see `sum`."""
    return _reduce("amax", input, dim, keepdim)


def amin(input: Tensor, dim: int = -1, keepdim: bool = True) -> Tensor:
    """The smallest element along `dim`: the op ROWMIN_SINGLE or ROWMINLINE; see `sum`."""
    return _reduce("amin", input, dim, keepdim)


def prod(input: Tensor, dim: int = -1, keepdim: bool = True) -> Tensor:
    """The product along `dim`: the op ROWPROD_SINGLE or ROWPRODLINE; see `sum`."""
    return _reduce("prod", input, dim, keepdim)


def argmax(input: Tensor, dim: int = -1, keepdim: bool = True) -> Tensor:
    """The place of the largest element along the last dimension: the op ROWARGMAX_SINGLE; see `sum`."""
    return _place("argmax", "ROWARGMAX_SINGLE", input, dim, keepdim)


def argmin(input: Tensor, dim: int = -1, keepdim: bool = True) -> Tensor:
    """The place of the smallest element along the last dimension: the op ROWARGMIN_SINGLE; see `sum`."""
    return _place("argmin", "ROWARGMIN_SINGLE", input, dim, keepdim)


def cumsum(input: Tensor, dim: int) -> Tensor:
    """The sum of all elements up to each one along `dim`: the op CUM_SUM."""
    return _accumulate("cumsum", "CUM_SUM", input, dim)


def cumprod(input: Tensor, dim: int) -> Tensor:
    """The product of all elements up to each one along `dim`: the op CUM_PROD."""
    return _accumulate("cumprod", "CUM_PROD", input, dim)


def _reduce(function: str, input: object, dim: object, keepdim: object) -> Tensor:
    tensor = tensor_argument(function, "input", input)
    axis = dimension_argument(function, "dim", dim, tensor.ndim)
    keeps = flag_argument(function, "keepdim", keepdim)
    shape = (*tensor.shape[:axis], 1, *tensor.shape[axis + 1 :])
    of_last, of_other = _OPCODES[function]
    if axis == tensor.ndim - 1:
        results = [(shape, tensor.dtype), (_scratch_shape(tensor), tensor.dtype)]
        made = record(function, of_last, [("input", tensor)], results, {"op_attr_AXIS": axis})[0]
    else:
        made = record(function, of_other, [("input", tensor)], [(shape, tensor.dtype)], {"op_attr_AXIS": axis})[0]
    return made if keeps else _without(made, axis)


def _scratch_shape(tensor: Tensor) -> tuple[int, ...]:
    """The shape of the work space of a reduction of the last dimension, as dumps show it.

    A row of one repeat of the vector unit needs one block in all, a longer one half of itself.
    """
    row = tensor.shape[-1]
    width = tensor.dtype.element.bytes
    if 0 <= row * width <= _BYTES_PER_REPEAT:
        return (*[1] * (tensor.ndim - 1), _BYTES_PER_BLOCK // width)
    return (*tensor.shape[:-1], row if row < 0 else -(-row // 2))


def _place(function: str, opcode: str, input: object, dim: object, keepdim: object) -> Tensor:
    tensor = tensor_argument(function, "input", input)
    axis = dimension_argument(function, "dim", dim, tensor.ndim)
    keeps = flag_argument(function, "keepdim", keepdim)
    if axis != tensor.ndim - 1:
        raise ValueError(f"{function}: argument 'dim': expected the last dimension of {tensor!r}, found {dim}")
    shape = (*tensor.shape[:-1], 1)
    results = [(shape, DATA_TYPE_BY_NAME["DT_INT32"])]
    made = record(function, opcode, [("input", tensor)], results, {"op_attr_AXIS": axis})[0]
    return made if keeps else _without(made, axis)


def _accumulate(function: str, opcode: str, input: object, dim: object) -> Tensor:
    tensor = tensor_argument(function, "input", input)
    axis = dimension_argument(function, "dim", dim, tensor.ndim)
    return record(function, opcode, [("input", tensor)], [(tensor.shape, tensor.dtype)], {"op_attr_axis": axis})[0]


def _without(tensor: Tensor, axis: int) -> Tensor:
    return reshape(tensor, (*tensor.shape[:axis], *tensor.shape[axis + 1 :]))
