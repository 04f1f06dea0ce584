"""The values of pass options: immutable and comparable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from dialect.compat import Compat


class Side(StrEnum):
    """The matrix whose copies the L1 merge shares; in a setting, `auto` is kept as None."""

    LEFT = "left"
    RIGHT = "right"
    AUTO = "auto"


class MergeCount(NamedTuple):
    """How many subgraphs become one, and for L1 reuse the side on which they share copies (None = either)."""

    count: int  # pyright: ignore[reportIncompatibleMethodOverride]  # hides tuple.count, which has no use here
    side: Side | None = None


@dataclass(frozen=True, slots=True)
class MergeSetting:
    """The value of one of the three merge options: its entries by the kind of their keys.

    The order of entries has no meaning, and no part of a setting can be changed.

    Attributes:
        by_integer: the older form; a key >= 0 is the order of a class in every function, -1 every other class, -2 (only
            `vec_nbuffer_setting`) chooses wide grouping.
        by_name: `DEFAULT` and `func{magic}_{order}`.
        by_label: semantic labels.
        by_stable_name: names that begin with `@` or `~`.
    """

    by_integer: Mapping[int, MergeCount] = field(default_factory=dict[int, MergeCount])
    by_name: Mapping[str, MergeCount] = field(default_factory=dict[str, MergeCount])
    by_label: Mapping[str, MergeCount] = field(default_factory=dict[str, MergeCount])
    by_stable_name: Mapping[str, MergeCount] = field(default_factory=dict[str, MergeCount])

    def __post_init__(self) -> None:
        for map_field in fields(self):
            object.__setattr__(self, map_field.name, MappingProxyType(dict(getattr(self, map_field.name))))

    def __hash__(self) -> int:
        return hash(tuple(frozenset(entries.items()) for entries in self._maps()))

    def __bool__(self) -> bool:
        """Whether there is any entry; a setting without entries asks for automatic merging."""
        return any(self._maps())

    def _maps(self) -> tuple[Mapping[int, MergeCount] | Mapping[str, MergeCount], ...]:
        return self.by_integer, self.by_name, self.by_label, self.by_stable_name

    def entries(self) -> Iterator[tuple[int | str, MergeCount]]:
        """All entries: integers, class names, labels, stable names."""
        for entries in self._maps():
            yield from entries.items()


class ScopeSetting(NamedTuple):
    """The value of `sg_set_scope`; id -1 is no scope."""

    scope_id: int
    allow_parallel_merge: bool = False
    allow_cross_scope_merge: bool = False


NO_SCOPE_SETTING = ScopeSetting(-1)

OptionValue: TypeAlias = MergeSetting | ScopeSetting | int | str | bool


def assigned(before: OptionValue, new: OptionValue, compat: Compat) -> OptionValue:
    """The value of an option that had the value `before` and is set to `new`.

    Under the published rules that is `new`. The shipped compiler replaces the integer entries always, and those of
    another kind only if `new` has some of that kind (pass options, section 3; row D7).
    """
    if compat is Compat.PUBLISHED or not isinstance(new, MergeSetting) or not isinstance(before, MergeSetting):
        return new
    return MergeSetting(
        new.by_integer,
        new.by_name or before.by_name,
        new.by_label or before.by_label,
        new.by_stable_name or before.by_stable_name,
    )
