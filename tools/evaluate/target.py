"""The target `evaluate`: what the functions of a module compute for given or random inputs."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import IO

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.utils.target import Target

from dialect.ops import FuncOp, functions_of
from dialect.outlined import leaves_of
from dialect.types import TensorType
from tools.evaluate.errors import EvaluationError
from tools.evaluate.evaluator import evaluate, format_of, shape_of
from tools.evaluate.number_formats import Array, converted

_BINDING = re.compile(r"(?P<name>[^=,]+)=(?P<value>-?[0-9]{1,18})")


@dataclass(frozen=True)
class EvaluateTarget(Target):
    """Runs every function on random inputs and prints what it writes: shape, mean and a checksum of all bits.

    Two modules compute the same if the outputs are equal. Without subgraph ids ops run in text order, with ids subgraph
    by subgraph, an outlined function launch by launch; docs/evaluator.md says what each opcode computes.
    """

    name = "evaluate"

    seed: int = 0
    """Chooses the random inputs; the n-th input of a seed is always the same."""
    symbols: str = ""
    """Values of symbols in symbolic offsets and shapes, such as "loop_idx_i=1,n=64"."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        symbols = _symbols(self.symbols)
        if self.seed < 0:
            raise EvaluationError(f"option seed is {self.seed}, expected 0 or more")
        leaves = leaves_of(module)
        texts: list[str] = []
        for function in functions_of(module):
            inputs = [random_input(self.seed, position, value) for position, value in enumerate(function.ins)]
            texts.append(_text(function, inputs, evaluate(function, inputs, symbols, leaves)))
        output.write("\n".join(texts) if texts else "no tile functions\n")


def _symbols(text: str) -> dict[str, int]:
    symbols: dict[str, int] = {}
    for part in text.split(",") if text else ():
        match = _BINDING.fullmatch(part.strip())
        if match is None:
            raise EvaluationError(f"option symbols has {part!r}, expected a name and an integer such as n=64")
        symbols[match["name"].strip()] = int(match["value"])
    return symbols


def random_input(seed: int, position: int, value: SSAValue) -> Array:
    """Random elements for one input: floats in [0.25, 0.75), integers 0 to 7, true or false.

    Raises:
        EvaluationError: the shape is dynamic, or the element type not covered.
    """
    generator = np.random.default_rng((seed, position))
    shape, format = shape_of(value), np.dtype(format_of(value))
    assert isinstance(value.type, TensorType)
    if format.kind == "f":
        return converted(generator.uniform(0.25, 0.75, shape), value.type.element)
    return generator.integers(0, 2 if format.kind == "b" else 8, shape).astype(format)


def _text(function: FuncOp, inputs: list[Array], results: list[Array]) -> str:
    lines = [f"@{function.symbol}"]
    for position, (argument, result) in enumerate(zip(function.arguments, results, strict=True)):
        if position < len(inputs) and np.array_equal(inputs[position], result, equal_nan=result.dtype.kind == "f"):
            continue
        assert isinstance(argument.type, TensorType)
        name = argument.name_hint or str(position)
        shape = "x".join(map(str, result.shape))
        mean = float(np.mean(result.astype(np.float64))) if result.size else 0.0
        digest = hashlib.sha256(np.ascontiguousarray(result).tobytes()).hexdigest()[:16]
        lines.append(f"  %{name}: {shape}x{argument.type.element_type}, mean {mean:.6g}, checksum {digest}")
    return "\n".join(lines) + "\n"
