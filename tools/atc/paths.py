"""The two checks of paths that many options share (ATC options, a.5). Nothing is created or changed."""

from __future__ import annotations

import os
import re

from tools.atc.messages import failure

_LEGAL = re.compile(r"[A-Za-z0-9./_\-\u4e00-\u9fa5]*")
_LEGAL_TEXT = "a path may hold only ASCII letters, digits, '.', '/', '_', '-' and Chinese characters"

_LENGTH_LIMIT = 4096
"""Bytes of an output path, one more than are allowed."""


def check_input_path(path: str, flag: str) -> None:
    """Raise `AtcError` (E10004, E10001) unless a flag's `path` exists, resolves to legal characters and is readable.

    A directory passes.
    """
    if not path:
        raise failure("E10004", flag)
    parameter = f"--{flag}"
    resolved = _resolve(path, parameter)
    if not _LEGAL.fullmatch(resolved):
        raise failure("E10001", path, parameter, f"it resolves to '{resolved}', but {_LEGAL_TEXT}")
    if not os.access(resolved, os.R_OK):
        raise failure("E10001", path, parameter, "[Errno 13] Permission denied")


def _resolve(path: str, parameter: str) -> str:
    try:
        return os.path.realpath(path, strict=True)
    except OSError as error:
        raise failure("E10001", path, parameter, f"[Errno {error.errno}] {error.strerror}") from None
    except ValueError:
        raise failure("E10001", path, parameter, "it holds a NUL character") from None


def check_output_path(path: str, parameter: str) -> None:
    """Raise `AtcError` (E10004, E10001) unless a file can be written at `path`; `parameter` is shown as it is.

    A directory that does not exist is fine if it can be created: ATC creates it at this moment, tile-atc when it
    writes.
    """
    if not path:
        raise failure("E10004", parameter)
    if len(os.fsencode(path)) >= _LENGTH_LIMIT:
        raise failure("E10001", path, parameter, f"the path has {_LENGTH_LIMIT} bytes or more")
    if not _LEGAL.fullmatch(path):
        raise failure("E10001", path, parameter, _LEGAL_TEXT)
    if os.path.exists(path):
        if not os.access(path, os.W_OK):
            raise failure("E10001", path, parameter, "[Errno 13] Permission denied")
    elif path.rfind("/") > 0:
        check_directory(path[: path.rfind("/")], path, parameter)


def check_directory(directory: str, path: str, parameter: str) -> None:
    """Raise `AtcError` (E10001) unless `directory` exists or can be created; `path` is what the message shows."""
    ancestor = directory
    while not os.path.lexists(ancestor):
        parent = os.path.dirname(ancestor.rstrip("/")) or "."
        if parent == ancestor:
            break
        ancestor = parent
    if not os.path.isdir(ancestor):
        raise failure("E10001", path, parameter, f"[Errno 20] Not a directory: '{ancestor}'")
    if ancestor != directory and not os.access(ancestor, os.W_OK | os.X_OK):
        raise failure("E10001", path, parameter, f"[Errno 13] Permission denied: '{ancestor}'")


def is_resolvable(path: str) -> bool:
    """Whether `path` leads to something that exists."""
    try:
        os.path.realpath(path, strict=True)
    except (OSError, ValueError):
        return False
    return True
