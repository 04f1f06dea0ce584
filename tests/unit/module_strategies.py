"""Random modules made directly as IR: everything that ops, buffers, arguments and functions can carry."""

from __future__ import annotations

import string
from collections.abc import Sequence

from hypothesis import strategies as st
from json_dump_strategies import EXTENTS, INT64, TEXT
from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    BytesAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    FloatData,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    NoneAttr,
    Signedness,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from dialect.attributes import HashOrderAttr, ScalarAttr, StorageAttr
from dialect.elements import ELEMENTS
from dialect.opcodes import Opcode
from dialect.operation import INTO, TileOperation
from dialect.ops import OPERATION_CLASSES, BufferOp, FuncOp
from dialect.properties import HASH_ORDER_FAMILIES, LARGEST_I64, LARGEST_SCOPE_ID, LARGEST_SUBGRAPH
from dialect.text import integer_range
from dialect.types import MEMORY_ATTRS, TensorType, shape_attr

SHAPES = st.lists(EXTENTS, max_size=4)
MEMORIES = st.sampled_from(MEMORY_ATTRS)
ELEMENT_TYPES = st.sampled_from([element.type for element in ELEMENTS])
TENSOR_TYPES = st.builds(lambda *parts: TensorType(shape_attr(parts[0]), *parts[1:]), SHAPES, ELEMENT_TYPES, MEMORIES)
STORAGES = st.builds(
    lambda number, shape, element, offset: StorageAttr(IntAttr(number), shape_attr(shape), element, shape_attr(offset)),
    INT64,
    SHAPES,
    ELEMENT_TYPES,
    st.lists(INT64, max_size=4),
)
STRINGS = TEXT.map(StringAttr)
INTEGERS = INT64.map(lambda number: IntegerAttr(number, i64))
NAMES = st.text(string.ascii_letters + "_", min_size=1, max_size=3)
DOTTED = st.builds("my.{}".format, NAMES)
"""Names of attributes of the user's own."""


def _typed_integers() -> st.SearchStrategy[Attribute]:
    def numbers(type: IntegerType) -> st.SearchStrategy[Attribute]:
        return st.integers(*integer_range(type)).map(lambda number: IntegerAttr(number, type))

    types = st.builds(IntegerType, st.sampled_from([1, 4, 8, 16, 32, 64]), st.sampled_from(Signedness))
    return types.flatmap(numbers) | INT64.map(lambda number: IntegerAttr(number, IndexType()))


def _scalars() -> st.SearchStrategy[Attribute]:
    values = (
        st.integers(-(2**63), 2**64).map(IntAttr)
        | st.floats(allow_nan=False, allow_infinity=False).map(FloatData)
        | st.just(NoneAttr())
    )
    return st.builds(ScalarAttr, ELEMENT_TYPES, values)


HASH_ORDERS = st.builds(HashOrderAttr, STRINGS, st.integers(1, LARGEST_I64).map(IntAttr))
LEAVES = st.one_of(
    INTEGERS,
    _typed_integers(),
    st.booleans().map(BoolAttr.from_bool),
    STRINGS,
    st.just(BytesAttr(b'\xff"')),
    st.floats(allow_nan=False).map(lambda number: FloatAttr(number, f64)),
    st.builds(FloatAttr, st.floats(width=16, allow_nan=False), st.sampled_from([f16, bf16, f32])),
    _scalars(),
    STORAGES,
    HASH_ORDERS,
    MEMORIES,
    TENSOR_TYPES,
    TEXT.filter(bool).map(SymbolRefAttr),
    st.lists(INT64, max_size=3).map(lambda numbers: DenseArrayBase.from_list(i64, numbers)),
    st.just(UnitAttr()),
)
VALUES: st.SearchStrategy[Attribute] = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3).map(ArrayAttr) | st.dictionaries(TEXT, inner, max_size=3).map(DictionaryAttr)
    ),
    max_leaves=4,
)
SYMBOLIC_LISTS = st.lists(INTEGERS | STRINGS, max_size=3).map(ArrayAttr)
TENSOR_PROPERTY_VALUES: dict[str, st.SearchStrategy[Attribute]] = {
    "tensor_magic": st.integers(0, LARGEST_I64).map(lambda number: IntegerAttr(number, i64)),
    "storage": STORAGES,
    "tobe": MEMORIES,
    "valid": SYMBOLIC_LISTS,
    "dyn_offset": SYMBOLIC_LISTS,
}


def _numbers(low: int, high: int) -> st.SearchStrategy[Attribute]:
    return st.integers(low, high).map(lambda number: IntegerAttr(number, i64))


OPERATION_PROPERTY_VALUES: dict[str, st.SearchStrategy[Attribute]] = {
    "subgraph": _numbers(0, LARGEST_SUBGRAPH),
    "cv_fuse_id": _numbers(0, LARGEST_SCOPE_ID),
    "is_cube": st.booleans().map(BoolAttr.from_bool),
    "semantic_label": STRINGS,
    "loc": STRINGS,
    "hashorder": st.dictionaries(st.sampled_from(HASH_ORDER_FAMILIES), HASH_ORDERS).map(DictionaryAttr),
    "attr": st.lists(VALUES, max_size=3).map(ArrayAttr),
    "params": st.dictionaries(TEXT, VALUES, max_size=3).map(DictionaryAttr),
}
PASS_OPTION_VALUES: dict[str, st.SearchStrategy[Attribute]] = {
    "pg_lower_bound": INTEGERS,
    "pg_partition_algorithm": STRINGS,
    "vec_nbuffer_setting": st.dictionaries(
        st.sampled_from(["DEFAULT", "func8_0", "-1", "标签"]), _numbers(1, 9), max_size=3
    ).map(DictionaryAttr),
}


@st.composite
def modules(draw: st.DrawFn) -> ModuleOp:
    """A module that verifies, of up to two functions."""
    names = draw(st.lists(TEXT.filter(bool), max_size=2, unique=True))
    return ModuleOp([draw(_functions(name)) for name in names], draw(st.dictionaries(DOTTED, VALUES, max_size=2)))


@st.composite
def _functions(draw: st.DrawFn, name: str) -> FuncOp:
    block = Block(arg_types=draw(st.lists(TENSOR_TYPES, min_size=1, max_size=4)))
    for argument in block.args:
        argument.name_hint = draw(st.none() | NAMES)
    readable: list[SSAValue] = [*block.args]
    writable = [readable.pop() for _ in range(draw(st.integers(0, len(readable))))]
    magics = draw(st.none() | st.lists(st.integers(0, LARGEST_I64), min_size=6, max_size=6, unique=True))
    for position in range(draw(st.integers(0, 6))):
        if draw(st.integers(0, 3)) == 0:
            buffer = BufferOp(
                draw(TENSOR_TYPES),
                draw(_some(TENSOR_PROPERTY_VALUES)),
                draw(st.dictionaries(DOTTED, VALUES, max_size=1)),
            )
            writable.append(buffer.tensor)
            block.add_op(buffer)
        op = draw(_operations(readable, writable))
        op.properties["magic"] = IntegerAttr(10000 + position if magics is None else magics[position], i64)
        block.add_op(op)
        for result in op.results:
            result.name_hint = draw(st.none() | NAMES)
        readable += op.results
        closed = draw(st.integers(0, len(writable)))
        readable += writable[:closed]
        del writable[:closed]
    return FuncOp(
        name,
        Region(block),
        draw(st.integers(0, len(block.args))),
        magic=draw(st.none() | st.integers(0, LARGEST_I64)),
        tensor_properties=[
            draw(_some(TENSOR_PROPERTY_VALUES)) | draw(st.dictionaries(DOTTED, VALUES, max_size=1)) for _ in block.args
        ],
        pass_options=draw(_some(PASS_OPTION_VALUES)),
        attributes=draw(st.dictionaries(DOTTED, VALUES, max_size=2)),
    )


@st.composite
def _operations(draw: st.DrawFn, readable: Sequence[SSAValue], writable: Sequence[SSAValue]) -> TileOperation:
    likely = [cls for cls in OPERATION_CLASSES if cls.opcode.is_windowed or cls.opcode.name in ("CONVERT", "ADD")]
    operation_class = draw(st.sampled_from(likely) | st.sampled_from(OPERATION_CLASSES))
    opcode = operation_class.opcode
    inputs = draw(st.lists(st.sampled_from(readable), max_size=3)) if readable else []
    destinations = draw(st.lists(st.sampled_from(writable), max_size=2)) if writable else []
    result_types = draw(st.lists(TENSOR_TYPES, max_size=3))
    properties: dict[str, Attribute] = draw(_some(OPERATION_PROPERTY_VALUES))
    properties["latency"] = draw(_numbers(-(2**31), 2**31 - 1))
    outputs: list[SSAValue | None] = [*destinations, *[None] * len(result_types)]
    if destinations:
        outputs = draw(st.permutations(outputs))
        properties[INTO] = DenseArrayBase.from_list(i1, [int(output is not None) for output in outputs])
        destinations = [output for output in outputs if output is not None]
    properties |= draw(_windows(opcode, inputs, outputs, result_types))
    if opcode.name == "CONVERT" and draw(st.booleans()):
        properties |= {"from": draw(MEMORIES), "to": draw(MEMORIES)}
    per_result = dict(TENSOR_PROPERTY_VALUES)
    if opcode.is_windowed:
        per_result["tensor_valid"] = per_result.pop("valid")
    if result_types:
        properties |= draw(_some({key: _per_result(value, len(result_types)) for key, value in per_result.items()}))
    if scope := draw(st.none() | st.integers(0, LARGEST_SCOPE_ID)):
        properties["scope_id"] = IntegerAttr(scope, i64)
        flags = draw(st.sets(st.sampled_from(["allow_parallel_merge", "allow_cross_scope_merge"])))
        properties |= {flag: UnitAttr() for flag in flags}
    return operation_class.create(
        operands=[*inputs, *destinations],
        result_types=result_types,
        properties=properties,
        attributes=draw(st.dictionaries(DOTTED, VALUES, max_size=1)),
    )


@st.composite
def _windows(
    draw: st.DrawFn,
    opcode: Opcode,
    inputs: Sequence[SSAValue],
    outputs: Sequence[SSAValue | None],
    result_types: Sequence[TensorType],
) -> dict[str, Attribute]:
    if not opcode.is_windowed or draw(st.booleans()):
        return {}
    properties: dict[str, Attribute] = draw(_some({"valid": SYMBOLIC_LISTS}))
    if opcode.is_view_like:
        type = inputs[0].type if inputs else None
    else:
        type = None if not outputs else result_types[0] if outputs[0] is None else outputs[0].type
    if isinstance(type, TensorType):
        offsets = [draw(INT64) for _ in range(type.rank)]
        properties["offsets"] = DenseArrayBase.from_list(i64, offsets)
        properties |= draw(_some({"dyn_offsets": SYMBOLIC_LISTS}))
    return properties


def _per_result(value: st.SearchStrategy[Attribute], count: int) -> st.SearchStrategy[Attribute]:
    if count == 1:
        return value
    return st.lists(value | st.just(UnitAttr()), min_size=count, max_size=count).map(ArrayAttr)


def _some(values: dict[str, st.SearchStrategy[Attribute]]) -> st.SearchStrategy[dict[str, Attribute]]:
    return st.fixed_dictionaries({}, optional=values)
