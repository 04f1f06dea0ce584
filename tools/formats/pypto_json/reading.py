"""From the bytes of a dump to functions of the dialect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dialect.elements import ELEMENTS, Element
from dialect.ops import FuncOp
from tools.formats.pypto_json.decode import SkippedFunction, decode_functions
from tools.formats.pypto_json.decoders import Decoders, make_decoders
from tools.formats.pypto_json.errors import shown
from tools.formats.pypto_json.functions import build_function
from tools.formats.pypto_json.places import FunctionPlace
from tools.formats.pypto_json.schema import Function

CURRENT_VERSION = "current"
OLD_VERSION = "0.2.0"

_FP8E4M3, _FP8E5M2 = 17, 18
OLD_ELEMENT_NUMBERS = {_FP8E4M3: _FP8E5M2, _FP8E5M2: _FP8E4M3}
"""The data types whose numbers version 0.2.0 has swapped (JSON format, section 12)."""


class ReadFunction(NamedTuple):
    """A tile graph and its position in the file."""

    position: int
    function: FuncOp


class ReadDump(NamedTuple):
    """The tile graphs of a dump, the functions that are none, and the version that wrote it."""

    functions: list[ReadFunction]
    skipped: list[SkippedFunction]
    version: str


def read_dump(data: bytes) -> ReadDump:
    """The functions of a dump, decompressed.

    Raises:
        DumpError: `data` is no dump that can be read; the message names the place.

    Notes:
        Linear in the size of `data`.
    """
    decoders: dict[str, Decoders] = {}
    functions: list[ReadFunction] = []
    skipped: list[SkippedFunction] = []
    first_of_name: dict[str, int] = {}
    first_of_magic: dict[int, int] = {}
    for decoded in decode_functions(data):
        if isinstance(decoded, SkippedFunction):
            skipped.append(decoded)
            continue
        position, function = decoded
        _check_unique(position, function, "func_magicname", first_of_name.setdefault(function.func_magicname, position))
        _check_unique(position, function, "funcmagic", first_of_magic.setdefault(function.funcmagic, position))
        version = _version(function)
        if version not in decoders:
            decoders[version] = make_decoders(_elements(version))
        functions.append(ReadFunction(position, build_function(position, function, decoders[version])))
    return ReadDump(functions, skipped, OLD_VERSION if OLD_VERSION in decoders else CURRENT_VERSION)


def _version(function: Function) -> str:
    return OLD_VERSION if function.pg_partition_algorithm is None else CURRENT_VERSION


def _elements(version: str) -> Sequence[Element]:
    """The element type of each number of a version."""
    if version == CURRENT_VERSION:
        return ELEMENTS
    return [ELEMENTS[OLD_ELEMENT_NUMBERS.get(number, number)] for number in range(len(ELEMENTS))]


def _check_unique(position: int, function: Function, key: str, first: int) -> None:
    if first != position:
        place = FunctionPlace(position, function.func_magicname)
        raise place.error(
            f".{key}", f"functions[{first}] has {shown(getattr(function, key))} too; expected unique ones"
        )
