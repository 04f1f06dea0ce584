"""The target `pypto-json`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp
from xdsl.utils.target import Target

from dialect.values import string_of
from tools.driver.errors import UserError
from tools.driver.source import read_source
from tools.formats.pypto_json.errors import DumpError
from tools.formats.pypto_json.patch import patch_dump
from tools.formats.pypto_json.resume import complete_for_resume
from transforms.inline_subgraphs import inlined


@dataclass(frozen=True)
class PyptoJsonTarget(Target):
    """Writes the dump that the module came from, with what passes have decided since.

    The dump is read again from the path that the module states (`tile.source`), which may be relative to the working
    directory; it must not have changed.
    """

    name = "pypto-json"

    resume: bool = False
    """Add what the reference's compiler demands of a dump that it resumes from."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        """Write the dump. Raises `DumpError`, and has then written nothing."""
        data = patch_dump(_read_unchanged(module), inlined(module))
        if self.resume:
            data = complete_for_resume(data)
        output.write(data.decode("utf-8"))


def _read_unchanged(module: ModuleOp) -> bytes:
    """The bytes of the module's source, decompressed, which are those that it was read from."""
    source = module.attributes.get("tile.source")
    entries = source if isinstance(source, DictionaryAttr) else DictionaryAttr({})
    path, digest = string_of(entries.data.get("path")), string_of(entries.data.get("sha256"))
    if path is None or digest is None:
        raise DumpError(
            "the module does not say which dump it comes from: expected the attribute tile.source with 'path' and "
            "'sha256', which reading a JSON file (not stdin) sets; only such a module can be written as JSON"
        )
    try:
        data = read_source(path)
    except (UserError, OSError) as error:
        raise DumpError(
            f"cannot read the dump that the module comes from (tile.source): {_reason(error, path)}"
        ) from None
    found = hashlib.sha256(data).hexdigest()
    if found != digest:
        raise DumpError(
            f"the dump '{path}' has changed since the module was read from it: expected SHA-256 {digest}, found {found}"
        )
    return data


def _reason(error: UserError | OSError, path: str) -> str:
    return f"'{path}': {error.strerror}" if isinstance(error, OSError) else str(error)
