"""The pass `set-input-shapes`: gives dynamic dims of incasts a size, or makes a function for each of several sizes.

Before (`shapes="x=128x64"`):

```mlir
tile.func @scale ins(%x : !tile.tensor<?x64xf32, ddr>) outs(%y : !tile.tensor<128x64xf32, ddr>) {
```

After:

```mlir
tile.func @scale ins(%x : !tile.tensor<128x64xf32, ddr>) outs(%y : !tile.tensor<128x64xf32, ddr>) {
```
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from dialect.collection import paused_collection
from dialect.ops import FuncOp
from dialect.types import DYNAMIC, LARGEST_EXTENT
from transforms.function_arguments import ArgumentPlace, change_type, find_arguments
from transforms.function_magics import function_magics
from transforms.module_rules import resolved_functions
from transforms.remarks import Remark, emit

_PASS_NAME = "set-input-shapes"

GEAR = -2
"""A dim of a wanted shape whose size is a value of each gear."""

Shape = tuple[int, ...]
"""A wanted shape: sizes, `DYNAMIC` for a dim that stays as it is, `GEAR`."""


def parse_shapes(text: str) -> Mapping[str, Shape]:
    """The wanted shapes of `x=64x?,y=*x8`, by the name of the argument.

    Raises:
        PassFailedException: the text is not of this form, or names an argument twice.
    """
    shapes: dict[str, Shape] = {}
    for piece in text.split(",") if text else ():
        name, equals, dims = piece.strip().rpartition("=")
        if not equals or not name or not re.fullmatch(r"(([0-9]+|[?*])(x([0-9]+|[?*]))*)?", dims):
            raise PassFailedException(f"shapes: '{piece}' is not of the form name=64x?x*")
        if name in shapes:
            raise PassFailedException(f"shapes: '{name}' stands twice")
        shapes[name] = tuple(_parse_dim(piece, dim) for dim in dims.split("x")) if dims else ()
    return shapes


def _parse_dim(piece: str, dim: str) -> int:
    if dim in "?*":
        return DYNAMIC if dim == "?" else GEAR
    if len(dim) > len(str(LARGEST_EXTENT)) or not 0 < int(dim) <= LARGEST_EXTENT:
        raise PassFailedException(f"shapes: '{piece}': the dim {dim[:30]} is not in the range 1..{LARGEST_EXTENT}")
    return int(dim)


def parse_gears(text: str) -> Sequence[tuple[int, ...]]:
    """The gears of `1,224;8,448`.

    Raises:
        PassFailedException: the text is not of this form, or the gears have different lengths.
    """
    gears: list[tuple[int, ...]] = []
    for piece in text.split(";") if text else ():
        gear = tuple(_parse_dim(piece, value) if value.isdecimal() else GEAR for value in piece.split(","))
        if GEAR in gear or len(gear) != len((gears or [gear])[0]):
            raise PassFailedException(f"gears: '{piece}' must hold as many positive numbers as the other gears")
        gears.append(gear)
    return gears


class WantedShape(NamedTuple):
    """An incast, the shape that it shall have, and the place in each gear of the value for its first `GEAR` dim."""

    place: ArgumentPlace
    shape: Shape
    gear_place: int = 0


def check_shape(wanted: WantedShape) -> None:
    """Raises PassFailedException if an incast has another rank, or another size where it is not dynamic."""
    found, shape = wanted.place.type.shape, wanted.shape
    owner = f"'{wanted.place.name}' of @{wanted.place.function.symbol}"
    if len(found) != len(shape):
        raise PassFailedException(f"{owner} has rank {len(found)}, found {_text(shape)}")
    for index, (old, new) in enumerate(zip(found, shape, strict=True)):
        if old != DYNAMIC and new not in (old, DYNAMIC):
            raise PassFailedException(f"{owner} is {_text(found)}, found {_text(shape)}: dim {index} is not dynamic")


def set_input_shapes(module: ModuleOp, wanted: Sequence[WantedShape], gears: Sequence[tuple[int, ...]]) -> None:
    """Give incasts their shapes; functions with a `GEAR` dim are replaced by one function per gear.

    Raises:
        PassFailedException: a shape does not fit, or a function @name_gear<n> exists already.

    Notes:
        O(ops of functions with gears · gears).
    """
    for one in wanted:
        check_shape(one)
    dynamic = {one.place.function for one in wanted if GEAR in one.shape}
    with paused_collection():
        for one in wanted:
            if one.place.function not in dynamic:
                _set_shape(one)
        if dynamic:
            _make_gears(module, dynamic, wanted, gears)


def _set_shape(wanted: WantedShape) -> None:
    place = wanted.place
    found = place.type.shape
    merged = tuple(old if new == DYNAMIC else new for old, new in zip(found, wanted.shape, strict=True))
    if merged != found:
        change_type(place, merged, place.type.element_type)
        message = f"'{place.name}' is {_text(merged)}, was {_text(found)}"
        emit(Remark(_PASS_NAME, "shape", message, place.function.symbol, {"name": place.name, "shape": merged}))


def _make_gears(
    module: ModuleOp, dynamic: Collection[FuncOp], wanted: Sequence[WantedShape], gears: Sequence[tuple[int, ...]]
) -> None:
    """Replace each function of `dynamic` by one function per gear; the first keeps its magic, as do all others."""
    magics = function_magics(module)
    for function, magic in magics.items():
        function.magic = IntegerAttr(magic, i64)
    free_magic = max(magics.values(), default=0) + 1
    symbols = {function.symbol for function in magics}
    for function in [function for function in magics if function in dynamic]:
        for index, gear in enumerate(gears):
            copy = function.clone()
            copy.argument_names = function.argument_names
            copy.sym_name = StringAttr(f"{function.symbol}_gear{index}")
            if copy.symbol in symbols:
                reason = f"@{copy.symbol} exists already, and would be gear {index} of @{function.symbol}"
                raise PassFailedException(reason)
            symbols.add(copy.symbol)
            if index:
                copy.magic = IntegerAttr(free_magic, i64)
                free_magic += 1
            assert function.parent is not None, "a function stands in a module or scope"
            function.parent.insert_op_before(copy, function)
            for one in wanted:
                if one.place.function is function:
                    values = iter(gear[one.gear_place :])
                    shape = tuple(next(values) if dim == GEAR else dim for dim in one.shape)
                    _set_shape(WantedShape(ArgumentPlace(copy, one.place.number), shape))
        function.detach()
        function.erase()


def _text(shape: Sequence[int]) -> str:
    return "x".join({DYNAMIC: "?", GEAR: "*"}.get(dim, str(dim)) for dim in shape) or "a scalar"


@dataclass(frozen=True)
class SetInputShapesPass(ModulePass):
    """Gives dynamic dims of incasts a size, or makes a function for each of several sizes (gears).

    Names are those of arguments, `#0` counts them, `@function/` before a name chooses a function. Sizes within
    functions stay as they are.
    """

    name = _PASS_NAME

    shapes: str = ""
    """Shapes by name, such as "x=64x?,y=*x8": `?` stays as it is, `*` takes a value of each gear."""
    gears: str = ""
    """Sizes for the `*` in their order, such as "1;2;4" or "1,224;8,448"; gear n gives the function @name_gear<n>."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        shapes, gears = parse_shapes(self.shapes), parse_gears(self.gears)
        count = sum(shape.count(GEAR) for shape in shapes.values())
        if any(len(gear) != count for gear in gears) or (count and not gears):
            found = f"gears of {len(gears[0])} values" if gears else "no gears"
            raise PassFailedException(f"the shapes have {count} dims of '*', found {found}")
        functions = resolved_functions(op)
        wanted: list[WantedShape] = []
        gear_place = 0
        for name, shape in shapes.items():
            wanted += [WantedShape(place, shape, gear_place) for place in find_arguments(functions, name, outs=False)]
            gear_place += shape.count(GEAR)
        set_input_shapes(op, wanted, gears)
