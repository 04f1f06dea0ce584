"""Random dumps: small graphs with everything that the format can say."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from json_dumps import Json

from dialect.opcodes import OPCODES

INT64 = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 300)
MAGIC_GAPS = st.integers(1, 5) | st.integers(1, 2**58)
TEXT = st.text(st.characters(codec="utf-8"), max_size=12) | st.sampled_from(
    ['"', "\\", "a\nb", "标签", "%0", "@f", "a b", "\x00", "\u2028", "s0", "min", "x_1", "func8_0"]
)
EXTENTS = st.integers(-1, 3) | st.sampled_from([64, 2**31, 2**63 - 1])


def symbolic_values() -> st.SearchStrategy[list[int | str]]:
    """Flat prefix lists, mostly whole expressions."""
    immediate = st.tuples(st.just(0), st.integers(0, 2**64 - 1)).map(list)
    symbol = st.tuples(st.just(1), TEXT | st.sampled_from(["s0", "loop_idx_i"])).map(list)
    leaves = immediate | symbol

    def expressions(children: st.SearchStrategy[list[Any]]) -> st.SearchStrategy[list[Any]]:
        def flat(operator: int, operands: list[list[Any]], *, counted: bool = False) -> list[Any]:
            count = [len(operands)] if counted else []
            return [2, operator, *count, *(entry for operand in operands for entry in operand)]

        return st.one_of(
            st.builds(flat, st.sampled_from([0, 1, 2]), st.lists(children, min_size=1, max_size=1)),
            st.builds(flat, st.sampled_from([*range(3, 16), 19, 20]), st.lists(children, min_size=2, max_size=2)),
            st.builds(
                flat,
                st.sampled_from([16, 17, 18]),
                st.lists(children, min_size=1, max_size=3),
                counted=st.just(value=True),
            ),
        )

    malformed = st.lists(st.integers(0, 20) | TEXT, max_size=6)
    return st.recursive(leaves, expressions, max_leaves=5) | malformed


def json_values() -> st.SearchStrategy[Any]:
    """What `op_attr` may hold."""
    scalars = st.fixed_dictionaries(
        {
            "data_type": st.integers(0, 25),
            "value": st.none() | INT64 | st.floats(allow_nan=False, allow_infinity=False) | st.just(2**64 - 1),
        }
    )
    leaves = (
        INT64
        | st.integers(2**63, 2**64 - 1)
        | st.booleans()
        | st.none()
        | st.floats(allow_nan=False, allow_infinity=False)
        | TEXT
        | st.just("Unsupported type")
    )
    return st.recursive(
        leaves | scalars,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
        max_leaves=4,
    )


@st.composite
def dumps(draw: st.DrawFn, *, ordered: bool = False) -> Json:
    """A dump of one or two tile graphs, and perhaps other functions, with keys that nobody reads.

    Parameters:
        ordered: the ops of a function stand in an order in which writers come before readers.
    """
    names = draw(st.lists(TEXT.filter(bool), min_size=1, max_size=2, unique=True))
    functions = [draw(_functions(name, 3 * position, ordered)) for position, name in enumerate(names)]
    for position in draw(st.lists(st.integers(0, len(functions)), max_size=2)):
        functions.insert(position, {"kind": 3, "func_magicname": "root", "graphtype": 2, "operations": "any"})
    return {"version": "2.0", "functions": functions, "entryhash": str(draw(INT64)), "\u00e9": draw(json_values())}


@st.composite
def _functions(draw: st.DrawFn, name: str, magic: int, ordered: bool) -> Json:
    raw_tensors = draw(_raw_tensors())
    tensors = draw(_tensors(raw_tensors))
    by_magic = {tensor["magic"]: tensor for tensor in tensors}
    magics = list(by_magic)
    split = draw(st.integers(0, len(magics) // 2))
    readable, writable = magics[:split], magics[split:]
    operations: list[Json] = []
    opmagic = draw(st.integers(0, 10**5))
    for _ in range(draw(st.integers(0, 6))):
        inputs = (
            draw(st.lists(st.sampled_from(readable), min_size=draw(st.integers(0, 1)), max_size=3)) if readable else []
        )
        outputs = (
            draw(st.lists(st.sampled_from(writable), min_size=draw(st.integers(0, 1)), max_size=3)) if writable else []
        )
        operations.append(draw(_operations(opmagic, [by_magic[m] for m in inputs], [by_magic[m] for m in outputs])))
        opmagic += draw(MAGIC_GAPS)
        closed = draw(st.integers(0, min(2, len(writable))))
        readable, writable = [*readable, *writable[:closed]], writable[closed:]
    casts = st.lists(st.tuples(st.sampled_from(magics), st.lists(st.integers(0, 9), max_size=2)).map(list), max_size=3)
    function: Json = {
        "kind": 3,
        "func_magicname": name,
        "funcmagic": magic + draw(st.integers(0, 2)),
        "graphtype": 1,
        "incasts": draw(casts) if magics else [],
        "outcasts": draw(casts) if magics else [],
        "rawtensors": raw_tensors,
        "tensors": tensors,
        "operations": operations if ordered else draw(st.permutations(operations)),
        "_total_subgraph_count": draw(st.integers(0, 9)),
        "hash": str(draw(INT64)),
    }
    options = {
        "_sg_partition_algorithm": draw(TEXT),
        "_sg_pg_lowerbound": draw(INT64),
        "_sg_parallel_num": draw(INT64),
        "_sg_mg_copyin_upper_bound": draw(INT64),
        "_mg_vec_parallel_lb": draw(INT64),
        "_auto_mix_partition": draw(INT64),
    }
    return function | {key: value for key, value in options.items() if draw(st.booleans())}


@st.composite
def _raw_tensors(draw: st.DrawFn) -> list[Json]:
    magic = draw(st.integers(0, 9))
    raw_tensors: list[Json] = []
    for _ in range(draw(st.integers(0, 1) | st.integers(1, 3))):
        raw: Json = {
            "kind": 0,
            "rawmagic": magic,
            "datatype": draw(st.integers(0, 23)),
            "format": draw(st.integers(0, 5)),
            "rawshape": draw(st.lists(EXTENTS, max_size=3)),
        }
        if draw(st.booleans()):
            raw["symbol"] = draw(TEXT)
        raw_tensors.append(raw)
        magic += draw(MAGIC_GAPS)
    return raw_tensors


@st.composite
def _tensors(draw: st.DrawFn, raw_tensors: list[Json]) -> list[Json]:
    magic = draw(st.integers(0, 9))
    tensors: list[Json] = []
    for _ in range(draw(st.integers(2, 9)) if raw_tensors else 0):
        raw = draw(st.sampled_from(raw_tensors))
        shape = raw["rawshape"] if draw(st.booleans()) else draw(st.lists(EXTENTS, max_size=3))
        tensor: Json = {
            "kind": 1,
            "magic": magic,
            "rawtensor": raw["rawmagic"],
            "shape": shape,
            "offset": [0] * len(shape) if draw(st.booleans()) else [draw(INT64) for _ in shape],
            "life_range": [-1, -1],
        }
        memory = st.integers(0, 22)
        if draw(st.booleans()):
            tensor["mem_type"] = draw(st.fixed_dictionaries({}, optional={"asis": memory, "tobe": memory}))
        for key, constant in (("dynvalidshape", shape), ("dynoffset", tensor["offset"])):
            if draw(st.booleans()):
                same = [[0, extent % 2**64] for extent in constant]
                tensor[key] = draw(st.just(same) | st.lists(symbolic_values(), max_size=3))
        tensors.append(tensor)
        magic += draw(MAGIC_GAPS)
    return tensors


@st.composite
def _operations(draw: st.DrawFn, opmagic: int, inputs: list[Json], outputs: list[Json]) -> Json:
    name = draw(st.sampled_from(["VIEW", "ASSEMBLE", "CONVERT", "EXP", "ADD"]) | st.sampled_from(OPCODES).map(_name))
    operation: Json = {
        "kind": 2,
        "opmagic": opmagic,
        "opcode": name,
        "ioperands": [tensor["magic"] for tensor in inputs],
        "ooperands": [tensor["magic"] for tensor in outputs],
        "latency": draw(st.integers(-(2**31), 2**31 - 1) | st.integers(0, 100)),
        "subgraphid": draw(st.integers(-1, 3) | st.just(2**31 - 1)),
        "sync_queue": {"pipe_id": 0, "offset": []},
    }
    attr = draw(_attr(name, inputs, outputs))
    if attr is not None:
        operation["attr"] = attr
    optional = {
        "op_attr": draw(_op_attr()),
        "semantic_label": {"label": draw(TEXT), "filename": "kernel.py", "lineno": 3},
        "file": draw(TEXT),
        "line": draw(st.integers(-(2**70), 2**70)),
        "scope": draw(
            st.just([-1, False, False]) | st.tuples(st.integers(0, 2**31 - 1), st.booleans(), st.booleans()).map(list)
        ),
        "an unknown key": draw(json_values()),
    }
    return operation | {key: value for key, value in optional.items() if draw(st.booleans())}


def _name(opcode: Any) -> str:
    return opcode.name


@st.composite
def _attr(draw: st.DrawFn, name: str, inputs: list[Json], outputs: list[Json]) -> list[Any] | None:
    if draw(st.booleans()):
        return None
    if name == "CONVERT":
        return [draw(st.integers(0, 22)), draw(st.integers(0, 22))]
    if name not in ("VIEW", "SLICE", "ASSEMBLE", "CONTRACT"):
        return draw(st.lists(json_values(), max_size=3))
    whole, part = (inputs, outputs) if name in ("VIEW", "SLICE") else (outputs, inputs)
    if not whole:
        return None
    offsets = [draw(INT64) for _ in whole[0]["shape"]]
    shape = part[0]["shape"] if part else []
    dynamic = draw(st.just([[0, offset % 2**64] for offset in offsets]) | st.lists(symbolic_values(), max_size=3))
    valid = draw(st.just([[0, extent % 2**64] for extent in shape]) | st.lists(symbolic_values(), max_size=3))
    return [draw(st.integers(0, 22)), len(offsets), *offsets, len(dynamic), *dynamic, len(valid), *valid]


@st.composite
def _op_attr(draw: st.DrawFn) -> Json:
    named: Json = draw(st.dictionaries(TEXT, json_values(), max_size=3))
    if draw(st.booleans()):
        named["IS_CUBE"] = draw(st.booleans())
    for family in ("vec_merge", "l1_reuse", "cube_merge"):
        if draw(st.booleans()):
            named[f"{family}_hashOrder"] = draw(TEXT)
        if draw(st.booleans()):
            named[f"{family}_subgraphCount"] = draw(st.integers(-1, 2**63 - 1))
    return named
