"""Says of every key of a merge setting what it matches, and refuses those that match nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from dialect.pass_options import DEFAULT_KEY, MergeSetting
from dialect.suggestions import did_you_mean
from transforms.classes import SubgraphClasses, class_name
from transforms.merging.merge_counts import DEFAULT_INTEGER, function_key
from transforms.remarks import Remark, emit
from transforms.stable_names import StableNames

KEY_REMARKS = frozenset(
    {"key-matched", "label-elsewhere", "label-unmatched", "function-unknown", "class-unknown", "classes-unknown"}
)
"""The kinds of remarks about keys."""

_SHOWN_NAMES = 8
_MOST_COMPARED = 2000


@dataclass(frozen=True, slots=True)
class KeyedFunction:
    """A function, one of its merge settings, and what keys of the setting can match.

    Attributes:
        symbol, magic: the function's name and number.
        setting: the setting that holds for it.
        classes: the classes that the setting is about; None where the step does not number any.
        names: their stable names; None if the setting has none.
        labels: per label in the function, its subgraphs.
    """

    symbol: str
    magic: int
    setting: MergeSetting
    classes: SubgraphClasses | None
    labels: Mapping[str, Sequence[int]] = field(default_factory=dict[str, Sequence[int]])
    names: StableNames | None = None


def check_labels(pass_name: str, option: str, functions: Sequence[KeyedFunction], compat: Compat, strict: bool) -> None:
    """Look at the labels of a setting; nothing needs to be known of classes.

    A label that no op of the function carries is fine if another function has it.

    Raises:
        PassFailedException: no op of the module carries a label, with published rules or if `strict`.
    """
    everywhere = {label for function in functions for label in function.labels}
    for function in functions:
        for label in function.setting.by_label:
            if label in function.labels:
                continue
            if label in everywhere:
                message = f"{option}: no op of @{function.symbol} carries the label {label!r}; another function has it"
                emit(_remark(pass_name, "label-elsewhere", message, function, option, label))
                continue
            known = _nearest(label, sorted(everywhere), "labels")
            message = f"{option}: no op carries the label {label!r}{known}"
            if strict or compat is Compat.PUBLISHED:
                raise PassFailedException(message)
            emit(_remark(pass_name, "label-unmatched", message, function, option, label))


def check_keys(pass_name: str, option: str, functions: Sequence[KeyedFunction], strict: bool) -> None:
    """Say of every key but the default what it matches.

    Raises:
        PassFailedException: a key matches nothing, and `strict`.
    """
    magics = {function.magic: function for function in functions}
    existing = [
        class_name(function.magic, order)
        for function in functions
        if function.classes is not None
        for order in range(len(function.classes.members))
    ]
    reported: set[str] = set()
    for function in functions:
        for key in function.setting.by_name:
            if key == DEFAULT_KEY:
                continue
            parsed = function_key(key)
            owner = None if parsed is None else magics.get(parsed[0])
            if parsed is None or owner is None:
                if key not in reported:
                    reported.add(key)
                    problem = "names no function" if parsed is None else f"there is no function with magic {parsed[0]}"
                    hint = _nearest(key, existing)
                    message = f"{option}: {key}: {problem}{hint}"
                    _fail_or_emit(strict, _remark(pass_name, "function-unknown", message, function, option, key))
            elif owner is function:
                _check_order(pass_name, option, function, key, parsed[1], strict)
        for key in function.setting.by_integer:
            if key > DEFAULT_INTEGER and not function.setting.by_name:
                _check_order(pass_name, option, function, str(key), key, strict)
        for label in function.setting.by_label:
            if subgraphs := function.labels.get(label):
                message = f"{option}: label {label!r} is on {len(subgraphs)} subgraphs"
                emit(_remark(pass_name, "key-matched", message, function, option, label))
    _check_stable_names(pass_name, option, functions, strict)


def _check_order(pass_name: str, option: str, function: KeyedFunction, key: str, order: int, strict: bool) -> None:
    if function.classes is None:
        message = f"{option}: {key}: the classes of @{function.symbol} are not known (run graph-partition first)"
        emit(_remark(pass_name, "classes-unknown", message, function, option, key))
        return
    members = function.classes.members
    if order < len(members):
        name = class_name(function.magic, order)
        message = f"{option}: {key} is class {name} with {len(members[order])} subgraphs"
        emit(_remark(pass_name, "key-matched", message, function, option, key))
        return
    names = [class_name(function.magic, number) for number in range(len(members))]
    message = f"{option}: {key}: @{function.symbol} has no class {order} (classes: {_shown(names) or 'none'})"
    _fail_or_emit(strict, _remark(pass_name, "class-unknown", message, function, option, key))


def _check_stable_names(pass_name: str, option: str, functions: Sequence[KeyedFunction], strict: bool) -> None:
    unmatched: dict[str, KeyedFunction] = {}
    matched: set[str] = set()
    for function in functions:
        for key in function.setting.by_stable_name:
            orders = [] if function.names is None else function.names.orders(key, function.symbol)
            for order in orders:
                assert function.classes is not None
                name, members = class_name(function.magic, order), function.classes.members[order]
                message = f"{option}: {key} is class {name} with {len(members)} subgraphs"
                emit(_remark(pass_name, "key-matched", message, function, option, key))
            if orders:
                matched.add(key)
            else:
                unmatched.setdefault(key, function)
    existing = [
        name
        for function in functions
        if function.names is not None and function.classes is not None
        for order in range(len(function.classes.members))
        for name in function.names.of(order)
    ]
    for key, function in unmatched.items():
        if key not in matched:
            hint = _nearest(key, existing)
            message = f"{option}: {key} names no class{hint}"
            _fail_or_emit(strict, _remark(pass_name, "class-unknown", message, function, option, key))


def _fail_or_emit(strict: bool, remark: Remark) -> None:
    if strict:
        raise PassFailedException(remark.message)
    emit(remark)


def _remark(pass_name: str, kind: str, message: str, function: KeyedFunction, option: str, key: str) -> Remark:
    return Remark(pass_name, kind, message, function.symbol, {"option": option, "key": key})


def _nearest(key: str, existing: Sequence[str], what: str = "names") -> str:
    """The existing names that are near, else the first ones."""
    return did_you_mean(key, existing[:_MOST_COMPARED]) or f" ({what}: {_shown(existing) or 'none'})"


def _shown(names: Sequence[str]) -> str:
    more = f", … {len(names) - _SHOWN_NAMES} more" if len(names) > _SHOWN_NAMES else ""
    return ", ".join(names[:_SHOWN_NAMES]) + more
