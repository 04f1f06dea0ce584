"""From exceptions to one message on stderr and an exit status."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Callable
from dataclasses import replace
from itertools import repeat

from xdsl.utils.exceptions import (
    ArgSpecParseError,
    DiagnosticException,
    MultipleSpansParseError,
    ParseError,
    UnregisteredConstructException,
    VerifyException,
)
from xdsl.utils.lexer import Span

from tools.atc.messages import AtcError
from tools.driver.excerpts import describe_place

TRACEBACK_VARIABLE = "TILE_OPT_TRACEBACK"
"""Environment variable: set to 1, an error shows its traceback after its message."""

INTERRUPTED = 130
"""Exit status after ^C, as shells give it."""


_STDOUT_DESCRIPTOR = 1

_INTERNAL_ERROR_WIDTH = 300
"""Characters of an internal error that are shown; some carry a whole module."""


class UserError(Exception):
    """A mistake of the user that has no better class; `place` is the file that the message is about, if any."""

    def __init__(self, message: str, place: str = "tile-opt"):
        super().__init__(message)
        self.place = place


class PlacedVerifyException(VerifyException):
    """An operation or attribute of a text that does not verify, with its place."""

    def __init__(self, message: str, span: Span[str]):
        super().__init__(message)
        self.span = span


def exit_status(action: Callable[[], None]) -> int:
    """Run `action` and return the exit status of the process: 0, 1 after an error, 130 after ^C.

    An error is written to stderr as one message. A reader of stdout that went away (`| head`) ends the work quietly.
    """
    try:
        try:
            action()
        except SystemExit as stop:
            return int(bool(stop.code))
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:
        _drop_unwritable_output()
        return 1
    except KeyboardInterrupt:
        print("tile-opt: interrupted", file=sys.stderr)
        return INTERRUPTED
    except (Exception, ArgSpecParseError) as error:
        _drop_unwritable_output()
        print(describe_error(error), file=sys.stderr)
        if os.environ.get(TRACEBACK_VARIABLE) == "1":
            import traceback

            traceback.print_exception(error)
        return 1
    return 0


def _drop_unwritable_output() -> None:
    """Throw away what stdout does not take, lest the interpreter fails on it again at its end."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), _STDOUT_DESCRIPTOR)


def describe_error(error: BaseException) -> str:
    """The message for an error: `file:line:column: error: …` where the place is known, else `tile-opt: error: …`."""
    match error:
        case ParseError():
            return _describe_parse_error(error)
        case PlacedVerifyException():
            return describe_place(error.span, str(error))
        case OSError(filename=str(name), strerror=str(reason)):
            return f"tile-opt: error: '{name}': {reason}"
        case OSError(strerror=str(reason)):
            return f"tile-opt: error: {reason}"
        case MemoryError():
            return "tile-opt: error: out of memory"
        case NotImplementedError():
            return f"tile-opt: error: not supported: {error}"
        case ModuleNotFoundError():
            return f"tile-opt: error: the Python module '{error.name}' is not installed"
        case UnicodeEncodeError():
            return f"tile-opt: error: text that has no UTF-8 form: {error.object[error.start : error.end]!r}"
        case UserError():
            return f"{error.place}: error: {error}"
        case AtcError() | ArgSpecParseError() | DiagnosticException() | UnregisteredConstructException():
            return f"tile-opt: error: {error}"
        case _:
            return _describe_internal_error(error)


def _describe_parse_error(error: ParseError) -> str:
    message = describe_place(error.span, error.msg)
    if isinstance(error, MultipleSpansParseError):
        spans = [replace(span, line_offset=error.span.line_offset) for span, _ in error.refs]
        texts = [text or "" for _, text in error.refs]
        return "\n".join([message, *map(describe_place, spans, texts, repeat("note"))])
    return message


def _describe_internal_error(error: BaseException) -> str:
    circumstances = "".join(f" {note}" for note in getattr(error, "__notes__", ()))
    text = textwrap.shorten(str(error), _INTERNAL_ERROR_WIDTH, placeholder=" ...")
    return f"tile-opt: internal error: {type(error).__name__}: {text}{circumstances}; please report this with the input"
