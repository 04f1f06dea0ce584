"""Remarks: what a pass decided and why, for `--explain` and `--remarks`."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeAlias

RemarkValue: TypeAlias = "str | int | float | bool | tuple[RemarkValue, ...] | Mapping[str, RemarkValue] | None"
"""What a remark may hold: plain data that JSON can write."""


@dataclass(frozen=True, slots=True)
class Remark:
    """One decision that a user may ask about.

    `source` is the pass or reader that decided, `kind` a stable kebab-case word for programs, `function` the symbol
    name of the function it concerns (or None), `message` one sentence for people, `details` the values in it.
    """

    source: str
    kind: str
    message: str
    function: str | None = None
    details: Mapping[str, RemarkValue] = field(default_factory=dict[str, RemarkValue])


_collected: ContextVar[list[Remark] | None] = ContextVar("collected_remarks", default=None)


@contextmanager
def collect_remarks() -> Generator[list[Remark]]:
    """Within the block, `emit` appends to the list that this yields; an outer collection is paused."""
    remarks: list[Remark] = []
    token = _collected.set(remarks)
    try:
        yield remarks
    finally:
        _collected.reset(token)


def is_collecting() -> bool:
    """Whether anybody listens; a pass asks before it computes what only a remark needs."""
    return _collected.get() is not None


def emit(remark: Remark) -> None:
    """Hand a remark to the surrounding `collect_remarks`, if any."""
    remarks = _collected.get()
    if remarks is not None:
        remarks.append(remark)
