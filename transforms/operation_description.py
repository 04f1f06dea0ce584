"""How an operation is named in messages."""

from __future__ import annotations

from dialect.opcodes import OPCODES
from transforms.graph import TileGraph


def describe_operation(graph: TileGraph, operation: int) -> str:
    """The opcode and the magic of an operation, such as `ADD (magic 10012)`."""
    return f"{OPCODES[graph.opcodes[operation]].name} (magic {graph.magics[operation]})"
