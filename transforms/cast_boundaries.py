"""The pass `cast-boundaries`: gives incasts and outcasts another element type, and casts where they are used.

Before (`inputs="x=f16"`):

```mlir
tile.func @f ins(%x : !tile.tensor<64x64xf32, ddr>) outs(%y : !tile.tensor<64x64xf32, ddr>) {
  %0 = tile.view %x[0, 0] : !tile.tensor<64x64xf32, ub>
  %1 = tile.exp %0 : !tile.tensor<64x64xf32, ub>
```

After:

```mlir
tile.func @f ins(%x : !tile.tensor<64x64xf16, ddr>) outs(%y : !tile.tensor<64x64xf32, ddr>) {
  %0 = tile.view %x[0, 0] {magic = 10000} : !tile.tensor<64x64xf16, ub>
  %1 = tile.cast %0 {magic = 10003, params = {op_attr_mode = 0}} : !tile.tensor<64x64xf32, ub>
  %2 = tile.exp %1 {magic = 10001} : !tile.tensor<64x64xf32, ub>
```
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import PassFailedException

from dialect.attributes import StorageAttr
from dialect.collection import paused_collection
from dialect.elements import ELEMENTS
from dialect.opcodes import OPCODE_BY_NAME
from dialect.operation import TileOperation
from dialect.ops import OPERATION_CLASSES, FuncOp
from dialect.suggestions import did_you_mean
from dialect.types import Memory, TensorType
from transforms.function_arguments import ArgumentPlace, change_type, find_arguments
from transforms.module_rules import resolved_functions
from transforms.remarks import Remark, emit
from transforms.stated_magics import state_magics

_PASS_NAME = "cast-boundaries"

_CAST = OPERATION_CLASSES[OPCODE_BY_NAME["CAST"].number]
_ROUND_TO_NEAREST = DictionaryAttr({"op_attr_mode": IntegerAttr(0, i64)})

_KEPT = ("semantic_label", "scope_id", "allow_parallel_merge", "allow_cross_scope_merge", "loc", "subgraph", "is_cube")
"""Properties that a cast takes from the op beside it."""

ELEMENT_BY_NAME: Mapping[str, Attribute] = {
    str(element.type).removeprefix("!tile.float<").removesuffix(">"): element.type for element in ELEMENTS
}
"""Element types by name; the rare ones without `!tile.float`."""


def element_type_of(name: str) -> Attribute:
    """The element type of a name such as `f16` or `hf8`.

    Raises:
        PassFailedException: there is none; the message names the nearest.
    """
    if name not in ELEMENT_BY_NAME:
        hint = did_you_mean(name, ELEMENT_BY_NAME) or f" (there are {', '.join(ELEMENT_BY_NAME)})"
        raise PassFailedException(f"'{name}' is no element type{hint}")
    return ELEMENT_BY_NAME[name]


def parse_types(text: str, option: str) -> Mapping[str, Attribute]:
    """The element types of `x=f16,#1=f32`, by the name of the argument.

    Raises:
        PassFailedException: the text is not of this form.
    """
    types: dict[str, Attribute] = {}
    for piece in text.split(",") if text else ():
        name, equals, type = piece.strip().rpartition("=")
        if not equals or not name or name in types:
            raise PassFailedException(f"{option}: '{piece}' is not of the form name=f16, or stands twice")
        types[name] = element_type_of(type)
    return types


class WantedElement(NamedTuple):
    """An incast or outcast and the element type that it shall have."""

    place: ArgumentPlace
    element_type: Attribute


def cast_boundaries(inputs: Sequence[WantedElement], outputs: Sequence[WantedElement]) -> None:
    """Give incasts and outcasts their element types, with casts where ops read or write them.

    Raises:
        PassFailedException: an op would have to cast in a memory where no op casts.

    Notes:
        O(operations + operands).
    """
    makers: dict[FuncOp, CastMaker] = {}
    with paused_collection():
        for wanted, cast in [*((one, _cast_input) for one in inputs), *((one, _cast_output) for one in outputs)]:
            place, element_type = wanted
            found = place.type.element_type
            if found == element_type:
                continue
            if place.function not in makers:
                makers[place.function] = _cast_maker(place.function)
            cast(place, element_type, makers[place.function])
            message = f"'{place.name}' is {element_type}, was {found}"
            emit(Remark(_PASS_NAME, "cast", message, place.function.symbol))


def _cast_input(place: ArgumentPlace, element_type: Attribute, make_cast: CastMaker) -> None:
    """Let an incast have another element type, and cast what ops read from it.

    Raises:
        PassFailedException: an op reads it into a memory where no op casts.
    """
    old = place.type
    readers = list(dict.fromkeys(use.operation for use in place.function.arguments[place.number].uses))
    for reader in readers:
        for result in _read_results(reader, place):
            type = result.type
            assert isinstance(type, TensorType), "verified: results are tensors"
            cast = make_cast(result, type)
            narrow = Rewriter.replace_value_with_new_type(result, _with_element(type, element_type))
            narrow.replace_uses_with_if(cast.results[0], lambda use, cast=cast: use.operation is not cast)
            _insert_behind(reader, cast)
            _change_storage(reader, old.element_type, element_type)
    change_type(place, old.shape, element_type)


def _read_results(reader: Operation, place: ArgumentPlace) -> Sequence[SSAValue]:
    argument = place.function.arguments[place.number]
    assert isinstance(reader, TileOperation), "verified: only tile ops use tensors"
    if argument in reader.destinations:
        raise _impossible(reader, place, "writes into it too")
    if reader.destinations or len(reader.results) != 1:
        raise _impossible(reader, place, "has other outputs than one fresh tensor")
    (result,) = reader.results
    if not isinstance(result.type, TensorType) or result.type.memory != Memory.UB:
        memory = result.type.memory if isinstance(result.type, TensorType) else "?"
        raise _impossible(reader, place, f"reads it into {memory}, where no op casts")
    return (result,)


def _cast_output(place: ArgumentPlace, element_type: Attribute, make_cast: CastMaker) -> None:
    """Let an outcast have another element type, and cast what ops write into it.

    What comes from the cube's accumulator (l0c) needs no op, as the way out converts.

    Raises:
        PassFailedException: an op writes it from a memory where no op casts, or reads it.
    """
    old = place.type
    argument = place.function.arguments[place.number]
    for writer in list(dict.fromkeys(use.operation for use in argument.uses)):
        assert isinstance(writer, TileOperation), "verified: only tile ops use tensors"
        if argument in writer.inputs:
            raise _impossible(writer, place, "reads it too")
        if len(writer.inputs) != 1 or len(writer.outputs) != 1:
            raise _impossible(writer, place, "does more than write one tensor")
        (source,) = writer.inputs
        assert isinstance(source.type, TensorType), "verified: operands are tensors"
        if source.type.memory == Memory.L0C:
            continue
        if source.type.memory != Memory.UB:
            raise _impossible(writer, place, f"writes it from {source.type.memory}, where no op casts")
        if source.type.element_type == element_type:
            continue
        cast = make_cast(source, _with_element(source.type, element_type))
        writer.operands = [cast.results[0], *list(writer.operands)[1:]]
        _insert_before(writer, cast)
    change_type(place, old.shape, element_type)


def _impossible(op: TileOperation, place: ArgumentPlace, reason: str) -> PassFailedException:
    return PassFailedException(
        f"'{place.name}' of @{place.function.symbol} cannot change its element type: {op.display_name} {reason}"
    )


CastMaker = Callable[[SSAValue, TensorType], TileOperation]
"""Makes a cast of a value to a type."""


def _cast_maker(function: FuncOp) -> CastMaker:
    """A maker of casts whose magics follow those of the function."""
    magic = state_magics(function)

    def make(value: SSAValue, type: TensorType) -> TileOperation:
        nonlocal magic
        neighbour = value.owner
        properties: dict[str, Attribute] = {}
        if isinstance(neighbour, TileOperation):
            kept = (*_KEPT, "valid") if len(neighbour.results) == 1 else _KEPT
            properties = {name: neighbour.properties[name] for name in kept if name in neighbour.properties}
        properties |= {"magic": IntegerAttr(magic, i64), "params": _ROUND_TO_NEAREST}
        magic += 1
        return _CAST.create(operands=[value], result_types=[type], properties=properties)

    return make


def _with_element(type: TensorType, element_type: Attribute) -> TensorType:
    return TensorType(type.extents, element_type, type.memory_attr)


def _change_storage(op: Operation, old: Attribute, new: Attribute) -> None:
    storage = op.properties.get("storage")
    if isinstance(storage, StorageAttr) and storage.element_type == old:
        op.properties["storage"] = StorageAttr(storage.number, storage.extents, new, storage.offsets)


def _insert_behind(op: Operation, new: Operation) -> None:
    assert op.parent is not None, "ops of a function stand in its block"
    op.parent.insert_op_after(new, op)


def _insert_before(op: Operation, new: Operation) -> None:
    assert op.parent is not None, "ops of a function stand in its block"
    op.parent.insert_op_before(new, op)


@dataclass(frozen=True)
class CastBoundariesPass(ModulePass):
    """Gives incasts and outcasts another element type; casts keep the ops between as they are.

    Names are those of arguments, `#0` counts the ins or outs, `@function/` before a name chooses a function.
    """

    name = _PASS_NAME

    inputs: str = ""
    """Element types of incasts, such as "x=f16,#1=bf16"."""
    outputs: str = ""
    """Element types of outcasts, such as "y=f16"."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = resolved_functions(op)
        inputs, outputs = (
            [
                WantedElement(place, element_type)
                for name, element_type in parse_types(text, option).items()
                for place in find_arguments(functions, name, outs=outs)
            ]
            for text, option, outs in ((self.inputs, "inputs", False), (self.outputs, "outputs", True))
        )
        cast_boundaries(inputs, outputs)
