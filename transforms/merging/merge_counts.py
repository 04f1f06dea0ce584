"""Which number of a merge setting concerns which class or subgraph of one function."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from xdsl.utils.exceptions import PassFailedException

from dialect.pass_options import MergeCount, MergeSetting, Side

DEFAULT = "DEFAULT"
DEFAULT_INTEGER = -1
LARGEST_COUNT = 2**31 - 1

_FUNCTION_KEY = re.compile(r"func([0-9]{1,19})_([0-9]{1,19})")
"""The name of a class; no function and no class has a number of more digits."""


_Key = TypeVar("_Key", int, str)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A number and the key that it was given under; `automatic` is the key where no key says anything."""

    count: int
    key: str


AUTOMATIC_KEY = "automatic"


@dataclass(frozen=True, slots=True)
class OrderCounts:
    """What the names or the integers of a setting say of the classes of one function.

    Attributes:
        default: the number of classes that have none of their own.
        by_order: per hash order, the number of that class alone; the class exists.
    """

    default: Chosen | None
    by_order: Mapping[int, Chosen]

    def of(self, order: int) -> Chosen | None:
        return self.by_order.get(order, self.default)


def function_key(key: str) -> tuple[int, int] | None:
    """The function magic and the hash order that a key such as `func8_0` names; None for other keys."""
    match = _FUNCTION_KEY.fullmatch(key)
    return None if match is None else (int(match[1]), int(match[2]))


def has_names(setting: MergeSetting) -> bool:
    """Whether names decide and integers are ignored (merge passes, section 1.8)."""
    return bool(setting.by_name or setting.by_stable_name)


def names_ask_nothing(setting: MergeSetting, *, whatever_side: bool = False) -> bool:
    """Whether the names are exactly `{DEFAULT: 1}`; the default may have a side if it does not matter."""
    return not setting.by_stable_name and _is_one(setting.by_name, DEFAULT, whatever_side)


def integers_ask_nothing(setting: MergeSetting, *, whatever_side: bool = False) -> bool:
    """Whether the integers are exactly `{-1: 1}`; the default may have a side if it does not matter."""
    return _is_one(setting.by_integer, DEFAULT_INTEGER, whatever_side)


def _is_one(entries: Mapping[_Key, MergeCount], key: _Key, whatever_side: bool) -> bool:
    if len(entries) != 1 or key not in entries:
        return False
    value = entries[key]
    return value.count == 1 and (whatever_side or _side(value) is None)


def counts_by_order(
    setting: MergeSetting, function_magic: int, class_count: int, stable_names: Mapping[str, Collection[int]]
) -> OrderCounts:
    """The numbers of the classes of the function with magic `function_magic`.

    Names decide if there are any, else integers. A stable name counts as a name of its class; keys of other functions
    and of classes that do not exist are left out.

    Args:
        class_count: how many classes the function has.
        stable_names: per stable name of the setting, the hash orders that it means in this function.

    Notes:
        Source: merge passes, section 1.8.
    """
    by_order: dict[int, Chosen] = {}
    if has_names(setting):
        default = setting.by_name.get(DEFAULT)
        for key, value in setting.by_name.items():
            parsed = function_key(key)
            if parsed is not None and parsed[0] == function_magic and parsed[1] < class_count:
                by_order[parsed[1]] = Chosen(value.count, key)
        for key, value in setting.by_stable_name.items():
            for order in stable_names.get(key, ()):
                by_order[order] = Chosen(value.count, key)
        return OrderCounts(None if default is None else Chosen(default.count, DEFAULT), by_order)
    default = setting.by_integer.get(DEFAULT_INTEGER)
    for key, value in setting.by_integer.items():
        if 0 <= key < class_count:
            by_order[key] = Chosen(value.count, str(key))
    return OrderCounts(None if default is None else Chosen(default.count, str(DEFAULT_INTEGER)), by_order)


def counts_by_label(
    setting: MergeSetting, labelled: Mapping[str, Collection[int]], units: Sequence[int]
) -> dict[int, Chosen]:
    """Per unit that a label of the setting selects, the largest of the numbers.

    Args:
        labelled: per label, the subgraphs with an operation that carries it.
        units: per subgraph, the unit that a label on it selects: its class, or itself; -1 for none.

    Notes:
        Source: merge passes, sections 1.9, 2.5, 3.5 and 3.7.
    """
    chosen: dict[int, Chosen] = {}
    for label, value in sorted(setting.by_label.items()):
        for subgraph in labelled.get(label, ()):
            unit = units[subgraph]
            if unit >= 0 and (unit not in chosen or chosen[unit].count < value.count):
                chosen[unit] = Chosen(value.count, f"label '{label}'")
    return chosen


class OrderSides(NamedTuple):
    """What a setting says of sides, as `OrderCounts` says of numbers."""

    default: Side | None
    by_order: Mapping[int, Side]

    def of(self, order: int) -> Side | None:
        return self.by_order.get(order, self.default)


def sides_by_order(
    setting: MergeSetting, function_magic: int, class_count: int, stable_names: Mapping[str, Collection[int]]
) -> OrderSides:
    """The sides of the classes of a function.

    An entry without a side says nothing, so it does not undo the side of the default; names decide if one of them has a
    side, whatever their numbers do. Source: merge passes, section 3.9.
    """
    only_sides = MergeSetting(
        {key: value for key, value in setting.by_integer.items() if _side(value)},
        {key: value for key, value in setting.by_name.items() if _side(value)},
        {},
        {key: value for key, value in setting.by_stable_name.items() if _side(value)},
    )
    sides = dict(_sides(only_sides))
    chosen = counts_by_order(only_sides, function_magic, class_count, stable_names)
    return OrderSides(
        None if chosen.default is None else sides[chosen.default.key],
        {order: sides[entry.key] for order, entry in chosen.by_order.items()},
    )


def sides_by_label(setting: MergeSetting, labelled: Mapping[str, Collection[int]]) -> dict[int, Side]:
    """Per subgraph with a labelled operation, its side; right beats left. Source: merge passes, section 3.9."""
    sides: dict[int, Side] = {}
    for label, value in setting.by_label.items():
        if (side := _side(value)) is not None:
            for subgraph in labelled.get(label, ()):
                if sides.get(subgraph) is not Side.RIGHT:
                    sides[subgraph] = side
    return sides


def _side(value: MergeCount) -> Side | None:
    return value.side if value.side in (Side.LEFT, Side.RIGHT) else None


def _sides(setting: MergeSetting) -> Iterable[tuple[str, Side]]:
    for entries in (setting.by_integer, setting.by_name, setting.by_stable_name):
        for key, value in entries.items():
            if (side := _side(value)) is not None:
                yield str(key), side


def check_count(option: str, key: str, count: int) -> None:
    """Raises PassFailedException unless `count` is a number of subgraphs."""
    if not 1 <= count <= LARGEST_COUNT:
        raise PassFailedException(f"{option}: the value of {key} is {count}, expected 1..{LARGEST_COUNT}")
