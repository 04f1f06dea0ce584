"""Small dumps written down by hand, and the ways between dump, module and text."""

from __future__ import annotations

import json
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

from tile_modules import context
from xdsl.dialects.builtin import ModuleOp

from dialect.operation import TileOperation
from dialect.ops import FuncOp, functions_of
from tools.formats.pypto_json import PyptoJsonFrontend, PyptoJsonTarget

Json = dict[str, Any]

UB, L1, L0C, DDR, UNKNOWN = 0, 1, 4, 15, 23
FP32 = 7


def raw_tensor(magic: int, shape: tuple[int, ...] = (64, 64), **keys: Any) -> Json:
    return {"kind": 0, "rawmagic": magic, "datatype": FP32, "format": 0, "rawshape": [*shape], **keys}


def tensor(magic: int, memory: int = UB, shape: tuple[int, ...] = (64, 64), **keys: Any) -> Json:
    """A tensor on the raw tensor of the same number."""
    plain = {"kind": 1, "magic": magic, "rawtensor": magic, "shape": [*shape], "offset": [0] * len(shape)}
    known = {} if memory == UNKNOWN else {"mem_type": {"asis": memory, "tobe": memory}}
    return {**plain, **known, **keys}


def operation(magic: int, opcode: str, inputs: list[int], outputs: list[int], **keys: Any) -> Json:
    plain = {"kind": 2, "opmagic": magic, "opcode": opcode, "ioperands": inputs, "ooperands": outputs}
    return {**plain, "latency": 73, "subgraphid": -1, **keys}


def function(operations: list[Json], tensors: list[Json], **keys: Any) -> Json:
    """A tile graph; its first tensor is the incast and its last one the outcast."""
    plain = {"kind": 3, "func_magicname": "k", "funcmagic": 6, "graphtype": 1, "_sg_partition_algorithm": "Iso"}
    raw_tensors = [raw_tensor(entry["rawtensor"], tuple(entry["shape"])) for entry in tensors]
    casts = {"incasts": [[tensors[0]["magic"], [0]]], "outcasts": [[tensors[-1]["magic"], [1]]]}
    return {**plain, **casts, "rawtensors": raw_tensors, "tensors": tensors, "operations": operations, **keys}


def load_exp_store() -> Json:
    """The function VIEW 10000, EXP 10001, ASSEMBLE 10002 from tensor 1 (DDR) through 2, 3 (UB) to 4 (DDR)."""
    window = [UB, 2, 0, 0, 0, 0]
    return function(
        [
            operation(10000, "VIEW", [1], [2], attr=window),
            operation(10001, "EXP", [2], [3]),
            operation(10002, "ASSEMBLE", [3], [4], attr=window),
        ],
        [tensor(1, DDR), tensor(2), tensor(3), tensor(4, DDR)],
    )


def dump(*functions: Json) -> Json:
    return {"version": "2.0", "functions": [*functions]}


def as_reference_text(value: Json) -> str:
    """The text as the reference writes it: keys in byte order, indent of one space, a final newline."""
    return json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def read_bytes(data: bytes, name: str = "<stdin>") -> ModuleOp:
    """The module of a dump's bytes, not verified."""
    return PyptoJsonFrontend().parse(context(), BytesIO(data), name)


def read(value: Json) -> ModuleOp:
    """The verified module of a dump."""
    module = read_bytes(json.dumps(value).encode())
    module.verify()
    return module


def read_function(value: Json) -> FuncOp:
    """The only function of the verified module of a dump with this function."""
    module = read(dump(value))
    (only,) = functions_of(module)
    only.detach()
    return only


def read_file(path: Path, value: Json | str) -> ModuleOp:
    """The verified module of a dump, or of its text, which is written to `path`."""
    path.write_text(value if isinstance(value, str) else as_reference_text(value), encoding="utf-8", newline="")
    module = read_bytes(path.read_bytes(), str(path))
    module.verify()
    return module


def write(module: ModuleOp, *, resume: bool = False) -> str:
    stream = StringIO()
    PyptoJsonTarget(resume=resume).emit(context(), module, stream)
    return stream.getvalue()


def op_of(container: ModuleOp | FuncOp, magic: int) -> TileOperation:
    (found,) = (op for op in container.walk() if isinstance(op, TileOperation) and op.magic == magic)
    return found
