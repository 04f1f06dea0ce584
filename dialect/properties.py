"""What an op, an argument or a buffer may carry: names, forms and legal values of the dialect's properties."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.dialects.builtin import ArrayAttr, BytesAttr, DictionaryAttr, UnitAttr, i1
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from dialect.attributes import HashOrderAttr, StorageAttr
from dialect.suggestions import did_you_mean
from dialect.types import MemoryAttr
from dialect.values import boolean_of, integer_of, integers_of, items_of, string_of

LARGEST_I64 = 2**63 - 1
LARGEST_SCOPE_ID = 2**31 - 1
LARGEST_SUBGRAPH = 2**31 - 1

HASH_ORDER_FAMILIES = ("vec_merge", "l1_reuse", "cube_merge")
"""The merges that name classes: the keys of the `hashorder` property."""


def _integer(low: int, high: int) -> Callable[[Attribute], str | None]:
    def check(value: Attribute) -> str | None:
        number = integer_of(value)
        if number is None:
            return f"expected an integer, found {value}"
        return None if low <= number <= high else f"{number} is not in the range {low}..{high}"

    return check


def _boolean(value: Attribute) -> str | None:
    return f"expected true or false, found {value}" if boolean_of(value) is None else None


def _flag(value: Attribute) -> str | None:
    return None if isinstance(value, UnitAttr) else f"is a flag and takes no value, found {value}"


def _string(value: Attribute) -> str | None:
    if string_of(value) is None:
        return f"expected a string{' in UTF-8' if isinstance(value, BytesAttr) else ''}, found {value}"
    return None


def _symbolic_list(value: Attribute) -> str | None:
    items = items_of(value)
    if items is None:
        return f"expected a list of integers and expressions in quotes, found {value}"
    for item in items:
        if string_of(item) is None and integer_of(item) is None:
            return f"expected a list of integers and expressions in quotes, found {item} in it"
    return None


def _list(value: Attribute) -> str | None:
    return None if isinstance(value, ArrayAttr) else f"expected a list, found {value}"


def _dictionary(value: Attribute) -> str | None:
    return None if isinstance(value, DictionaryAttr) else f"expected a dictionary, found {value}"


def _memory(value: Attribute) -> str | None:
    return None if isinstance(value, MemoryAttr) else f"expected a memory such as #tile<memory ub>, found {value}"


def _storage(value: Attribute) -> str | None:
    return None if isinstance(value, StorageAttr) else f"expected #tile.storage<…>, found {value}"


def _hash_orders(value: Attribute) -> str | None:
    if not isinstance(value, DictionaryAttr):
        return f"expected a dictionary, found {value}"
    for family, order in value.data.items():
        if family not in HASH_ORDER_FAMILIES:
            return f"unknown merge '{family}'{did_you_mean(family, HASH_ORDER_FAMILIES)}"
        if not isinstance(order, HashOrderAttr):
            return f"expected #tile.hashorder<…> for '{family}', found {order}"
    return None


def _integers(value: Attribute) -> str | None:
    return f"expected array<i64: …>, found {value}" if integers_of(value) is None else None


def _booleans(value: Attribute) -> str | None:
    return f"expected array<i1: …>, found {value}" if integers_of(value, i1) is None else None


Check = Callable[[Attribute], str | None]
"""Says what is wrong with a value, or None."""

TENSOR_PROPERTIES: Mapping[str, Check] = {
    "tensor_magic": _integer(0, LARGEST_I64),
    "storage": _storage,
    "tobe": _memory,
    "valid": _symbolic_list,
    "dyn_offset": _symbolic_list,
}
"""What a tensor carries, be it an argument, a buffer or the result of an op (which has one value per result)."""

OPERATION_PROPERTIES: Mapping[str, Check] = {
    "magic": _integer(0, LARGEST_I64),
    "subgraph": _integer(0, LARGEST_SUBGRAPH),
    "scope_id": _integer(-1, LARGEST_SCOPE_ID),
    "allow_parallel_merge": _flag,
    "allow_cross_scope_merge": _flag,
    "cv_fuse_id": _integer(0, LARGEST_SCOPE_ID),
    "is_cube": _boolean,
    "semantic_label": _string,
    "loc": _string,
    "latency": _integer(-(2**31), 2**31 - 1),
    "hashorder": _hash_orders,
    "attr": _list,
    "params": _dictionary,
}
"""What every op may carry, in the order of printing."""

WINDOW_PROPERTIES: Mapping[str, Check] = {
    "offsets": _integers,
    "dyn_offsets": _symbolic_list,
    "tensor_valid": _symbolic_list,
}
"""What view-like and assemble-like ops carry besides; their `valid` is that of the window."""

CONVERT_PROPERTIES: Mapping[str, Check] = {"from": _memory, "to": _memory}

SYMBOLIC_PROPERTIES = frozenset({"valid", "tensor_valid", "dyn_offset", "dyn_offsets"})
"""The properties that are lists of integers and expressions, or lists of such."""

MEMBER_PROPERTIES = (
    "magic",
    "scope_id",
    "allow_parallel_merge",
    "allow_cross_scope_merge",
    "cv_fuse_id",
    "semantic_label",
    "loc",
    "hashorder",
    "tensor_magic",
    "storage",
)
"""What tells the ops of subgraphs that share a leaf apart: nothing that the leaf's code depends on."""

MEMBER_PARAMS = ("reduce_copy_pre_subgraph_id",)
"""The entries of `params` that do so."""


def _member_entries(value: Attribute) -> str | None:
    items = items_of(value)
    if items is None:
        return f"expected a list with a dictionary for each op of the leaf, found {value}"
    for item in items:
        if not isinstance(item, DictionaryAttr):
            return f"expected a dictionary for each op of the leaf, found {item}"
        for name, entry in item.data.items():
            if name not in (*MEMBER_PROPERTIES, "params") and "." not in name:
                return f"unknown property '{name}' of an op{did_you_mean(name, MEMBER_PROPERTIES)}"
            check = OPERATION_PROPERTIES.get(name)
            if check is not None and (problem := check(entry)) is not None:
                return f"'{name}' of an op: {problem}"
    return None


LAUNCH_DICTIONARY: Mapping[str, Check] = {
    "subgraph": OPERATION_PROPERTIES["subgraph"],
    **{name: OPERATION_PROPERTIES[name] for name in MEMBER_PROPERTIES[1:8]},
    "symbols": _symbolic_list,
    "ops": _member_entries,
}
"""What a launch carries in its dictionary: what its ops have in common, the values of symbols, and `ops`, the rest."""

LAUNCH_WINDOWS = ("offsets", "dyn_offsets")
"""What a launch carries with its operands: a list with a value or unit for each."""

INTO = "into"
"""Per output of an op, whether it is written into a destination operand; absent = every output is a result."""


HAS_PLACE_OF_ITS_OWN = frozenset({INTO, "offsets", "dyn_offsets", "from", "to"})
"""Properties that the custom syntax writes before the dictionary."""

PRINTING_ORDER: Mapping[str, int] = {
    name: rank for rank, name in enumerate((*OPERATION_PROPERTIES, "tensor_valid", *TENSOR_PROPERTIES))
}
"""The rank of a property in the printed dictionary."""


def check_into(value: Attribute) -> str | None:
    """What is wrong with an `into` property, or None."""
    return _booleans(value)


def check_per_result(check: Check, value: Attribute, results: int) -> str | None:
    """Check a tensor property of an op: for one result the plain value, else a list with a value or unit for each."""
    if results == 1:
        return check(value)
    if results == 0:
        return "belongs to results, and the op has none"
    items = items_of(value)
    if items is None or len(items) != results:
        return f"expected a list with one value for each of the {results} results, found {value}"
    for item in items:
        if not isinstance(item, UnitAttr) and (problem := check(item)) is not None:
            return problem
    return None


def verify_tensor_properties(owner: str, properties: Mapping[str, Attribute]) -> None:
    """Raises VerifyException for an unknown or illegal property of one tensor; `owner` begins the message.

    Names with a dot are attributes of the user's own, with any value.
    """
    for name, value in properties.items():
        check = TENSOR_PROPERTIES.get(name)
        if check is None and "." in name:
            continue
        if check is None:
            raise VerifyException(f"{owner}: unknown property '{name}'{did_you_mean(name, TENSOR_PROPERTIES)}")
        if (problem := check(value)) is not None:
            raise VerifyException(f"{owner}: property '{name}': {problem}")
