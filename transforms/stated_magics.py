"""Magics that the text leaves out, stated, so that ops can move and new ones can come in."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, i64

from dialect.operation import FIRST_MAGIC
from dialect.ops import FuncOp


def state_magics(function: FuncOp) -> int:
    """Let every op of a function state its magic, which stays what it was; the first magic that is free.

    Notes:
        O(operations).
    """
    largest = FIRST_MAGIC - 1
    for index, op in enumerate(function.operations()):
        magic = op.magic
        if magic is None:
            magic = FIRST_MAGIC + index
            op.properties["magic"] = IntegerAttr(magic, i64)
        largest = max(largest, magic)
    return largest + 1
