"""Reads what users know better about a machine than the chip's table: cores, costs of the schedulers, latencies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

import msgspec

from dialect.opcodes import OPCODE_BY_NAME
from dialect.suggestions import did_you_mean
from tools.driver.errors import UserError
from tools.driver.source import read_source
from tools.simulate.leaves.latency_table import LatencyTable, Line, latency_tables
from tools.simulate.leaves.pipes import Pipe
from tools.simulate.machine import Machine, aicpus_for

_Cores = Annotated[int, msgspec.Meta(ge=0, le=4096)]
_Cycles = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
_Microseconds = Annotated[float, msgspec.Meta(ge=0, le=1e6)]


class _LineEntry(msgspec.Struct, forbid_unknown_fields=True):
    per_megabyte: _Microseconds
    constant: _Microseconds
    fixed_cycles: _Cycles = 0


class _MachineEntries(msgspec.Struct, forbid_unknown_fields=True):
    aic_cores: _Cores | None = None
    aiv_cores: _Cores | None = None
    aicpus: Annotated[int, msgspec.Meta(ge=1, le=1024)] | None = None
    poll_cycles: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] | None = None
    resolve_cycles: _Cycles | None = None
    dispatch_cycles: _Cycles | None = None
    latency_table: str | None = None
    latencies: dict[str, _LineEntry] = {}
    buffer_back_pressure: bool | None = None


_REPLACEABLE = ("aic_cores", "aiv_cores", "aicpus", "poll_cycles", "resolve_cycles", "dispatch_cycles")

_BUFFER_BYTES: Mapping[Pipe, int] = {
    Pipe.UB_ALLOCATION: 196608,
    Pipe.L1_ALLOCATION: 524288,
    Pipe.L0A_ALLOCATION: 65536,
    Pipe.L0B_ALLOCATION: 65536,
    Pipe.L0C_ALLOCATION: 2 * 131072,
}
"""What back pressure waits for in the reference, which counts L0C twice (cost model, sections 1.6 and 2.6)."""


def read_machine(path: str, base: Machine) -> Machine:
    """The machine `base` with what a JSON file says otherwise.

    The keys are those of `Machine`; `latency_table` names a table of the reference (A2A3, A5), `latencies` replaces
    lines of it by opcode, `buffer_back_pressure` lets operations wait for buffers. AICPUs follow the core counts unless
    stated.

    Raises:
        UserError: there is no such file, or it says something that is no machine.
    """
    return _machine_from(read_source(path), path, base)


def _machine_from(data: bytes, path: str, base: Machine) -> Machine:
    try:
        entries = msgspec.json.decode(data, type=_MachineEntries)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{error}{_nearest_key(str(error))}", path) from None
    changes: dict[str, int] = {name: value for name in _REPLACEABLE if (value := getattr(entries, name)) is not None}
    aic, aiv = changes.get("aic_cores", base.aic_cores), changes.get("aiv_cores", base.aiv_cores)
    if aic + aiv == 0:
        raise UserError("aic_cores and aiv_cores are both 0; a machine has at least one core", path)
    if "aicpus" not in changes and (aic, aiv) != (base.aic_cores, base.aiv_cores):
        changes["aicpus"] = aicpus_for(aic, aiv)
    buffers = base.buffer_bytes
    if entries.buffer_back_pressure is not None:
        buffers = _BUFFER_BYTES if entries.buffer_back_pressure else None
    return replace(base, **changes, latencies=_latencies(entries, path, base.latencies), buffer_bytes=buffers)


def _latencies(entries: _MachineEntries, path: str, table: LatencyTable) -> LatencyTable:
    if entries.latency_table is not None:
        tables = latency_tables()
        if entries.latency_table not in tables:
            nearest = did_you_mean(entries.latency_table, tables)
            raise UserError(
                f"unknown latency_table '{entries.latency_table}'{nearest or '.'} There are: {', '.join(tables)}.", path
            )
        table = tables[entries.latency_table]
    for opcode in entries.latencies:
        if opcode not in OPCODE_BY_NAME:
            raise UserError(f"latencies: unknown opcode '{opcode}'{did_you_mean(opcode, OPCODE_BY_NAME)}", path)
    return table.with_lines(
        {
            opcode: Line(entry.per_megabyte, entry.constant, entry.fixed_cycles)
            for opcode, entry in entries.latencies.items()
        }
    )


def _nearest_key(message: str) -> str:
    """The keys nearest to one that msgspec found unknown."""
    marker = "unknown field `"
    if marker not in message:
        return ""
    name = message.split(marker, 1)[1].split("`", 1)[0]
    known = {*_MachineEntries.__struct_fields__, *_LineEntry.__struct_fields__}
    return did_you_mean(name, known) or f" (known: {', '.join(sorted(known))})"
