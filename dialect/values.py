"""The plain values behind attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, BytesAttr, DenseArrayBase, IntegerAttr, IntegerType, StringAttr, i1, i64
from xdsl.ir import Attribute


def string_of(attribute: Attribute | None) -> str | None:
    """The text of a string attribute; a non-ASCII string that the generic form re-read as bytes counts as one.

    Returns None for anything that is not a string.
    """
    if isinstance(attribute, StringAttr):
        return attribute.data
    if isinstance(attribute, BytesAttr):
        try:
            return attribute.data.decode("utf-8")
        except UnicodeDecodeError:
            return None
    return None


def integer_of(attribute: Attribute | None, type: IntegerType = i64) -> int | None:
    """The number of an integer attribute of `type`; None for anything else."""
    if isinstance(attribute, IntegerAttr):
        integer = cast("IntegerAttr[IntegerType]", attribute)
        if integer.type is type or integer.type == type:
            return integer.value.data
    return None


def boolean_of(attribute: Attribute | None) -> bool | None:
    """The value of a true or false attribute; None for anything else."""
    number = integer_of(attribute, i1)
    return None if number is None else bool(number)


def items_of(attribute: Attribute | None) -> Sequence[Attribute] | None:
    """The items of an array attribute; None for anything else."""
    return cast("ArrayAttr[Attribute]", attribute).data if isinstance(attribute, ArrayAttr) else None


def integers_of(attribute: Attribute | None, type: IntegerType = i64) -> Sequence[int] | None:
    """The numbers of a dense array of `type`, such as `array<i64: 1, 2>`; None for anything else."""
    if isinstance(attribute, DenseArrayBase):
        dense = cast("DenseArrayBase[IntegerType]", attribute)
        if dense.elt_type == type:
            return cast("Sequence[int]", dense.get_values())
    return None
