"""The two rule sets that decide where the published page and the shipped compiler differ."""

from __future__ import annotations

from enum import StrEnum


class Compat(StrEnum):
    """Value of the module attribute `tile.compat`; every difference is a row of `docs/compatibility.md`."""

    PUBLISHED = "published"
    """The published rules; defects of the shipped compiler are healed."""

    PYPTO = "pypto"
    """What the shipped compiler does, id by id."""
