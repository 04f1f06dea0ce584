"""The latency of an op that does not state one (opcodes, section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from dialect.elements import Element
from dialect.opcodes import Opcode

BYTES_PER_REPEAT = 256


class _Rate(NamedTuple):
    first_repeat: int
    """Cycles of the first repeat."""

    elements_per_cycle: int


_DEFAULT_RATE = _Rate(10, 128)

_F16, _F32, _I32, _I16 = 6, 7, 3, 2


def _rates(first_float: int, f16: int, f32: int, i32: int, i16: int) -> dict[int, _Rate]:
    return {_F16: _Rate(first_float, f16), _F32: _Rate(first_float, f32), _I32: _Rate(0, i32), _I16: _Rate(0, i16)}


_UB_COPY = _rates(50, 64, 32, 32, 64)
_L1_COPY = _rates(200, 64, 32, 32, 64)
_L1_TO_L0 = _rates(0, 128, 64, 64, 128)

_RATES_BY_NAME: dict[str, dict[int, _Rate]] = {
    "UB_COPY_IN": _UB_COPY,
    "UB_COPY_OUT": _UB_COPY,
    "L1_COPY_IN": _L1_COPY,
    "L0C_COPY_OUT": _L1_COPY,
    "L1_TO_L0A": _L1_TO_L0,
    "L1_TO_L0B": _L1_TO_L0,
    "L1_TO_L0Bt": _L1_TO_L0,
}
"""Rates by opcode and number of the element type; what is not listed has the default rate."""

_CONSTANT_BY_NAME = {"NOP": 0, "SYNC_SRC": 1, "SYNC_DST": 1, "BAR.V": 18}


def latency(
    opcode: Opcode,
    inputs: Sequence[tuple[tuple[int, ...], Element]],
    outputs: Sequence[tuple[tuple[int, ...], Element]],
) -> int | None:
    """Cycles of an op, or None where the formula has no value because the first operand is a scalar.

    Parameters:
        inputs, outputs: shape (-1 = dynamic) and element type of each operand, in order.
    """
    operands = outputs if opcode.name == "COPY_IN" or opcode.is_view_like else inputs
    if not operands:
        return 1
    if (constant := _CONSTANT_BY_NAME.get(opcode.name)) is not None:
        return constant
    shape, element = operands[0]
    if not shape:
        return None
    if "_ALLOC" in opcode.name:
        return 1
    count = max(0, *(prod(dims) for dims, _ in operands))
    if opcode.name == "GATHER_IN_UB" and len(operands) >= 2:
        indices, row_length = operands[1][0], shape[-1]
        if indices and min(*indices, row_length) > 0:
            count = prod(indices) * row_length
    rate = _RATES_BY_NAME.get(opcode.name, {}).get(element.number, _DEFAULT_RATE)
    cycles_per_repeat = max(1, BYTES_PER_REPEAT // element.bytes // rate.elements_per_cycle)
    repeats = (count * element.bytes + BYTES_PER_REPEAT - 1) // BYTES_PER_REPEAT
    return rate.first_repeat + (repeats - 1) * cycles_per_repeat
