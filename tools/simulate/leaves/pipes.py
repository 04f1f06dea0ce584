"""The pipes of a core, and which one runs an operation (cost model, section 2.3)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from functools import cache
from importlib.resources import files

from dialect.opcodes import OPCODE_BY_NAME, CalcType
from dialect.types import Memory


class Pipe(IntEnum):
    """A pipe; the order is that in which a core looks at its pipes in each step."""

    UB_ALLOCATION = 0
    L1_ALLOCATION = 1
    L0A_ALLOCATION = 2
    L0B_ALLOCATION = 3
    L0C_ALLOCATION = 4
    MTE_IN = 5
    MTE1 = 6
    VECTOR_ALU = 7
    CUBE = 8
    MTE_OUT = 9
    PIPE_S = 10
    SIM_CALL = 11
    PIPE_FIX = 12


ALLOCATION_PIPES: Mapping[Memory, Pipe] = {
    Memory.UB: Pipe.UB_ALLOCATION,
    Memory.L1: Pipe.L1_ALLOCATION,
    Memory.L0A: Pipe.L0A_ALLOCATION,
    Memory.L0B: Pipe.L0B_ALLOCATION,
    Memory.L0C: Pipe.L0C_ALLOCATION,
}
"""The pipe that allocates tiles of a memory; tiles elsewhere need no allocation."""

CUBE_CORE_PIPES = frozenset({Pipe.MTE1, Pipe.CUBE})
"""A subgraph with an operation on one of these is a task for a cube core (cost model, section 6.3)."""

_PIPE_BY_CALC_TYPE: Mapping[CalcType, Pipe] = {
    CalcType.MATMUL: Pipe.CUBE,
    CalcType.CONV: Pipe.CUBE,
    CalcType.MOVE_IN: Pipe.MTE_IN,
    CalcType.MOVE_OUT: Pipe.MTE_OUT,
    CalcType.MOVE_LOCAL: Pipe.PIPE_S,
}


@cache
def pipes() -> Mapping[str, Pipe]:
    """The pipe of each opcode that the reference's table of pipes names, vector operations left out."""
    rows = files("tools.simulate.leaves").joinpath("pipes.tsv").read_text(encoding="utf-8").splitlines()
    return {opcode: Pipe[pipe] for pipe, opcode in (row.split("\t") for row in rows[1:])}


@cache
def pipe_of(opcode: str) -> Pipe:
    """The pipe of an opcode; one that the reference knows none for has the pipe that its kind of work suggests."""
    pipe = pipes().get(opcode)
    if pipe is None:
        pipe = _PIPE_BY_CALC_TYPE.get(OPCODE_BY_NAME[opcode].calc, Pipe.VECTOR_ALU)
    return pipe
