"""Where a JSON value differs from its schema, and how."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, cast

from msgspec import inspect

from dialect.suggestions import did_you_mean
from tools.formats.pypto_json.errors import shown


class Mismatch(NamedTuple):
    """The path below the value that was checked, and what is wrong there."""

    path: str
    message: str


def find_mismatch(value: object, schema: inspect.Type) -> Mismatch | None:
    """The first place where `value`, as `json.loads` gives it, does not fit `schema`; None if it fits."""
    match schema:
        case inspect.StructType():
            return _in_object(value, schema)
        case inspect.ListType():
            return _in_list(value, schema)
        case inspect.TupleType():
            return _in_tuple(value, schema)
        case inspect.UnionType():
            return _in_union(value, schema)
        case inspect.IntType():
            return _in_integer(value, schema)
        case inspect.LiteralType():
            expected = " or ".join(map(str, schema.values))
            return None if type(value) is int and value in schema.values else _wrong(expected, value)
        case inspect.StrType():
            return None if isinstance(value, str) else _wrong("a string", value)
        case inspect.BoolType():
            return None if isinstance(value, bool) else _wrong("true or false", value)
        case inspect.NoneType():
            return None if value is None else _wrong("null", value)
        case _:
            return None


def _wrong(expected: str, value: object) -> Mismatch:
    return Mismatch("", f"expected {expected}, found {shown(value)}")


def _below(step: str, mismatch: Mismatch) -> Mismatch:
    return Mismatch(step + mismatch.path, mismatch.message)


def _in_object(value: object, schema: inspect.StructType) -> Mismatch | None:
    if not isinstance(value, dict):
        return _wrong("an object", value)
    members = cast("dict[str, object]", value)
    missing = [known.encode_name for known in schema.fields if known.required and known.encode_name not in members]
    if missing:
        others = [key for key in members if key not in {known.encode_name for known in schema.fields}]
        names = ", ".join(f"'{key}'{_nearest(key, others)}" for key in missing)
        return Mismatch("", f"missing required {'key' if len(missing) == 1 else 'keys'} {names}")
    for known in schema.fields:
        if known.encode_name in members:
            mismatch = find_mismatch(members[known.encode_name], known.type)
            if mismatch is not None:
                return _below(f".{known.encode_name}", mismatch)
    return None


def _nearest(key: str, others: Iterable[str]) -> str:
    hint = did_you_mean(key, others)
    return f" ({hint.removeprefix(', ')})" if hint else ""


def _in_list(value: object, schema: inspect.ListType) -> Mismatch | None:
    if not isinstance(value, list):
        return _wrong("a list", value)
    items = cast("list[object]", value)
    if schema.max_length is not None and len(items) > schema.max_length:
        return Mismatch("", f"expected at most {schema.max_length} entries, found {len(items)}")
    for index, item in enumerate(items):
        mismatch = find_mismatch(item, schema.item_type)
        if mismatch is not None:
            return _below(f"[{index}]", mismatch)
    return None


def _in_tuple(value: object, schema: inspect.TupleType) -> Mismatch | None:
    if not isinstance(value, list):
        return _wrong(f"a list of {len(schema.item_types)} entries", value)
    items = cast("list[object]", value)
    if len(items) != len(schema.item_types):
        return Mismatch("", f"expected a list of {len(schema.item_types)} entries, found {len(items)}")
    for index, (item, item_type) in enumerate(zip(items, schema.item_types, strict=True)):
        mismatch = find_mismatch(item, item_type)
        if mismatch is not None:
            return _below(f"[{index}]", mismatch)
    return None


def _in_union(value: object, schema: inspect.UnionType) -> Mismatch | None:
    mismatches = [find_mismatch(value, alternative) for alternative in schema.types]
    if None in mismatches:
        return None
    alternatives = [kind for kind in schema.types if not isinstance(kind, inspect.NoneType)]
    if len(alternatives) == 1:
        return find_mismatch(value, alternatives[0])
    return _wrong(" or ".join(_KIND_NAMES.get(type(kind), "another value") for kind in alternatives), value)


_KIND_NAMES: dict[type[inspect.Type], str] = {inspect.IntType: "an integer", inspect.StrType: "a string"}


def _in_integer(value: object, schema: inspect.IntType) -> Mismatch | None:
    low, high = schema.ge, schema.le
    limits = "" if low is None or high is None else f" in {low}..{high}"
    if type(value) is not int or (low is not None and value < low) or (high is not None and value > high):
        return _wrong(f"an integer{limits}", value)
    return None
