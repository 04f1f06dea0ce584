"""Reading the input: from a file or stdin, compressed or not."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from io import BytesIO

from dialect.suggestions import did_you_mean
from tools.driver.errors import UserError

STDIN = "<stdin>"
"""How messages call the standard input."""

FRONTEND_OF_EXTENSION = {".mlir": "mlir", ".json": "pypto-json", ".json.gz": "pypto-json"}

INFLATED_LIMIT = 2 << 30
"""Bytes that a compressed input may have at most when it is decompressed."""

_GZIP_MAGIC = b"\x1f\x8b"
_PIECE = 1 << 24


def is_stdin(path: str | None) -> bool:
    """Whether the input comes from stdin: no file is given, or `-`."""
    return path is None or path == "-"


def frontend_of_path(path: str, frontends: Collection[str]) -> str:
    """The frontend for a file name: by our extensions, else the frontend that is named like the extension.

    Raises `UserError` if the extension says nothing.
    """
    file_name = os.path.basename(path).lower()
    for extension, frontend in FRONTEND_OF_EXTENSION.items():
        if file_name.endswith(extension):
            return frontend
    extension = os.path.splitext(file_name)[1]
    if extension.removeprefix(".") in frontends:
        return extension.removeprefix(".")
    found = f"the extension '{extension}' is unknown" if extension else "the file name has no extension"
    known = ", ".join(FRONTEND_OF_EXTENSION)
    raise UserError(f"'{path}': {found}; expected {known}, or -f to name the format ({', '.join(sorted(frontends))})")


def read_source(path: str | None) -> bytes:
    """The bytes of a file or of stdin, decompressed if they begin as gzip does.

    Raises `UserError` for a missing file (with the nearest names beside it), a directory and damaged gzip data.
    """
    data = _read_stdin(warn_terminal=path is None) if path is None or path == "-" else _read_file(path)
    if data.startswith(_GZIP_MAGIC):
        return inflate(data, STDIN if path is None or path == "-" else path, INFLATED_LIMIT)
    return data


def inflate(data: bytes, name: str, limit: int) -> bytes:
    """Decompress gzip `data` of the input `name`; `UserError` if it is damaged or gives more than `limit` bytes."""
    import gzip
    import zlib

    inflated = BytesIO()
    try:
        with gzip.GzipFile(fileobj=BytesIO(data)) as stream:
            while piece := stream.read(_PIECE):
                inflated.write(piece)
                if inflated.tell() > limit:
                    raise UserError(f"'{name}': decompresses to more than the limit of {limit} bytes")
    except EOFError:
        raise UserError(f"'{name}': the gzip data is truncated") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise UserError(f"'{name}': the gzip data is damaged: {error}") from None
    return inflated.getvalue()


def _read_stdin(*, warn_terminal: bool) -> bytes:
    if sys.stdin is None:
        raise UserError("the standard input is closed; expected an input file")
    if warn_terminal and sys.stdin.isatty():
        print("tile-opt: reading MLIR from the terminal until Ctrl-D; 'tile-opt --help' for usage", file=sys.stderr)
    return sys.stdin.buffer.read()


def _read_file(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise UserError(f"'{path}': no such file{_nearest_files(path)}") from None
    except IsADirectoryError:
        raise UserError(f"'{path}': is a directory, expected a file") from None


def _nearest_files(path: str) -> str:
    directory, name = os.path.split(path)
    try:
        names = os.listdir(directory or ".")
    except OSError:
        return ""
    return did_you_mean(name, names)
