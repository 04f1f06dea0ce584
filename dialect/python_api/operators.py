"""What the operators and methods of tensors do."""

from __future__ import annotations

from dialect.python_api import elementwise
from dialect.python_api.elementwise import Operand, binary
from dialect.python_api.matmul import matmul
from dialect.python_api.movement import Window, assign_window, reshape, view, window_of
from dialect.python_api.tensors import Tensor

__all__ = [
    "Operand",
    "Window",
    "assign_window",
    "binary_operator",
    "matrix_product",
    "reshape",
    "unary_operator",
    "view",
    "window_of",
]


def binary_operator(function: str, first: object, second: object) -> Tensor:
    """The meaning of an operator between tensors, or a tensor and a number."""
    return binary(function, first, second)


def unary_operator(function: str, tensor: Tensor) -> Tensor:
    """The meaning of `-x`, `~x` and `abs(x)`."""
    functions = {"neg": elementwise.neg, "abs": elementwise.abs, "bitwise_not": elementwise.bitwise_not}
    return functions[function](tensor)


def matrix_product(left: Tensor, right: Tensor) -> Tensor:
    """The meaning of `left @ right`."""
    return matmul(left, right)
