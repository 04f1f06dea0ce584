"""The numbers that the names of classes begin with."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import ModuleOp

from dialect.ops import FuncOp, functions_of


def function_magics(module: ModuleOp) -> Mapping[FuncOp, int]:
    """Per function, its magic; those that the text does not state are 1, 2, … in text order."""
    magics: dict[FuncOp, int] = {}
    unwritten = 0
    for function in functions_of(module):
        if function.magic is not None:
            magics[function] = function.magic.value.data
        else:
            unwritten += 1
            magics[function] = unwritten
    return magics
