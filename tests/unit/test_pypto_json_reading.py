"""What a dump says, as the dialect has it."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path
from typing import Any

import pytest
from json_dumps import (
    DDR,
    L1,
    UB,
    UNKNOWN,
    Json,
    as_reference_text,
    dump,
    function,
    load_exp_store,
    op_of,
    operation,
    raw_tensor,
    read,
    read_bytes,
    read_file,
    read_function,
    tensor,
)
from tile_modules import parse_text, text_of

from dialect.ops import functions_of
from transforms.remarks import collect_remarks


def lines_of(value: Json) -> list[str]:
    """The lines of the text of a function, without its first and last."""
    return [line.strip() for line in text_of(read_function(value)).splitlines()[1:-1]]


def exp_line(keys: Json, opcode: str = "EXP", tensor_keys: Json | None = None) -> str:
    """The line of an op with one input and one result in UB, tensors 1 and 2, which has the given JSON keys."""
    tensors = [tensor(1), tensor(2, **(tensor_keys or {})), tensor(3, DDR)]
    return lines_of(function([operation(10000, opcode, [1], [2], **keys)], tensors))[0]


def test_function() -> None:
    """Names, magics, arguments in order, options, ops: a small dump as text."""
    value = load_exp_store() | {
        "_sg_pg_lowerbound": 512,
        "_sg_parallel_num": 20,
        "_sg_mg_copyin_upper_bound": 104857600,
        "_mg_vec_parallel_lb": 48,
        "_auto_mix_partition": 0,
    }
    value["rawtensors"][0]["symbol"] = "x"
    value["rawtensors"][3]["symbol"] = "not a name"
    assert text_of(read_function(value)) == (
        "tile.func @k magic(6) ins(%x: !tile.tensor<64x64xf32, ddr> {tensor_magic = 1}) "
        "outs(%0: !tile.tensor<64x64xf32, ddr> {tensor_magic = 4}) attributes {pass_options = {pg_lower_bound = 512, "
        'pg_parallel_lower_bound = 20, pg_partition_algorithm = "Iso", mg_copyin_upper_bound = 104857600, '
        "mg_vec_parallel_lb = 48, auto_mix_partition = 0}} {\n"
        "  %1 = tile.view %x[0, 0] {tensor_magic = 2} : !tile.tensor<64x64xf32, ub>\n"
        "  %2 = tile.exp %1 {tensor_magic = 3} : !tile.tensor<64x64xf32, ub>\n"
        "  tile.assemble %2 into %0[0, 0]\n"
        "}\n"
    )


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({}, ""),
        ({"latency": 74}, "latency = 74, "),
        ({"latency": -1}, "latency = -1, "),
        ({"subgraphid": 0}, "subgraph = 0, "),
        ({"subgraphid": 2**31 - 1}, "subgraph = 2147483647, "),
        ({"opmagic": 7}, "magic = 7, "),
        ({"scope": [-1, False, False]}, ""),
        ({"scope": [0, False, False]}, "scope_id = 0, "),
        ({"scope": [3, True, False]}, "scope_id = 3, allow_parallel_merge, "),
        ({"scope": [3, False, True]}, "scope_id = 3, allow_cross_scope_merge, "),
        (
            {"semantic_label": {"label": 'V1 "标签"\n', "filename": "k.py", "lineno": 3}},
            'semantic_label = "V1 \\22标签\\22\\0A", ',
        ),
        ({"file": "k.py", "line": 12}, 'loc = "k.py:12", '),
        ({"file": "k.py"}, 'loc = "k.py", '),
        ({"op_attr": {"IS_CUBE": True}}, "is_cube = true, "),
        ({"op_attr": {"IS_CUBE": False}}, "is_cube = false, "),
        ({"op_attr": {}}, ""),
        (
            {"op_attr": {"vec_merge_hashOrder": "func8_2", "vec_merge_subgraphCount": 48}},
            'hashorder = {vec_merge = #tile.hashorder<"func8_2", 48>}, ',
        ),
        (
            {"op_attr": {"l1_reuse_hashOrder": "func8_2"}},
            'params = {l1_reuse_hashOrder = "func8_2"}, ',
        ),
        (
            {"op_attr": {"l1_reuse_hashOrder": "func8_2", "l1_reuse_subgraphCount": 0}},
            'params = {l1_reuse_hashOrder = "func8_2", l1_reuse_subgraphCount = 0}, ',
        ),
        ({"attr": [1, "x", [2.0, [True]], None]}, 'attr = [1, "x", [2.0, [true]], unit], '),
        ({"attr": [2**64 - 1]}, "attr = [18446744073709551615 : ui64], "),
        ({"attr": []}, "attr = [], "),
    ],
)
def test_op(keys: Json, text: str) -> None:
    """What an op carries besides its opcode and operands."""
    assert exp_line(keys) == f"%2 = tile.exp %0 {{{text}tensor_magic = 2}} : !tile.tensor<64x64xf32, ub>"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5, "5"),
        (-(2**63), "-9223372036854775808"),
        (2**63, "9223372036854775808 : ui64"),
        (True, "true"),
        ("Unsupported type", '"Unsupported type"'),
        (0.1, "0.1"),
        (1e-06, "1.0e-06"),
        (-0.0, "-0.0"),
        ([0, 2], "[0, 2]"),
        ({"data_type": 7, "value": 0.125}, "#tile.scalar<f32, 0.125>"),
        ({"data_type": 14, "value": 2**63}, "#tile.scalar<ui64, 9223372036854775808>"),
        ({"data_type": 17, "value": 1}, "#tile.scalar<!tile.float<fp8e4m3>, 1>"),
        ({"data_type": 7, "value": None}, "#tile.scalar<f32, undefined>"),
        ({"data_type": 99, "value": 1}, "{data_type = 99, value = 1}"),
        ({"0": 1, "2": 0}, '{"0" = 1, "2" = 0}'),
        ({}, "{}"),
        (None, None),
    ],
)
def test_named_attribute(value: object, text: str | None) -> None:
    """Each kind of named attribute value, as `params` shows it; null is a unit attribute."""
    shown = "params = {P}, " if text is None else f"params = {{P = {text}}}, "
    assert exp_line({"op_attr": {"P": value}}).split("{", 1)[1].startswith(shown)


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({"mem_type": {"asis": UB, "tobe": L1}}, "tobe = #tile<memory l1>"),
        ({"mem_type": {"asis": UB}}, "tobe = #tile<memory unknown>"),
        ({"dynvalidshape": [[0, 64], [0, 64]]}, ""),
        ({"dynvalidshape": [[0, 64], [1, "s0"]]}, 'valid = [64, "s0"]'),
        ({"dynoffset": [[0, 0], [0, 0]]}, ""),
        ({"dynoffset": [[0, 0], [2, 5, 1, "s0", 0, 64]]}, 'dyn_offset = [0, "s0 * 64"]'),
        ({"dynoffset": [[0, 0]]}, "dyn_offset = [0]"),
        ({"offset": [0, 64]}, "storage = #tile.storage<2, 64x64xf32, [0, 64]>"),
    ],
)
def test_tensor(keys: Json, text: str) -> None:
    """What a tensor carries besides its type, only where it says something of its own."""
    properties = f"{{tensor_magic = 2{', ' if text else ''}{text}}}"
    assert exp_line({}, tensor_keys=keys) == f"%2 = tile.exp %0 {properties} : !tile.tensor<64x64xf32, ub>"


def test_storage() -> None:
    """A raw tensor that two tensors share, or of another shape, is stated; one's own is not."""
    value = load_exp_store()
    value["tensors"][2]["rawtensor"] = 2
    assert [line.count("storage = #tile.storage<2, 64x64xf32, [0, 0]>") for line in lines_of(value)] == [1, 1, 0]
    value = load_exp_store()
    value["rawtensors"][1]["rawshape"] = [-1, 128]
    assert "storage = #tile.storage<2, ?x128xf32, [0, 0]>" in lines_of(value)[0]


def test_types() -> None:
    """Dynamic extents, scalars, absent memories, every element type."""
    value = load_exp_store()
    value["tensors"][1] |= {"shape": [-1, 2**63 - 1]}
    value["tensors"][2] |= {"shape": [], "offset": []}
    del value["tensors"][2]["mem_type"]
    lines = lines_of(value)
    assert lines[0].endswith(": !tile.tensor<?x9223372036854775807xf32, ub>")
    assert lines[1].endswith(": !tile.tensor<f32, unknown>")
    for number, name in {0: "i4", 8: "bf16", 15: "i1", 17: "!tile.float<fp8e4m3>", 23: "!tile.float<fp4_e1m2>"}.items():
        value["rawtensors"][1]["datatype"] = number
        assert f"x{name}, ub>" in lines_of(value)[0]


@pytest.mark.parametrize(
    ("attr", "text"),
    [
        ([UB, 2, 0, 64, 0, 0], "%0[0, 64] {tensor_magic"),
        ([L1, 2, 0, 64, 2, [0, 0], [0, 64], 2, [0, 64], [0, 64]], "%0[0, 64] {tensor_magic"),
        ([UB, 2, 0, 64, 2, [0, 0], [1, "s0"], 0], '%0[0, 64] dyn [0, "s0"] {tensor_magic'),
        ([UB, 2, 0, 64, 1, [0, 0], 0], "%0[0, 64] dyn [0] {tensor_magic"),
        ([UB, 2, 0, -1, 2, [0, 0], [0, 2**64 - 1], 0], "%0[0, -1] {tensor_magic"),
        ([UB, 2, 0, 64, 2, [1, "s0"], 0], '%0[0, 64] dyn ["s0"] {tensor_magic'),
        ([UB, 2, 0, 0, 0, 2, [0, 64], [1, "s0"]], "%0[0, 0] {tensor_valid = [64, 64], tensor_magic"),
    ],
)
def test_view(attr: list[Any], text: str) -> None:
    """Offsets, dynamic ones where they say something else (also skipped ones), valid shapes that are not the shape."""
    assert f"tile.view {text}" in exp_line({"attr": attr}, "VIEW")


def test_view_without_attribute() -> None:
    """A view without `attr` has no offsets."""
    assert exp_line({}, "VIEW").startswith("%2 = tile.view %0 {tensor_magic")


def test_valid_shape_of_a_view_result() -> None:
    """The result's valid shape is stated where it is not that of the op."""
    attr = [UB, 2, 0, 0, 0, 2, [0, 64], [1, "s0"]]
    same = {"dynvalidshape": [[0, 64], [1, "s0"]]}
    other = {"dynvalidshape": [[0, 64], [1, "s1"]]}
    assert "tensor_valid" not in exp_line({"attr": attr}, "VIEW", same)
    assert 'tensor_valid = [64, "s1"]' in exp_line({"attr": attr}, "VIEW", other)


def test_assemble() -> None:
    """The window of an assemble is its input in its output."""
    value = load_exp_store()
    value["operations"][2]["attr"] = [UB, 2, 0, 64, 2, [0, 0], [1, "s0"], 2, [0, 64], [0, 64]]
    assert 'into %1[0, 64] dyn [0, "s0"]' in lines_of(value)[2]
    assert "valid" not in lines_of(value)[2]
    value["operations"][2]["attr"][-1] = [0, 32]
    assert "valid = [64, 32]" in lines_of(value)[2]


@pytest.mark.parametrize(
    ("attr", "text"),
    [
        ({"attr": [UB, UB]}, "tile.convert %0 {"),
        ({"attr": [UB, L1]}, "tile.convert %0 from ub to l1 {"),
        ({"attr": [UNKNOWN, UB]}, "tile.convert %0 from unknown to ub {"),
        ({}, "tile.convert %0 from unknown to unknown {"),
    ],
)
def test_convert(attr: Json, text: str) -> None:
    """The memories of a conversion are stated where they are not those of its operands; none are unknown ones."""
    assert text in exp_line(attr, "CONVERT")


def test_results_and_destinations() -> None:
    """A tensor that one op writes is its result; outcasts and tensors with more or no writers are destinations."""
    value = function(
        [
            operation(10000, "EXP", [1], [2, 5, 3]),
            operation(10001, "EXP", [6], [2]),
            operation(10002, "EXP", [2, 3], [4, 4]),
            operation(10003, "ADD", [5], [9]),
        ],
        [tensor(magic) for magic in (1, 2, 3, 4, 5, 6, 7, 9)],
    )
    lines = [line.split(" {")[0] for line in lines_of(value)]
    assert lines == [
        "%2 = tile.buffer",
        "%3 = tile.buffer",
        "%4 = tile.buffer",
        "%5, %6 = tile.exp %0 into %2, _, _",
        "tile.exp %3 into %2",
        "tile.exp %2, %6 into %4, %4",
        "tile.add %5 into %1",
    ]
    text = text_of(read_function(value))
    assert "{tensor_magic = 2}" in text and "tensor_magic = [5, 3]" in text and "tensor_magic = 7" not in text


def test_incast_wins() -> None:
    """A tensor that is incast and outcast is an input that may be written; one that stands twice is one argument."""
    value = load_exp_store()
    value["incasts"] = [[4, []], [1, []], [1, []]]
    header = text_of(read_function(value)).splitlines()[0]
    assert "ins(%0: !tile.tensor<64x64xf32, ddr> {tensor_magic = 4}, %1: " in header
    assert "outs" not in header


def test_order_is_kept_or_nearest() -> None:
    """Ops keep the file's order as far as writers must stand before readers."""
    value = load_exp_store()
    value["operations"] = [value["operations"][index] for index in (2, 1, 0)] + [operation(9, "NOP", [], [])]
    magics = [op.magic for op in read_function(value).operations()]
    assert magics == [10000, 10001, 10002, 9]
    value["operations"].insert(0, value["operations"].pop())
    assert [op.magic for op in read_function(value).operations()] == [9, 10000, 10001, 10002]


def test_all_writers_come_first() -> None:
    """A reader is moved behind the last writer of its tensor."""
    value = function(
        [
            operation(1, "EXP", [1], [2]),
            operation(2, "EXP", [2], [3]),
            operation(3, "EXP", [1], [2]),
        ],
        [tensor(1), tensor(2), tensor(3)],
    )
    assert [op.magic for op in read_function(value).operations()] == [1, 3, 2]


def test_opcode_names() -> None:
    """A `TILE_` prefix is dropped, names that begin with CALL are CALL, case matters."""
    assert " = tile.exp " in exp_line({}, "TILE_EXP")
    assert " = tile.call " in exp_line({}, "CALL_SOMETHING")
    assert " = tile.lrelu " in exp_line({}, "LReLU")


def test_old_version() -> None:
    """A function without the partition algorithm is of version 0.2.0, which numbers two element types otherwise."""
    value = load_exp_store()
    value["rawtensors"][1]["datatype"] = 17
    value["operations"][1]["op_attr"] = {"S": {"data_type": 18, "value": 1}}
    assert "x!tile.float<fp8e4m3>, ub>" in lines_of(value)[0]
    assert "#tile.scalar<!tile.float<fp8e5m2>, 1>" in lines_of(value)[1]
    del value["_sg_partition_algorithm"]
    value |= {"_sg_pg_upperbound": 1, "_pg_skip_partition": False}
    assert "x!tile.float<fp8e5m2>, ub>" in lines_of(value)[0]
    assert "#tile.scalar<!tile.float<fp8e4m3>, 1>" in lines_of(value)[1]
    assert "pass_options" not in text_of(read_function(value))


def test_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module says which file it is from, by a path from the working directory, and of which version."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "k.json.gz"
    data = as_reference_text(dump(load_exp_store())).encode()
    path.write_bytes(gzip.compress(data))
    text = text_of(read_bytes(path.read_bytes(), str(path)))
    digest = hashlib.sha256(data).hexdigest()
    assert text.startswith(
        'builtin.module attributes {tile.compat = "pypto", tile.source = '
        f'{{path = "k.json.gz", sha256 = "{digest}", version = "current"}}}} {{\n'
    )
    monkeypatch.chdir(Path(__file__).parent)
    assert f'path = "{path}"' in text_of(read_bytes(data, str(path)))


def test_source_of_old_version(tmp_path: Path) -> None:
    """The version of the file is stated."""
    value = load_exp_store()
    del value["_sg_partition_algorithm"]
    assert 'version = "0.2.0"' in text_of(read_file(tmp_path / "k.json", dump(value)))


def test_stdin_has_no_source() -> None:
    """What was not read from a file does not say where it comes from."""
    assert text_of(read(dump())) == 'builtin.module attributes {tile.compat = "pypto"} {\n}\n'


def test_other_functions_are_left_out() -> None:
    """Functions that are no tile graphs are skipped with a remark, whatever is in them."""
    root = {"func_magicname": "root", "funcmagic": 3, "graphtype": 2, "operations": "any"}
    with collect_remarks() as remarks:
        module = read(dump(root, load_exp_store()))
    assert [found.symbol for found in functions_of(module)] == ["k"]
    (remark,) = remarks
    assert (remark.source, remark.kind) == ("pypto-json", "function-skipped")
    assert remark.message == 'functions[0] "root" is left out: it is an execute graph, not a tile graph'


def test_no_tile_graph() -> None:
    """A dump without tile graphs is an empty module, and a remark says so."""
    with collect_remarks() as remarks:
        module = read(dump())
    assert not list(functions_of(module))
    assert [remark.kind for remark in remarks] == ["no-tile-graph"]


def test_unknown_keys_are_ignored() -> None:
    """Keys that nobody reads may hold anything."""
    value = load_exp_store()
    value["operations"][1] |= {"unknown": [1.5, {"x": None}], "latencies": "x"}
    value["unknown"] = 10**30
    assert text_of(read_function(value)) == text_of(read_function(load_exp_store()))


def test_several_functions() -> None:
    """All tile graphs of a program are read, in the order of the file."""
    second = load_exp_store() | {"func_magicname": "odd \u00e9 name", "funcmagic": 7}
    module = read(dump(load_exp_store(), second))
    assert [(found.symbol, found.magic and found.magic.value.data) for found in functions_of(module)] == [
        ("k", 6),
        ("odd \u00e9 name", 7),
    ]
    assert text_of(parse_text(text_of(module))) == text_of(module)


def test_equal_attributes_are_shared() -> None:
    """Types and attributes that ops have in common are made once."""
    value = load_exp_store()
    value["operations"][1]["op_attr"] = value["operations"][2]["op_attr"] = {"P": [1, 2]}
    module = read(dump(value))
    assert op_of(module, 10001).properties["params"] is op_of(module, 10002).properties["params"]
    assert op_of(module, 10000).results[0].type is op_of(module, 10001).results[0].type


def test_raw_tensor_without_tensor_is_ignored() -> None:
    """A raw tensor that no tensor lives in, and a tensor that nobody uses, change nothing."""
    value = load_exp_store()
    value["rawtensors"].append(raw_tensor(99))
    value["tensors"].append(tensor(99))
    assert text_of(read_function(value)) == text_of(read_function(load_exp_store()))
