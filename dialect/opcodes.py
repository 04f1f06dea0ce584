"""The opcode table: what the compiler knows of each of the 302 tile operations.

The facts stand in `opcodes.tsv`, one row per opcode, ordered by opcode number.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files

from dialect.suggestions import did_you_mean


class CoreType(StrEnum):
    """The core that an operation runs on; ANY takes the side of its neighbours."""

    AIC = "AIC"
    AIV = "AIV"
    ANY = "ANY"
    AICPU = "AICPU"
    HUB = "HUB"
    GMATOMIC = "GMATOMIC"


class CalcType(StrEnum):
    """What kind of computation or movement an operation is."""

    ELMWISE = "ELMWISE"
    CAST = "CAST"
    BROADCAST = "BROADCAST"
    OTHER = "OTHER"
    REDUCE = "REDUCE"
    MATMUL = "MATMUL"
    CONV = "CONV"
    MOVE_IN = "MOVE_IN"
    MOVE_OUT = "MOVE_OUT"
    MOVE_LOCAL = "MOVE_LOCAL"
    SYNC = "SYNC"
    DISTRIBUTED = "DISTRIBUTED"
    SYS = "SYS"


@dataclass(frozen=True, slots=True)
class Opcode:
    """One row of the opcode table.

    `number` seeds operation hashes; `name` is the name in PyPTO dumps (case matters); `mnemonic` is the name in the
    dialect. Memories are those required of each operand, by position, in the table's spelling; empty means any.
    """

    number: int
    name: str
    mnemonic: str
    core: CoreType
    calc: CalcType
    input_memories: tuple[str, ...]
    output_memories: tuple[str, ...]
    pipe: str
    tile_core: str
    flags: frozenset[str]
    static_attributes: tuple[str, ...]
    is_view_like: bool
    is_assemble_like: bool

    @property
    def is_windowed(self) -> bool:
        """Whether the operation reads or writes a window of a tensor and so has offsets."""
        return self.is_view_like or self.is_assemble_like


def _read_table() -> tuple[Opcode, ...]:
    rows = files("dialect").joinpath("opcodes.tsv").read_text(encoding="utf-8").splitlines()
    opcodes: list[Opcode] = []
    for row in rows[1:]:
        number, name, core, calc, _rule, inputs, outputs, pipe, tile_core, flags, attributes = row.split("\t")
        opcodes.append(
            Opcode(
                number=int(number),
                name=name,
                mnemonic=name.lower().replace(".", "_"),
                core=CoreType(core),
                calc=CalcType(calc),
                input_memories=tuple(inputs.split()),
                output_memories=tuple(outputs.split()),
                pipe=pipe,
                tile_core=tile_core,
                flags=frozenset(flags.split()),
                static_attributes=tuple(a.strip() for a in attributes.split(",") if a.strip()),
                is_view_like=name in ("VIEW", "SLICE"),
                is_assemble_like=name in ("ASSEMBLE", "CONTRACT"),
            )
        )
    return tuple(opcodes)


OPCODES: tuple[Opcode, ...] = _read_table()
"""All opcodes; the index of an opcode is its number."""

OPCODE_BY_NAME: dict[str, Opcode] = {opcode.name: opcode for opcode in OPCODES}
OPCODE_BY_MNEMONIC: dict[str, Opcode] = {opcode.mnemonic: opcode for opcode in OPCODES}

PAIR_REDUCE_NAMES = frozenset({"PAIRMAX", "PAIRMIN", "PAIRSUM"})
"""The opcodes that the partition's hash treats as steps of one reduction."""


def opcode_of_dump(name: str) -> Opcode:
    """The opcode that a PyPTO dump names `name`.

    A leading `TILE_` is dropped and any name that begins with `CALL` is `CALL` (opcodes, section 1).

    Raises:
        KeyError: no opcode has this name; the message names the nearest ones.
    """
    short = name.removeprefix("TILE_")
    if short.startswith("CALL"):
        short = "CALL"
    opcode = OPCODE_BY_NAME.get(short)
    if opcode is None:
        raise KeyError(f"unknown opcode {name!r}{did_you_mean(short, OPCODE_BY_NAME)}")
    return opcode
