"""Names of classes that do not move when a loop or a tile shape changes elsewhere.

`@function/label#i` is the i-th class of a function (from 0, in hash order) most of whose labelled ops carry the label,
`@function/file:line#i` the same with the source line, and `~` with hexadecimal digits the class with this hash, in any
function. Where a dump's function name ends in `hiddenfunc_` and a number that counts functions, it may be left out with
its underscore, and is in the names that are printed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dialect.operation import TileOperation
from dialect.values import string_of
from transforms.classes import SubgraphClasses
from transforms.graph_partition.ordered_graph import OrderedGraph

_COUNTED_FUNCTION = re.compile(r"(.*hiddenfunc)_[0-9]+")
_FEWEST_DIGITS = 4
_HASH_DIGITS = 13


@dataclass(frozen=True, slots=True)
class StableNames:
    """The stable names of the classes of one function, per class in hash order; None where there is no such name."""

    by_hash: Sequence[str]
    by_label: Sequence[str | None]
    by_location: Sequence[str | None]

    def of(self, order: int) -> list[str]:
        """All stable names of a class, those for people first."""
        names = (self.by_label[order], self.by_location[order], self.by_hash[order])
        return [name for name in names if name is not None]

    def orders(self, key: str, function: str) -> list[int]:
        """The classes that a stable name in a setting means.

        Args:
            function: the symbol name of the function.
        """
        if key.startswith("~"):
            if len(key) <= _FEWEST_DIGITS:
                return []
            return [order for order, name in enumerate(self.by_hash) if name.startswith(key)]
        full, short = f"@{function}/", f"@{short_function_name(function)}/"
        if key.startswith(full):
            key = short + key[len(full) :]
        return [order for names in (self.by_label, self.by_location) for order, name in enumerate(names) if name == key]


def short_function_name(function: str) -> str:
    """The name of a function without a number that only counts functions."""
    match = _COUNTED_FUNCTION.fullmatch(function)
    return function if match is None else match[1]


def long_form(name: str, function: str) -> str:
    """A stable name with all of the function's name, which only counts functions at its end."""
    short = f"@{short_function_name(function)}/"
    return f"@{function}/{name[len(short) :]}" if name.startswith(short) else name


def stable_names(
    function: str,
    operations: Sequence[TileOperation],
    ordered: OrderedGraph,
    classes: SubgraphClasses,
    unit_of: Sequence[int],
) -> StableNames:
    """The stable names of the classes of a function.

    Args:
        function: the symbol name of the function.
        operations: per operation of the graph, not per index, its IR.
        unit_of: per index, the subgraph of `classes` that the op is in; negative for none.

    Notes:
        O(operations).
    """
    orders = [classes.order_of[unit] if unit >= 0 else -1 for unit in unit_of]
    carried = [operations[operation].properties for operation in ordered.order]
    labels = [string_of(properties.get("semantic_label")) for properties in carried]
    locations = [string_of(properties.get("loc")) for properties in carried]
    name, count = short_function_name(function), len(classes.members)
    return StableNames(
        [f"~{value:0{_HASH_DIGITS}x}" for value in classes.hashes],
        _numbered(name, _most_frequent(zip(orders, labels, strict=True), count)),
        _numbered(name, _most_frequent(zip(orders, locations, strict=True), count)),
    )


def _most_frequent(texts: Iterable[tuple[int, str | None]], count: int) -> list[str | None]:
    """Per class, the text that most of its ops carry, the first of several."""
    counters: list[Counter[str]] = [Counter() for _ in range(count)]
    for order, text in texts:
        if order >= 0 and text:
            counters[order][text] += 1
    return [counter.most_common(1)[0][0] if counter else None for counter in counters]


def _numbered(function: str, texts: Sequence[str | None]) -> list[str | None]:
    seen: Counter[str] = Counter()
    names: list[str | None] = []
    for text in texts:
        names.append(None if text is None else f"@{function}/{text}#{seen[text]}")
        if text is not None:
            seen[text] += 1
    return names


def resolve(keys: Iterable[str], names: StableNames, function: str) -> Mapping[str, Sequence[int]]:
    """Per stable name of a setting, the classes of the function that it means."""
    return {key: names.orders(key, function) for key in keys}
