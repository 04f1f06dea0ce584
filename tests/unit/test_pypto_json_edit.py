"""Edits of JSON text."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tools.formats.pypto_json.json_edit import container, edit_file, edit_list, edit_object, encode

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.text(max_size=3), VALUES, max_size=4)
LAYOUTS = st.sampled_from([{}, {"indent": 0}, {"indent": 2}, {"indent": "\t"}, {"separators": (",", ":")}])


def written(value: Any, layout: dict[str, Any], *, ascii_only: bool) -> bytes:
    return json.dumps(value, ensure_ascii=ascii_only, **layout).encode()


@given(OBJECTS, LAYOUTS, st.booleans())
def test_container(value: dict[str, Any], layout: dict[str, Any], ascii_only: bool) -> None:
    """Every entry is found under its key, with exactly the text of its value."""
    text = written(value, layout, ascii_only=ascii_only)
    found = container(text)
    assert [entry.key for entry in found.entries] == list(value)
    assert [json.loads(found.value(index)) for index in range(len(value))] == list(value.values())
    assert all(found.value_of(key) == found.value(index) for index, key in enumerate(value))
    assert found.value_of("no such key") is None


@given(OBJECTS, st.dictionaries(st.text(max_size=3), VALUES, max_size=3), st.data(), LAYOUTS)
def test_edit_object(value: dict[str, Any], added: dict[str, Any], data: st.DataObject, layout: dict[str, Any]) -> None:
    """Values are replaced in place, added in byte order where the others are, and removed; the layout stays."""
    value = dict(sorted(value.items(), key=lambda entry: entry[0].encode()))
    removed = data.draw(st.sets(st.sampled_from(sorted(value)))) - set(added) if value else set[str]()
    edits: dict[str, bytes | None] = {key: written(entry, layout, ascii_only=False) for key, entry in added.items()}
    edits |= dict.fromkeys(removed)
    edited = edit_object(container(written(value, layout, ascii_only=False)), edits)
    expected = {key: entry for key, entry in {**value, **added}.items() if key not in removed}
    assert json.loads(edited) == expected
    assert list(json.loads(edited)) == sorted(expected, key=str.encode)


@given(st.lists(VALUES, max_size=4), st.data(), LAYOUTS)
def test_edit_list(value: list[Any], data: st.DataObject, layout: dict[str, Any]) -> None:
    """Entries are replaced and removed."""
    expected = list(value)
    edits: dict[int, bytes | None] = {}
    for index in reversed(range(len(value))):
        match data.draw(st.sampled_from(["keep", "replace", "remove"])):
            case "replace":
                edits[index], expected[index] = encode("x"), "x"
            case "remove":
                edits[index] = None
                del expected[index]
            case _:
                pass
    assert json.loads(edit_list(container(written(value, layout, ascii_only=False)), edits)) == expected


def test_layout_is_taken_from_the_text() -> None:
    """The text around what changes is that of its neighbours; a single entry shows enough."""
    text = b'{\n   "a" : 1.50,\n   "c" : {}\n}'
    assert edit_object(container(text), {"b": b"2"}) == b'{\n   "a" : 1.50,\n   "b" : 2,\n   "c" : {}\n}'
    assert edit_object(container(b'{ "a": 1 }'), {"b": b"2"}) == b'{ "a": 1, "b":2 }'.replace(b'"b":', b'"b": ')
    assert edit_object(container(b"{  }"), {"b": b"2"}) == b'{"b":2}'
    assert edit_object(container(text), {"a": None, "c": None}) == b"{}"
    assert edit_list(container(b"[ 1 , 2 , 3 ]"), {1: None}) == b"[ 1 , 3 ]"
    assert edit_list(container(b"[1]"), {0: None}) == b"[]"


def test_space_around_a_file_is_kept() -> None:
    """A final newline stays."""
    assert edit_file(b' {"a": 1}\r\n', {"a": b"2"}) == b' {"a": 2}\r\n'
