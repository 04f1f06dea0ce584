"""Output files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import IO

from tools.driver.errors import UserError


def check_outputs(*paths: str | None) -> None:
    """Raise `UserError` if one of the output files cannot be written, or two of them are the same.

    No path stands for an output that was not asked for, `-` for stdout.
    """
    outputs = [path for path in paths if path is not None]
    for path in outputs:
        if path != "-":
            check_writable(path)
    places = [path if path == "-" else os.path.realpath(path) for path in outputs if not _is_device(path)]
    if len(set(places)) < len(places):
        name = "stdout" if outputs[-1] == "-" else f"the file '{outputs[-1]}'"
        raise UserError(f"two outputs go to {name}")


def check_writable(path: str) -> None:
    """Raise `UserError` if an output file cannot appear at `path`; nothing is written."""
    directory = os.path.dirname(os.path.realpath(path))
    if not path:
        raise UserError("the name of the output file is empty")
    if os.path.islink(os.path.realpath(path)):
        raise UserError(f"cannot write '{path}': it is a link that leads back to itself")
    if os.path.isdir(path):
        raise UserError(f"cannot write '{path}': it is a directory")
    if not os.path.isdir(directory):
        raise UserError(f"cannot write '{path}': there is no directory '{os.path.dirname(path)}'")
    if not os.access(path if os.path.exists(path) else directory, os.W_OK):
        raise UserError(f"cannot write '{path}': permission denied")


@contextmanager
def written_whole(path: str | None) -> Generator[IO[str]]:
    """A text stream (UTF-8) whose content is at `path` when the block has ended well; after an error nothing changed.

    The text goes to a temporary file beside `path`, which takes the permissions of the file that it replaces. A link
    is followed, and a device or pipe is written directly. No path, and `-`, is stdout, which is written as it comes.
    """
    if path is None or path == "-":
        if sys.stdout is None:
            raise UserError("the standard output is closed; expected -o with an output file")
        if reconfigure := getattr(sys.stdout, "reconfigure", None):
            reconfigure(encoding="utf-8")
        yield sys.stdout
        return
    target = os.path.realpath(path)
    temporary = os.path.join(os.path.dirname(target), f".tile-opt-{os.urandom(8).hex()}.tmp")
    written, mode = (target, "w") if _is_device(target) else (temporary, "x")
    try:
        with open(written, mode, encoding="utf-8") as stream:
            yield stream
        if written == temporary:
            _replace(target, temporary)
    except BaseException as error:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.filename in (None, target, temporary):
            raise UserError(f"cannot write '{path}': {error.strerror}") from error
        raise


def _is_device(path: str) -> bool:
    return os.path.exists(path) and not os.path.isfile(path)


def _replace(target: str, temporary: str) -> None:
    if os.path.exists(target):
        os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
    os.replace(temporary, target)
