"""Writes what a merge decided on ops: the new subgraphs, and the names of classes for hints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from xdsl.dialects.builtin import DictionaryAttr, IntAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute

from dialect.attributes import HashOrderAttr
from dialect.operation import TileOperation
from transforms.classes import SubgraphClasses, class_name

Family = Literal["vec_merge", "l1_reuse", "cube_merge"]


def write_hash_orders(
    operations: Sequence[TileOperation],
    subgraphs: Sequence[int],
    classes: SubgraphClasses,
    family: Family,
    function_magic: int,
) -> None:
    """Write the name and the size of its class on every op of a subgraph that has one.

    Args:
        subgraphs: per op, its subgraph as `classes` numbers them; negative for none.

    Notes:
        O(operations). Source: merge passes, section 5.1.
    """
    orders = [
        HashOrderAttr(StringAttr(class_name(function_magic, order)), IntAttr(len(members)))
        for order, members in enumerate(classes.members)
    ]
    # The dictionary of before is kept beside that of after, lest another one gets its identity.
    made: dict[tuple[int, int], tuple[Attribute | None, DictionaryAttr]] = {}
    for op, subgraph in zip(operations, subgraphs, strict=True):
        order = classes.order_of[subgraph] if subgraph >= 0 else -1
        if order < 0:
            continue
        before = op.properties.get("hashorder")
        key = id(before), order
        known = made.get(key)
        if known is None:
            entries: dict[str, Attribute] = dict(before.data) if isinstance(before, DictionaryAttr) else {}
            known = made[key] = before, DictionaryAttr({**entries, family: orders[order]})
        op.properties["hashorder"] = known[1]


def write_subgraphs(operations: Sequence[TileOperation], subgraphs: Sequence[int], count: int) -> None:
    """Write the id of its subgraph on every op; a negative one is not written.

    Args:
        count: the number of subgraphs.
    """
    ids = [IntegerAttr(subgraph, i64) for subgraph in range(count)]
    for op, subgraph in zip(operations, subgraphs, strict=True):
        if subgraph >= 0:
            op.properties["subgraph"] = ids[subgraph]
