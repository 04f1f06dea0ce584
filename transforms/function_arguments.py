"""Arguments of tile functions as options name them, and changes of their types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.ir import Attribute
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import PassFailedException

from dialect.attributes import StorageAttr
from dialect.ops import FuncOp
from dialect.suggestions import did_you_mean
from dialect.types import TensorType, shape_attr
from transforms.graph_of_function import refuse_outlined


class ArgumentPlace(NamedTuple):
    """An argument: its function and its number among all arguments of it."""

    function: FuncOp
    number: int

    @property
    def name(self) -> str:
        """How messages call it: by its name in the text, else by its number among the ins or outs."""
        inputs = len(self.function.ins)
        number = self.number if self.number < inputs else self.number - inputs
        return self.function.argument_names[self.number] or f"#{number}"

    @property
    def type(self) -> TensorType:
        type = self.function.arguments[self.number].type
        assert isinstance(type, TensorType), "verified: arguments are tensors"
        return type


def find_arguments(functions: Sequence[FuncOp], name: str, *, outs: bool) -> Sequence[ArgumentPlace]:
    """The `ins`, or with `outs` the `outs`, that a name means.

    A name is that of an argument in the text, or `#` with its number among the `ins` or `outs`, counted from 0;
    `@function/` before it chooses a function, else it means one argument in each function that has it.

    Raises:
        PassFailedException: no function has it, and the message names the nearest ones; or one that has it is outlined.
    """
    function_name, _, argument = name.rpartition("/") if name.startswith("@") else ("", "", name)
    kind = "outs" if outs else "ins"
    chosen = [function for function in functions if function_name in ("", f"@{function.symbol}")]
    if not chosen:
        hint = did_you_mean(function_name, [f"@{function.symbol}" for function in functions])
        raise PassFailedException(f"'{name}': there is no function {function_name}{hint}")
    places = [
        place
        for function in chosen
        for place in arguments_of(function, outs=outs)
        if argument in _names_of(place, outs)
    ]
    if not places:
        known = [
            known
            for function in chosen
            for place in arguments_of(function, outs=outs)
            for known in _names_of(place, outs)
        ]
        hint = did_you_mean(argument, known) or f" (there are {', '.join(known)})"
        raise PassFailedException(f"'{name}' is not one of the {kind}{hint}")
    for place in places:
        refuse_outlined(place.function)
    return places


def arguments_of(function: FuncOp, *, outs: bool) -> Iterator[ArgumentPlace]:
    """The places of a function's `ins`, or of its `outs`."""
    inputs = len(function.ins)
    for number in range(inputs, len(function.arguments)) if outs else range(inputs):
        yield ArgumentPlace(function, number)


def _names_of(place: ArgumentPlace, outs: bool) -> Sequence[str]:
    number = place.number - (len(place.function.ins) if outs else 0)
    return (place.name,) if place.name == f"#{number}" else (place.name, f"#{number}")


def change_type(place: ArgumentPlace, shape: Sequence[int], element_type: Attribute) -> None:
    """Give an argument another shape and element type; a storage of the same shape and element follows."""
    old = place.type
    new = TensorType(shape_attr(shape), element_type, old.memory_attr)
    names = place.function.argument_names
    Rewriter.replace_value_with_new_type(place.function.arguments[place.number], new)
    place.function.argument_names = names
    entries = [dict(entry) for entry in place.function.properties_of_arguments()]
    storage = entries[place.number].get("storage")
    if isinstance(storage, StorageAttr):
        extents = new.extents if storage.extents == old.extents else storage.extents
        element = element_type if storage.element_type == old.element_type else storage.element_type
        entries[place.number]["storage"] = StorageAttr(storage.number, extents, element, storage.offsets)
        place.function.tensor_properties = ArrayAttr([DictionaryAttr(entry) for entry in entries])
