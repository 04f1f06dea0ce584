"""Bytes that are no dump, and dumps that are wrong: one message with the place, what was found, what was expected."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_dumps import Json, dump, function, load_exp_store, operation, read, read_bytes, tensor
from xdsl.utils.exceptions import DiagnosticException

from tools.driver.errors import UserError
from tools.formats.pypto_json.errors import DumpError

GOOD = json.dumps(dump(load_exp_store())).encode()

EXP = 'functions[0].operations[1]{} (function "k", opcode "EXP", opmagic 10001): '
VIEW = 'functions[0].operations[0]{} (function "k", opcode "VIEW", opmagic 10000): '

DELETED = object()


def message_of(data: bytes) -> str:
    """The message of the error that reading `data` gives."""
    with pytest.raises(DumpError) as caught:
        read_bytes(data)
    assert isinstance(caught.value, DiagnosticException)
    return str(caught.value)


def message_after(path: Sequence[str | int], value: Any) -> str:
    """The message for a good function with the value at `path` replaced or deleted."""
    changed: Any = load_exp_store()
    place = changed
    for step in path[:-1]:
        place = place[step]
    if value is DELETED:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return message_of(json.dumps(dump(changed)).encode())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the input is empty; expected a JSON dump of PyPTO"),
        (b" \n\t", "the input is empty; expected a JSON dump of PyPTO"),
        (b"\xef\xbb\xbf{}", "the input begins with a byte order mark; expected JSON in UTF-8 without one"),
        ('{\n "é": "'.encode() + b"\xff", "line 2, column 8: byte 0xff is not UTF-8; expected JSON in UTF-8"),
        ("{}".encode("utf-16"), "line 1, column 1: byte 0xff is not UTF-8; expected JSON in UTF-8"),
        (b"builtin.module {}", "line 1, column 1: invalid JSON: invalid character"),
        (b'{"a": 1,\n "b": 01}', "line 2, column 8: invalid JSON: invalid number"),
        (b'{"functions": []}]', "line 1, column 19: invalid JSON: trailing characters"),
        (b'{"a": NaN}', "line 1, column 7: NaN is not JSON; expected a finite number"),
        (b'{"a": -Infinity}', "line 1, column 7: -Infinity is not JSON; expected a finite number"),
        (b'{"a": "\\ud800"', "line 1, column 15: the JSON ends too early; the file is truncated"),
        (GOOD[:200], "line 1, column 201: the JSON ends too early; the file is truncated"),
        (GOOD[:-1], f"line 1, column {len(GOOD)}: the JSON ends too early; the file is truncated"),
        (b'{"a": ' * 100_000, "the JSON is nested too deeply for a dump"),
        (b'{"functions": [' + b"[" * 100_000 + b"]" * 100_000 + b"]}", "the JSON is nested too deeply for a dump"),
    ],
)
def test_no_json(data: bytes, message: str) -> None:
    """What is wrong with bytes that are not JSON, and where."""
    assert message_of(data) == message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("[]", "the JSON is a list, not a dump of PyPTO: expected an object with the key 'functions'"),
        ("3", "the JSON is 3, not a dump of PyPTO: expected an object with the key 'functions'"),
        ("{}", "the JSON is an empty object, not a dump of PyPTO: expected the key 'functions'"),
        (
            '{"traceEvents": [], "x": 1}',
            'the JSON is an object with "traceEvents", "x", not a dump of PyPTO: expected the key \'functions\'',
        ),
        (
            '{"Functions": []}',
            "the JSON is an object with \"Functions\", not a dump of PyPTO: expected the key 'functions', "
            "did you mean 'Functions'?",
        ),
        ('{"functions": {}}', "functions: expected a list of functions, found an object"),
        ('{"functions": [3]}', "functions[0]: expected an object, found 3"),
    ],
)
def test_no_dump(data: str, message: str) -> None:
    """JSON that is something else is called what it is."""
    assert message_of(data.encode()) == message


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["func_magicname"], DELETED, "functions[0]: missing required key 'func_magicname'"),
        (["graphtype"], DELETED, "functions[0] (function \"k\"): missing required key 'graphtype'"),
        (["funcmagic"], DELETED, "functions[0] (function \"k\"): missing required key 'funcmagic'"),
        (["kind"], 2, 'functions[0].kind (function "k"): expected 3, found 2'),
        (
            ["funcmagic"],
            2**63,
            'functions[0].funcmagic (function "k"): expected an integer in 0..9223372036854775807, found '
            "9223372036854775808",
        ),
        (["operations"], None, 'functions[0].operations (function "k"): expected a list, found null'),
        (["incasts", 0], 5, 'functions[0].incasts[0] (function "k"): expected a list of 2 entries, found 5'),
        (
            ["incasts", 0, 0],
            77,
            'functions[0].incasts[0][0] (function "k"): there is no tensor 77; '
            "expected the magic of an entry of 'tensors'",
        ),
        (
            ["_sg_pg_lowerbound"],
            "512",
            'functions[0]._sg_pg_lowerbound (function "k"): expected an integer in '
            '-9223372036854775808..9223372036854775807, found "512"',
        ),
        (
            ["tensors", 1],
            {"magic": 2, "rawTensor": 2, "shape": [], "offset": []},
            "functions[0].tensors[1] (function \"k\", magic 2): missing required key 'rawtensor' "
            "(did you mean 'rawTensor'?)",
        ),
        (
            ["tensors", 1, "magic"],
            1,
            'functions[0].tensors[1] (function "k"): magic 1 is repeated; expected unique ones',
        ),
        (
            ["rawtensors", 1, "rawmagic"],
            1,
            'functions[0].rawtensors[1] (function "k"): rawmagic 1 is repeated; expected unique ones',
        ),
        (
            ["tensors", 1, "rawtensor"],
            55,
            'functions[0].tensors[1].rawtensor (function "k"): tensor 2 lives in raw tensor 55, which does not exist; '
            "expected the rawmagic of an entry of 'rawtensors'",
        ),
        (
            ["tensors", 1, "shape"],
            [64],
            'functions[0].tensors[1].offset (function "k"): expected as many entries as the shape of tensor 2 has, 1, '
            "found 2",
        ),
        (
            ["tensors", 1, "shape"],
            [64, -2],
            'functions[0].tensors[1].shape[1] (function "k", magic 2): expected an integer in '
            "-1..9223372036854775807, found -2",
        ),
        (
            ["tensors", 1, "shape"],
            [1] * 1_000_000,
            'functions[0].tensors[1].shape (function "k", magic 2): expected at most 64 entries, found 1000000',
        ),
        (
            ["tensors", 1, "mem_type"],
            {"asis": 24},
            'functions[0].tensors[1].mem_type.asis (function "k", magic 2): expected an integer in 0..23, found 24',
        ),
        (
            ["tensors", 1, "dynvalidshape"],
            [[0, 1.5]],
            'functions[0].tensors[1].dynvalidshape[0][1] (function "k", magic 2): expected an integer or a string, '
            "found 1.5",
        ),
        (
            ["rawtensors", 1, "datatype"],
            24,
            'functions[0].rawtensors[1].datatype (function "k", rawmagic 2): expected an integer in 0..23, found 24',
        ),
    ],
)
def test_wrong_function(path: Sequence[str | int], value: Any, message: str) -> None:
    """Functions and tensors: missing keys, wrong types, numbers out of range, what refers to nothing."""
    assert message_after(path, value) == message


@pytest.mark.parametrize(
    ("key", "value", "place", "message"),
    [
        ("ioperands", [99], ".ioperands[0]", "there is no tensor 99; expected the magic of an entry of 'tensors'"),
        ("ooperands", [3, 99], ".ooperands[1]", "there is no tensor 99; expected the magic of an entry of 'tensors'"),
        (
            "ioperands",
            ["x"],
            ".ioperands[0]",
            'expected an integer in 0..9223372036854775807, found "x"',
        ),
        (
            "ioperands",
            [2, {"kind": 1}],
            ".ioperands[1]",
            "expected an integer in 0..9223372036854775807, found an object; dumps with embedded tensor objects are "
            "not supported, only those that refer to tensors by magic",
        ),
        ("latency", DELETED, "", "missing required key 'latency'"),
        ("latency", 73.0, ".latency", "expected an integer in -2147483648..2147483647, found 73.0"),
        ("latency", 2**31, ".latency", "expected an integer in -2147483648..2147483647, found 2147483648"),
        ("latency", True, ".latency", "expected an integer in -2147483648..2147483647, found true"),
        ("subgraphid", -2, ".subgraphid", "expected an integer in -1..2147483647, found -2"),
        ("subgraphid", 2**31, ".subgraphid", "expected an integer in -1..2147483647, found 2147483648"),
        ("scope", [1, 2], ".scope", "expected a list of 3 entries, found 2"),
        ("scope", [1, 1, 0], ".scope[1]", "expected true or false, found 1"),
        (
            "scope",
            [-1, True, False],
            ".scope",
            "flags need a scope; expected an id from 0 or no flags, found scope -1 with flags",
        ),
        ("semantic_label", {"labl": ""}, ".semantic_label", "missing required key 'label' (did you mean 'labl'?)"),
        ("file", 3, ".file", "expected a string, found 3"),
        ("op_attr", [], ".op_attr", "expected an object, found a list"),
        ("op_attr", {"IS_CUBE": 1}, ".op_attr.IS_CUBE", "expected true or false, found 1"),
        ("op_attr", {"a: b": 2**64}, ".op_attr.a: b", "expected an integer of 64 bits, found 18446744073709551616"),
        (
            "op_attr",
            {"S": {"data_type": 7, "value": -(2**63) - 1}},
            ".op_attr.S.value",
            "expected an integer of 64 bits, found -9223372036854775809",
        ),
        ("attr", {"a": 1}, ".attr", "expected a list, found an object"),
        ("attr", [[2**70]], ".attr[0][0]", "expected an integer of 64 bits, found 1180591620717411303424"),
    ],
)
def test_wrong_op(key: str, value: Any, place: str, message: str) -> None:
    """Ops: unknown opcodes, dangling magics, wrong attributes; the op is named."""
    assert message_after(["operations", 1, key], value) == EXP.format(place) + message


FORM = "[memory, n, n offsets, k, k dynamic offsets, m, m dynamic valid shapes]"


@pytest.mark.parametrize(
    ("attr", "place", "message"),
    [
        ([], "", f"expected {FORM}, found no memory"),
        ([0], "", f"expected {FORM}, found no number of offsets"),
        ([0, 2, 0], "", f"expected {FORM}, found no number of dynamic offsets"),
        ([0, 2, 0, 0, 0], "", f"expected {FORM}, found no number of dynamic valid shapes"),
        ([0, 2, 0, 0, 0, 0, 7], "[6]", f"expected the end of {FORM}, found 7"),
        ([0, 3, 0, 0, 0, 0, 0], "[1]", "expected 2 offsets, one for each dimension of the input, found 3"),
        ([0, 10**9, 0], "[1]", "expected the number of offsets, 0 to 64, found 1000000000"),
        ([0, 2, 0, 2**63, 0, 0], "[3]", "expected an offset of 64 bits, found 9223372036854775808"),
        ([0, 2, 0, [0], 0, 0], "[3]", "expected an offset of 64 bits, found a list"),
        (
            [0, 2, 0, 0, 1, [[1]], 0],
            "",
            f"expected {FORM}, integers and flat lists of integers and strings",
        ),
    ],
)
def test_wrong_window(attr: list[Any], place: str, message: str) -> None:
    """The offsets of a view."""
    assert message_after(["operations", 0, "attr"], attr) == VIEW.format(f".attr{place}") + message


def test_window_of_nothing() -> None:
    """Offsets without the tensor that they are in."""
    assert message_after(["operations", 0, "ioperands"], []) == (
        VIEW.format(".attr") + "offsets need an input tensor that they are in, found none"
    )


@pytest.mark.parametrize(
    ("attr", "message"),
    [
        ([0], ".attr{}: expected [from memory, to memory], found 1 entries"),
        ([0, 24], ".attr[1]{}: expected a memory, 0 to 23, found 24"),
    ],
)
def test_wrong_conversion(attr: list[int], message: str) -> None:
    """The memories of a CONVERT."""
    value = load_exp_store()
    value["operations"][1] |= {"opcode": "CONVERT", "attr": attr}
    assert message_of(json.dumps(dump(value)).encode()) == "functions[0].operations[1]" + message.format(
        ' (function "k", opcode "CONVERT", opmagic 10001)'
    )


def test_unknown_opcode() -> None:
    """The nearest opcodes are named; a wrong case is near."""
    place = 'functions[0].operations[1].opcode (function "k", opcode "{0}", opmagic 10001): unknown opcode \'{0}\', '
    for name, near in (("EXPP", "'EXP', 'EXP2', 'EXPM1'"), ("LRELU", "'LReLU', 'RELU', 'PRELU'")):
        assert message_after(["operations", 1, "opcode"], name) == place.format(name) + f"did you mean {near}?"


def test_all_missing_keys_are_named() -> None:
    """Each missing key, with the nearest key that is there."""
    assert message_after(["operations", 1], {"opcode": "EXP", "opMagic": 4}) == (
        'functions[0].operations[1] (function "k", opcode "EXP"): missing required keys \'opmagic\' (did you mean '
        "'opMagic'?), 'ioperands', 'ooperands', 'latency', 'subgraphid'"
    )


def test_repeated_op() -> None:
    """Two ops with one magic."""
    assert message_after(["operations", 1, "opmagic"], 10000) == (
        'functions[0].operations[1].opmagic (function "k", opcode "EXP", opmagic 10000): operations[0] has this magic '
        "too; expected unique magics"
    )


def test_repeated_functions() -> None:
    """Two tile graphs with one name, or one magic."""
    same_name = dump(load_exp_store(), load_exp_store() | {"funcmagic": 7})
    assert message_of(json.dumps(same_name).encode()) == (
        'functions[1].func_magicname (function "k"): functions[0] has "k" too; expected unique ones'
    )
    same_magic = dump(load_exp_store(), load_exp_store() | {"func_magicname": "l"})
    assert message_of(json.dumps(same_magic).encode()) == (
        'functions[1].funcmagic (function "l"): functions[0] has 6 too; expected unique ones'
    )


def test_number_of_any_length() -> None:
    """A number with more digits than Python converts is out of range like any other."""
    message = message_of(GOOD.replace(b": 73", b": " + b"9" * 6000, 1))
    assert message.startswith(VIEW.format(".latency") + "expected an integer in -2147483648..2147483647, found 999")
    assert len(message) < 300


def test_float_beyond_64_bits() -> None:
    """A float that does not fit is no infinity."""
    data = GOOD.replace(b'"ioperands": [2]', b'"op_attr": {"P": 1e999}, "ioperands": [2]')
    assert message_of(data) == EXP.format(".op_attr") + (
        "expected finite numbers and integers of 64 bits, found a number out of range"
    )


def test_deep_attribute() -> None:
    """An attribute may nest 32 deep."""
    nested: Any = 1
    for _ in range(32):
        nested = [nested]
    value = load_exp_store()
    value["operations"][1]["op_attr"] = {"P": nested}
    read(dump(value))
    message = message_after(["operations", 1, "op_attr"], {"P": [nested]})
    assert message.endswith(
        ' (function "k", opcode "EXP", opmagic 10001): lists and objects are nested more than 32 deep'
    )


def test_cycle() -> None:
    """Ops that depend on one another: the message names those of one cycle, in order."""
    assert message_after(["operations", 0, "ioperands"], [1, 3]) == (
        'functions[0].operations (function "k"): the ops form a cycle, each writes what the next reads: '
        "EXP 10001 -> VIEW 10000 -> EXP 10001"
    )
    assert message_after(["operations", 1, "ioperands"], [2, 3]).endswith(": EXP 10001 -> EXP 10001")


def test_long_cycle() -> None:
    """A cycle of many ops is cut."""
    count = 100
    ops = [operation(index, "EXP", [(index - 1) % count], [index]) for index in range(count)]
    message = message_of(json.dumps(dump(function(ops, [tensor(index) for index in range(count)]))).encode())
    assert " -> … 84 more -> EXP " in message
    assert message.count("EXP") == 17


def test_damaged_gzip() -> None:
    """Compressed dumps are read, truncated ones refused."""
    compressed = gzip.compress(GOOD)
    read_bytes(compressed)
    with pytest.raises(UserError, match=r"'<stdin>': the gzip data is truncated"):
        read_bytes(compressed[:-20])


@given(st.data())
def test_any_prefix_is_refused(data: st.DataObject) -> None:
    """Wherever a dump is cut, there is one message, and it says that the file is truncated."""
    length = data.draw(st.integers(1, len(GOOD) - 1))
    assert "truncated" in message_of(GOOD[:length])


@given(st.integers(0, len(GOOD) - 1), st.binary(min_size=1, max_size=2))
def test_damaged_bytes(position: int, rubbish: bytes) -> None:
    """A dump with damaged bytes is read, or refused with a message; nothing else happens."""
    try:
        read_bytes(GOOD[:position] + rubbish + GOOD[position + len(rubbish) :])
    except DumpError as error:
        assert str(error)


@pytest.mark.parametrize("shape", ["chain", "star", "shared"])
def test_linear(shape: str) -> None:
    """Four times the ops take about four times the calls, also where the order must be found and in wide graphs."""

    def calls(count: int) -> int:
        data = json.dumps(dump(large(shape, count))).encode()
        counted = 0

        def count_call(*_: object) -> None:
            nonlocal counted
            counted += 1

        sys.setprofile(count_call)
        try:
            read_bytes(data)
        finally:
            sys.setprofile(None)
        return counted

    calls(10)
    assert calls(400) < 4.5 * calls(100)


def large(shape: str, count: int) -> Json:
    """A function of `count` ops in reverse order: one after the other, all reading one tensor, or all writing one."""
    tensors = [tensor(index) for index in range(count + 1)]
    match shape:
        case "chain":
            ops = [operation(index, "EXP", [index], [index + 1]) for index in range(count)]
        case "star":
            ops = [operation(index, "EXP", [index and 1], [index + 1]) for index in range(count)]
        case _:
            ops = [operation(index, "EXP", [0], [1]) for index in range(count)] + [
                operation(count + index, "EXP", [1], [index + 2]) for index in range(count - 1)
            ]
    return function(ops[::-1], tensors)
