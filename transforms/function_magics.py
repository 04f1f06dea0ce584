"""The numbers that the names of classes begin with."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

from xdsl.dialects.builtin import ModuleOp

from dialect.ops import FuncOp, functions_of


def function_magics(module: ModuleOp) -> Mapping[FuncOp, int]:
    """Per function, its magic; those that the text does not state are 1, 2, … in text order, without stated ones."""
    stated = {
        function: None if function.magic is None else function.magic.value.data for function in functions_of(module)
    }
    taken = set(stated.values())
    free = (magic for magic in count(1) if magic not in taken)
    return {function: next(free) if magic is None else magic for function, magic in stated.items()}
