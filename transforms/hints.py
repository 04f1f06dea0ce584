"""The hints that name the merge classes of a subgraph, as the swimlane shows them (merge passes, chapter 5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from xdsl.dialects.builtin import DictionaryAttr
from xdsl.ir import Attribute

from dialect.attributes import HashOrderAttr

_SHOWN_NAMES: Mapping[str, str] = {
    "l1_reuse": "l1ReuseInfo",
    "cube_merge": "cubeMergeInfo",
    "vec_merge": "vecMergeInfo",
}
"""The name of each merge in a hint, in the order of the lines."""


class HashOrder(NamedTuple):
    """The name of a class, such as `func8_0`, and the number of its members when it was named."""

    name: str
    member_count: int


def hash_orders_of(attribute: Attribute | None) -> dict[str, HashOrder]:
    """The hash order of each merge in a property `hashorder`; nothing if it is absent."""
    if not isinstance(attribute, DictionaryAttr):
        return {}
    return {
        merge: HashOrder(order.class_name.data, order.members.data)
        for merge, order in attribute.data.items()
        if isinstance(order, HashOrderAttr)
    }


def subgraph_hash_orders(of_operations: Iterable[Mapping[str, HashOrder]]) -> dict[str, HashOrder]:
    """The hash orders that stand for a subgraph: for each merge that of its first op that has one.

    Args:
        of_operations: the hash orders of each op of the subgraph, in the order of the function.

    Notes:
        Source: merge passes, section 5.2.
    """
    orders: dict[str, HashOrder] = {}
    for found in of_operations:
        for merge, order in found.items():
            orders.setdefault(merge, order)
    return orders


def hint_text(orders: Mapping[str, HashOrder]) -> str:
    """The hint of a subgraph with these hash orders: a line for each merge, nothing if there is none.

    Examples:
        >>> hint_text({"vec_merge": HashOrder("func8_2", 48)})
        'vecMergeInfo hashOrder: func8_2, subGraphCount: 48'

    Notes:
        Source: merge passes, section 5.3.
    """
    return "\n".join(
        f"{shown} hashOrder: {orders[merge].name}, subGraphCount: {orders[merge].member_count}"
        for merge, shown in _SHOWN_NAMES.items()
        if merge in orders
    )
