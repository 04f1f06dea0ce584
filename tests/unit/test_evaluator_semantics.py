"""What opcodes compute, against formulas written down here."""

from __future__ import annotations

import math

import numpy as np
import pytest
from evaluable_functions import parse

from dialect.opcodes import OPCODE_BY_NAME
from dialect.ops import functions_of
from tools.evaluate.errors import EvaluationError
from tools.evaluate.evaluator import evaluate
from tools.evaluate.number_formats import Array
from tools.evaluate.semantics import SEMANTICS, WINDOWS


def run(text: str, *inputs: Array, **symbols: int) -> list[Array]:
    """What the arguments of the only function hold after a run."""
    (function,) = functions_of(parse(text))
    return evaluate(function, inputs, symbols)


def run_op(line: str, ins: str, *inputs: Array) -> Array:
    """The result of one op `%0 = …` on %a, %b, …, assembled into an `outs` of the result's type."""
    types = ", ".join(f"%{chr(97 + place)} : !tile.tensor<{type}, ub>" for place, type in enumerate(ins.split()))
    result = line.rsplit("<", 1)[1].split(",")[0]
    text = (
        f"tile.func @f ins({types}) outs(%o : !tile.tensor<{result}, ddr>) {{\n"
        f"  {line}\n  tile.assemble %0 into %o[{', '.join('0' * result.count('x'))}]\n}}\n"
    )
    return run(text, *inputs)[-1]


ARRAY = np.array([[-1.5, 0.0, 0.25, 2.0], [1.0, -0.5, 3.0, 0.75]], np.float32)
OTHER = np.array([[2.0, -1.0, 0.5, 4.0], [0.5, 0.5, -2.0, 1.0]], np.float32)
F32 = "2x4xf32"


@pytest.mark.parametrize(
    ("mnemonic", "function"),
    [
        ("exp", math.exp),
        ("neg", lambda a: -a),
        ("abs", abs),
        ("relu", lambda a: max(a, 0.0)),
        ("tanh", math.tanh),
        ("erf", math.erf),
        ("floor", math.floor),
        ("ceil", math.ceil),
        ("trunc", math.trunc),
        ("sign", lambda a: (a > 0) - (a < 0)),
        ("expm1", math.expm1),
        ("atan", math.atan),
    ],
)
def test_elementwise(mnemonic: str, function: object) -> None:
    """One input, element by element."""
    found = run_op(f"%0 = tile.{mnemonic} %a : !tile.tensor<{F32}, ub>", F32, ARRAY)
    np.testing.assert_allclose(found, np.vectorize(function, otypes=[np.float64])(ARRAY), rtol=1e-6)


@pytest.mark.parametrize(("mnemonic", "expected"), [("sqrt", 1.5), ("rsqrt", 1 / 1.5), ("ln", math.log(2.25))])
def test_elementwise_of_positive_numbers(mnemonic: str, expected: float) -> None:
    """Roots and logarithms."""
    found = run_op(f"%0 = tile.{mnemonic} %a : !tile.tensor<1xf32, ub>", "1xf32", np.array([2.25], np.float32))
    np.testing.assert_allclose(found, [expected], rtol=1e-6)


@pytest.mark.parametrize(
    ("mnemonic", "expected"),
    [
        ("add", ARRAY + OTHER),
        ("sub", ARRAY - OTHER),
        ("mul", ARRAY * OTHER),
        ("div", ARRAY / OTHER),
        ("maximum", np.where(ARRAY > OTHER, ARRAY, OTHER)),
        ("pairmin", np.where(ARRAY < OTHER, ARRAY, OTHER)),
        ("pairsum", ARRAY + OTHER),
        ("atan2", np.arctan2(ARRAY, OTHER)),
    ],
)
def test_two_operands(mnemonic: str, expected: Array) -> None:
    """Two inputs of one shape."""
    found = run_op(f"%0 = tile.{mnemonic} %a, %b : !tile.tensor<{F32}, ub>", f"{F32} {F32}", ARRAY, OTHER)
    np.testing.assert_array_equal(found, expected)


def test_a_column_is_repeated() -> None:
    """An operand of extent 1 counts for all elements of the axis."""
    column = np.array([[1.0], [2.0]], np.float32)
    found = run_op(f"%0 = tile.sub %a, %b : !tile.tensor<{F32}, ub>", f"{F32} 2x1xf32", ARRAY, column)
    np.testing.assert_array_equal(found, ARRAY - np.array([[1.0] * 4, [2.0] * 4]))


@pytest.mark.parametrize(
    ("reverse", "expected"), [("false", ARRAY - np.float32(0.5)), ("true", np.float32(0.5) - ARRAY)]
)
def test_scalar_forms_can_be_reversed(reverse: str, expected: Array) -> None:
    """`op_attr_reverseOperand` puts the scalar first."""
    params = f"{{params = {{SCALAR = #tile.scalar<f32, 0.5>, op_attr_reverseOperand = {reverse}}}}}"
    found = run_op(f"%0 = tile.subs %a {params} : !tile.tensor<{F32}, ub>", F32, ARRAY)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("mnemonic", "axis", "shape", "expected"),
    [
        ("rowmax_single", "1", "2x1", [[2.0], [3.0]]),
        ("rowmin_single", "-1", "2x1", [[-1.5], [-0.5]]),
        ("rowsum_single", "0", "1x4", [[-0.5, -0.5, 3.25, 2.75]]),
        ("rowprod_single", "1", "2x1", [[0.0], [-1.125]]),
    ],
)
def test_reductions(mnemonic: str, axis: str, shape: str, expected: object) -> None:
    """Along the axis that is stated; the second output is scratch space and 0."""
    line = f"%0 = tile.{mnemonic} %a {{params = {{op_attr_AXIS = {axis}}}}} : !tile.tensor<{shape}xf32, ub>"
    np.testing.assert_array_equal(run_op(line, F32, ARRAY), expected)
    without = f"%0 = tile.rowmax %a : !tile.tensor<{shape}xf32, ub>"
    np.testing.assert_array_equal(run_op(without, F32, ARRAY), ARRAY.max(axis=int(axis), keepdims=True))


def test_reductions_see_only_what_holds_data() -> None:
    """The largest of a negative tail is not the 0 of the padding."""
    text = """
    tile.func @f ins(%x : !tile.tensor<2x4xf32, ddr>) outs(%o : !tile.tensor<2x1xf32, ddr>) {
      %0 = tile.view %x[0, 0] {valid = [2, "n"]} : !tile.tensor<2x4xf32, ub>
      %1, %2 = tile.rowmax_single %0 {params = {op_attr_AXIS = 1}} : !tile.tensor<2x1xf32, ub>, !tile.tensor<8xf32, ub>
      tile.assemble %1 into %o[0, 0]
    }"""
    np.testing.assert_array_equal(run(text, -np.abs(ARRAY) - 1, n=2)[1], [[-1.0], [-1.5]])


@pytest.mark.parametrize(
    ("mnemonic", "left", "right"),
    [
        ("a_mul_b", "ij", "jk"),
        ("a_mul_bt", "ij", "kj"),
        ("at_mul_b", "ji", "jk"),
        ("at_mul_bt", "ji", "kj"),
    ],
)
def test_multiplies(mnemonic: str, left: str, right: str) -> None:
    """All four forms, of matrices that are not square."""
    extents = {"i": 2, "j": 3, "k": 4}
    shapes = [tuple(extents[axis] for axis in axes) for axes in (left, right)]
    a, b = (np.arange(math.prod(shape)).reshape(shape).astype(np.float32) for shape in shapes)
    types = " ".join(f"{rows}x{columns}xf32" for rows, columns in shapes)
    found = run_op(f"%0 = tile.{mnemonic} %a, %b : !tile.tensor<2x4xf32, l0c>", types, a, b)
    np.testing.assert_array_equal(found, np.einsum(f"{left},{right}->ik", a, b))


def test_multiply_and_accumulate() -> None:
    """The third operand is added."""
    a, c = np.eye(2, dtype=np.float32), np.full((2, 4), 10, np.float32)
    found = run_op(f"%0 = tile.a_mulacc_b %a, %b, %c : !tile.tensor<{F32}, l0c>", f"2x2xf32 {F32} {F32}", a, ARRAY, c)
    np.testing.assert_array_equal(found, ARRAY + 10)


def test_windows_beyond_the_tensor() -> None:
    """What a view finds outside is 0; what an assemble would put outside is dropped."""
    text = """
    tile.func @f ins(%x : !tile.tensor<3xf32, ddr>) outs(%o : !tile.tensor<4xf32, ddr>) {
      %0 = tile.view %x[1] : !tile.tensor<4xf32, ub>
      %1 = tile.adds %0 {params = {SCALAR = #tile.scalar<f32, 1.0>}} : !tile.tensor<4xf32, ub>
      tile.assemble %1 into %o[2]
    }"""
    np.testing.assert_array_equal(run(text, np.array([5, 6, 7], np.float32))[1], [0, 0, 7, 8])


def test_an_assemble_writes_what_is_valid() -> None:
    """The valid shape of the tensor limits what is written, and offsets may be symbolic."""
    text = """
    tile.func @f ins(%x : !tile.tensor<4xf32, ddr>) outs(%o : !tile.tensor<4xf32, ddr>) {
      %0 = tile.view %x[0] dyn ["2 * i"] {valid = ["min(5 - 2 * i, 2)"]} : !tile.tensor<2xf32, ub>
      %1 = tile.exp %0 {valid = ["min(5 - 2 * i, 2)"]} : !tile.tensor<2xf32, ub>
      tile.assemble %1 into %o[0] dyn ["2 * i"]
    }"""
    array = np.zeros(4, np.float32)
    np.testing.assert_array_equal(run(text, array, i=1)[1], [0, 0, 1, 1])
    np.testing.assert_array_equal(run(text, array, i=2)[1], [0, 0, 0, 0])


def test_a_transposing_view() -> None:
    """The move to L0 can transpose: the window has the swapped extents."""
    line = "%0 = tile.view %a[0, 0] {params = {op_attr_l1_to_l0_transpose = true}} : !tile.tensor<4x2xf32, l0b>"
    np.testing.assert_array_equal(run_op(line, F32, ARRAY), ARRAY.T)


def test_moves_of_shape() -> None:
    """Reshape, expand, transpose, permute, copy."""
    cases = {
        "%0 = tile.reshape %a : !tile.tensor<4x2xf32, ub>": ARRAY.reshape(4, 2),
        "%0 = tile.transpose_vnchwconv %a : !tile.tensor<4x2xf32, ub>": ARRAY.T,
        "%0 = tile.permute %a {params = {perm = [1, 0]}} : !tile.tensor<4x2xf32, ub>": ARRAY.T,
        "%0 = tile.ub_to_ub %a : !tile.tensor<2x4xf32, ub>": ARRAY,
        "%0 = tile.cum_sum %a {params = {op_attr_axis = 1}} : !tile.tensor<2x4xf32, ub>": ARRAY.cumsum(axis=1),
    }
    for line, expected in cases.items():
        np.testing.assert_array_equal(run_op(line, F32, ARRAY), expected)
    column = np.array([[1.0], [2.0]], np.float32)
    found = run_op("%0 = tile.expand %a : !tile.tensor<2x3xf32, ub>", "2x1xf32", column)
    np.testing.assert_array_equal(found, [[1, 1, 1], [2, 2, 2]])


def test_casts() -> None:
    """Floats round to nearest even, to integers too, where they saturate; bf16 keeps eight bits of the fraction."""
    numbers = np.array([2.5, 3.5, -1e9, np.nan], np.float32)
    found = run_op("%0 = tile.cast %a : !tile.tensor<4xi16, ub>", "4xf32", numbers)
    np.testing.assert_array_equal(found, [2, 4, -32768, 0])
    found = run_op("%0 = tile.cast %a : !tile.tensor<4xi64, ub>", "4xf32", np.array([1e30, -1e30, 1, 2], np.float32))
    np.testing.assert_array_equal(found, [2**63 - 1, -(2**63), 1, 2])
    halves = np.array([1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-7, np.inf], np.float32)
    found = run_op("%0 = tile.cast %a : !tile.tensor<4xbf16, ub>", "4xf32", halves)
    np.testing.assert_array_equal(found, np.array([1, 1 + 2**-6, 1 + 2**-7, np.inf]))
    found = run_op("%0 = tile.cast %a : !tile.tensor<2xi4, ub>", "2xi32", np.array([9, -3], np.int32))
    np.testing.assert_array_equal(found, [-7, -3])


def test_the_table_names_opcodes() -> None:
    """Every row is an opcode, and none is in both tables."""
    assert not set(SEMANTICS) - set(OPCODE_BY_NAME)
    assert not set(WINDOWS) - set(OPCODE_BY_NAME)
    assert not set(SEMANTICS) & set(WINDOWS)


@pytest.mark.parametrize(
    ("line", "ins", "message"),
    [
        ("%0 = tile.cmp %a, %a : !tile.tensor<2x4xf32, ub>", F32, r"not covered by the evaluator: CMP \(1 op\)"),
        ("%0 = tile.add %a : !tile.tensor<2x4xf32, ub>", F32, "ADD 10000 of @f: it has 1 inputs, expected 2"),
        ("%0 = tile.adds %a : !tile.tensor<2x4xf32, ub>", F32, "parameter SCALAR is None, expected a number"),
        ("%0 = tile.exp %a : !tile.tensor<4x2xf32, ub>", F32, r"shape \(2, 4\), its output is \(4, 2\)"),
        ("%0 = tile.exp %a : !tile.tensor<2x4xi32, ub>", F32, "covered for floats only, found i32"),
        ("%0 = tile.bitwisenot %a : !tile.tensor<2x4xf32, ub>", F32, "covered for integers only, found f32"),
        ("%0 = tile.add %a, %b : !tile.tensor<2x4xf32, ub>", f"{F32} 2x3xf32", "could not be broadcast"),
        ("%0 = tile.pairsum %a, %b : !tile.tensor<2x4xf32, ub>", f"{F32} 2x1xf32", "operands of one shape"),
        ("%0 = tile.reshape %a : !tile.tensor<3x2xf32, ub>", F32, "cannot reshape"),
        ("%0 = tile.expand %a : !tile.tensor<2x5xf32, ub>", F32, "cannot expand"),
        ("%0 = tile.a_mul_b %a, %a : !tile.tensor<2x4xf32, l0c>", F32, "cannot multiply"),
        (
            "%0 = tile.a_mul_b %a, %a {params = {op_attr_has_bias = true}} : !tile.tensor<2x4xf32, l0c>",
            F32,
            "op_attr_has_bias is True; only 0 and false are covered",
        ),
        ("%0 = tile.copy_in %a {attr = [0, 1]} : !tile.tensor<2x4xf32, ub>", F32, "its `attr` is not interpreted"),
        (
            "%0 = tile.rowsum_single %a {params = {op_attr_AXIS = 2}} : !tile.tensor<2x1xf32, ub>",
            F32,
            "op_attr_AXIS is 2, for an input of rank 2",
        ),
        ("%0 = tile.rowmax %a : !tile.tensor<1x1xf32, ub>", F32, "does not tell which axis"),
        ("%0 = tile.permute %a {params = {perm = [0, 0]}} : !tile.tensor<2x4xf32, ub>", F32, "an order of the 2 axes"),
        (
            "%0 = tile.add %a, %a {params = {op_attr_input_combine_axis = [true]}} : !tile.tensor<2x4xf32, ub>",
            F32,
            "op_attr_input_combine_axis is not covered",
        ),
        ("%0 = tile.neg %a : !tile.tensor<2x4x!tile.float<hf8>, ub>", F32, "elements of type !tile.float<hf8> are not"),
        ("%0 = tile.neg %a : !tile.tensor<2x?xf32, ub>", F32, "dynamic shape"),
        ("%0 = tile.neg %a : !tile.tensor<99999x99999xf32, ub>", F32, "has 9999800001 elements, at most 134217728"),
        ("%0 = tile.view %a[0, 0] dyn [1] : !tile.tensor<2x4xf32, ub>", F32, "has 2 static and 1 dynamic offsets"),
        ("%0 = tile.view %a[0, 0] {valid = [1]} : !tile.tensor<2x4xf32, ub>", F32, "valid shape of rank 1"),
        ("%0 = tile.view %a[0, 0] : !tile.tensor<4xf32, ub>", F32, "a window of rank 1 in a tensor of rank 2"),
        ("tile.assemble %a into %b[0]", f"{F32} 4xf32", "a window of rank 2 in a tensor of rank 1"),
    ],
)
def test_what_is_not_covered_is_refused(line: str, ins: str, message: str) -> None:
    """The op and what is missing are named; nothing is guessed."""
    types = ", ".join(f"%{chr(97 + place)} : !tile.tensor<{type}, ub>" for place, type in enumerate(ins.split()))
    arrays = [np.zeros([int(extent) for extent in type.split("x")[:-1]], np.float32) for type in ins.split()]
    with pytest.raises(EvaluationError, match=message):
        run(f"tile.func @f ins({types}) {{\n  {line}\n}}\n", *arrays)


def test_two_ops_that_write_different_values_to_one_place_are_refused() -> None:
    """The result would depend on the order; equal values are fine."""
    text = """
    tile.func @f ins(%x : !tile.tensor<4xf32, ub>, %y : !tile.tensor<4xf32, ub>) outs(%o : !tile.tensor<6xf32, ddr>) {
      tile.assemble %x into %o[0]
      tile.assemble %y into %o[2]
    }"""
    ones, twos = np.ones(4, np.float32), np.full(4, 2, np.float32)
    np.testing.assert_array_equal(run(text, ones, ones)[2], np.ones(6))
    with pytest.raises(EvaluationError, match=r"ASSEMBLE 10001 of @f: .* depends on the order of ops"):
        run(text, ones, twos)


def test_inputs_are_checked_and_not_changed() -> None:
    """Wrong number and wrong shape of arrays; the caller's arrays stay as they are."""
    text = """
    tile.func @f ins(%x : !tile.tensor<4xf32, ub>) {
      %0 = tile.neg %x : !tile.tensor<4xf32, ub>
      %1 = tile.buffer : !tile.tensor<4xf32, ub>
    }"""
    with pytest.raises(EvaluationError, match="@f has 1 ins, found 0 arrays"):
        run(text)
    with pytest.raises(EvaluationError, match=r"argument 0 of @f is \(4,\), found \(3,\)"):
        run(text, np.zeros(3, np.float32))
