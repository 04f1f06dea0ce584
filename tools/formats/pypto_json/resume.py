"""What the reference's loader demands of a file that it resumes from (JSON format, section 11)."""

from __future__ import annotations

from msgspec import Struct, json

from tools.formats.pypto_json.json_edit import Container, container, edit_entries, edit_file, edit_object, encode
from tools.formats.pypto_json.reading import OLD_ELEMENT_NUMBERS
from tools.formats.pypto_json.schema import ALGORITHM_KEY, TILE_GRAPH, FunctionHeader

_NEW_FUNCTION_KEYS = {ALGORITHM_KEY: "Iso", "_auto_mix_partition": 0}
_NEW_SYNC_KEYS = {"set_aiv_core": -1, "wait_aiv_core": -1}


class _Headers(Struct, gc=False):
    functions: list[FunctionHeader]


def complete_for_resume(data: bytes) -> bytes:
    """The dump `data` as the current loader takes it.

    Added are `curr_funcmagic`, the magic of the last tile graph, if the file does not say it; and to functions of
    version 0.2.0 the keys that are new, with their defaults. The data types whose numbers that version has swapped get
    their current ones.
    """
    file = container(data.strip())
    values: dict[str, bytes | None] = {}
    functions = file.value_of("functions")
    if functions is not None:
        values["functions"] = edit_entries(container(functions), _complete_function)
    if "curr_funcmagic" not in file.positions:
        magics = [
            header.funcmagic
            for header in json.decode(data, type=_Headers).functions
            if header.graphtype == TILE_GRAPH and header.funcmagic is not None
        ]
        values["curr_funcmagic"] = encode(magics[-1]) if magics else None
    return edit_file(data, values)


def _complete_function(text: bytes) -> bytes:
    function = container(text)
    if ALGORITHM_KEY in function.positions:
        return text
    values: dict[str, bytes | None] = {
        key: encode(value) for key, value in _NEW_FUNCTION_KEYS.items() if key not in function.positions
    }
    for key, complete in (("operations", _complete_operation), ("rawtensors", _renumber_raw_tensor)):
        entries = function.value_of(key)
        if entries is not None and entries.startswith(b"["):
            values[key] = edit_entries(container(entries), complete)
    return edit_object(function, values)


def _complete_operation(text: bytes) -> bytes:
    operation = container(text)
    values: dict[str, bytes | None] = {}
    for key, complete in (("sync_queue", _complete_sync), ("op_attr", _renumber_scalars)):
        value = operation.value_of(key)
        if value is not None and value.startswith(b"{"):
            values[key] = complete(value)
    return edit_object(operation, values)


def _complete_sync(text: bytes) -> bytes:
    queue = container(text)
    return edit_object(
        queue, {key: encode(value) for key, value in _NEW_SYNC_KEYS.items() if key not in queue.positions}
    )


def _renumber_raw_tensor(text: bytes) -> bytes:
    return _renumber(container(text), "datatype")


def _renumber_scalars(text: bytes) -> bytes:
    """The text of an `op_attr` with the data types of its typed scalars renumbered."""
    attributes = container(text)
    values: dict[str, bytes | None] = {}
    for index, entry in enumerate(attributes.entries):
        value = attributes.value(index)
        if value.startswith(b"{") and set((scalar := container(value)).positions) == {"data_type", "value"}:
            values[entry.key] = _renumber(scalar, "data_type")
    return edit_object(attributes, values)


def _renumber(edited: Container, key: str) -> bytes:
    value = edited.value_of(key)
    number = None if value is None else json.decode(value)
    renumbered = OLD_ELEMENT_NUMBERS.get(number) if isinstance(number, int) else None
    return edited.text if renumbered is None else edit_object(edited, {key: encode(renumbered)})
