"""The `attr` of view-like and assemble-like ops (JSON format, section 7.3)."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import msgspec

from tools.formats.pypto_json.errors import FormError, shown
from tools.formats.pypto_json.interned import Interned
from tools.formats.pypto_json.schema import LARGEST_RANK, SymbolicValue

_Entries: TypeAlias = list[int | SymbolicValue]

_FORM = "[memory, n, n offsets, k, k dynamic offsets, m, m dynamic valid shapes]"


class Window(NamedTuple):
    """Where an op reads or writes, as the dump says it; a dynamic list that is absent is empty.

    The memory that stands first in `attr` is not kept: it repeats the memory of the tensor's type, nothing reads it
    here, and it stays as it is when the dump is written.
    """

    offsets: tuple[int, ...]
    dynamic_offsets: tuple[int | str, ...]
    valid: tuple[int | str, ...]


class WindowDecoder:
    """Decodes the attributes of the ops of one dump; equal ones once."""

    def __init__(self, interned: Interned):
        self._interned = interned
        self._decoder = msgspec.json.Decoder(_Entries)
        self._windows: dict[bytes, Window] = {}

    def decode(self, text: bytes) -> Window:
        """The window that the JSON text of an `attr` describes.

        Raises:
            FormError: it has another form.
        """
        window = self._windows.get(text)
        if window is None:
            window = self._windows[text] = self._decode_new(text)
        return window

    def _decode_new(self, text: bytes) -> Window:
        try:
            entries = self._decoder.decode(text)
        except msgspec.DecodeError:
            raise FormError(".attr", f"expected {_FORM}, integers and flat lists of integers and strings") from None
        if not entries or not isinstance(entries[0], int):
            raise FormError(".attr", f"expected {_FORM}, found no memory")
        count = _count(entries, 1, "offsets")
        offsets = entries[2 : 2 + count]
        for index, offset in enumerate(offsets):
            if not isinstance(offset, int) or not -(2**63) <= offset < 2**63:
                raise FormError(f".attr[{2 + index}]", f"expected an offset of 64 bits, found {shown(offset)}")
        dynamic_offsets, behind = self._values(entries, 2 + count, "dynamic offsets")
        valid, behind = self._values(entries, behind, "dynamic valid shapes")
        if behind != len(entries):
            raise FormError(f".attr[{behind}]", f"expected the end of {_FORM}, found {shown(entries[behind])}")
        return Window(tuple([offset for offset in offsets if isinstance(offset, int)]), dynamic_offsets, valid)

    def _values(self, entries: _Entries, position: int, what: str) -> tuple[tuple[int | str, ...], int]:
        """The symbolic values behind their count, and the position behind them.

        Fewer values than their count says are taken as they are: the reference does not write empty values but counts
        them (section 13.3).
        """
        count = _count(entries, position, what)
        values: list[SymbolicValue] = []
        for entry in entries[position + 1 : position + 1 + count]:
            if isinstance(entry, int):
                break
            values.append(entry)
        return self._interned.symbolic_values(values), position + 1 + len(values)


def _count(entries: _Entries, position: int, what: str) -> int:
    if position >= len(entries):
        raise FormError(".attr", f"expected {_FORM}, found no number of {what}")
    count = entries[position]
    if not isinstance(count, int) or not 0 <= count <= LARGEST_RANK:
        raise FormError(
            f".attr[{position}]", f"expected the number of {what}, 0 to {LARGEST_RANK}, found {shown(count)}"
        )
    return count
