"""The frontend `pypto-json`."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute
from xdsl.utils.frontend import Frontend

from dialect.collection import paused_collection
from dialect.compat import Compat
from tools.driver.source import INFLATED_LIMIT, inflate
from tools.formats.pypto_json.decode import SkippedFunction
from tools.formats.pypto_json.errors import shown
from tools.formats.pypto_json.reading import ReadDump, read_dump
from transforms.remarks import Remark, emit

_GZIP_MAGIC = b"\x1f\x8b"

_GRAPH_TYPES = ("a tensor graph", "a tile graph", "an execute graph", "a block graph", "a leaf graph")


@dataclass(frozen=True)
class PyptoJsonFrontend(Frontend):
    """Reads the tile graphs of a JSON dump of PyPTO: a function dump, or `program.json`.

    The module says where it came from (`tile.source`) and that the rules are the shipped compiler's (`tile.compat`).
    Functions that are not tile graphs are left out, with a remark.
    """

    name = "pypto-json"

    def parse(self, ctx: Context, input: IO[bytes], input_name: str) -> ModuleOp:
        """The module. Raises `DumpError` for bytes that are no dump that can be read."""
        data = input.read()
        if data.startswith(_GZIP_MAGIC):
            data = inflate(data, input_name, INFLATED_LIMIT)
        with paused_collection():
            dump = read_dump(data)
        for skipped in dump.skipped:
            emit(_skipped_remark(skipped))
        if not dump.functions:
            emit(Remark(self.name, "no-tile-graph", "the dump has no tile graph: there is nothing to optimize"))
        attributes: dict[str, Attribute] = {"tile.compat": StringAttr(Compat.PYPTO.value)}
        if os.path.isfile(input_name):
            attributes["tile.source"] = _source(data, input_name, dump)
        return ModuleOp([read.function for read in dump.functions], attributes)


def _source(data: bytes, path: str, dump: ReadDump) -> DictionaryAttr:
    return DictionaryAttr(
        {
            "path": StringAttr(_relative(path)),
            "sha256": StringAttr(hashlib.sha256(data).hexdigest()),
            "version": StringAttr(dump.version),
        }
    )


def _relative(path: str) -> str:
    """`path` from the working directory if it lies below it, else as it is."""
    here = os.path.join(os.getcwd(), "")
    return os.path.relpath(path) if os.path.abspath(path).startswith(here) else path


def _skipped_remark(skipped: SkippedFunction) -> Remark:
    known = 0 <= skipped.graph_type < len(_GRAPH_TYPES)
    kind = _GRAPH_TYPES[skipped.graph_type] if known else f"a graph of type {skipped.graph_type}"
    return Remark(
        PyptoJsonFrontend.name,
        "function-skipped",
        f"functions[{skipped.position}] {shown(skipped.name)} is left out: it is {kind}, not a tile graph",
        details={
            "position": skipped.position,
            "name": skipped.name,
            "magic": skipped.magic,
            "graph_type": skipped.graph_type,
        },
    )
