"""Makes the launch of a subgraph from its description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i1,
    i64,
)
from xdsl.ir import Attribute, SSAValue

from dialect.attributes import HashOrderAttr
from dialect.operation import INTO, TileOperation
from dialect.ops import BufferOp
from dialect.outlined import LaunchOp
from dialect.properties import LAUNCH_WINDOWS, MEMBER_PARAMS, MEMBER_PROPERTIES
from transforms.hints import hash_orders_of, subgraph_hash_orders
from transforms.outlining.description import Argument, Description
from transforms.outlining.outlined_graph import OutlinedGraph

_COMMON = tuple(name for name in MEMBER_PROPERTIES if name not in ("magic", "hashorder", "tensor_magic", "storage"))
"""What stands on the launch if all ops have the same."""


def build_launch(
    leaf: str,
    outlined: OutlinedGraph,
    sequence: Sequence[int],
    description: Description,
    values: Mapping[int, SSAValue],
) -> LaunchOp:
    """The launch of the subgraph whose ops are `sequence`, in the order of the leaf.

    Args:
        values: external tensors that earlier launches made, by their number.

    Notes:
        O(ops + operands).
    """
    properties: dict[str, Attribute] = {"callee": SymbolRefAttr(leaf)}
    given = list(description.ins)
    kinds: list[int] = []
    result_types: list[Attribute] = []
    fresh = _fresh_tensors(outlined, sequence)
    for argument in description.outs:
        if argument.tensor in fresh:
            kinds.append(0)
            result_types.append(outlined.values[argument.tensor].type)
        else:
            kinds.append(1)
            given.append(argument)
    operands = [values.get(argument.tensor, outlined.values[argument.tensor]) for argument in given]
    if any(kinds):
        properties[INTO] = DenseArrayBase.from_list(i1, kinds)
    for name in LAUNCH_WINDOWS:
        offsets = [_window_property(outlined, argument, name) for argument in given]
        if any(offset is not None for offset in offsets):
            properties[name] = ArrayAttr([UnitAttr() if offset is None else offset for offset in offsets])
    properties["subgraph"] = IntegerAttr(outlined.subgraphs[sequence[0]], i64)
    entries: list[dict[str, Attribute]] = [{} for _ in sequence]
    operations = [outlined.operations[index] for index in sequence]
    for name in _COMMON:
        _share(name, operations, properties, entries)
    _share_hash_orders(outlined, sequence, properties, entries)
    if description.symbols:
        properties["symbols"] = ArrayAttr([StringAttr(symbol) for symbol in description.symbols])
    for index, op, entry in zip(sequence, operations, entries, strict=True):
        entry["magic"] = IntegerAttr(outlined.graph.magics[index], i64)
        _add_own(op.properties, op.attributes, entry)
    buffers: list[dict[str, Attribute]] = []
    for tensor in description.buffers:
        buffer = outlined.values[tensor].owner
        assert isinstance(buffer, BufferOp)
        buffers.append({})
        _add_own(buffer.properties, buffer.attributes, buffers[-1])
    properties["ops"] = ArrayAttr(
        [DictionaryAttr(dict(sorted(entry.items(), key=_rank))) for entry in (*buffers, *entries)]
    )
    return LaunchOp.create(operands=operands, result_types=result_types, properties=properties)


def _rank(entry: tuple[str, Attribute]) -> int:
    return MEMBER_PROPERTIES.index(entry[0]) if entry[0] in MEMBER_PROPERTIES else len(MEMBER_PROPERTIES)


def _fresh_tensors(outlined: OutlinedGraph, sequence: Sequence[int]) -> set[int]:
    """The tensors that ops of the subgraph make."""
    return {
        tensor
        for index in sequence
        for tensor, into in zip(outlined.graph.outputs[index], outlined.operations[index].output_kinds, strict=True)
        if not into
    }


def _window_property(outlined: OutlinedGraph, argument: Argument, name: str) -> Attribute | None:
    return None if argument.operation < 0 else outlined.operations[argument.operation].properties.get(name)


def _share(
    name: str,
    operations: Sequence[TileOperation],
    properties: dict[str, Attribute],
    entries: Sequence[dict[str, Attribute]],
) -> None:
    """Put a property on the launch if all ops have the same, else in the entry of each op that has it."""
    stated = [op.properties.get(name) for op in operations]
    first = stated[0]
    if all(value is first or value == first for value in stated):
        if first is not None:
            properties[name] = first
        return
    for entry, value in zip(entries, stated, strict=True):
        if value is not None:
            entry[name] = value


def _share_hash_orders(
    outlined: OutlinedGraph,
    sequence: Sequence[int],
    properties: dict[str, Attribute],
    entries: Sequence[dict[str, Attribute]],
) -> None:
    """Put the hash orders that stand for the subgraph on the launch, and in the entries those of ops that differ."""
    stated = {index: outlined.operations[index].properties.get("hashorder") for index in sequence}
    orders = subgraph_hash_orders(hash_orders_of(stated[index]) for index in sorted(sequence))
    if not orders:
        return
    common = DictionaryAttr(
        {merge: HashOrderAttr(StringAttr(name), IntAttr(count)) for merge, (name, count) in orders.items()}
    )
    properties["hashorder"] = common
    if any(value != common for value in stated.values()):
        for index, entry in zip(sequence, entries, strict=True):
            value = stated[index]
            if value is not None:
                entry["hashorder"] = value


def _add_own(
    carried: Mapping[str, Attribute], attributes: Mapping[str, Attribute], entry: dict[str, Attribute]
) -> None:
    """Add what tells an op or a buffer apart from those of other subgraphs of the leaf."""
    for name in ("tensor_magic", "storage"):
        if name in carried:
            entry[name] = carried[name]
    params = carried.get("params")
    if isinstance(params, DictionaryAttr) and not params.data.keys().isdisjoint(MEMBER_PARAMS):
        entry["params"] = DictionaryAttr({key: params.data[key] for key in MEMBER_PARAMS if key in params.data})
    entry.update(attributes)
