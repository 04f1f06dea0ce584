"""Edits of JSON text that leave everything else as it is: order, number formats, escapes, indentation.

A value is changed by giving the text of the one that takes its place. All functions take valid JSON in UTF-8, and are
linear in its size; nothing recurses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from msgspec import Raw, json

from tools.formats.pypto_json.errors import DumpError

_KEY = re.compile(rb'("[^"\\]*(?:\\.[^"\\]*)*")([ \t\r\n]*:[ \t\r\n]*)', re.DOTALL)
_BLANK = re.compile(rb"[ \t\r\n]*")
_COMMA = re.compile(rb"[ \t\r\n]*,[ \t\r\n]*")

_SHOWN_BYTES = 200

_OBJECT_DECODER = json.Decoder(dict[str, Raw])
_LIST_DECODER = json.Decoder(list[Raw])


class Layout(NamedTuple):
    """The white space in an object or list: before its first entry, between entries, behind a key, before its end."""

    before_first: bytes
    separator: bytes
    colon: bytes
    before_end: bytes

    def inner(self) -> Layout:
        """The layout of an object or list within, indented by one step more."""
        if b"\n" not in self.before_first:
            return self
        step = self.before_first[len(self.before_end) :]
        before_first = self.before_first + step
        return Layout(before_first, b"," + before_first, self.colon, self.before_first)


COMPACT = Layout(b"", b",", b":", b"")


class Entry(NamedTuple):
    """An entry of an object or list: its key (empty in a list), and where its value stands."""

    key: str
    start: int
    end: int


@dataclass(frozen=True)
class Container:
    """The text of an object or list, and its entries."""

    text: bytes
    entries: Sequence[Entry]
    layout: Layout

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """By key, the index of its entry."""
        return {entry.key: index for index, entry in enumerate(self.entries)}

    def value(self, index: int) -> bytes:
        """The text of the value at an index."""
        entry = self.entries[index]
        return self.text[entry.start : entry.end]

    def value_of(self, key: str) -> bytes | None:
        """The text of the value of a key, if there is one."""
        index = self.positions.get(key)
        return None if index is None else self.value(index)


def container(text: bytes) -> Container:
    """Find the entries of an object or list.

    Raises:
        DumpError: a key is repeated.
    """
    return _object(text) if text.startswith(b"{") else _list(text)


def edit_file(data: bytes, values: Mapping[str, bytes | None]) -> bytes:
    """As `edit_object`, for an object with white space around it, which is kept."""
    body = data.strip()
    return data.replace(body, edit_object(container(body), values), 1) if values else data


def edit_object(edited: Container, values: Mapping[str, bytes | None]) -> bytes:
    """The text of an object with values replaced, added (where byte order puts their keys) or, for None, removed."""
    if not values:
        return edited.text
    entries = [
        (entry.key, value)
        for entry in edited.entries
        if (value := values[entry.key] if entry.key in values else edited.text[entry.start : entry.end]) is not None
    ]
    for key in sorted(values):
        value = values[key]
        if value is not None and key not in edited.positions:
            entries.insert(_place_of(key, entries), (key, value))
    return _object_text(entries, edited.layout)


def edit_list(edited: Container, values: Mapping[int, bytes | None]) -> bytes:
    """The text of a list with the entries at some indices replaced or, for None, removed."""
    if not values:
        return edited.text
    kept = [
        value
        for index, entry in enumerate(edited.entries)
        if (value := values[index] if index in values else edited.text[entry.start : entry.end]) is not None
    ]
    return _join(b"[]", kept, edited.layout)


def edit_entries(edited: Container, edit: Callable[[bytes], bytes]) -> bytes:
    """The text of a list with `edit` applied to the text of each object in it."""
    values: dict[int, bytes | None] = {}
    for index in range(len(edited.entries)):
        before = edited.value(index)
        after = edit(before) if before.startswith(b"{") else before
        if after != before:
            values[index] = after
    return edit_list(edited, values)


def list_text(items: Sequence[object], layout: Layout) -> bytes:
    """The text of a list of plain values."""
    return _join(b"[]", [encode(item) for item in items], layout)


def object_text(values: Mapping[str, bytes | None], layout: Layout) -> bytes | None:
    """The text of an object with the values that are not None, in byte order; None if there are none."""
    entries = [(key, value) for key, value in sorted(values.items()) if value is not None]
    return _object_text(entries, layout) if entries else None


def encode(value: object) -> bytes:
    """The JSON text of a plain value."""
    return json.encode(value)


def _object(text: bytes) -> Container:
    starts: list[int] = []
    entries: list[Entry] = []
    colon = b":"
    position = _skip(_BLANK, text, 1)
    for key, raw in _OBJECT_DECODER.decode(text).items():
        match = _KEY.match(text, position)
        if match is None or (match[1] != b'"%b"' % key.encode() and json.decode(match[1]) != key):
            raise _repeated_key(text)
        colon = match[2]
        starts.append(position)
        entries.append(Entry(key, match.end(), match.end() + len(memoryview(raw))))
        position = _skip(_COMMA, text, entries[-1].end)
    if _skip(_BLANK, text, position) != len(text) - 1:
        raise _repeated_key(text)
    return Container(text, entries, _layout(text, starts, entries, colon))


def _list(text: bytes) -> Container:
    entries: list[Entry] = []
    position = _skip(_BLANK, text, 1)
    for raw in _LIST_DECODER.decode(text):
        entries.append(Entry("", position, position + len(memoryview(raw))))
        position = _skip(_COMMA, text, entries[-1].end)
    return Container(text, entries, _layout(text, [entry.start for entry in entries], entries, b":"))


def _layout(text: bytes, starts: Sequence[int], entries: Sequence[Entry], colon: bytes) -> Layout:
    if not entries:
        return COMPACT
    before_first = text[1 : starts[0]]
    separator = text[entries[0].end : starts[1]] if len(entries) > 1 else b"," + before_first
    return Layout(before_first, separator, colon, text[entries[-1].end : -1])


def _skip(pattern: re.Pattern[bytes], text: bytes, position: int) -> int:
    match = pattern.match(text, position)
    return position if match is None else match.end()


def _repeated_key(text: bytes) -> DumpError:
    """The error for an object that readers take and that an edit would leave ambiguous."""
    beginning = " ".join(text[:_SHOWN_BYTES].decode("utf-8", "replace").split())
    return DumpError(f"a key stands twice in an object of the dump; expected each once: {beginning} …")


def _object_text(entries: Sequence[tuple[str, bytes]], layout: Layout) -> bytes:
    return _join(b"{}", [encode(key) + layout.colon + value for key, value in entries], layout)


def _join(brackets: bytes, items: Sequence[bytes], layout: Layout) -> bytes:
    if not items:
        return brackets
    return brackets[:1] + layout.before_first + layout.separator.join(items) + layout.before_end + brackets[1:]


def _place_of(key: str, entries: Sequence[tuple[str, bytes]]) -> int:
    """Before the first key that is greater in byte order."""
    wanted = key.encode()
    return next((index for index, (other, _) in enumerate(entries) if other.encode() > wanted), len(entries))
