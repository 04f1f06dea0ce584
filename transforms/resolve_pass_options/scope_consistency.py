"""The checks on option scopes that PyPTO makes per function before it expands tiles (pass options, section 5)."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.utils.exceptions import PassFailedException

from dialect.opcodes import CoreType
from dialect.operation import TileOperation
from dialect.values import integer_of, string_of
from transforms.scope_properties import SCOPE_FLAGS


def check_scopes(operations: Iterable[TileOperation], mixed_cores: bool) -> None:
    """Check that all ops of a scope have the same flags, and that a scope does not hold ops of both cores.

    Parameters:
        operations: the ops of one function.
        mixed_cores: whether the chip may run cube and vector ops as one.

    Raises:
        PassFailedException: naming two ops that disagree.
    """
    first_of_scope: dict[int, TileOperation] = {}
    first_on_core: dict[tuple[int, CoreType], TileOperation] = {}
    for op in operations:
        properties = op.properties
        scope_id = integer_of(properties.get("scope_id"))
        if scope_id is None or scope_id == -1:
            continue
        first = first_of_scope.setdefault(scope_id, op)
        for flag in SCOPE_FLAGS:
            if (flag in properties) != (flag in first.properties):
                has, lacks = (op, first) if flag in properties else (first, op)
                raise PassFailedException(
                    f"scope {scope_id} has different flags: {flag} holds at {place_of(has)} and not at "
                    f"{place_of(lacks)}; all ops of a scope have the same flags"
                )
        core = op.opcode.core
        if mixed_cores or core not in (CoreType.AIC, CoreType.AIV):
            continue
        first_on_core.setdefault((scope_id, core), op)
        other_core = CoreType.AIV if core is CoreType.AIC else CoreType.AIC
        other = first_on_core.get((scope_id, other_core))
        if other is not None:
            cube, vector = (op, other) if core is CoreType.AIC else (other, op)
            raise PassFailedException(
                f"scope {scope_id} holds the cube op {place_of(cube)} and the vector op {place_of(vector)}, and the "
                "chip runs them on separate cores; give them different scopes, or choose a chip with mixed cores (a5)"
            )


def place_of(op: TileOperation) -> str:
    """How a message names an op: its opcode and magic, and where the program has it if that is known."""
    location = string_of(op.properties.get("loc"))
    return op.display_name if location is None else f"{op.display_name} ({location})"
