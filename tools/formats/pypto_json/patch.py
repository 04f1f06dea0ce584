"""A dump's text with what passes have changed since it was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import json
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

from dialect.operation import FIRST_MAGIC, TileOperation
from dialect.ops import FuncOp, functions_of
from dialect.suggestions import did_you_mean
from dialect.values import string_of
from tools.formats.pypto_json.errors import DumpError, shown
from tools.formats.pypto_json.json_edit import (
    Container,
    container,
    edit_file,
    edit_list,
    edit_object,
    encode,
)
from tools.formats.pypto_json.reading import ReadFunction, read_dump
from tools.formats.pypto_json.schema import Function
from tools.formats.pypto_json.written_facts import (
    WRITTEN_PROPERTIES,
    WrittenFacts,
    edit_operation,
    facts_of,
    tensor_magics,
)
from transforms.remarks import Remark, emit


def patch_dump(data: bytes, module: ModuleOp) -> bytes:
    """The dump `data`, which `module` was read from, with what has changed in the module.

    Written are the subgraph of every op and their number, `IS_CUBE`, scopes, the names that merges gave, operands, and
    which ops (and with them tensors) are gone. All else stays as it is, byte by byte as far as nothing beside it
    changes; a change of something else is a remark. Functions are known by name and magic, ops by magic; functions that
    the module does not have, because they are no tile graphs or were removed, stay.

    Raises:
        DumpError: the module has a function, an op or a tensor that the dump does not have.
    """
    sources = {read.function.symbol: read for read in read_dump(data).functions}
    edited: dict[int, FuncOp] = {}
    for function in functions_of(module):
        source = sources.get(function.symbol)
        if source is None:
            hint = did_you_mean(function.symbol, sources)
            raise DumpError(f"the dump has no function {shown(function.symbol)}{hint}; only its own can be written")
        if function.magic != source.function.magic:
            raise DumpError(
                f"function {shown(function.symbol)} has magic {_magic_text(function)}, in the dump "
                f"{_magic_text(source.function)}; expected the same"
            )
        if source.position in edited:
            raise DumpError(f"the module has the function {shown(function.symbol)} twice")
        edited[source.position] = function
    listed = _list_in(container(data.strip()), "functions")
    texts: dict[int, bytes | None] = {}
    for source in sources.values():
        if source.position in edited:
            text = listed.value(source.position)
            patched = _patch_function(text, source, edited[source.position])
            if patched != text:
                texts[source.position] = patched
    return edit_file(data, {"functions": edit_list(listed, texts)} if texts else {})


def _magic_text(function: FuncOp) -> str:
    return "none" if function.magic is None else str(function.magic.value.data)


def _patch_function(text: bytes, source: ReadFunction, function: FuncOp) -> bytes:
    listed = json.decode(text, type=Function)
    before, after = _facts_by_magic(source.function), _facts_by_magic(function)
    _check_known(source.function, function, listed, after)
    _report_unwritten(source.function, function)
    if before == after:
        return text
    edited = container(text)
    operations = _list_in(edited, "operations")
    changed: dict[int, bytes | None] = {}
    for index, operation in enumerate(listed.operations):
        facts = after.get(operation.opmagic)
        if facts is None:
            changed[index] = None
        elif facts != before[operation.opmagic]:
            changed[index] = edit_operation(operations.value(index), before[operation.opmagic], facts)
    values: dict[str, bytes | None] = {"operations": edit_list(operations, changed)}
    if _subgraphs(before) != _subgraphs(after):
        values["_total_subgraph_count"] = encode(1 + max(_subgraphs(after).values(), default=-1))
    values |= _without_unused_tensors(edited, listed, before, after)
    return edit_object(edited, values)


def _facts_by_magic(function: FuncOp) -> dict[int, WrittenFacts]:
    magics = tensor_magics(function)
    return {_magic(op, position): facts_of(op, magics) for position, op in enumerate(function.operations())}


def _magic(op: TileOperation, position: int) -> int:
    return FIRST_MAGIC + position if op.magic is None else op.magic


def _subgraphs(facts: Mapping[int, WrittenFacts]) -> dict[int, int]:
    return {magic: fact.subgraph for magic, fact in facts.items() if fact.subgraph is not None}


def _check_known(source: FuncOp, function: FuncOp, listed: Function, facts: Mapping[int, WrittenFacts]) -> None:
    """Every op and every tensor of `function` is one of the dump."""
    where = f"function {shown(function.symbol)}"
    opcodes = {_magic(op, position): op.opcode for position, op in enumerate(source.operations())}
    for position, op in enumerate(function.operations()):
        magic = _magic(op, position)
        if opcodes.get(magic) is not op.opcode:
            found = f"there it is {opcodes[magic].name}" if magic in opcodes else "it has no op of this magic"
            raise DumpError(
                f"{where}: the op {op.opcode.name} {magic} is not in the dump, {found}; only ops of the dump can be "
                "written"
            )
    tensors = {tensor.magic for tensor in listed.tensors}
    for magic, fact in facts.items():
        for tensor in (*fact.inputs, *fact.outputs):
            if tensor not in tensors:
                raise DumpError(
                    f"{where}: op {magic} has tensor {tensor}, which is not in the dump; only its own can be written"
                )


def _report_unwritten(source: FuncOp, function: FuncOp) -> None:
    """Emit a remark that names what else differs from the dump, and so is not written."""
    before = {op.magic: op.properties for op in source.operations()}
    names = {
        name
        for op in function.operations()
        for name in _differing(before.get(op.magic, op.properties), op.properties)
        if name not in WRITTEN_PROPERTIES
    }
    if source.pass_options != function.pass_options:
        names.add("pass_options")
    if names:
        emit(
            Remark(
                "pypto-json",
                "not-written",
                f"changes of {', '.join(sorted(names))} are not written: the dump keeps its own",
                function.symbol,
                {"properties": tuple(sorted(names))},
            )
        )


def _differing(before: Mapping[str, Attribute], after: Mapping[str, Attribute]) -> Sequence[str]:
    if before == after:
        return ()
    return [name for name in {*before, *after} if not _same(before.get(name), after.get(name))]


def _same(one: Attribute | None, other: Attribute | None) -> bool:
    return one == other or (string_of(one) is not None and string_of(one) == string_of(other))


def _without_unused_tensors(
    function: Container, listed: Function, before: Mapping[int, WrittenFacts], after: Mapping[int, WrittenFacts]
) -> dict[str, bytes | None]:
    """Edits that remove the tensors, and their storage, which only ops that are gone have used."""
    used = {magic for magic, _ in (*listed.incasts, *listed.outcasts)}.union(listed.global_tensors)
    for fact in after.values():
        used.update(fact.inputs, fact.outputs)
    unused = {tensor for fact in before.values() for tensor in (*fact.inputs, *fact.outputs)} - used
    if not unused:
        return {}
    kept_storage = {tensor.rawtensor for tensor in listed.tensors if tensor.magic not in unused}
    kept_storage |= {raw.actual_rawmagic for raw in listed.rawtensors if raw.actual_rawmagic != raw.rawmagic}
    unused_storage = {tensor.rawtensor for tensor in listed.tensors if tensor.magic in unused} - kept_storage
    return {
        "tensors": _without(function, "tensors", [tensor.magic in unused for tensor in listed.tensors]),
        "rawtensors": _without(function, "rawtensors", [raw.rawmagic in unused_storage for raw in listed.rawtensors]),
    }


def _without(function: Container, key: str, removed: Sequence[bool]) -> bytes:
    return edit_list(_list_in(function, key), {index: None for index, gone in enumerate(removed) if gone})


def _list_in(parent: Container, key: str) -> Container:
    """The list that `parent` has under `key`; as it has been read, it is there."""
    text = parent.value_of(key)
    assert text is not None, "it has been read"
    return container(text)
