"""The Python API: write a kernel, get its tile graph.

```python
from dialect import frontend as pypto

@pypto.jit(pass_options={"vec_nbuffer_setting": {"DEFAULT": 2}})
def scale(x: pypto.tensor((128, 64), pypto.DT_FP32), y: pypto.tensor((128, 64), pypto.DT_FP32)):
    for row in range(0, 128, 64):
        y[row : row + 64] = pypto.exp(x[row : row + 64]) * 0.125

print(scale.module)
```

`docs/python-api.md` explains it. The calls have the names and meanings of PyPTO's; nothing runs on a device.
"""

from dialect.compat import Compat
from dialect.pass_options import PassOptionError
from dialect.python_api.data_types import DATA_TYPE_BY_NAME, DataType
from dialect.python_api.elementwise import (
    abs,
    acos,
    acosh,
    add,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitwise_and,
    bitwise_left_shift,
    bitwise_not,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    cast,
    ceil,
    copysign,
    cos,
    cosh,
    div,
    eq,
    erf,
    erfc,
    exp,
    exp2,
    expm1,
    floor,
    floor_div,
    gcd,
    ge,
    gt,
    hypot,
    isfinite,
    isnan,
    le,
    leaky_relu,
    log,
    log1p,
    logical_and,
    logical_not,
    lt,
    maximum,
    minimum,
    mod,
    mul,
    ne,
    neg,
    pow,
    prelu,
    reciprocal,
    relu,
    remainder,
    round,
    rsqrt,
    sign,
    signbit,
    sin,
    sinh,
    sqrt,
    sub,
    tan,
    tanh,
    trunc,
    where,
)
from dialect.python_api.general import operation
from dialect.python_api.kernel import Kernel, jit
from dialect.python_api.loops import loop
from dialect.python_api.matmul import matmul
from dialect.python_api.movement import (
    arange,
    assemble,
    concat,
    expand,
    full,
    gather,
    index_select,
    ones,
    reshape,
    scatter,
    tensor,
    transpose,
    view,
    zeros,
)
from dialect.python_api.options import (
    get_pass_options,
    get_semantic_label,
    options,
    reset_options,
    set_pass_options,
    set_semantic_label,
)
from dialect.python_api.reductions import (
    amax,
    amin,
    argmax,
    argmin,
    cumprod,
    cumsum,
    prod,
    sum,
)
from dialect.python_api.symbols import SymbolicScalar
from dialect.python_api.tensors import Tensor

DT_INT4 = DATA_TYPE_BY_NAME["DT_INT4"]
DT_INT8 = DATA_TYPE_BY_NAME["DT_INT8"]
DT_INT16 = DATA_TYPE_BY_NAME["DT_INT16"]
DT_INT32 = DATA_TYPE_BY_NAME["DT_INT32"]
DT_INT64 = DATA_TYPE_BY_NAME["DT_INT64"]
DT_FP8 = DATA_TYPE_BY_NAME["DT_FP8"]
DT_FP16 = DATA_TYPE_BY_NAME["DT_FP16"]
DT_FP32 = DATA_TYPE_BY_NAME["DT_FP32"]
DT_BF16 = DATA_TYPE_BY_NAME["DT_BF16"]
DT_HF4 = DATA_TYPE_BY_NAME["DT_HF4"]
DT_HF8 = DATA_TYPE_BY_NAME["DT_HF8"]
DT_UINT8 = DATA_TYPE_BY_NAME["DT_UINT8"]
DT_UINT16 = DATA_TYPE_BY_NAME["DT_UINT16"]
DT_UINT32 = DATA_TYPE_BY_NAME["DT_UINT32"]
DT_UINT64 = DATA_TYPE_BY_NAME["DT_UINT64"]
DT_BOOL = DATA_TYPE_BY_NAME["DT_BOOL"]
DT_DOUBLE = DATA_TYPE_BY_NAME["DT_DOUBLE"]
DT_FP8E4M3 = DATA_TYPE_BY_NAME["DT_FP8E4M3"]
DT_FP8E5M2 = DATA_TYPE_BY_NAME["DT_FP8E5M2"]
DT_FP8E8M0 = DATA_TYPE_BY_NAME["DT_FP8E8M0"]
DT_FP4_E2M1X2 = DATA_TYPE_BY_NAME["DT_FP4_E2M1X2"]
DT_FP4_E1M2X2 = DATA_TYPE_BY_NAME["DT_FP4_E1M2X2"]
DT_FP4_E2M1 = DATA_TYPE_BY_NAME["DT_FP4_E2M1"]
DT_FP4_E1M2 = DATA_TYPE_BY_NAME["DT_FP4_E1M2"]

__all__ = [
    "DT_BF16",
    "DT_BOOL",
    "DT_DOUBLE",
    "DT_FP4_E1M2",
    "DT_FP4_E1M2X2",
    "DT_FP4_E2M1",
    "DT_FP4_E2M1X2",
    "DT_FP8",
    "DT_FP8E4M3",
    "DT_FP8E5M2",
    "DT_FP8E8M0",
    "DT_FP16",
    "DT_FP32",
    "DT_HF4",
    "DT_HF8",
    "DT_INT4",
    "DT_INT8",
    "DT_INT16",
    "DT_INT32",
    "DT_INT64",
    "DT_UINT8",
    "DT_UINT16",
    "DT_UINT32",
    "DT_UINT64",
    "Compat",
    "DataType",
    "Kernel",
    "PassOptionError",
    "SymbolicScalar",
    "Tensor",
    "abs",
    "acos",
    "acosh",
    "add",
    "amax",
    "amin",
    "arange",
    "argmax",
    "argmin",
    "asin",
    "asinh",
    "assemble",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "cast",
    "ceil",
    "concat",
    "copysign",
    "cos",
    "cosh",
    "cumprod",
    "cumsum",
    "div",
    "eq",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expand",
    "expm1",
    "floor",
    "floor_div",
    "full",
    "gather",
    "gcd",
    "ge",
    "get_pass_options",
    "get_semantic_label",
    "gt",
    "hypot",
    "index_select",
    "isfinite",
    "isnan",
    "jit",
    "le",
    "leaky_relu",
    "log",
    "log1p",
    "logical_and",
    "logical_not",
    "loop",
    "lt",
    "matmul",
    "maximum",
    "minimum",
    "mod",
    "mul",
    "ne",
    "neg",
    "ones",
    "operation",
    "options",
    "pow",
    "prelu",
    "prod",
    "reciprocal",
    "relu",
    "remainder",
    "reset_options",
    "reshape",
    "round",
    "rsqrt",
    "scatter",
    "set_pass_options",
    "set_semantic_label",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "sub",
    "sum",
    "tan",
    "tanh",
    "tensor",
    "transpose",
    "trunc",
    "view",
    "where",
    "zeros",
]
