"""The error of a dump that cannot be read, and how messages show what was found."""

from __future__ import annotations

import json

from xdsl.utils.exceptions import DiagnosticException

_SHOWN_CHARACTERS = 60


class DumpError(DiagnosticException):
    """A dump that cannot be read or written; the message begins with the place in it."""


class FormError(Exception):
    """An attribute of the wrong form: the path below its op, and what is wrong there."""

    def __init__(self, path: str, reason: str):
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


def shown(value: object) -> str:
    """A JSON value as messages show it: short values whole, containers by their kind."""
    match value:
        case dict():
            return "an object"
        case list():
            return "a list"
        case _:
            text = json.dumps(value, ensure_ascii=False)
            return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 3] + "..."
