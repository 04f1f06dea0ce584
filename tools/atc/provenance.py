"""Where values come from."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Source(StrEnum):
    """Who gave a value."""

    COMMAND_LINE = "command line"
    RAW_GRAPH = "raw graph"
    RAW_SESSION = "raw session"
    RAW_GLOBAL = "raw global"
    ENVIRONMENT = "environment"
    HOST = "host"
    """The machine that runs the command, or the package installed on it."""
    DEFAULT = "default"
    FIXED = "fixed"
    """No option can change it."""


LEVELS = {"global": Source.RAW_GLOBAL, "session": Source.RAW_SESSION, "graph": Source.RAW_GRAPH}
"""The levels of a raw file in the order in which they are read; a later one wins."""


class Given(NamedTuple):
    """A value and its source."""

    source: Source
    value: str
