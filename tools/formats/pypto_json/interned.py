"""Attributes that many ops share, made once."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, IntegerType, StringAttr, i1, i64
from xdsl.ir import Attribute

from dialect.properties import LARGEST_I64
from tools.formats.pypto_json.symbolic import symbolic_value


class Interned:
    """Makes attributes and remembers them; one object serves one dump."""

    def __init__(self):
        self._integers: dict[int, IntegerAttr[IntegerType]] = {}
        self._strings: dict[str, StringAttr] = {}
        self._offsets: dict[tuple[int, ...], DenseArrayBase[IntegerType]] = {}
        self._into: dict[tuple[bool, ...], DenseArrayBase[IntegerType]] = {}
        self._symbolic_values: dict[tuple[int | str, ...], int | str] = {}
        self._symbolic_lists: dict[tuple[int | str, ...], ArrayAttr[Attribute]] = {}

    def integer(self, number: int) -> IntegerAttr[IntegerType]:
        """An i64."""
        attribute = self._integers.get(number)
        if attribute is None:
            attribute = self._integers[number] = IntegerAttr(number, i64)
        return attribute

    def string(self, text: str) -> StringAttr:
        attribute = self._strings.get(text)
        if attribute is None:
            attribute = self._strings[text] = StringAttr(text)
        return attribute

    def offsets(self, offsets: tuple[int, ...]) -> DenseArrayBase[IntegerType]:
        """Static offsets, an i64 for each dimension."""
        attribute = self._offsets.get(offsets)
        if attribute is None:
            attribute = self._offsets[offsets] = DenseArrayBase.from_list(i64, offsets)
        return attribute

    def into(self, kinds: tuple[bool, ...]) -> DenseArrayBase[IntegerType]:
        """The property that says per output whether it goes into a destination."""
        attribute = self._into.get(kinds)
        if attribute is None:
            attribute = self._into[kinds] = DenseArrayBase.from_list(i1, kinds)
        return attribute

    def symbolic_values(self, values: Sequence[Sequence[int | str]]) -> tuple[int | str, ...]:
        """The integer or the text of each symbolic value."""
        return tuple([self._symbolic_value(value) for value in values])

    def _symbolic_value(self, entries: Sequence[int | str]) -> int | str:
        if len(entries) == 2 and entries[0] == 0 and type(number := entries[1]) is int and 0 <= number <= LARGEST_I64:
            return number
        key = tuple(entries)
        value = self._symbolic_values.get(key)
        if value is None:
            value = self._symbolic_values[key] = symbolic_value(entries)
        return value

    def symbolic_list(self, values: tuple[int | str, ...]) -> ArrayAttr[Attribute]:
        """A list of integers and texts as an attribute."""
        attribute = self._symbolic_lists.get(values)
        if attribute is None:
            attribute = self._symbolic_lists[values] = ArrayAttr(
                [self.string(value) if isinstance(value, str) else self.integer(value) for value in values]
            )
        return attribute
