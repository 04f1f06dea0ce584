"""Op functions of the Python API: their ops, shapes, types and memories, and what they compute."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from python_api_kernels import HALF, SQUARE, mnemonics, only_function, operations, traced
from xdsl.dialects.builtin import ModuleOp

from dialect import frontend as pypto
from dialect.elements import ELEMENT_BY_TYPE
from dialect.frontend import Tensor
from dialect.opcodes import OPCODE_BY_NAME
from dialect.python_api.recording import MEMORY_OF_TABLE
from dialect.types import Memory, TensorType
from tools.evaluate.evaluator import evaluate
from tools.evaluate.semantics import SEMANTICS

F32, F16, I32, BOOL = pypto.DT_FP32, pypto.DT_FP16, pypto.DT_INT32, pypto.DT_BOOL
ARRAY_TYPES = {F32: np.float32, F16: np.float16, I32: np.int32, BOOL: np.bool_}


def example(shape: Sequence[int], dtype: pypto.DataType) -> np.ndarray[Any, Any]:
    """Numbers between 0.25 and 1, or small positive integers."""
    count = math.prod(shape)
    if dtype is I32:
        return (np.arange(count) % 7 + 1).reshape(shape).astype(np.int32)
    return ((np.arange(count) % 13 + 4) / 16).reshape(shape).astype(ARRAY_TYPES[dtype])


def computed(
    body: Callable[..., Tensor], *inputs: np.ndarray[Any, Any], result: tuple[Sequence[int], pypto.DataType]
) -> np.ndarray[Any, Any]:
    """What a kernel computes that stores the value of `body`."""

    def k(*tensors: Tensor) -> None:
        tensors[-1][...] = body(*tensors[:-1])

    out = np.zeros(result[0], ARRAY_TYPES[result[1]])
    kernel = pypto.jit(named(k, len(inputs) + 1))
    function = only_function(kernel(*inputs, out))
    arguments = [inputs[int(argument.name_hint[1:])] for argument in function.ins if argument.name_hint]
    return evaluate(function, arguments)[-1]


def named(k: Callable[..., object], count: int) -> Callable[..., object]:
    """`k` with `count` parameters t0, t1, …"""
    names = [f"t{place}" for place in range(count)]
    parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names]

    def with_names(*arguments: Tensor) -> object:
        return k(*arguments)

    with_names.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportFunctionMemberAccess]
    return with_names


UNARY: dict[str, Callable[[Any], Any]] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "rsqrt": lambda a: 1 / np.sqrt(a),
    "reciprocal": lambda a: 1 / a,
    "neg": np.negative,
    "abs": np.abs,
    "sign": np.sign,
    "relu": lambda a: np.maximum(a, 0),
    "ceil": np.ceil,
    "floor": np.floor,
    "trunc": np.trunc,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": lambda a: np.arccosh(a + 1),
    "atanh": lambda a: np.arctanh(a / 2),
    "erf": np.vectorize(math.erf),
    "erfc": np.vectorize(math.erfc),
    "leaky_relu": lambda a: np.where(a > 0, a, a * 0.01),
}
ARGUMENT: dict[str, Callable[[Tensor], Tensor]] = {"acosh": lambda x: x + 1, "atanh": lambda x: x / 2}


@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str) -> None:
    """The function's op computes what its name says, in the shape and type of its operand."""
    a = example((8, 16), F32)
    function = getattr(pypto, name)
    prepare = ARGUMENT.get(name, lambda x: x)
    found = computed(lambda x: function(prepare(x)), a, result=((8, 16), F32))
    np.testing.assert_allclose(found, UNARY[name](a), rtol=1e-5)


BINARY: list[tuple[str, Callable[[Any, Any], Any], pypto.DataType]] = [
    ("add", np.add, F32),
    ("sub", np.subtract, F32),
    ("mul", np.multiply, F32),
    ("div", np.divide, F32),
    ("maximum", np.maximum, F32),
    ("minimum", np.minimum, F32),
    ("gcd", np.gcd, I32),
    ("bitwise_and", np.bitwise_and, I32),
    ("bitwise_or", np.bitwise_or, I32),
    ("bitwise_xor", np.bitwise_xor, I32),
]


@pytest.mark.parametrize(("name", "expected", "dtype"), BINARY)
@pytest.mark.parametrize("second", ["tensor", "row", "number", "first number"])
def test_binary(name: str, expected: Callable[[Any, Any], Any], dtype: pypto.DataType, second: str) -> None:
    """Both operands may be tensors, of which one may be repeated, and either may be a number."""
    a, function = example((8, 16), dtype), getattr(pypto, name)
    b = example((1, 16) if second == "row" else (8, 16), dtype)
    result = ((8, 16), dtype)
    number: Any = 2 if dtype is I32 else 0.5
    if second == "number":
        found, wanted = computed(lambda x: function(x, number), a, result=result), expected(a, a.dtype.type(number))
    elif second == "first number":
        found, wanted = computed(lambda x: function(number, x), a, result=result), expected(a.dtype.type(number), a)
    else:
        found, wanted = computed(function, a, b, result=result), expected(a, b)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_operators() -> None:
    """The operators of Python mean the same as the functions."""

    def by_operator(x: Tensor, y: Tensor) -> Tensor:
        return abs(-(2 * x + y - 0.5) / (1 - y * 0.25)) @ y

    def by_function(x: Tensor, y: Tensor) -> Tensor:
        top = pypto.neg(pypto.sub(pypto.add(pypto.mul(2, x), y), 0.5))
        return pypto.matmul(pypto.abs(pypto.div(top, pypto.sub(1, pypto.mul(y, 0.25)))), y)

    def ops(body: Callable[[Tensor, Tensor], Tensor]) -> list[str]:
        return mnemonics(traced(lambda x, y: body(x, y)))

    assert ops(by_operator) == ops(by_function)
    a, b = example((16, 16), F32), example((16, 16), F32).T.copy()
    found = computed(by_operator, a, b, result=((16, 16), F32))
    np.testing.assert_allclose(found, np.abs(-(2 * a + b - 0.5) / (1 - b * 0.25)) @ b, rtol=1e-5)


def test_operators_of_integers() -> None:
    """Operators that only integers have, and those that compare."""

    def k(n: Tensor, m: Tensor) -> None:
        _ = (n & 3) | (m ^ n), ~n, n << 2, m >> n, 2 << n, n // m, n // 2, n % m, 5 % n, n**2
        _ = (n < m), (n <= 3), pypto.lt(4, n), (n >= m)

    integers = pypto.tensor((8, 8), I32)
    assert [name for name in mnemonics(traced(k, integers, integers)) if name != "view"] == [
        *("bitwiseands", "bitwisexor", "bitwiseor", "bitwisenot", "bitwiseleftshifts", "bitwiserightshift"),
        *("sbitwiseleftshift", "floordiv", "floordivs", "rem", "remrs", "pows", "cmp", "cmps", "cmps", "cmp"),
    ]


def test_scalar_forms() -> None:
    """A number as operand makes the scalar opcode, with the number as dumps write it and which operand it is."""

    def k(x: Tensor, y: Tensor) -> None:
        pypto.mul(x, 0.125)
        pypto.sub(2, x)
        _ = np.float32(0.5) + x

    scaled, reversed_, commutative = [op for op in operations(traced(k)) if op.opcode.name != "VIEW"]
    assert str(scaled.properties["params"]) == ("{SCALAR = #tile.scalar<f32, 0.125>, op_attr_reverseOperand = false}")
    assert str(reversed_.properties["params"]) == ("{SCALAR = #tile.scalar<f32, 2.0>, op_attr_reverseOperand = true}")
    assert "false" in str(commutative.properties["params"])


@given(*[st.lists(st.sampled_from([1, 2, 3]), min_size=1, max_size=3)] * 2)
def test_broadcasting(first: list[int], second: list[int]) -> None:
    """Shapes are combined as numpy does it, and refused where numpy refuses."""

    def k(x: Tensor, y: Tensor) -> None:
        shapes.append((x + y).shape)

    shapes: list[tuple[int, ...]] = []
    try:
        expected = np.broadcast_shapes(tuple(first), tuple(second))
    except ValueError:
        with pytest.raises(ValueError, match="add: argument 'other': expected a shape that fits"):
            traced(k, pypto.tensor(first, F32), pypto.tensor(second, F32))
        return
    traced(k, pypto.tensor(first, F32), pypto.tensor(second, F32))
    assert shapes == [expected]


REDUCTIONS: dict[str, Callable[..., Any]] = {"sum": np.sum, "amax": np.max, "amin": np.min, "prod": np.prod}


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("keepdim", [True, False])
def test_reductions(name: str, keepdim: bool) -> None:
    """A reduction of the last dimension leaves extent 1, or no dimension."""
    a = example((8, 16), F32)
    shape = (8, 1) if keepdim else (8,)
    found = computed(lambda x: getattr(pypto, name)(x, -1, keepdim), a, result=(shape, F32))
    np.testing.assert_allclose(found, REDUCTIONS[name](a, axis=-1, keepdims=keepdim), rtol=1e-5)


@pytest.mark.parametrize(
    ("shape", "scratch"), [((32, 256), (32, 128)), ((48, 256), (48, 128)), ((16, 128), (16, 64)), ((64, 64), (1, 8))]
)
def test_work_space_of_reductions(shape: tuple[int, int], scratch: tuple[int, int]) -> None:
    """The second result of a reduction has the shapes that dumps show."""

    def k(x: Tensor) -> None:
        pypto.sum(x)

    op = operations(traced(k, pypto.tensor(shape, F32)))[-1]
    assert [type.shape for type in op.result_types if isinstance(type, TensorType)] == [(shape[0], 1), scratch]


def test_reduction_of_other_dimensions() -> None:
    """The opcode tells which dimension it is: LINE for any but the last."""

    def k(x: Tensor, y: Tensor) -> None:
        assert pypto.amax(x, 0).shape == (1, 64)
        assert pypto.argmax(x).dtype is I32
        assert pypto.cumsum(x, 0).shape == (64, 64)

    assert [name for name in mnemonics(traced(k)) if name != "view"] == ["rowmaxline", "rowargmax_single", "cum_sum"]


@pytest.mark.parametrize("a_trans", [False, True])
@pytest.mark.parametrize("b_trans", [False, True])
def test_matmul(a_trans: bool, b_trans: bool) -> None:
    """Products of stored and of transposed matrices; integers and narrow floats have a wide product."""
    a, b = example((4, 8), F32), example((8, 6), F32)
    stored_a, stored_b = a.T.copy() if a_trans else a, b.T.copy() if b_trans else b
    found = computed(
        lambda x, y: pypto.matmul(x, y, a_trans=a_trans, b_trans=b_trans), stored_a, stored_b, result=((4, 6), F32)
    )
    np.testing.assert_allclose(found, a @ b, rtol=1e-5)


def test_matmul_in_steps() -> None:
    """A long product is the sum of products of its parts."""
    a, b = example((16, 32), F16), example((32, 16), F16)

    def body(x: Tensor, y: Tensor) -> Tensor:
        first = pypto.matmul(x[:, 0:16], y[0:16])
        return pypto.matmul(x[:, 16:32], y[16:32], acc=first)

    found = computed(body, a, b, result=((16, 16), F32))
    np.testing.assert_allclose(found, a.astype(np.float32) @ b.astype(np.float32), rtol=1e-5)


def test_softmax_and_attention() -> None:
    """A whole kernel: loads, products on the cube core, reductions, casts and stores together compute attention."""
    q, k, v = (example((16, 16), F16) for _ in range(3))

    def body(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        scores = pypto.matmul(queries, keys, b_trans=True) * 0.25
        weights = pypto.exp(scores - pypto.amax(scores))
        weights = pypto.cast(weights / pypto.sum(weights), F16)
        return weights @ values

    found = computed(body, q, k, v, result=((16, 16), F32))
    scores = q.astype(np.float32) @ k.astype(np.float32).T / 4
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights = (weights / weights.sum(-1, keepdims=True)).astype(np.float16).astype(np.float32)
    np.testing.assert_allclose(found, weights @ v.astype(np.float32), rtol=1e-3)


MOVEMENTS: list[tuple[str, Callable[[Tensor], Tensor], Callable[[Any], Any]]] = [
    ("window", lambda x: x[2:6, 4:], lambda a: a[2:6, 4:]),
    ("window of a window", lambda x: x[2:6][1:3, 0:4], lambda a: a[3:5, 0:4]),
    ("window of a result", lambda x: (x + 1)[..., 4:-1], lambda a: (a + 1)[..., 4:-1]),
    ("view", lambda x: pypto.view(x, (4, 4), (2, 8)), lambda a: a[2:6, 8:12]),
    ("reshape", lambda x: pypto.reshape(x, (4, -1)), lambda a: a.reshape(4, -1)),
    ("method", lambda x: x.view((8, 8), (0, 8)).reshape((64,)), lambda a: a[:, 8:].reshape(64)),
    ("transpose", lambda x: pypto.transpose(x, 0, 1), np.transpose),
    ("expand", lambda x: pypto.expand(x[0:1], (8, 16)), lambda a: np.broadcast_to(a[0:1], (8, 16))),
    ("concat", lambda x: pypto.concat([x[:, 8:], x, x + 1], -1), lambda a: np.concatenate([a[:, 8:], a, a + 1], -1)),
    ("full", lambda x: x + pypto.full((8, 16), 0.5, F32), lambda a: a + 0.5),
    ("zeros and ones", lambda x: x + pypto.zeros((8, 1), F32) + pypto.ones((1, 1), F32), lambda a: a + 1),
    ("copy", lambda x: x, lambda a: a),
    ("cumsum", lambda x: pypto.cumsum(x, 1), lambda a: np.cumsum(a, 1)),
    ("cumprod", lambda x: pypto.cumprod(x, 0), lambda a: np.cumprod(a, 0)),
]


@pytest.mark.parametrize(("name", "body", "expected"), MOVEMENTS, ids=[row[0] for row in MOVEMENTS])
def test_movements(name: str, body: Callable[[Tensor], Tensor], expected: Callable[[Any], Any]) -> None:
    """Windows, shapes and new tensors hold what numpy says."""
    a = example((8, 16), F32)
    wanted = expected(a)
    np.testing.assert_allclose(computed(body, a, result=(wanted.shape, F32)), wanted, rtol=1e-5)


def test_transpose_of_other_dimensions() -> None:
    """Any two dimensions can be exchanged."""
    a = example((2, 3, 4), F32)
    found = computed(lambda x: pypto.transpose(x, 0, 2), a, result=((4, 3, 2), F32))
    np.testing.assert_array_equal(found, a.transpose(2, 1, 0))


def test_cast() -> None:
    """Elements change their type; a cast to the same type is nothing."""
    a = example((8, 16), F32)
    found = computed(lambda x: pypto.cast(pypto.cast(x, F32), "float16"), a, result=((8, 16), F16))
    np.testing.assert_array_equal(found, a.astype(np.float16))
    assert mnemonics(traced(lambda x, y: pypto.cast(x, F32))) == []


def test_the_rest() -> None:
    """Functions whose ops the evaluator does not compute: their ops, shapes and types."""

    def k(x: Tensor, n: Tensor) -> None:
        mask = pypto.logical_and(pypto.gt(x, 0), pypto.logical_not(pypto.isnan(x)))
        results = [
            pypto.where(mask, x, 0.0),
            pypto.where(pypto.isfinite(x), 1.0, x),
            pypto.where(pypto.signbit(x), x, x),
            pypto.prelu(x, x[0:1]),
            pypto.round(x, 2),
            pypto.gather(x, 1, n[:, 0:4]),
            pypto.index_select(x, 0, pypto.arange(0, 6, 2, I32)),
            pypto.scatter(x, 0, n[0:2], x[0:2]),
            *(pypto.atan2(x, x), pypto.hypot(x, x), pypto.copysign(x, x), pypto.pow(x, x), pypto.mod(x, 2)),
        ]
        shapes.extend((tensor.shape, tensor.dtype) for tensor in results)

    shapes: list[tuple[tuple[int, ...], pypto.DataType]] = []
    module = traced(k, pypto.tensor((8, 16), F32), pypto.tensor((8, 16), I32))
    whole = ((8, 16), F32)
    assert shapes == [*[whole] * 5, ((8, 4), F32), ((3, 16), F32), *[whole] * 6]
    assert [name for name in mnemonics(module) if name not in ("view", "assemble")] == [
        *("cmps", "isnan", "logicalnot", "logicaland", "where_ts", "isfinite", "where_st", "signbit", "where_tt"),
        *(
            "prelu",
            "round",
            "gather_element",
            "range",
            "gather",
            "scatter",
            "atan2",
            "hypot",
            "copysign",
            "pow",
            "mods",
        ),
    ]


def test_operation() -> None:
    """Any opcode of the table can be made; its inputs are brought where the table wants them."""

    def k(x: Tensor, y: Tensor) -> None:
        values, places = pypto.operation(
            "TOPK_SORT", [x], [((1, 64), F32), ((1, 64), I32)], params={"op_attr_start_index": 3, "flags": [True, "a"]}
        )
        assert (values.memory, places.dtype) == (Memory.UB, I32)
        (copy,) = pypto.operation("L1_TO_L1", [values], [((1, 64), F32)], memories=["l1"])
        assert copy.memory is Memory.L1

    module = traced(k)
    assert mnemonics(module) == ["view", "topk_sort", "assemble", "view", "l1_to_l1"]
    assert str(operations(module)[1].properties["params"]) == ('{op_attr_start_index = 3 : i64, flags = [true, "a"]}')


def memories_are_those_of_the_table(module: ModuleOp) -> None:
    for op in operations(module):
        for tensor, memory in zip(op.inputs, op.opcode.input_memories, strict=False):
            assert isinstance(tensor.type, TensorType)
            assert tensor.type.memory is MEMORY_OF_TABLE[memory], op


@pytest.mark.parametrize("soc", ["a2a3", "a5"])
def test_placement(soc: str) -> None:
    """Every operand stands where its op needs it; on chips with mixed cores without a detour through DDR."""

    def k(q: Tensor, out: Tensor) -> None:
        scores = pypto.matmul(q, q, b_trans=True)
        weights = pypto.cast(pypto.exp(scores[0:32]), F16)
        out[0:32] = pypto.matmul(weights, q)
        out[32:64] = pypto.matmul(q[32:64], q) + scores[32:64]

    module = traced(k, HALF, SQUARE, soc=soc)
    memories_are_those_of_the_table(module)
    detours = [
        op for op in operations(module) if op.opcode.name == "ASSEMBLE" and op.results and memory_of(op) is Memory.DDR
    ]
    assert len(detours) == (4 if soc == "a2a3" else 0)


def memory_of(op: Any) -> Memory:
    return op.results[0].type.memory


def test_a_window_is_loaded_for_each_memory() -> None:
    """A window of a tensor in DDR that both cores read is loaded twice, once into L1 and once into UB."""

    def k(x: Tensor, y: Tensor) -> None:
        window = x[0:32]
        y[0:32] = window @ x + window

    module = traced(k)
    memories_are_those_of_the_table(module)
    loads = [
        op for op in operations(module) if op.opcode.name == "VIEW" and op.operands[0] in only_function(module).ins
    ]
    assert sorted(memory_of(op) for op in loads) == ["l1", "l1", "ub"]


def test_valid_shapes() -> None:
    """What a window says of its valid part goes with the elements through elementwise ops to the store."""

    def k(x: Tensor, y: Tensor) -> None:
        for i in pypto.loop(3, name="rows"):
            rows = (64 - i * 24).min(24)  # pyright: ignore[reportAttributeAccessIssue]
            window = pypto.view(x, (24, 64), (i * 24, 0), valid_shape=(rows, 64))
            pypto.assemble(pypto.exp(window) * 2, (i * 24, 0), y)

    module = traced(k)
    assert [str(op.properties["valid"]) for op in operations(module)] == [
        '["min(64 - loop_idx_rows * 24, 24)", 64 : i64]'
    ] * 4


OP_FUNCTIONS = [
    name
    for name in pypto.__all__
    if inspect.isfunction(getattr(pypto, name)) and not name.endswith(("options", "label")) and name != "jit"
]


@pytest.mark.parametrize("name", OP_FUNCTIONS)
def test_documented(name: str) -> None:
    """Every function says what it computes, and where it makes an op, which; and it needs a kernel."""
    function = getattr(pypto, name)
    text = inspect.getdoc(function)
    assert text and text.splitlines()[0].endswith((".", ":"))
    words = set(text.replace(",", " ").replace(".", " ").replace(";", " ").replace(":", " ").split())
    assert words & set(OPCODE_BY_NAME) or "see `" in text or name in ("loop", "tensor", "operation"), text


def test_nothing_outside_kernels() -> None:
    """Ops and loops need a kernel; the message says so."""
    for call in (lambda: pypto.exp(SQUARE), lambda: SQUARE + 1, lambda: SQUARE[0:4], lambda: pypto.loop(3)):
        with pytest.raises(
            RuntimeError, match="no kernel is being traced; call it inside a function decorated with jit"
        ):
            call()


NESTED: list[object] = []
NESTED.append(NESTED)
N = pypto.tensor((64, 64), I32)
BAD: list[tuple[Callable[..., object], type[Exception], str]] = [
    (lambda x, n: pypto.exp(3), TypeError, "exp: argument 'input': expected a tensor, found 3"),
    (lambda x, n: pypto.exp(n), ValueError, "exp: argument 'input': expected a tensor of floating-point numbers"),
    (lambda x, n: pypto.add(1, 2), TypeError, "add: argument 'input': expected a tensor, or the other operand"),
    (lambda x, n: x + n, ValueError, "add: argument 'other': expected elements of DT_FP32"),
    (lambda x, n: x + "a", TypeError, "add: argument 'other': expected a tensor or a number, found 'a'"),
    (lambda x, n: n + 0.5, ValueError, "expected a number of DT_INT32, the element type of the tensor, found 0.5"),
    (lambda x, n: n + 2**31, ValueError, "in the range -2147483648..2147483647, found 2147483648"),
    (lambda x, n: x + float("nan"), ValueError, "add: argument 'other': expected a finite number, found nan"),
    (lambda x, n: x + 10**400, ValueError, "expected a number of DT_FP32"),
    (lambda x, n: x & 1, ValueError, "bitwise_and: argument 'input': expected a tensor of integers"),
    (lambda x, n: pypto.hypot(n, n), ValueError, "hypot: argument 'input': expected a tensor of floating-point"),
    (lambda x, n: pypto.hypot(x, 1), TypeError, "hypot: argument 'other': expected a tensor (there is no such op"),
    (lambda x, n: 1 // x, TypeError, "floor_div: argument 'input': expected a tensor (there is no"),
    (lambda x, n: pypto.where(x, x, x), ValueError, "where: argument 'condition': expected a tensor of DT_BOOL"),
    (lambda x, n: pypto.where(x > 0, 1, 2), TypeError, "where: argument 'other': expected a tensor, found 2"),
    (lambda x, n: pypto.cast(x, "f"), TypeError, "cast: argument 'dtype': expected a data type such as DT_FP32"),
    (lambda x, n: pypto.cast(x, "DT_FP33"), TypeError, "did you mean 'DT_FP32'"),
    (lambda x, n: pypto.sum(x, 2), ValueError, "sum: argument 'dim': expected a dimension in the range -2..1, found 2"),
    (lambda x, n: pypto.sum(x, "a"), TypeError, "sum: argument 'dim': expected an integer, found 'a'"),
    (lambda x, n: pypto.sum(x, True), TypeError, "sum: argument 'dim': expected an integer, found True"),
    (lambda x, n: pypto.sum(x, 0, 1), TypeError, "sum: argument 'keepdim': expected True or False, found 1"),
    (lambda x, n: pypto.argmax(x, 0), ValueError, "argmax: argument 'dim': expected the last dimension"),
    (lambda x, n: x @ x[0:32], ValueError, "matmul: argument 'mat2': expected 64 rows"),
    (lambda x, n: x @ n, ValueError, "matmul: argument 'mat2': expected elements of DT_FP32"),
    (lambda x, n: x @ x.reshape((4096,)), ValueError, "matmul: argument 'mat2': expected a tensor of two dimensions"),
    (lambda x, n: pypto.matmul(x, x, acc=x[0:4]), ValueError, "matmul: argument 'acc': expected a product of shape"),
    (lambda x, n: pypto.matmul(x, x, a_trans=True, acc=x @ x), ValueError, "no opcode adds a product of a transposed"),
    (lambda x, n: pypto.matmul(x, x, acc=x + 1), TypeError, "matmul: argument 'acc': expected a tensor that can be"),
    (lambda x, n: x[0], TypeError, "expected a slice such as 0:32, found 0"),
    (lambda x, n: x[0:4:2], ValueError, "expected a slice without step, found step 2"),
    (lambda x, n: x[0:65], ValueError, "the window 0 + 65 sticks out of dimension 0 of Tensor('x', [64, 64]"),
    (lambda x, n: x[4:2], ValueError, "the slice 4:2 ends before it begins"),
    (lambda x, n: x[-65:], ValueError, "-65 lies before its beginning"),
    (lambda x, n: x[..., ...], IndexError, "more than one '...'"),
    (lambda x, n: x[0:1, 0:1, 0:1], IndexError, "3 slices for Tensor('x', [64, 64]"),
    (lambda x, n: [x[i:8] for i in pypto.loop(4)], ValueError, "the length 8 - loop_idx_loop of the slice is not"),
    (lambda x, n: [x + i for i in pypto.loop(4)], TypeError, "expected a tensor or a number that is known when"),
    (lambda x, n: pypto.view(x, (4,), (0, 0)), ValueError, "view: argument 'shape': expected 2 extents"),
    (lambda x, n: pypto.view(x, (4, 4), (0,)), ValueError, "view: argument 'offsets': expected 2 numbers"),
    (
        lambda x, n: pypto.view(x, (4, 4), (0, -1)),
        ValueError,
        "view: argument 'offsets': expected numbers in the range",
    ),
    (lambda x, n: pypto.view(x, (4, -1), (0, 0)), ValueError, "extents that are known when tracing"),
    (lambda x, n: pypto.view(x, 4, (0, 0)), TypeError, "view: argument 'shape': expected a list of integers, found 4"),
    (lambda x, n: x.reshape((3, -1)), ValueError, "reshape: argument 'shape': expected a shape of 4096 elements"),
    (lambda x, n: pypto.expand(x, (128, 64)), ValueError, "expand: argument 'shape': expected a shape that repeats"),
    (lambda x, n: pypto.concat([]), ValueError, "concat: argument 'tensors': expected at least one tensor"),
    (lambda x, n: pypto.concat(x), TypeError, "concat: argument 'tensors': expected a list of tensors"),
    (lambda x, n: pypto.concat([x, n]), ValueError, "concat: argument 'tensors[1]': expected shape and type of"),
    (lambda x, n: pypto.full((2, 2), "a", F32), TypeError, "full: argument 'value': expected a tensor or a number"),
    (lambda x, n: pypto.arange(0, 4, 0, I32), ValueError, "arange: argument 'step': expected a number other than 0"),
    (lambda x, n: pypto.arange(4, 0, 1, I32), ValueError, "arange: argument 'end': expected an end behind the start"),
    (lambda x, n: pypto.gather(x, 0, x), ValueError, "gather: argument 'index': expected a tensor of integers"),
    (lambda x, n: pypto.scatter(x, 0, n, n), ValueError, "scatter: argument 'src': expected a tensor of DT_FP32"),
    (lambda x, n: pypto.assemble(x, (0, 0), x + 1), TypeError, "assemble: argument 'out': expected an argument of the"),
    (lambda x, n: pypto.assemble(n, (0, 0), x), ValueError, "assemble: argument 'input': expected elements of DT_FP32"),
    (lambda x, n: pypto.assemble(x, (1, 0), x), ValueError, "the window 1 + 64 sticks out"),
    (lambda x, n: x.move(x[0:4]), ValueError, "assemble: argument 'value': expected a tensor of the window's shape"),
    (lambda x, n: bool(x), TypeError, "is true is known only when the kernel runs; see where"),
    (lambda x, n: list(x), TypeError, "cannot be iterated over"),
    (lambda x, n: pypto.tensor((4, 4), F32) + 1, ValueError, "is read before anything has written it"),
    (lambda x, n: pypto.exp(SQUARE), TypeError, "expected a tensor of this kernel (pass others as arguments"),
    (
        lambda x, n: pypto.tensor((), F32),
        ValueError,
        "tensor: argument 'shape': expected at least one extent, found []",
    ),
    (lambda x, n: pypto.tensor("ab", F32), TypeError, "tensor: argument 'shape': expected a list of integers"),
    (lambda x, n: pypto.tensor((2**63, 1), F32), ValueError, "tensor: argument 'shape': expected extents in the range"),
    (lambda x, n: pypto.tensor((1, 1), F32, memory="l2l"), ValueError, "did you mean"),
    (lambda x, n: pypto.operation("TOPKK", [x], []), ValueError, "did you mean 'TOPK'"),
    (lambda x, n: pypto.operation("VIEW", [x], []), ValueError, "an opcode without window; see view and assemble"),
    (lambda x, n: pypto.operation("NOP", x, []), TypeError, "operation: argument 'inputs': expected a list of tensors"),
    (lambda x, n: pypto.operation("NOP", [x], [F32]), TypeError, "argument 'results[0]': expected a shape and a data"),
    (lambda x, n: pypto.operation("NOP", [], [], params={"a": {}}), TypeError, "operation: argument 'a': expected an"),
    (lambda x, n: pypto.operation("NOP", [], [], params={"a": 2**63}), ValueError, "an integer of 64 bits"),
    (lambda x, n: pypto.operation("NOP", [], [], params={"a": NESTED}), ValueError, "lists that nest at most 8 deep"),
    (lambda x, n: pypto.tensor((10**5000, 1), F32), ValueError, "found a value of type list"),
    (lambda x, n: n + 10**5000, ValueError, "found an integer of 16610 bits"),
    (lambda x, n: pypto.operation("NOP", [], [], memories=["ub"]), ValueError, "expected 0 memories"),
]


@pytest.mark.parametrize(("body", "error", "text"), BAD, ids=[text[:50] for _, _, text in BAD])
def test_errors(body: Callable[..., object], error: type[Exception], text: str) -> None:
    """A mistake names the function, the argument, what was expected and what was found; the next kernel is fine."""
    with pytest.raises(error) as caught:
        traced(lambda x, n: body(x, n), SQUARE, N)
    assert text in str(caught.value)
    assert type(caught.value) is error
    assert mnemonics(traced(lambda x, n: x + 1, SQUARE, N)) == ["view", "adds"]


def test_elements_are_covered() -> None:
    """Every element type of the dialect has a name for programs; and the evaluator knows most opcodes used here."""
    names = [name for name in pypto.__all__ if name.startswith("DT_")]
    assert {getattr(pypto, name).element.type for name in names} == set(ELEMENT_BY_TYPE)
    assert len(names) == len(ELEMENT_BY_TYPE)
    assert {"EXP", "A_MUL_B", "ROWSUM_SINGLE"} <= set(SEMANTICS)
