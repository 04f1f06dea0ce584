"""How many cycles the simulator gives an operation (cost model, section 2.2).

The measured lines stand in `op_latencies.tsv`, one row per table and opcode. They are not the latencies that the
partition uses (`dialect.latency`), which leave out the fixed cost of a copy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from math import floor, prod
from typing import NamedTuple

import numpy as np

from dialect.elements import ELEMENTS
from dialect.opcodes import OPCODE_BY_NAME

CYCLES_PER_FITTED_MICROSECOND = 2000
"""The clock of the measured lines; times shown to users have another one (cost model, section 1.3)."""

_DYNAMIC_EXTENT = 256
_FREE_OPCODES = frozenset({"RESHAPE", "VIEW", "SLICE", "ASSEMBLE", "CONTRACT"})
_FREE_CYCLES = 1

_INT16, _INT32, _FP16, _FP32 = 2, 3, 6, 7
_FULL_RATE = frozenset(
    {(_INT32, "MUL"), (_INT32, "MULS"), (_FP32, "DIV"), (_FP32, "EXP"), (_FP32, "LN"), (_FP32, "SQRT")}
)
_BYTES_PER_REPEAT = 256
_SINGLE_PRECISION_LIMIT = 1 << 62
_FIRST_REPEAT = 10


class Line(NamedTuple):
    """A measured line: `per_megabyte` · 1e-6 · bytes + `constant` in microseconds, then `fixed_cycles` more."""

    per_megabyte: float
    constant: float
    fixed_cycles: int = 0


@dataclass(frozen=True, slots=True)
class LatencyTable:
    """The lines of one core generation by opcode; an opcode without a line has the general formula."""

    name: str
    lines: Mapping[str, Line]

    def with_lines(self, lines: Mapping[str, Line]) -> LatencyTable:
        """This table with some lines added or replaced, for instance by measured ones."""
        return replace(self, lines={**self.lines, **lines})

    def cycles(
        self,
        opcode: str,
        inputs: Sequence[tuple[Sequence[int], int]],
        outputs: Sequence[tuple[Sequence[int], int]],
    ) -> int:
        """Cycles of an operation; inputs and outputs are shapes (-1 = dynamic) with the numbers of element types."""
        if opcode in _FREE_OPCODES:
            return _FREE_CYCLES
        operands = (*inputs, *outputs)
        footprint = min((_footprint(shape) for shape, _ in operands), default=1)
        repeats = min((_outer_extent(shape) for shape, _ in operands), default=1)
        element = operands[0][1] if operands else _FP32
        size = ELEMENTS[element].bytes * footprint
        line = self.lines.get(opcode)
        if line is None:
            return _general_cycles(opcode, element, size * repeats)
        ratio = 1 if (element, opcode) in _FULL_RATE else 2
        if size < _SINGLE_PRECISION_LIMIT:
            scaled = float(np.float32(line.per_megabyte) * np.float32(size) * np.float32(ratio))
        else:
            scaled = line.per_megabyte * size * ratio
        once = floor((scaled * 1e-6 + line.constant) * CYCLES_PER_FITTED_MICROSECOND) + 1
        return repeats * once + line.fixed_cycles


@cache
def latency_tables() -> Mapping[str, LatencyTable]:
    """The tables of the reference simulator by name: A2A3 and A5."""
    rows = files("tools.simulate.leaves").joinpath("op_latencies.tsv").read_text(encoding="utf-8").splitlines()
    lines: dict[str, dict[str, Line]] = {}
    for row in rows[1:]:
        table, opcode, per_megabyte, constant, fixed_cycles = row.split("\t")
        assert opcode in OPCODE_BY_NAME
        lines.setdefault(table, {})[opcode] = Line(float(per_megabyte), float(constant), int(fixed_cycles))
    return {name: LatencyTable(name, table) for name, table in lines.items()}


def _footprint(shape: Sequence[int]) -> int:
    """The number of elements of the last two dimensions; 1 for a scalar or a vector."""
    return prod(map(_extent, shape[-2:])) if len(shape) >= 2 else 1


def _outer_extent(shape: Sequence[int]) -> int:
    """The number of two-dimensional slices."""
    return prod(map(_extent, shape[:-2]))


def _extent(extent: int) -> int:
    return extent if extent > 0 else _DYNAMIC_EXTENT


def _general_cycles(opcode: str, element: int, size: int) -> int:
    repeats = max(size - _BYTES_PER_REPEAT, 0) // _BYTES_PER_REPEAT + 1
    first = 0 if opcode == "L1_TO_L0At" and element in (_INT16, _INT32, _FP16, _FP32) else _FIRST_REPEAT
    return first + 2 * repeats - 1
