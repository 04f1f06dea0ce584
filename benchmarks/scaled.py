"""Large dumps: the example graph copied, and graphs around one tensor with many writers and readers."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

EXAMPLE = Path(__file__).parents[1] / "examples" / "attention_512.json.gz"
_UB, _DDR, _FP32 = 0, 15, 7


def scaled_dump(ops: int) -> bytes:
    """The example's dump with copies of its ops until there are `ops`, in one function that shares the incasts."""
    dump = json.loads(gzip.decompress(EXAMPLE.read_bytes()))
    (function,) = dump["functions"]
    shared = {magic for magic, _ in function["incasts"]}
    parts: dict[str, list[Any]] = {"operations": [], "tensors": [], "rawtensors": [], "outcasts": []}
    for copy in range(ops // len(function["operations"])):
        step = copy * 1_000_000
        moved = {
            tensor["magic"]: tensor["magic"] + (0 if tensor["magic"] in shared else step)
            for tensor in function["tensors"]
        }
        for tensor in function["tensors"]:
            if copy and tensor["magic"] in shared:
                continue
            parts["tensors"].append(
                {**tensor, "magic": moved[tensor["magic"]], "rawtensor": tensor["rawtensor"] + step}
            )
        parts["rawtensors"] += [{**raw, "rawmagic": raw["rawmagic"] + step} for raw in function["rawtensors"]]
        parts["outcasts"] += [[moved[magic], slots] for magic, slots in function["outcasts"]]
        for op in function["operations"]:
            operands = {key: [moved[magic] for magic in op[key]] for key in ("ioperands", "ooperands")}
            parts["operations"].append({**op, **operands, "opmagic": op["opmagic"] + step})
    dump["functions"] = [{**function, **parts}]
    return json.dumps(dump).encode()


def wide_dump(count: int, *, shared: bool) -> bytes:
    """`count` branches VIEW, EXP, ASSEMBLE and `count` branches VIEW, ABS, ASSEMBLE behind them.

    Parameters:
        shared: the first branches write one tensor, which the others read, so that there are count² pairs of producer
            and consumer; else each has a tensor of its own.
    """
    memories = [_DDR, _DDR, _DDR]
    operations: list[dict[str, Any]] = []

    def branch(source: int, opcode: str, target: int) -> None:
        loaded = len(memories)
        memories.extend((_UB, _UB))
        for name, read, written in (
            ("VIEW", source, loaded),
            (opcode, loaded, loaded + 1),
            ("ASSEMBLE", loaded + 1, target),
        ):
            operations.append(
                {
                    "kind": 2,
                    "opmagic": 10_000 + len(operations),
                    "opcode": name,
                    "ioperands": [read],
                    "ooperands": [written],
                    "latency": 73,
                    "subgraphid": -1,
                }
            )

    middles = [1] * count
    if not shared:
        middles = list(range(len(memories), len(memories) + count))
        memories.extend([_DDR] * count)
    for middle in middles:
        branch(0, "EXP", middle)
    for middle in middles:
        branch(middle, "ABS", 2)
    function = {
        "kind": 3,
        "func_magicname": "wide",
        "funcmagic": 6,
        "graphtype": 1,
        "_sg_partition_algorithm": "Iso",
        "incasts": [[0, [0]]],
        "outcasts": [[2, [1]]],
        "operations": operations,
        "rawtensors": [
            {"kind": 0, "rawmagic": number, "datatype": _FP32, "format": 0, "rawshape": [64, 64]}
            for number in range(len(memories))
        ],
        "tensors": [
            {
                "kind": 1,
                "magic": number,
                "rawtensor": number,
                "shape": [64, 64],
                "offset": [0, 0],
                "mem_type": {"asis": memory, "tobe": memory},
            }
            for number, memory in enumerate(memories)
        ],
    }
    return json.dumps({"version": "2.0", "functions": [function]}).encode()
