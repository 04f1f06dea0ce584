"""Products of matrices."""

from __future__ import annotations

from collections.abc import Mapping

from dialect.python_api.data_types import DATA_TYPE_BY_NAME, DataType, data_type_of
from dialect.python_api.errors import value_error
from dialect.python_api.recording import flag_argument, record, tensor_argument
from dialect.python_api.tensors import Tensor
from dialect.types import DYNAMIC

_OPCODES: Mapping[tuple[bool, bool, bool], str] = {
    (False, False, False): "A_MUL_B",
    (False, True, False): "A_MUL_Bt",
    (True, False, False): "At_MUL_B",
    (True, True, False): "At_MUL_Bt",
    (False, False, True): "A_MULACC_B",
    (False, True, True): "A_MULACC_Bt",
}
"""The opcode by whether the left matrix is transposed, whether the right one is, and whether it adds to a matrix."""

_FP32, _INT32 = DATA_TYPE_BY_NAME["DT_FP32"], DATA_TYPE_BY_NAME["DT_INT32"]


def matmul(
    input: Tensor,
    mat2: Tensor,
    out_dtype: DataType | object = None,
    *,
    a_trans: bool = False,
    b_trans: bool = False,
    acc: Tensor | None = None,
) -> Tensor:
    """The product of two matrices, on the cube core: the op A_MUL_B, or what else fits.

    Matrices in DDR are loaded into L1 and from there into L0A and L0B; the product stands in L0C.

    Parameters:
        out_dtype: the element type of the product; DT_INT32 for integers and DT_FP32 else, if not given.
        a_trans, b_trans: whether `input`, `mat2` is stored transposed.
        acc: a product to which this one is added (the op A_MULACC_B).

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: shapes or element types do not fit, or no opcode adds a product of a transposed `input`.
    """
    function = "matmul"
    left, right = tensor_argument(function, "input", input), tensor_argument(function, "mat2", mat2)
    is_left_transposed = flag_argument(function, "a_trans", a_trans)
    is_right_transposed = flag_argument(function, "b_trans", b_trans)
    for argument, matrix in (("input", left), ("mat2", right)):
        if matrix.ndim != 2:
            raise value_error(function, argument, "a tensor of two dimensions", matrix)
    if left.dtype != right.dtype:
        raise value_error(function, "mat2", f"elements of {left.dtype}, as 'input' has; see cast", right)
    rows, depth = left.shape[::-1] if is_left_transposed else left.shape
    depth_of_right, columns = right.shape[::-1] if is_right_transposed else right.shape
    if depth != depth_of_right and DYNAMIC not in (depth, depth_of_right):
        raise value_error(function, "mat2", f"{depth} rows to multiply with the columns of {left!r}", right)
    operands = [("input", left), ("mat2", right)]
    if out_dtype is not None:
        dtype = data_type_of(out_dtype, function, "out_dtype")
    elif acc is not None:
        dtype = tensor_argument(function, "acc", acc).dtype
    else:
        dtype = _FP32 if left.dtype.is_float else _INT32
    shape = (rows, columns)
    if acc is not None:
        sum_so_far = tensor_argument(function, "acc", acc)
        if sum_so_far.shape != shape or sum_so_far.dtype != dtype:
            raise value_error(function, "acc", f"a product of shape {list(shape)} and type {dtype}", sum_so_far)
        operands.append(("acc", sum_so_far))
    opcode = _OPCODES.get((is_left_transposed, is_right_transposed, acc is not None))
    if opcode is None:
        raise value_error(function, "a_trans", "False, for no opcode adds a product of a transposed matrix", a_trans)
    return record(function, opcode, operands, [(shape, dtype)])[0]
