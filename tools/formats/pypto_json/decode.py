"""From bytes to the structs of the schema; what is wrong with bytes that are no dump."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeVar, cast

import msgspec

from dialect.suggestions import did_you_mean
from tools.formats.pypto_json.errors import DumpError, shown
from tools.formats.pypto_json.mismatch import find_mismatch
from tools.formats.pypto_json.schema import TILE_GRAPH, Dump, Function, FunctionHeader

_Struct = TypeVar("_Struct", bound=msgspec.Struct)

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_TOO_DEEP = "the JSON is nested too deeply for a dump"
_SHOWN_KEYS = 8
_DIGITS_OF_ANY_FIELD = 40


class SkippedFunction(NamedTuple):
    """A function that is not a tile graph: its position in the file, name, magic and graph type."""

    position: int
    name: str
    magic: int | None
    graph_type: int


class TileGraph(NamedTuple):
    """A function that is a tile graph, and its position in the file."""

    position: int
    function: Function


def decode_functions(data: bytes) -> Iterator[TileGraph | SkippedFunction]:
    """The functions of a function dump or a program file, one after the other.

    Raises:
        DumpError: `data` is not JSON, is no dump, or a tile graph in it does not fit the schema.
    """
    _check_encoding(data)
    header_decoder = msgspec.json.Decoder(FunctionHeader)
    function_decoder = msgspec.json.Decoder(Function)
    for index, raw in enumerate(_decode_top_level(data).functions):
        header = _decode(header_decoder, FunctionHeader, raw, index)
        if header.graphtype == TILE_GRAPH:
            yield TileGraph(index, _decode(function_decoder, Function, raw, index))
        else:
            yield SkippedFunction(index, header.func_magicname, header.funcmagic, header.graphtype)


def _check_encoding(data: bytes) -> None:
    if not data or data.isspace():
        raise DumpError("the input is empty; expected a JSON dump of PyPTO")
    if data.startswith(_BYTE_ORDER_MARK):
        raise DumpError("the input begins with a byte order mark; expected JSON in UTF-8 without one")
    if data.isascii():
        return
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DumpError(
            f"{_position(data, error.start)}: byte 0x{data[error.start]:02x} is not UTF-8; expected JSON in UTF-8"
        ) from None


def _decode_top_level(data: bytes) -> Dump:
    try:
        return msgspec.json.decode(data, type=Dump)
    except msgspec.ValidationError:
        raise DumpError(_describe_foreign_json(data)) from None
    except msgspec.DecodeError as error:
        raise DumpError(_describe_syntax_error(data, str(error))) from None
    except RecursionError:
        raise DumpError(_TOO_DEEP) from None


def _decode(decoder: msgspec.json.Decoder[_Struct], schema: type[_Struct], raw: msgspec.Raw, index: int) -> _Struct:
    try:
        return decoder.decode(raw)
    except msgspec.DecodeError as error:
        raise DumpError(_describe_mismatch(bytes(raw), schema, index, str(error))) from None
    except RecursionError:
        raise DumpError(_TOO_DEEP) from None


def _position(data: bytes, offset: int) -> str:
    line_start = data.rfind(b"\n", 0, offset) + 1
    column = len(data[line_start:offset].decode("utf-8", "replace")) + 1
    line = data.count(b"\n", 0, offset) + 1
    return f"line {line}, column {column}"


def _describe_syntax_error(data: bytes, message: str) -> str:
    match = re.fullmatch(r"(?:JSON is malformed: )?(.*?)(?: \(byte (\d+)\))?", message)
    reason = message if match is None else match[1]
    if match is None or match[2] is None:
        return _describe_unplaced_error(data, reason)
    offset = int(match[2])
    constant = re.compile(rb"-?(?:NaN|Infinity)").match(data, offset - (data[offset - 1 : offset] == b"-"))
    if constant:
        return f"{_position(data, constant.start())}: {constant[0].decode()} is not JSON; expected a finite number"
    return f"{_position(data, offset)}: invalid JSON: {reason}"


def _describe_unplaced_error(data: bytes, reason: str) -> str:
    try:
        _loads(data)
    except RecursionError:
        return _TOO_DEEP
    except ValueError:
        return f"{_position(data, len(data))}: the JSON ends too early; the file is truncated"
    half = re.search(rb"\\u[dD][89a-fA-F]", data)
    if half:
        return f"{_position(data, half.start())}: a \\u escape is half of a surrogate pair; expected both halves"
    return f"invalid JSON: {reason}"


def _describe_foreign_json(data: bytes) -> str:
    try:
        value = _loads(data)
    except (ValueError, RecursionError):
        return "the JSON is not a dump of PyPTO: expected an object with the key 'functions'"
    if not isinstance(value, dict):
        return f"the JSON is {shown(value)}, not a dump of PyPTO: expected an object with the key 'functions'"
    members = cast("dict[str, object]", value)
    if "functions" in members:
        return f"functions: expected a list of functions, found {shown(members['functions'])}"
    keys = list(members)
    if not keys:
        return "the JSON is an empty object, not a dump of PyPTO: expected the key 'functions'"
    listed = ", ".join(shown(key) for key in keys[:_SHOWN_KEYS]) + (", …" if len(keys) > _SHOWN_KEYS else "")
    return f"the JSON is an object with {listed}, not a dump of PyPTO: expected the key 'functions'" + did_you_mean(
        "functions", keys
    )


def _describe_mismatch(raw: bytes, schema: type[Any], index: int, message: str) -> str:
    try:
        value = _loads(raw)
    except (ValueError, RecursionError):
        value = None
    mismatch = None if value is None else find_mismatch(value, msgspec.inspect.type_info(schema))
    if mismatch is None:
        return f"functions[{index}]: {message}"
    place = f"functions[{index}]{mismatch.path}{_context(value, mismatch.path)}"
    return f"{place}: {mismatch.message}{_embedded_form(mismatch.path, mismatch.message)}"


def _context(function: Any, path: str) -> str:
    """The names behind a path: that of the function and, for an op, its opcode and magic."""
    names = _names_in(function, ("func_magicname",))
    if match := re.match(r"\.(operations|tensors|rawtensors)\[(\d+)\]", path):
        names += _names_in(function[match[1]][int(match[2])], ("opcode", "opmagic", "magic", "rawmagic"))
    return f" ({', '.join(names)})" if names else ""


def _names_in(value: object, keys: Sequence[str]) -> list[str]:
    members = cast("dict[str, object]", value if isinstance(value, dict) else {})
    return [f"{_KEY_NAMES.get(key, key)} {shown(members[key])}" for key in keys if key in members]


_KEY_NAMES = {"func_magicname": "function"}


def _embedded_form(path: str, message: str) -> str:
    refers_to_tensor = re.search(r"(?:ioperands|ooperands|incasts|outcasts)\[\d+\](?:\[0\])?$", path)
    if refers_to_tensor and message.endswith("found an object"):
        return "; dumps with embedded tensor objects are not supported, only those that refer to tensors by magic"
    return ""


def _loads(data: bytes) -> Any:
    """`data` as plain Python values, integers of any length cut to a length that is out of every range."""
    return json.loads(data, parse_int=lambda digits: int(digits[:_DIGITS_OF_ANY_FIELD]))
