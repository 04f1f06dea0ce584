"""The attributes of ops that have no window: `op_attr`, and `attr` (JSON format, sections 7.2 and 7.3)."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple, cast

import msgspec
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    FloatData,
    IntAttr,
    IntegerAttr,
    IntegerType,
    NoneAttr,
    Signedness,
    StringAttr,
    UnitAttr,
    f64,
    i1,
)
from xdsl.ir import Attribute

from dialect.attributes import HashOrderAttr, ScalarAttr
from dialect.elements import Element
from dialect.properties import HASH_ORDER_FAMILIES, LARGEST_I64
from dialect.types import MEMORY_ATTRS, MemoryAttr
from tools.formats.pypto_json.errors import FormError, shown
from tools.formats.pypto_json.interned import Interned

_DEEPEST_NESTING = 32
"""Lists and objects in one another that an attribute may have at most; real ones have at most 3."""

_UI64 = IntegerType(64, Signedness.UNSIGNED)
_UNIT = UnitAttr()
_TRUE, _FALSE = IntegerAttr(1, i1), IntegerAttr(0, i1)


class NamedAttributes(NamedTuple):
    """What `op_attr` says: the marks and names that passes write, and all other named attributes."""

    is_cube: Attribute | None
    hashorder: DictionaryAttr | None
    params: DictionaryAttr | None


class AttributeDecoder:
    """Decodes the attributes of the ops of one dump; equal ones once.

    Parameters:
        elements: the element type of each number that the dump's version uses.
    """

    def __init__(self, elements: Sequence[Element], interned: Interned):
        self._elements = elements
        self._interned = interned
        self._named: dict[bytes, NamedAttributes] = {}
        self._lists: dict[bytes, ArrayAttr[Attribute]] = {}

    def named(self, text: bytes) -> NamedAttributes:
        """The attributes of an `op_attr` object (JSON format, section 7.2), given by its JSON text.

        Raises:
            FormError: a value that the dialect cannot hold.
        """
        named = self._named.get(text)
        if named is None:
            named = self._named[text] = self._decode_named_attributes(_decode(text, ".op_attr"))
        return named

    def uninterpreted(self, text: bytes) -> ArrayAttr[Attribute]:
        """An uninterpreted `attr` list, given by its JSON text; FormError as for `named`."""
        attribute = self._lists.get(text)
        if attribute is None:
            value = _decode(text, ".attr")
            if not isinstance(value, list):
                raise FormError(".attr", f"expected a list, found {shown(value)}")
            items = cast("list[Any]", value)
            attribute = self._lists[text] = ArrayAttr(
                [self._attribute(item, f".attr[{index}]", 1) for index, item in enumerate(items)]
            )
        return attribute

    def conversion(self, text: bytes) -> tuple[MemoryAttr, MemoryAttr]:
        """The memories of the `attr` of a CONVERT, given by its JSON text; FormError as for `named`."""
        value: object = _decode(text, ".attr")
        numbers = cast("list[object]", value) if isinstance(value, list) else []
        if len(numbers) != 2:
            raise FormError(".attr", f"expected [from memory, to memory], found {len(numbers) or 'no'} entries")
        memories: list[MemoryAttr] = []
        for index, number in enumerate(numbers):
            if type(number) is not int or not 0 <= number < len(MEMORY_ATTRS):
                highest = len(MEMORY_ATTRS) - 1
                raise FormError(f".attr[{index}]", f"expected a memory, 0 to {highest}, found {shown(number)}")
            memories.append(MEMORY_ATTRS[number])
        return memories[0], memories[1]

    def _decode_named_attributes(self, value: Any) -> NamedAttributes:
        if value is None:
            return NamedAttributes(None, None, None)
        if not isinstance(value, dict):
            raise FormError(".op_attr", f"expected an object, found {shown(value)}")
        rest = dict(cast("dict[str, Any]", value))
        is_cube = None
        if "IS_CUBE" in rest:
            mark = rest.pop("IS_CUBE")
            if not isinstance(mark, bool):
                raise FormError(".op_attr.IS_CUBE", f"expected true or false, found {shown(mark)}")
            is_cube = _TRUE if mark else _FALSE
        orders: dict[str, Attribute] = {}
        for family in HASH_ORDER_FAMILIES:
            class_name, members = rest.get(f"{family}_hashOrder"), rest.get(f"{family}_subgraphCount")
            if isinstance(class_name, str) and type(members) is int and 1 <= members <= LARGEST_I64:
                del rest[f"{family}_hashOrder"], rest[f"{family}_subgraphCount"]
                orders[family] = HashOrderAttr(StringAttr(class_name), IntAttr(members))
        params = {
            key: self._scalar(item, f".op_attr.{key}") or self._attribute(item, f".op_attr.{key}", 1)
            for key, item in rest.items()
        }
        return NamedAttributes(
            is_cube, DictionaryAttr(orders) if orders else None, DictionaryAttr(params) if params else None
        )

    def _attribute(self, value: Any, path: str, depth: int) -> Attribute:
        """One named attribute value; null is a unit attribute."""
        match value:
            case bool():
                return _TRUE if value else _FALSE
            case int():
                return self._integer_of_any_size(value, path)
            case float():
                return FloatAttr(_finite(value, path), f64)
            case str():
                return self._interned.string(value)
            case None:
                return _UNIT
            case _ if depth > _DEEPEST_NESTING:
                raise FormError(path, f"lists and objects are nested more than {_DEEPEST_NESTING} deep")
            case list():
                items = cast("list[Any]", value)
                return ArrayAttr([self._attribute(item, f"{path}[{i}]", depth + 1) for i, item in enumerate(items)])
            case _:
                entries = cast("dict[str, Any]", value)
                return DictionaryAttr(
                    {key: self._attribute(item, f"{path}.{key}", depth + 1) for key, item in entries.items()}
                )

    def _integer_of_any_size(self, number: int, path: str) -> Attribute:
        if -LARGEST_I64 - 1 <= number <= LARGEST_I64:
            return self._interned.integer(number)
        if 0 <= number < 2**64:
            return IntegerAttr(number, _UI64)
        raise FormError(path, f"expected an integer of 64 bits, found {shown(number)}")

    def _scalar(self, attribute: Any, path: str) -> ScalarAttr | None:
        """A typed scalar, which only stands as a named attribute itself; None for anything else."""
        if not isinstance(attribute, dict):
            return None
        entries = cast("dict[str, Any]", attribute)
        if entries.keys() != {"data_type", "value"}:
            return None
        number, value = entries["data_type"], entries["value"]
        if type(number) is not int or not 0 <= number < len(self._elements):
            return None
        element_type = self._elements[number].type
        match value:
            case None:
                return ScalarAttr(element_type, NoneAttr())
            case bool():
                return None
            case int():
                self._integer_of_any_size(value, f"{path}.value")
                return ScalarAttr(element_type, IntAttr(value))
            case float():
                return ScalarAttr(element_type, FloatData(_finite(value, f"{path}.value")))
            case _:
                return None


def _finite(number: float, path: str) -> float:
    if not isfinite(number):
        raise FormError(path, "expected a finite number, found one beyond 64 bits")
    return number


def _decode(text: bytes, path: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        raise FormError(path, "expected finite numbers and integers of 64 bits, found a number out of range") from None
