"""Small tile graphs written down by hand."""

from __future__ import annotations

from typing import NamedTuple

from dialect.opcodes import OPCODE_BY_NAME
from transforms.graph import NO_SCOPE, Scope, TileGraph

MEMORIES = {"ub": 0, "l1": 1, "l0a": 2, "l0b": 3, "l0c": 4, "bt": 12, "ddr": 15, "unknown": 23}
FP32 = 7


class Op(NamedTuple):
    """An operation; tensors are named and stand in a string, `ddr.x` is a tensor in DDR and `x` one in UB."""

    opcode: str
    inputs: str
    outputs: str
    latency: int = 13
    scope: Scope = NO_SCOPE
    dynamic: bool = False
    conversion: tuple[int, int] | None = None
    runtime_reads: str = ""
    magic: int | None = None


def tile_graph(*operations: Op) -> TileGraph:
    """The graph of `operations`, with magics 10000, 10001, … unless they are given."""
    numbers: dict[str, int] = {}

    def tensors(names: str) -> tuple[int, ...]:
        return tuple(numbers.setdefault(name, len(numbers)) for name in names.split())

    inputs = [tensors(operation.inputs) for operation in operations]
    outputs = [tensors(operation.outputs) for operation in operations]
    reads = [tensors(operation.runtime_reads) for operation in operations]
    return TileGraph(
        magics=[10_000 + place if op.magic is None else op.magic for place, op in enumerate(operations)],
        opcodes=[OPCODE_BY_NAME[operation.opcode].number for operation in operations],
        latencies=[operation.latency for operation in operations],
        inputs=inputs,
        outputs=outputs,
        scopes=[operation.scope for operation in operations],
        dynamic_windows=[operation.dynamic for operation in operations],
        memories=[MEMORIES[name.split(".")[0]] if "." in name else MEMORIES["ub"] for name in numbers],
        elements=[FP32] * len(numbers),
        conversions={place: op.conversion for place, op in enumerate(operations) if op.conversion is not None},
        runtime_reads={place: tensors for place, tensors in enumerate(reads) if tensors},
    )
