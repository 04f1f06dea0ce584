"""JSON as GE's library reads it: strict, duplicate keys allowed, a byte order mark and a NUL byte tolerated (b.1)."""

from __future__ import annotations

import json
import math
import os
import re
import stat
from collections.abc import Callable
from itertools import accumulate
from typing import NoReturn

JsonValue = object
"""What `json` makes of a document; an object is a dict, whose last of equal keys counts."""

SIZE_LIMIT = 64 << 20
"""Bytes; a file of so many is refused before it is read."""

NESTING_LIMIT = 512
"""Levels of arrays and objects."""

_LARGEST_INTEGER = 2.0**64
"""From here on an integer is a floating point number."""

_BLANKS = " \t\n\r"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_STEPS = bytes({ord("["): 1, ord("{"): 1, ord("]"): 255, ord("}"): 255}.get(byte, 0) for byte in range(256))
_NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_LONE_SURROGATE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)


class JsonError(ValueError):
    """A text that is not JSON, or too big."""


def read_limited(path: str) -> bytes:
    """The bytes of a regular file.

    Raises:
        JsonError: the file is too big.
        OSError: the file cannot be read, or is no regular file.
    """
    with open(path, "rb", opener=_open_at_once) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(0, "not a regular file")
        if status.st_size < SIZE_LIMIT:
            data = file.read(SIZE_LIMIT)
            if len(data) < SIZE_LIMIT:
                return data
    raise JsonError(f"the file has {SIZE_LIMIT >> 20} MiB or more")


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)


def parse_json(data: bytes, on_repeated_key: Callable[[str], None] | None = None, *, whole: bool = True) -> JsonValue:
    """The value of a JSON document; `on_repeated_key` hears of each key that an object has twice.

    Unless it must be the `whole` text, anything may follow the value.

    Raises:
        JsonError: the text is not JSON; the message says where and why.
    """
    text = _decode(data.removeprefix(_BYTE_ORDER_MARK).partition(b"\0")[0])
    for match in _LONE_SURROGATE.finditer(text):
        if match[1]:
            raise JsonError(f"{_place(text, match.start())}: lone surrogate \\{match[1]}")
    _check_nesting(text.encode())

    def pairs(items: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
        value = dict(items)
        if len(value) < len(items) and on_repeated_key is not None:
            seen = set[str]()
            for key, _ in items:
                if key in seen:
                    on_repeated_key(key)
                seen.add(key)
        return value

    decoder = json.JSONDecoder(
        parse_constant=_refuse_constant, parse_float=_number, parse_int=_integer, object_pairs_hook=pairs
    )
    try:
        return decoder.decode(text) if whole else decoder.raw_decode(text.lstrip(_BLANKS))[0]
    except json.JSONDecodeError as error:
        raise JsonError(f"{_place(text, error.pos)}: {error.msg}") from None
    except RecursionError:
        raise JsonError("nested too deeply") from None


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise JsonError(f"byte {error.start} (0x{data[error.start]:02x}) is not UTF-8") from None


def _place(text: str, position: int) -> str:
    return f"line {text.count(chr(10), 0, position) + 1}, column {position - text.rfind(chr(10), 0, position)}"


def _check_nesting(data: bytes) -> None:
    if data.count(b"[") + data.count(b"{") <= NESTING_LIMIT:
        return
    steps = _STRING.sub(b"", data).translate(_STEPS, _NOT_BRACKETS)
    if max(accumulate(memoryview(steps).cast("b")), default=0) > NESTING_LIMIT:
        raise JsonError(f"nested more than {NESTING_LIMIT} levels deep")


def _refuse_constant(text: str) -> NoReturn:
    raise JsonError(f"{text} is not JSON")


def _number(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise JsonError(f"the number {text[:20]}… is out of range")
    return number


def _integer(text: str) -> float:
    number = _number(text)
    return int(text) if abs(number) < _LARGEST_INTEGER else number
