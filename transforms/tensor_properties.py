"""What a tensor carries, wherever it stands: on an argument, a buffer, or one of the results of an op."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Attribute, BlockArgument, OpResult, SSAValue

from dialect.operation import TileOperation
from dialect.ops import BufferOp
from dialect.values import items_of


def tensor_property(
    value: SSAValue, name: str, properties_of_arguments: Sequence[Mapping[str, Attribute]]
) -> Attribute | None:
    """The property `name` of a tensor; None if the tensor does not carry it.

    Args:
        properties_of_arguments: as the function of the tensor has them.
    """
    if isinstance(value, BlockArgument):
        return properties_of_arguments[value.index].get(name)
    assert isinstance(value, OpResult)
    op = value.op
    if not isinstance(op, TileOperation | BufferOp):
        return None
    found = op.properties.get(name)
    if found is None or len(op.results) == 1:
        return found
    items = items_of(found)
    return None if items is None else items[value.index]
