"""The properties by which an op says its option scope."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i64
from xdsl.ir import Attribute

from dialect.operation import TileOperation
from dialect.pass_options import ScopeSetting

SCOPE_FLAGS = ("allow_parallel_merge", "allow_cross_scope_merge")


def scope_properties(scope: ScopeSetting) -> dict[str, Attribute]:
    """The properties of an op in a scope; none for scope id -1."""
    if scope.scope_id == -1:
        return {}
    properties: dict[str, Attribute] = {"scope_id": IntegerAttr(scope.scope_id, i64)}
    properties |= {flag: UnitAttr() for flag in SCOPE_FLAGS if getattr(scope, flag)}
    return properties


def remove_scope(op: TileOperation) -> None:
    """Take an op out of its scope, if it is in one."""
    for name in ("scope_id", *SCOPE_FLAGS):
        op.properties.pop(name, None)
