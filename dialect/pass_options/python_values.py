"""Pass options from plain Python values, with every check that happens when an option is set, and back.

This is the only place that knows what a legal value is; the other forms are turned into Python values first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from typing import cast

from dialect.compat import Compat
from dialect.pass_options.errors import Mistake, PassOptionError
from dialect.pass_options.keys import DEFAULT_KEY, KeyKind, is_class_name, is_stable_name, is_text, kind_of_key
from dialect.pass_options.settings import MergeCount, MergeSetting, OptionValue, ScopeSetting, Side
from dialect.pass_options.table import (
    LARGEST_INTEGER,
    LARGEST_SIDED_COUNT,
    OptionType,
    PassOption,
    find_option,
)
from dialect.shown import shown
from dialect.suggestions import did_you_mean

_LARGEST_I64 = 2**63 - 1
_SIDE_FACTOR = LARGEST_SIDED_COUNT + 1
_SIDE_OF_CODE = {1: Side.LEFT, 2: Side.RIGHT}


def option_from_python(name: str, value: object, compat: Compat, *, mixed_keys: bool = False) -> OptionValue:
    """The value of option `name` that a Python value means.

    Parameters:
        mixed_keys: whether a setting may hold integer keys and class names together (then the names count). Programs
            may not write that; but it is what inheritance makes in the shipped compiler.

    Raises:
        PassOptionError: an unknown option, or a value that it does not take under the rules `compat`.

    Source: pass options, sections 3 and 8.
    """
    option = find_option(name)
    match option.type:
        case OptionType.MERGE_SETTING:
            return _merge_setting(option, value, compat, mixed_keys)
        case OptionType.SCOPE:
            return _scope(option, value, compat)
        case OptionType.INTEGER:
            return _integer_option(option, value)
        case OptionType.CHOICE:
            return _choice(option, value, compat)
        case OptionType.FLAG:
            if not isinstance(value, bool):
                raise PassOptionError(Mistake.TYPE, name, f"expected True or False, found {shown(value)}")
            return value


def option_to_python(value: OptionValue) -> object:
    """The Python value that a program would write: a dictionary of counts or (count, side), a triple, or as it is."""
    if isinstance(value, MergeSetting):
        return {
            key: count.count if count.side is None else (count.count, count.side.value)
            for key, count in value.entries()
        }
    return tuple(value) if isinstance(value, ScopeSetting) else value


def check_semantic_label(label: object, compat: Compat) -> str:
    """A label that an op may carry; the empty one ends labelling.

    Raises:
        PassOptionError: not a string, a string of the form `func{magic}_{order}`, or one that no setting can address
            (row M8).
    """
    option = "semantic_label"
    if not isinstance(label, str):
        raise PassOptionError(Mistake.TYPE, option, f"expected a string, found {shown(label)}")
    if not label:
        return label
    problem: str | None = None
    if not is_text(label):
        problem = "is not valid Unicode text"
    elif is_class_name(label) or (label == DEFAULT_KEY and compat is Compat.PUBLISHED):
        problem = "is the name of a class in settings"
    elif is_stable_name(label) and compat is Compat.PUBLISHED:
        problem = "begins as stable names do; labels do not begin with '@' or '~'"
    if problem is not None:
        raise PassOptionError(Mistake.VALUE, option, f"{shown(label)} {problem}")
    return label


def _merge_setting(option: PassOption, value: object, compat: Compat, mixed_keys: bool) -> MergeSetting:
    if isinstance(value, MergeSetting):
        value = option_to_python(value)
    if not isinstance(value, Mapping):
        raise PassOptionError(
            Mistake.TYPE,
            option.name,
            f"expected a dictionary such as {{'DEFAULT': 4, 'func8_0': 1}}, found {shown(value)}",
        )
    by_integer: dict[int, MergeCount] = {}
    by_string: dict[KeyKind, dict[str, MergeCount]] = {kind: {} for kind in KeyKind}
    for key, entry in cast("Mapping[object, object]", value).items():
        if isinstance(key, str):
            kind = _kind_of_key(option, key, compat)
            by_string[kind][key] = _named_count(option, key, kind, entry, compat)
        else:
            number = _integer_key(option, key, compat)
            by_integer[number] = _integer_count(option, number, entry, compat)
    by_name = by_string[KeyKind.CLASS]
    if by_integer and by_name and not mixed_keys:
        integer, name = next(iter(by_integer)), next(iter(by_name))
        raise PassOptionError(
            Mistake.VALUE,
            option.name,
            f"integer keys and class names cannot stand together, found {integer} and {name!r}",
        )
    return MergeSetting(by_integer, by_name, by_string[KeyKind.LABEL], by_string[KeyKind.STABLE])


def _kind_of_key(option: PassOption, key: str, compat: Compat) -> KeyKind:
    try:
        return kind_of_key(key, compat)
    except ValueError as error:
        raise PassOptionError(Mistake.VALUE, option.name, str(error), key) from None


def _integer_key(option: PassOption, key: object, compat: Compat) -> int:
    number = _integer(key, bool_counts=compat is Compat.PYPTO)
    if number is None:
        raise PassOptionError(Mistake.TYPE, option.name, f"a key is a string or an integer, found {shown(key)}")
    if not option.lowest_key <= number <= LARGEST_INTEGER:
        raise PassOptionError(
            Mistake.VALUE,
            option.name,
            f"an integer key is in the range {option.lowest_key}..{LARGEST_INTEGER}",
            number,
        )
    return number


def _integer_count(option: PassOption, key: int, value: object, compat: Compat) -> MergeCount:
    if isinstance(value, (tuple, list)):
        return _sided_count(option, key, cast("Sequence[object]", value))
    count = _plain_count(option, key, value, compat)
    _check_range(option, key, count, option.lowest_count, LARGEST_INTEGER)
    return _decoded(option, count, compat)


def _named_count(option: PassOption, key: str, kind: KeyKind, value: object, compat: Compat) -> MergeCount:
    if isinstance(value, (tuple, list)):
        return _sided_count(option, key, cast("Sequence[object]", value))
    count = _plain_count(option, key, value, compat)
    if kind is KeyKind.CLASS and compat is Compat.PYPTO:
        # The shipped compiler checks these when the pass runs.
        _check_range(option, key, count, -_LARGEST_I64 - 1, _LARGEST_I64)
    else:
        _check_range(option, key, count, 1, LARGEST_INTEGER)
    return _decoded(option, count, compat)


def _plain_count(option: PassOption, key: int | str, value: object, compat: Compat) -> int:
    count = _integer(value, bool_counts=compat is Compat.PYPTO and not option.takes_side)
    if count is None:
        side = " or (count, side)" if option.takes_side else ""
        raise PassOptionError(Mistake.TYPE, option.name, f"expected an integer{side}, found {shown(value)}", key)
    return count


def _check_range(option: PassOption, key: int | str, count: int, lowest: int, highest: int) -> None:
    if not lowest <= count <= highest:
        raise PassOptionError(
            Mistake.VALUE, option.name, f"{shown(count)} is not in the range {lowest}..{highest}", key
        )


def _decoded(option: PassOption, count: int, compat: Compat) -> MergeCount:
    """The shipped compiler reads a large L1 count as a side and a count (merge passes, section 3.9)."""
    if not option.takes_side or compat is Compat.PUBLISHED or count < _SIDE_FACTOR:
        return MergeCount(count)
    code, small = divmod(count, _SIDE_FACTOR)
    return MergeCount(small, _SIDE_OF_CODE.get(code))


def _sided_count(option: PassOption, key: int | str, pair: Sequence[object]) -> MergeCount:
    if not option.takes_side:
        raise PassOptionError(
            Mistake.TYPE,
            option.name,
            f"expected an integer, found {shown(pair)}; only cube_l1_reuse_setting takes a side",
            key,
        )
    if len(pair) != 2:
        raise PassOptionError(
            Mistake.VALUE, option.name, f"expected (count, side), found {len(pair)} elements in {shown(pair)}", key
        )
    count = _integer(pair[0], bool_counts=False)
    if count is None or not 1 <= count <= LARGEST_SIDED_COUNT:
        raise PassOptionError(
            Mistake.VALUE,
            option.name,
            f"a count with a side is an integer in the range 1..{LARGEST_SIDED_COUNT}, found {shown(pair[0])}",
            key,
        )
    side = pair[1].lower() if isinstance(pair[1], str) else None
    if side not in tuple(Side):
        hint = "" if side is None else did_you_mean(side, tuple(Side))
        raise PassOptionError(
            Mistake.VALUE, option.name, f"a side is one of {', '.join(Side)}, found {shown(pair[1])}{hint}", key
        )
    return MergeCount(count, None if side == Side.AUTO else Side(side))


def _scope(option: PassOption, value: object, compat: Compat) -> ScopeSetting:
    parallel = cross = False
    if isinstance(value, (tuple, list)):
        parts = cast("Sequence[object]", value)
        if len(parts) != 3:
            raise PassOptionError(
                Mistake.VALUE,
                option.name,
                f"expected {option.type.value}, found {len(parts)} elements in {shown(parts)}",
            )
        value, parallel, cross = parts
        for flag, field in ((parallel, "allow_parallel_merge"), (cross, "allow_cross_scope_merge")):
            if not isinstance(flag, bool):
                raise PassOptionError(Mistake.VALUE, option.name, f"{field} is True or False, found {shown(flag)}")
        id_mistake = Mistake.VALUE
    else:
        id_mistake = Mistake.TYPE
    scope_id = _integer(value, bool_counts=compat is Compat.PYPTO)
    if scope_id is None:
        expected = option.type.value if id_mistake is Mistake.TYPE else "an integer as scope id"
        raise PassOptionError(id_mistake, option.name, f"expected {expected}, found {shown(value)}")
    if not -1 <= scope_id <= LARGEST_INTEGER:
        raise PassOptionError(
            Mistake.VALUE, option.name, f"scope id {shown(scope_id)} is not in the range -1..{LARGEST_INTEGER}"
        )
    scope = ScopeSetting(scope_id, bool(parallel), bool(cross))
    if scope_id == -1 and compat is Compat.PUBLISHED and (parallel or cross):
        raise PassOptionError(Mistake.VALUE, option.name, FLAGS_WITHOUT_SCOPE)
    return scope


FLAGS_WITHOUT_SCOPE = "with scope id -1, allow_parallel_merge and allow_cross_scope_merge must be False"


def _integer_option(option: PassOption, value: object) -> int:
    number = _integer(value, bool_counts=False)
    if number is None:
        raise PassOptionError(Mistake.TYPE, option.name, f"expected an integer, found {shown(value)}")
    if not option.lowest <= number <= option.highest or number in option.excluded:
        raise PassOptionError(Mistake.VALUE, option.name, f"{shown(number)} is not {_range_text(option)}")
    return number


def _range_text(option: PassOption) -> str:
    if option.highest - option.lowest < 3 and not option.excluded:
        return " or ".join(str(number) for number in range(option.lowest, option.highest + 1))
    excluded = f" without {', '.join(map(str, option.excluded))}" if option.excluded else ""
    return f"in the range {option.lowest}..{option.highest}{excluded}"


def _choice(option: PassOption, value: object, compat: Compat) -> str:
    if not isinstance(value, str):
        raise PassOptionError(Mistake.TYPE, option.name, f"expected a string, found {shown(value)}")
    is_checked_by_pass = option.name == "pg_partition_algorithm" and compat is Compat.PYPTO
    if value not in option.choices and not is_checked_by_pass:
        known = ", ".join(map(repr, option.choices))
        raise PassOptionError(
            Mistake.VALUE,
            option.name,
            f"expected one of {known}, found {shown(value)}{did_you_mean(value, option.choices)}",
        )
    return value


def _integer(value: object, *, bool_counts: bool) -> int | None:
    """The number of anything that Python takes for an integer, numpy's included; None for anything else."""
    if isinstance(value, bool):
        return int(value) if bool_counts else None
    try:
        return index(value)  # pyright: ignore[reportArgumentType]  # a TypeError is the question
    except TypeError:
        return None
