"""What passes change, written into the dump that a module came from."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from json_dumps import (
    L1,
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
    tensor,
    write,
)
from tile_modules import parse_text, text_of
from xdsl.dialects.builtin import (
    BytesAttr,
    DictionaryAttr,
    IntAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
    i1,
    i64,
)

from dialect.attributes import HashOrderAttr
from dialect.operation import TileOperation
from dialect.ops import OPERATION_BY_MNEMONIC, functions_of
from tools.formats.pypto_json.errors import DumpError
from transforms.remarks import collect_remarks


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "k.json"


def exp_store_dump(**keys: Any) -> Json:
    """A dump of one function; `keys` are those of its EXP."""
    value = load_exp_store() | {"_total_subgraph_count": 0}
    value["operations"][1] |= keys
    return dump(value)


def set_subgraph(op: TileOperation, number: int) -> None:
    op.properties["subgraph"] = IntegerAttr(number, i64)


def erase(op: TileOperation) -> None:
    op.detach()
    op.erase()


def after(path: Path, value: Json, change: Callable[[TileOperation], object]) -> Json:
    """The EXP of the dump `value` after `change`, with everything else of the dump checked to be the same."""
    module = read_file(path, value)
    change(op_of(module, 10001))
    written = write(module)
    assert written == as_reference_text(json.loads(written))
    result = json.loads(written)
    exp = result["functions"][0]["operations"][1]
    expected = copy.deepcopy(value)
    expected["functions"][0]["operations"][1] = exp
    expected["functions"][0]["_total_subgraph_count"] = result["functions"][0]["_total_subgraph_count"]
    assert result == expected
    return exp


def test_unchanged(path: Path) -> None:
    """A module that has not changed gives the bytes that it was read from, whatever their form."""
    texts = [
        as_reference_text(exp_store_dump()),
        json.dumps(exp_store_dump(), indent="\t"),
        ' {"functions":[],\r\n"x" : 1.50e+3, "y": 123456789012345678901234567890, "\\u00e9": "\\u00e9"}\n\n',
        json.dumps({"functions": [{"func_magicname": "root", "graphtype": 2}]}),
    ]
    for text in texts:
        module = read_file(path, text)
        assert write(module) == text
        assert write(parse_text(text_of(module))) == text


def test_compressed_source(path: Path) -> None:
    """A compressed dump is written as plain text."""
    text = as_reference_text(exp_store_dump())
    path.write_bytes(gzip.compress(text.encode()))
    assert write(read_bytes(path.read_bytes(), str(path))) == text


def test_subgraph(path: Path) -> None:
    """An id, and its removal; the count is one more than the highest id."""
    value = exp_store_dump()
    module = read_file(path, value)
    for op, number in zip(next(functions_of(module)).operations(), (0, 1, 1), strict=True):
        set_subgraph(op, number)
    partitioned = json.loads(write(module))
    assert [op["subgraphid"] for op in partitioned["functions"][0]["operations"]] == [0, 1, 1]
    assert partitioned["functions"][0]["_total_subgraph_count"] == 2
    assert after(path, partitioned, lambda op: op.properties.pop("subgraph"))["subgraphid"] == -1


def test_count_is_added(path: Path) -> None:
    """A function without the count gets one, where byte order puts it."""
    value = dump(load_exp_store())
    module = read_file(path, value)
    set_subgraph(op_of(module, 10001), 4)
    value["functions"][0]["operations"][1]["subgraphid"] = 4
    value["functions"][0]["_total_subgraph_count"] = 5
    assert write(module) == as_reference_text(value)


def test_is_cube(path: Path) -> None:
    """The mark is added to attributes, makes them, changes, and leaves without a trace."""

    def mark(value: bool) -> Callable[[TileOperation], object]:
        return lambda op: op.properties.update(is_cube=IntegerAttr(int(value), i1))

    def unmark(op: TileOperation) -> object:
        return op.properties.pop("is_cube")

    assert after(path, exp_store_dump(), mark(True))["op_attr"] == {"IS_CUBE": True}
    assert after(path, exp_store_dump(op_attr={}), mark(False))["op_attr"] == {"IS_CUBE": False}
    assert after(path, exp_store_dump(op_attr={"A": 1, "Z": 1e-06}), mark(True))["op_attr"] == {
        "A": 1,
        "IS_CUBE": True,
        "Z": 1e-06,
    }
    assert after(path, exp_store_dump(op_attr={"IS_CUBE": True}), mark(False))["op_attr"] == {"IS_CUBE": False}
    assert after(path, exp_store_dump(op_attr={"IS_CUBE": True, "A": 1}), unmark)["op_attr"] == {"A": 1}
    assert "op_attr" not in after(path, exp_store_dump(op_attr={"IS_CUBE": True}), unmark)


def test_hash_orders(path: Path) -> None:
    """The name and the count of a class; names of other merges stay."""
    order = DictionaryAttr({"vec_merge": HashOrderAttr(StringAttr("func6_\u00e9"), IntAttr(48))})
    other = {"l1_reuse_hashOrder": "func6_0", "l1_reuse_subgraphCount": 2}
    named = {"vec_merge_hashOrder": "func6_\u00e9", "vec_merge_subgraphCount": 48}
    exp = after(path, exp_store_dump(), lambda op: op.properties.update(hashorder=order))
    assert exp["op_attr"] == named
    exp = after(path, exp_store_dump(op_attr=other), lambda op: op.properties.update(hashorder=order))
    assert exp["op_attr"] == named
    both = DictionaryAttr({**order.data, "l1_reuse": HashOrderAttr(StringAttr("func6_0"), IntAttr(2))})
    exp = after(path, exp_store_dump(op_attr=other), lambda op: op.properties.update(hashorder=both))
    assert exp["op_attr"] == named | other


def test_scope(path: Path) -> None:
    """A scope is written where one was read or is set, never else."""

    def set_scope(op: TileOperation) -> object:
        return op.properties.update(scope_id=IntegerAttr(3, i64), allow_parallel_merge=UnitAttr())

    def remove(op: TileOperation) -> object:
        return op.properties.pop("scope_id")

    assert after(path, exp_store_dump(), set_scope)["scope"] == [3, True, False]
    assert after(path, exp_store_dump(scope=[1, False, False]), set_scope)["scope"] == [3, True, False]
    assert after(path, exp_store_dump(scope=[1, False, False]), remove)["scope"] == [-1, False, False]
    assert "scope" not in after(path, exp_store_dump(), lambda op: set_subgraph(op, 0))


@pytest.mark.parametrize("indent", [None, 2, "\t"])
def test_layout_of_what_is_added(path: Path, indent: int | str | None) -> None:
    """What is added is set like its surroundings."""
    value = exp_store_dump()
    module = read_file(path, json.dumps(value, indent=indent))
    op_of(module, 10001).properties |= {"scope_id": IntegerAttr(3, i64), "is_cube": IntegerAttr(1, i1)}
    written = json.loads(write(module))
    assert written["functions"][0]["operations"][1] == value["functions"][0]["operations"][1] | {
        "op_attr": {"IS_CUBE": True},
        "scope": [3, False, False],
    }
    assert write(module) == json.dumps(written, indent=indent)


def test_rewired_and_deleted(path: Path) -> None:
    """Operands follow the module; ops that are gone are left out, with the tensors that only they used."""
    value = function(
        [
            operation(1, "EXP", [1], [2]),
            operation(2, "EXP", [1], [3]),
            operation(3, "ADD", [2, 3], [4]),
            operation(4, "EXP", [4], [5]),
        ],
        [tensor(magic) for magic in (1, 2, 3, 4, 5)],
    )
    value["tensors"][3]["rawtensor"] = 2
    value["rawtensors"] += [raw_tensor(98), raw_tensor(99, actual_rawmagic=98)]
    value["tensors"].insert(2, tensor(77) | {"rawtensor": 99})
    module = read_file(path, dump(value))
    op_of(module, 2).results[0].replace_all_uses_with(op_of(module, 1).results[0])
    erase(op_of(module, 2))
    module.verify()
    expected = copy.deepcopy(value)
    del expected["operations"][1]
    expected["operations"][1]["ioperands"] = [2, 2]
    expected["tensors"] = [entry for entry in expected["tensors"] if entry["magic"] != 3]
    expected["rawtensors"] = [entry for entry in expected["rawtensors"] if entry["rawmagic"] != 3]
    assert write(module) == write(parse_text(text_of(module))) == as_reference_text(dump(expected))


def test_shared_storage_stays(path: Path) -> None:
    """The storage of a tensor that goes stays if another tensor lives in it; global tensors stay."""
    value = load_exp_store()
    value["tensors"][1]["rawtensor"] = 4
    value["global_tensors"] = [3]
    module = read_file(path, dump(value))
    for op in reversed(list(next(functions_of(module)).operations())):
        erase(op)
    expected = copy.deepcopy(value) | {"operations": []}
    del expected["tensors"][1]
    assert write(module) == as_reference_text(dump(expected))


def test_destinations(path: Path) -> None:
    """Outputs are written in order, be they results or destinations."""
    value = function(
        [operation(1, "EXP", [1], [2, 4, 3]), operation(2, "EXP", [1], [4])],
        [tensor(magic) for magic in (1, 2, 3, 4)],
    )
    module = read_file(path, dump(value))
    assert write(module) == as_reference_text(dump(value))
    set_subgraph(op_of(module, 1), 0)
    assert json.loads(write(module))["functions"][0]["operations"][0]["ooperands"] == [2, 4, 3]


def test_order_of_ops_is_kept(path: Path) -> None:
    """The file keeps its order of ops even where text needs another one."""
    value = load_exp_store()
    value["operations"].reverse()
    module = read_file(path, dump(value))
    for number, op in enumerate(next(functions_of(module)).operations()):
        set_subgraph(op, number)
    written = json.loads(write(module))["functions"][0]["operations"]
    assert [(op["opmagic"], op["subgraphid"]) for op in written] == [(10002, 2), (10001, 1), (10000, 0)]


def test_several_functions(path: Path) -> None:
    """Only functions that changed are touched; removed and skipped ones stay."""
    root = {"func_magicname": "root", "graphtype": 2, "operations": "any"}
    second = load_exp_store() | {"func_magicname": "l", "funcmagic": 7}
    value = dump(load_exp_store(), root, second)
    module = read_file(path, value)
    first, last = functions_of(module)
    first.detach()
    set_subgraph(next(last.operations()), 0)
    value["functions"][2]["operations"][0]["subgraphid"] = 0
    value["functions"][2]["_total_subgraph_count"] = 1
    assert write(module) == as_reference_text(value)


def test_unwritten_changes_are_remarks(path: Path) -> None:
    """What the dump keeps of its own is named."""
    module = read_file(path, exp_store_dump(op_attr={"P": "\u00e9"}, semantic_label={"label": "\u00e9"}))
    with collect_remarks() as remarks:
        write(module)
    assert not remarks
    properties = op_of(module, 10001).properties
    properties["semantic_label"] = BytesAttr("\u00e9".encode())
    with collect_remarks() as remarks:
        write(module)
    assert not remarks
    properties |= {"latency": IntegerAttr(5, i64), "params": DictionaryAttr({})}
    next(functions_of(module)).properties.pop("pass_options")
    with collect_remarks() as remarks:
        assert write(module) == path.read_text()
    (remark,) = remarks
    assert (remark.source, remark.kind, remark.function) == ("pypto-json", "not-written", "k")
    assert remark.message == "changes of latency, params, pass_options are not written: the dump keeps its own"


def message_of(module: ModuleOp) -> str:
    with pytest.raises(DumpError) as caught:
        write(module)
    return str(caught.value)


def test_module_without_source() -> None:
    """Only what was read from a JSON file can be written."""
    expected = "the module does not say which dump it comes from: expected the attribute tile.source with 'path'"
    assert message_of(read(exp_store_dump())).startswith(expected)
    assert message_of(ModuleOp([])).startswith(expected)


def test_source_that_is_gone(path: Path) -> None:
    """A dump that is not there any more, or is another one now, or is damaged."""
    module = read_file(path, exp_store_dump())
    path.rename(path.with_name("kk.json"))
    assert message_of(module) == (
        f"cannot read the dump that the module comes from (tile.source): '{path}': no such file, "
        "did you mean 'kk.json'?"
    )
    path.write_text("{}")
    assert message_of(module).startswith(
        f"the dump '{path}' has changed since the module was read from it: expected SHA"
    )
    path.write_bytes(b"\x1f\x8b")
    assert "the gzip data is truncated" in message_of(module)


def test_unknown_function(path: Path) -> None:
    """A function that the dump never had."""
    module = read_file(path, exp_store_dump())
    found = next(functions_of(module))
    found.properties["sym_name"] = StringAttr("kernel")
    assert message_of(module) == 'the dump has no function "kernel"; only its own can be written'
    found.properties["sym_name"] = StringAttr("K")
    assert message_of(module) == "the dump has no function \"K\", did you mean 'k'?; only its own can be written"
    found.properties["sym_name"] = StringAttr("k")
    found.properties["magic"] = IntegerAttr(9, i64)
    assert message_of(module) == 'function "k" has magic 9, in the dump 6; expected the same'


def test_function_twice(path: Path) -> None:
    """Two functions of one name, in different scopes say, cannot both be the one of the dump."""
    module = read_file(path, exp_store_dump())
    module.body.block.add_op(next(functions_of(module)).clone())
    assert message_of(module) == 'the module has the function "k" twice'


def test_unknown_op(path: Path) -> None:
    """An op that the dump never had."""
    module = read_file(path, exp_store_dump())
    block = next(functions_of(module)).body.block
    block.add_op(OPERATION_BY_MNEMONIC["nop"].create(properties={"magic": IntegerAttr(5, i64)}))
    assert message_of(module) == (
        'function "k": the op NOP 5 is not in the dump, it has no op of this magic; only ops of the dump can be written'
    )
    assert block.last_op
    block.last_op.properties["magic"] = IntegerAttr(10001, i64)
    assert "the op NOP 10001 is not in the dump, there it is EXP; only" in message_of(module)


def test_unknown_tensor(path: Path) -> None:
    """A tensor that the dump never had."""
    module = read_file(path, exp_store_dump())
    properties = op_of(module, 10001).properties
    properties["tensor_magic"] = IntegerAttr(77, i64)
    assert message_of(module) == (
        'function "k": op 10001 has tensor 77, which is not in the dump; only its own can be written'
    )
    del properties["tensor_magic"]
    assert message_of(module) == (
        "EXP 10001 has an operand or result without tensor_magic; only tensors of the dump can be written"
    )


def test_repeated_key(path: Path) -> None:
    """An object with a key twice is read as the last one says; it cannot be changed without a loss."""
    text = json.dumps(exp_store_dump()).replace('"opcode": "EXP"', '"opcode": "LN", "x": 1, "opcode": "EXP"')
    module = read_file(path, text)
    assert write(module) == text
    set_subgraph(op_of(module, 10001), 0)
    assert message_of(module).startswith("a key stands twice in an object of the dump; expected each once: {")


def test_resume_adds_the_current_function(path: Path) -> None:
    """`curr_funcmagic` is the magic of the last tile graph; a file that has it keeps it."""
    root = {"func_magicname": "root", "funcmagic": 9, "graphtype": 2}
    value = dump(load_exp_store(), load_exp_store() | {"func_magicname": "l", "funcmagic": 7})
    value["functions"].append(root | {"_sg_partition_algorithm": "Iso"})
    assert write(read_file(path, value), resume=True) == as_reference_text(value | {"curr_funcmagic": 7})
    value["curr_funcmagic"] = 6
    assert write(read_file(path, value), resume=True) == as_reference_text(value)


def test_resume_leaves_other_functions_whole(path: Path) -> None:
    """Functions that are no tile graphs may hold anything; a file without tile graphs has no current function."""
    root = {"func_magicname": "root", "graphtype": 2, "operations": "any", "rawtensors": [3, []]}
    new = {"_sg_partition_algorithm": "Iso", "_auto_mix_partition": 0}
    assert write(read_file(path, dump(root)), resume=True) == as_reference_text(dump(root | new))


def test_resume_completes_old_dumps(path: Path) -> None:
    """Functions of version 0.2.0 get the keys that are new, and the numbers of today."""
    value = exp_store_dump(
        sync_queue={"pipe_id": 0}, op_attr={"S": {"data_type": 17, "value": 1}, "T": {"data_type": 7, "value": 1}}
    )
    (only,) = value["functions"]
    del only["_sg_partition_algorithm"]
    only["rawtensors"][1]["datatype"] = 18
    only["rawtensors"][2]["datatype"] = 19
    root = {"func_magicname": "root", "funcmagic": 3, "graphtype": 2}
    value["functions"].insert(0, root)
    module = read_file(path, value)
    assert write(module) == as_reference_text(value)
    new = {"_sg_partition_algorithm": "Iso", "_auto_mix_partition": 0}
    expected = copy.deepcopy(value) | {"curr_funcmagic": 6}
    expected["functions"] = [root | new, expected["functions"][1] | new]
    changed = expected["functions"][1]
    changed["rawtensors"][1]["datatype"] = 17
    changed["operations"][1]["op_attr"]["S"]["data_type"] = 18
    changed["operations"][1]["sync_queue"] |= {"set_aiv_core": -1, "wait_aiv_core": -1}
    written = write(module, resume=True)
    assert written == as_reference_text(expected)
    (current,) = functions_of(read(json.loads(written)))
    (old,) = functions_of(module)
    assert text_of(current).splitlines()[1:] == text_of(old).splitlines()[1:]
    assert "fp8e4m3" in text_of(old) and "fp8e5m2" in text_of(old)


def test_rewired_to_another_memory(path: Path) -> None:
    """Only magics are written of operands; a tensor keeps what the dump says of it."""
    value = load_exp_store()
    value["tensors"].append(tensor(9, L1))
    value["rawtensors"].append(raw_tensor(9))
    value["operations"].append(operation(10003, "EXP", [9], []))
    module = read_file(path, dump(value))
    op_of(module, 10003).operands[0] = op_of(module, 10001).results[0]
    value["operations"][3]["ioperands"] = [3]
    value["tensors"].pop()
    value["rawtensors"].pop()
    assert write(module) == as_reference_text(dump(value))
