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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from dialect.collection import paused_collection
from dialect.ops import functions_of
from dialect.types import DYNAMIC, LARGEST_EXTENT
from transforms.function_arguments import ArgumentPlace, change_type, find_arguments
from transforms.function_magics import function_magics
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


def set_shape(place: ArgumentPlace, shape: Shape, name: str) -> None:
    """Give an argument a shape.

    Raises:
        PassFailedException: the argument has another rank, or another size where it is not dynamic.
    """
    found = place.type.shape
    if len(found) != len(shape):
        raise PassFailedException(f"'{name}' of @{place.function.symbol} has rank {len(found)}, found {_text(shape)}")
    for index, (old, new) in enumerate(zip(found, shape, strict=True)):
        if old != DYNAMIC and new not in (old, DYNAMIC):
            difference = f"is {_text(found)}, found {_text(shape)}: dim {index} is not dynamic"
            raise PassFailedException(f"'{name}' of @{place.function.symbol} {difference}")
    merged = tuple(old if new == DYNAMIC else new for old, new in zip(found, shape, strict=True))
    if merged != found:
        change_type(place, merged, place.type.element_type)
        message = f"'{name}' is {_text(merged)}, was {_text(found)}"
        emit(Remark(_PASS_NAME, "shape", message, place.function.symbol, {"name": name, "shape": merged}))


def _text(shape: Sequence[int]) -> str:
    return "x".join({DYNAMIC: "?", GEAR: "*"}.get(dim, str(dim)) for dim in shape) or "a scalar"


def _in_gear(shapes: Mapping[str, Shape], gear: tuple[int, ...]) -> Mapping[str, Shape]:
    values: Iterator[int] = iter(gear)
    return {name: tuple(next(values) if dim == GEAR else dim for dim in shape) for name, shape in shapes.items()}


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
        wanted = sum(shape.count(GEAR) for shape in shapes.values())
        if any(len(gear) != wanted for gear in gears) or (wanted and not gears):
            found = f"gears of {len(gears[0])} values" if gears else "no gears"
            raise PassFailedException(f"the shapes have {wanted} dims of '*', found {found}")
        functions = list(functions_of(op))
        places = {name: find_arguments(functions, name, outs=False) for name in shapes}
        with paused_collection():
            if not gears:
                _set_shapes(places, shapes)
                return
            _make_gears(op, places, shapes, gears)


def _set_shapes(places: Mapping[str, Sequence[ArgumentPlace]], shapes: Mapping[str, Shape]) -> None:
    for name, shape in shapes.items():
        for place in places[name]:
            set_shape(place, shape, name)


def _make_gears(
    module: ModuleOp,
    places: Mapping[str, Sequence[ArgumentPlace]],
    shapes: Mapping[str, Shape],
    gears: Sequence[tuple[int, ...]],
) -> None:
    """Replace each function that has a gear by one function per gear; the first keeps its magic, as do others."""
    magics = function_magics(module)
    for function, magic in magics.items():
        function.magic = IntegerAttr(magic, i64)
    free_magic = max(magics.values(), default=0) + 1
    symbols = {function.symbol for function in magics}
    dynamic = {place.function for name, found in places.items() if GEAR in shapes[name] for place in found}
    fixed = {name: [place for place in found if place.function not in dynamic] for name, found in places.items()}
    _set_shapes(fixed, shapes)
    for function in dict.fromkeys(function for function in magics if function in dynamic):
        names = function.argument_names
        for index, gear in enumerate(gears):
            copy = function.clone()
            copy.argument_names = names
            copy.sym_name = StringAttr(f"{function.symbol}_gear{index}")
            if copy.symbol in symbols:
                raise PassFailedException(
                    f"@{copy.symbol} exists already, and would be gear {index} of @{function.symbol}"
                )
            symbols.add(copy.symbol)
            if index:
                copy.magic = IntegerAttr(free_magic, i64)
                free_magic += 1
            block = function.parent
            assert block is not None, "a function stands in a module or scope"
            block.insert_op_before(copy, function)
            moved = {
                name: [ArgumentPlace(copy, place.number) for place in found if place.function is function]
                for name, found in places.items()
            }
            _set_shapes(moved, _in_gear(shapes, gear))
        function.detach()
        function.erase()
