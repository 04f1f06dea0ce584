"""Kernels and loops become functions of the module: their order, names and magics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from dialect.directives import Directive
from dialect.ops import FuncOp
from dialect.scopes import ScopeOp


class FoundFunction(NamedTuple):
    """A function, and the op of the module that it is or stands in."""

    function: FuncOp
    top: Operation


def names_around(op: Operation) -> list[str]:
    """The names of the functions, loops and kernels around an op, the outermost first."""
    names: list[str] = []
    parent = op.parent_op()
    while parent is not None:
        if isinstance(name := parent.properties.get("sym_name"), StringAttr):
            names.append(name.data)
        parent = parent.parent_op()
    return names[::-1]


def flatten(module: ModuleOp, functions: Sequence[FoundFunction], removed: Sequence[Operation]) -> None:
    """Move all functions to the module, in text order, and remove the scopes and directives around them.

    Parameters:
        removed: the scopes and directives, outer ones before inner ones.
    """
    for function, top in functions:
        if function is not top:
            function.detach()
            module.body.block.insert_op_before(function, top)
    for op in reversed(removed):
        op.detach()
        op.erase()


def names_when_flat(module: ModuleOp, functions: Sequence[FoundFunction]) -> Mapping[FuncOp, str]:
    """New names for the functions in scopes whose own name another symbol of the flat module would have too.

    Such a name is that of the scopes around the function and its own, joined by `_`, and a number where that is taken.
    """
    nested = [found for found in functions if found.function is not found.top]
    uses = Counter(found.function.symbol for found in nested)
    for op in module.body.block.ops:
        if not isinstance(op, (ScopeOp, Directive)) and isinstance(name := op.get_attr_or_prop("sym_name"), StringAttr):
            uses[name.data] += 1
    taken = set(uses)
    numbers_of_stem: dict[str, Iterator[int]] = {}
    names: dict[FuncOp, str] = {}
    for function, _ in nested:
        if uses[function.symbol] == 1:
            continue
        stem = name = "_".join((*names_around(function), function.symbol))
        while name in taken:
            name = f"{stem}_{next(numbers_of_stem.setdefault(stem, count(1)))}"
        taken.add(name)
        names[function] = name
    return names
