"""The kernels of the corpus compute what their formulas say, so that the evaluator's semantics are theirs."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
from corpus import graph_paths
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin

from dialect.ops import functions_of
from dialect.tile import TILE
from tools.evaluate.evaluator import evaluate
from tools.evaluate.number_formats import Array
from tools.evaluate.target import random_input
from tools.formats.pypto_json import PyptoJsonFrontend


def run(graph: str) -> tuple[dict[str, Array], dict[str, Array]]:
    """The random inputs and the outputs of a graph, by name."""
    (path,) = (path for path in graph_paths() if path.name == f"{graph}.json.gz")
    ctx = Context()
    ctx.load_dialect(Builtin)
    ctx.load_dialect(TILE)
    module = PyptoJsonFrontend().parse(ctx, BytesIO(Path(path).read_bytes()), str(path))
    (function,) = functions_of(module)
    inputs = [random_input(3, position, value) for position, value in enumerate(function.ins)]
    results = evaluate(function, inputs)
    names = [argument.name_hint or "" for argument in function.arguments]
    count = len(inputs)
    wide = [array.astype(np.float64) for array in inputs]
    return dict(zip(names[:count], wide, strict=True)), dict(zip(names[count:], results[count:], strict=True))


def softmax(array: Array) -> Array:
    shifted = np.exp(array - array.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)


def test_attention() -> None:
    """softmax(q kᵀ / 8) v, with tiles that are transposed on their way to L0."""
    ins, outs = run("attention")
    expected = softmax(ins["q"] @ ins["kk"].T * 0.125) @ ins["v"]
    np.testing.assert_allclose(outs["out"], expected, rtol=2e-3)


def test_matmul_add_exp() -> None:
    """exp(x w + y)."""
    ins, outs = run("matmul_add_exp")
    np.testing.assert_allclose(outs["out"], np.exp(ins["x"] @ ins["w"] + ins["y"]), rtol=2e-4)


def test_softmax_rows() -> None:
    """The softmax of each row."""
    ins, outs = run("softmax_rows")
    np.testing.assert_allclose(outs["out"], softmax(ins["x"]), rtol=1e-5)


def test_rmsnorm_with_a_tail() -> None:
    """x / sqrt(mean(x²) + 1e-6) g, the last tile smaller than the others."""
    ins, outs = run("rmsnorm_tail")
    x = ins["x"]
    expected = x / np.sqrt(np.mean(x * x, axis=1, keepdims=True) + 1e-6) * ins["g"]
    np.testing.assert_allclose(outs["out"], expected, rtol=1e-5)


def test_two_matmuls_that_share_an_operand() -> None:
    """a b and a c."""
    ins, outs = run("two_matmuls_shared_a")
    np.testing.assert_allclose(outs["o1"], ins["a"] @ ins["b"], rtol=1e-5)
    np.testing.assert_allclose(outs["o2"], ins["a"] @ ins["c"], rtol=1e-5)


def test_matmul_grid() -> None:
    """A plain product of 8 x 8 tiles."""
    ins, outs = run("matmul_grid")
    a, b = ins["a"], ins["b"]
    np.testing.assert_allclose(outs["out"], a @ b, rtol=1e-5)
