"""The cube step: cube subgraphs that look alike are merged (merge passes, section 3.7)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate

from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from dialect.pass_options import MergeSetting
from transforms.classes import SubgraphClasses
from transforms.merging.merge_counts import (
    AUTOMATIC_KEY,
    Chosen,
    check_count,
    counts_by_label,
    counts_by_order,
    has_names,
)

OPTION = "cube_nbuffer_setting"
AUTOMATIC = -1
"""The number of a class whose groups are found from the number of cube cores."""


def cube_numbers(
    setting: MergeSetting,
    function_magic: int,
    classes: SubgraphClasses,
    labelled: Mapping[str, Collection[int]],
    stable_names: Mapping[str, Collection[int]],
    compat: Compat,
) -> list[Chosen]:
    """How many subgraphs of each class are merged at a time; `AUTOMATIC`, or 0 where the reference has no number.

    Args:
        labelled: per label, the subgraphs that hold it after the L1 step.

    Raises:
        PassFailedException: a number below 1.
    """
    stated = counts_by_order(setting, function_magic, len(classes.members), stable_names)
    for chosen in (stated.default, *stated.by_order.values()):
        if chosen is not None:
            check_count(OPTION, chosen.key, chosen.count)
    missing = 0 if has_names(setting) and compat is Compat.PYPTO else AUTOMATIC
    numbers = [stated.of(order) or Chosen(missing, AUTOMATIC_KEY) for order in range(len(classes.members))]
    for order, chosen in counts_by_label(setting, labelled, classes.order_of).items():
        numbers[order] = chosen
    return numbers


def group_sizes(number: int, members: int, largest: int, aic_cores: int) -> list[int]:
    """How many of the `members` of a class go into each group.

    Args:
        number: how many were asked for, or `AUTOMATIC`.
        largest: how many the volume bound allows, at least 1.
        aic_cores: the number of cube cores.

    Notes:
        Source: merge passes, section 3.7.
    """
    if number != AUTOMATIC:
        return _equal(members, min(number, largest))
    if aic_cores < 1:
        return [1] * members
    if members <= (largest + 1) * aic_cores:
        return _balanced(members, 2 * aic_cores)
    rest = members % (largest * aic_cores)
    return [*_equal(members - rest, largest), *_balanced(rest, aic_cores)]


def _equal(members: int, size: int) -> list[int]:
    full, rest = divmod(members, size)
    return [size] * full + [rest] * bool(rest)


def _balanced(members: int, groups: int) -> list[int]:
    """Groups that differ by at most one, the larger ones first; every member alone if there are fewer than groups."""
    if members < groups:
        return [1] * members
    size, larger = divmod(members, groups)
    return [size + 1] * larger + [size] * (groups - larger)


def cube_runs(
    lists: Sequence[Sequence[int]],
    numbers: Sequence[Chosen],
    volumes: Sequence[int],
    volume_bound: int,
    aic_cores: int,
    names: Sequence[str],
    compat: Compat,
) -> list[list[Sequence[int]]]:
    """Per class, the runs of subgraphs that are to be merged.

    Args:
        lists: per class, its members in the order in which they are taken.
        volumes: per subgraph, the bytes of its copies.
        names: per class, what messages call it.

    Raises:
        PassFailedException: with pypto rules, where the reference divides by zero.
    """
    runs: list[list[Sequence[int]]] = []
    for members, number, name in zip(lists, numbers, names, strict=True):
        volume = volumes[members[0]]
        if volume > volume_bound:
            runs.append([[member] for member in members])
            continue
        if compat is Compat.PYPTO:
            _check_divisors(number, volume, name)
        largest = volume_bound // volume if volume > 0 else len(members)
        sizes = group_sizes(number.count, len(members), largest, aic_cores)
        ends = list(accumulate(sizes))
        runs.append([members[end - size : end] for end, size in zip(ends, sizes, strict=True)])
    return runs


def _check_divisors(number: Chosen, volume: int, name: str) -> None:
    if number.count == 0:
        raise PassFailedException(
            f"{OPTION}: class {name} has no number, since the setting has names and no DEFAULT; the shipped compiler "
            "divides by zero here. Add DEFAULT, or use compat=published, where the class is automatic"
        )
    if volume <= 0:
        raise PassFailedException(
            f"class {name}: the copies of its first subgraph have a volume of {volume} bytes; the shipped compiler "
            "cannot divide by it"
        )
