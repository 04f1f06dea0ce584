"""What passes decide and a dump can say: read from an op, and as edits of the op's JSON text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import DictionaryAttr
from xdsl.ir import SSAValue

from dialect.attributes import HashOrderAttr
from dialect.operation import TileOperation
from dialect.ops import BufferOp, FuncOp
from dialect.properties import HASH_ORDER_FAMILIES
from dialect.values import boolean_of, integer_of, items_of
from tools.formats.pypto_json.errors import DumpError
from tools.formats.pypto_json.json_edit import Layout, container, edit_object, encode, list_text, object_text

WRITTEN_PROPERTIES = frozenset(
    {"magic", "subgraph", "scope_id", "allow_parallel_merge", "allow_cross_scope_merge", "is_cube", "hashorder", "into"}
)
"""The properties of ops that are written to dumps where they have changed."""

_NO_SCOPE = (-1, False, False)


class WrittenFacts(NamedTuple):
    """What is written of one op; `hash_orders` has (class name, members) by merge."""

    subgraph: int | None
    scope: tuple[int, bool, bool]
    is_cube: bool | None
    hash_orders: Mapping[str, tuple[str, int]]
    inputs: Sequence[int]
    outputs: Sequence[int]


def facts_of(op: TileOperation, tensor_magics: Mapping[int, int]) -> WrittenFacts:
    """The facts of an op.

    Parameters:
        tensor_magics: by the identity of a value, the magic of its tensor.

    Raises:
        DumpError: an operand or result has no tensor magic.
    """
    properties = op.properties
    scope_id = integer_of(properties.get("scope_id"))
    scope = (
        _NO_SCOPE
        if scope_id is None
        else (scope_id, "allow_parallel_merge" in properties, "allow_cross_scope_merge" in properties)
    )
    try:
        inputs = [tensor_magics[id(value)] for value in op.inputs]
        outputs = [tensor_magics[id(value)] for value in op.outputs]
    except KeyError:
        raise DumpError(
            f"{op.display_name} has an operand or result without tensor_magic; only tensors of the dump can be written"
        ) from None
    return WrittenFacts(op.subgraph, scope, boolean_of(properties.get("is_cube")), _hash_orders(op), inputs, outputs)


def tensor_magics(function: FuncOp) -> dict[int, int]:
    """By the identity of a value, the magic of its tensor, for all tensors that have one."""
    magics: dict[int, int] = {}

    def add(value: SSAValue, magic: int | None) -> None:
        if magic is not None:
            magics[id(value)] = magic

    for argument, entries in zip(function.arguments, function.properties_of_arguments(), strict=True):
        add(argument, integer_of(entries.get("tensor_magic")))
    for op in function.body.block.ops:
        if isinstance(op, BufferOp):
            add(op.tensor, integer_of(op.tensor_magic))
        elif isinstance(op, TileOperation) and op.results:
            stated = op.properties.get("tensor_magic")
            listed = items_of(stated) or [stated] * (len(op.results) == 1)
            for result, magic in zip(op.results, listed, strict=False):
                add(result, integer_of(magic))
    return magics


def edit_operation(text: bytes, before: WrittenFacts, after: WrittenFacts) -> bytes:
    """The JSON text of an op with the facts that have changed."""
    edited = container(text)
    inner = edited.layout.inner()
    values: dict[str, bytes | None] = {}
    if before.subgraph != after.subgraph:
        values["subgraphid"] = encode(-1 if after.subgraph is None else after.subgraph)
    if before.scope != after.scope:
        values["scope"] = list_text(after.scope, inner)
    if before.inputs != after.inputs:
        values["ioperands"] = list_text(after.inputs, inner)
    if before.outputs != after.outputs:
        values["ooperands"] = list_text(after.outputs, inner)
    named = _changed_named_attributes(before, after)
    if named:
        values["op_attr"] = _edit_named_attributes(edited.value_of("op_attr"), named, inner)
    return edit_object(edited, values)


def _changed_named_attributes(before: WrittenFacts, after: WrittenFacts) -> dict[str, bytes | None]:
    named: dict[str, bytes | None] = {}
    if before.is_cube != after.is_cube:
        named["IS_CUBE"] = None if after.is_cube is None else encode(after.is_cube)
    for family in HASH_ORDER_FAMILIES:
        order = after.hash_orders.get(family)
        if order != before.hash_orders.get(family):
            named[f"{family}_hashOrder"] = None if order is None else encode(order[0])
            named[f"{family}_subgraphCount"] = None if order is None else encode(order[1])
    return named


def _edit_named_attributes(text: bytes | None, named: Mapping[str, bytes | None], layout: Layout) -> bytes | None:
    """The text of an `op_attr`; None if nothing is left in it."""
    edited = container(text) if text is not None and text.startswith(b"{") else None
    if edited is None or not edited.entries:
        return object_text(named, layout)
    left = edit_object(edited, named)
    return None if left == b"{}" else left


def _hash_orders(op: TileOperation) -> dict[str, tuple[str, int]]:
    stated = op.properties.get("hashorder")
    if not isinstance(stated, DictionaryAttr):
        return {}
    return {
        family: (order.class_name.data, order.members.data)
        for family, order in stated.data.items()
        if isinstance(order, HashOrderAttr)
    }
