"""What is read of a dump: the declared keys, their types and ranges (JSON format, sections 2 to 6).

Unknown keys are ignored. Keys that nothing here reads are not demanded, even where the reference's loader does.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Raw, Struct, field

LARGEST_RANK = 64
"""Dimensions that a tensor may have at most; real ones have at most 5."""

ABSENT = Raw()
"""The value of a key that is not there."""

Int32: TypeAlias = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Int64: TypeAlias = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Magic: TypeAlias = Annotated[int, Meta(ge=0, le=2**63 - 1)]
MemoryNumber: TypeAlias = Annotated[int, Meta(ge=0, le=23)]
DataType: TypeAlias = Annotated[int, Meta(ge=0, le=23)]
Extent: TypeAlias = Annotated[int, Meta(ge=-1, le=2**63 - 1)]
Shape: TypeAlias = Annotated[list[Extent], Meta(max_length=LARGEST_RANK)]
Offset: TypeAlias = Annotated[list[Int64], Meta(max_length=LARGEST_RANK)]
SymbolicValue: TypeAlias = list[int | str]
SymbolicList: TypeAlias = Annotated[list[SymbolicValue], Meta(max_length=LARGEST_RANK)]

TILE_GRAPH = 1
UNKNOWN_MEMORY = 23

ALGORITHM_KEY = "_sg_partition_algorithm"
"""The key of functions that dumps of version 0.2.0 lack."""


class RawTensor(Struct, gc=False):
    """Storage: section 4."""

    rawmagic: Magic
    datatype: DataType
    rawshape: Shape
    kind: Literal[0] = 0
    actual_rawmagic: Int64 = -1
    symbol: str | None = None


class TensorMemory(Struct, gc=False):
    """The memories of a tensor; an absent key is unknown."""

    asis: MemoryNumber = UNKNOWN_MEMORY
    tobe: MemoryNumber = UNKNOWN_MEMORY


class Tensor(Struct, gc=False):
    """A logical tensor: section 5."""

    magic: Magic
    rawtensor: Magic
    shape: Shape
    offset: Offset
    kind: Literal[1] = 1
    mem_type: TensorMemory | None = None
    dynoffset: SymbolicList | None = None
    dynvalidshape: SymbolicList | None = None


class SemanticLabel(Struct, gc=False):
    """A label; where it was set is not read."""

    label: str


class Operation(Struct, gc=False):
    """An op: section 6, and the key `scope`, which is ours (section 9).

    `attr` and `op_attr` stay undecoded: many ops have the same ones.
    """

    opmagic: Magic
    opcode: str
    ioperands: list[Magic]
    ooperands: list[Magic]
    latency: Int32
    subgraphid: Annotated[int, Meta(ge=-1, le=2**31 - 1)]
    kind: Literal[2] = 2
    attr: Raw = ABSENT
    op_attr: Raw = ABSENT
    semantic_label: SemanticLabel | None = None
    file: str | None = None
    line: int | None = None
    scope: tuple[Annotated[int, Meta(ge=-1, le=2**31 - 1)], bool, bool] | None = None


class FunctionHeader(Struct, gc=False):
    """What tells whether a function is a tile graph, and what it is called."""

    func_magicname: str
    graphtype: int
    funcmagic: int | None = None
    kind: Literal[3] = 3


Cast: TypeAlias = tuple[Magic, Any]
"""An incast or outcast: the tensor's magic and its runtime slots, which are not read."""


class Function(Struct, gc=False):
    """A tile graph: section 3."""

    func_magicname: str
    funcmagic: Magic
    incasts: list[Cast]
    outcasts: list[Cast]
    operations: list[Operation]
    tensors: list[Tensor] = []
    rawtensors: list[RawTensor] = []
    global_tensors: list[Int64] = []
    pg_lower_bound: Int64 | None = field(default=None, name="_sg_pg_lowerbound")
    pg_parallel_lower_bound: Int64 | None = field(default=None, name="_sg_parallel_num")
    pg_partition_algorithm: str | None = field(default=None, name=ALGORITHM_KEY)
    mg_copyin_upper_bound: Int64 | None = field(default=None, name="_sg_mg_copyin_upper_bound")
    mg_vec_parallel_lb: Int64 | None = field(default=None, name="_mg_vec_parallel_lb")
    auto_mix_partition: Int64 | None = field(default=None, name="_auto_mix_partition")


PASS_OPTIONS = (
    "pg_lower_bound",
    "pg_parallel_lower_bound",
    "pg_partition_algorithm",
    "mg_copyin_upper_bound",
    "mg_vec_parallel_lb",
    "auto_mix_partition",
)
"""The fields of a function that are pass options, under the names that the dialect gives them."""


class Dump(Struct, gc=False):
    """A function dump or a program file: section 2."""

    functions: list[Raw]
