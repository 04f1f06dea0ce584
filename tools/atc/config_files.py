"""The files that options name and that ATC reads late: their syntax (ATC use, section 3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, cast

from tools.atc.aipp import check_insert_op_file
from tools.atc.flag_values import FlagValues
from tools.atc.messages import failure
from tools.atc.strict_json import JsonError, JsonValue, parse_json, read_limited
from tools.atc.tables import data_types

_ON_OR_OFF = ("on", "off")

_PRIORITIES: Mapping[str, tuple[int, int]] = {"Top": (0, 1000), "Main": (1000, 2000), "Down": (2000, 3000)}
"""Per phase, the priorities that a pass may have: from, and up to but not including."""

_FUSIONS = ("GraphFusion", "UBFusion")

_MIX_LISTS = ("black-list", "white-list", "gray-list")
_MIX_CHANGES = ("to-add", "to-remove")

_ALLOWED_MIXES = frozenset(
    {
        *(frozenset({(name, "to-add")}) for name in _MIX_LISTS),
        *(frozenset({(name, "to-remove")}) for name in _MIX_LISTS[:2]),
        *(
            frozenset({(added, "to-add"), (removed, "to-remove")})
            for added in _MIX_LISTS
            for removed in _MIX_LISTS
            if added != removed
        ),
    }
)
"""The entries of mixed-precision lists that one op type may have together."""

_LONGEST_LINE = 1024


def check_config_files(flags: FlagValues) -> None:
    """Raise `AtcError` for the first file that its reader refuses."""
    for name, check in _CHECKS.items():
        if flags[name]:
            check(flags[name])
    if flags["hccl_sub_comm_config"] and not flags["cluster_config"]:
        raise failure("E10058", "--cluster_config")


def _read(path: str, code: str) -> bytes:
    try:
        return read_limited(path)
    except (OSError, ValueError) as error:
        raise failure(code, path, getattr(error, "strerror", None) or error) from None


def _text_lines(path: str, code: str) -> Sequence[str]:
    return _read(path, code).decode("utf-8", "replace").splitlines()


def check_fusion_switches(path: str) -> None:
    """`--fusion_switch_file`: JSON, else lines of `Rule:on`."""
    data = _read(path, "E21001")
    if not data:
        raise failure("E21001", path, "the file is empty")
    try:
        document = parse_json(data)
    except JsonError:
        _check_switch_lines(path, data.decode("utf-8", "replace").splitlines())
        return
    if not isinstance(document, dict):
        raise failure("E21001", path, "expected a JSON object")
    _check_switch_document(path, cast("dict[str, JsonValue]", document))


def _check_switch_lines(path: str, lines: Sequence[str]) -> None:
    seen = set[str]()
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        name, colon, state = line.partition(":")
        name, state = name.strip(), state.strip()
        if not colon:
            raise failure("E20003", path, f"line {number}: expected 'Rule:on' or 'Rule:off', found '{line}'")
        if state not in _ON_OR_OFF:
            raise failure("E20003", path, f"line {number}: expected on or off behind '{name}:', found '{state}'")
        if name and name in seen:
            raise failure("E20003", path, f"line {number}: the rule '{name}' stands twice")
        seen.add(name)


def _check_switch_document(path: str, document: Mapping[str, JsonValue]) -> None:
    for key, value in document.items():
        match key.strip():
            case "Switch":
                for place, name, state in _leaves(path, key, value):
                    if not isinstance(state, str) or state.strip() not in _ON_OR_OFF:
                        raise failure("E21002", path, f"{place}: expected on or off for '{name}'")
            case "Priority":
                _check_priorities(path, _object(path, key, value))
            case "ExceptionalPassOfO1Level":
                if not isinstance(value, list):
                    raise failure("E21002", path, f"'{key}' must be an array")
                if not all(isinstance(name, str) for name in cast("list[JsonValue]", value)):
                    raise failure("E21002", path, f"'{key}' must hold names of passes")
            case other:
                raise failure("E21002", path, f"unknown key '{other}'")


def _leaves(path: str, key: str, value: JsonValue) -> Iterator[tuple[str, str, JsonValue]]:
    for fusion, switches in _object(path, key, value).items():
        if fusion.strip() not in _FUSIONS:
            raise failure("E21002", path, f"unknown key '{fusion}' in '{key}', expected {' or '.join(_FUSIONS)}")
        for name, state in _object(path, fusion, switches).items():
            yield f"{key}, {fusion}", name, state


def _check_priorities(path: str, fusions: Mapping[str, JsonValue]) -> None:
    for fusion, phases in fusions.items():
        if fusion.strip() not in _FUSIONS:
            raise failure("E21002", path, f"unknown key '{fusion}' in 'Priority', expected {' or '.join(_FUSIONS)}")
        seen = set[str]()
        for phase, passes in _object(path, fusion, phases).items():
            if phase.strip() not in _PRIORITIES:
                raise failure("E21002", path, f"unknown key '{phase}' in '{fusion}', expected Top, Main or Down")
            low, high = _PRIORITIES[phase.strip()]
            for name, priority in _object(path, phase, passes).items():
                text = priority.strip() if isinstance(priority, str) else ""
                if not re.fullmatch(r"[0-9]{1,4}", text) or not low <= int(text) < high:
                    reason = f"{fusion}, {phase}: the priority of '{name}' must be a text from {low} to {high - 1}"
                    raise failure("E21002", path, reason)
                if name.strip() in seen:
                    raise failure("E21002", path, f"{fusion}: the pass '{name}' has two priorities")
                seen.add(name.strip())


def _object(path: str, key: str, value: JsonValue) -> Mapping[str, JsonValue]:
    if not isinstance(value, dict):
        raise failure("E21002", path, f"'{key}' must be an object")
    return cast("dict[str, JsonValue]", value)


def check_mix_list(path: str) -> None:
    """`--modify_mixlist`: which op types join or leave which list of mixed precision."""
    data = _read(path, "E21001")
    if not data:
        raise failure("E19999", f"--modify_mixlist: '{path}' is empty")
    try:
        document = parse_json(data, whole=False)
    except JsonError as error:
        raise failure("E21002", path, f"invalid JSON: {error}") from None
    entries: dict[str, set[tuple[str, str]]] = {}
    for name, changes in _object(path, "the document", document).items():
        if name not in _MIX_LISTS:
            raise failure("E21002", path, f"unknown key '{name}', expected {', '.join(_MIX_LISTS)}")
        for change, types in _object(path, name, changes).items():
            if change not in _MIX_CHANGES:
                raise failure("E21002", path, f"unknown key '{change}' in '{name}', expected {', '.join(_MIX_CHANGES)}")
            if not isinstance(types, list):
                raise failure("E21002", path, f"'{change}' of '{name}' must be an array")
            for type in cast("list[JsonValue]", types):
                if not isinstance(type, str):
                    raise failure("E21002", path, f"'{change}' of '{name}' must hold op types")
                entries.setdefault(type, set()).add((name, change))
    for type, found in entries.items():
        if frozenset(found) not in _ALLOWED_MIXES:
            places = ", ".join(f"{change} of {name}" for name, change in sorted(found))
            raise failure("E20003", path, f"the op type '{type}' cannot stand in {places}")


def check_custom_types(path: str) -> None:
    """`--customize_dtypes`: lines of `name::InputDtype:t,t,OutputDtype:t`."""
    for number, line in enumerate(_text_lines(path, "E20101"), 1):
        place = f"line {number}"
        if not line.strip():
            raise failure("E20101", path, f"{place} is blank")
        if len(line) >= _LONGEST_LINE:
            raise failure("E20101", path, f"{place} has {_LONGEST_LINE} characters or more")
        inputs, outputs = line.find("InputDtype:"), line.find("OutputDtype:")
        first = min((position for position in (inputs, outputs) if position >= 0), default=-1)
        if first <= 0 or not line[:first].strip(": \t"):
            raise failure("E20101", path, f"{place}: expected 'name::InputDtype:type,OutputDtype:type'")
        if 0 <= outputs < inputs:
            raise failure("E20101", path, f"{place}: InputDtype must stand before OutputDtype")
        types = line[first:].replace("InputDtype:", ",").replace("OutputDtype:", ",").split(",")
        for type in filter(None, map(str.strip, types)):
            if type not in data_types():
                raise failure("E20003", path, f"{place}: unknown data type '{type}'")


def check_debug_config(path: str) -> None:
    """`--op_debug_config`: lines of `key=value`."""
    for number, line in enumerate(_text_lines(path, "E20101"), 1):
        key, equals, value = line.partition("=")
        if line.strip() and (not equals or not key.strip() or not value.strip()):
            raise failure("E20003", path, f"line {number}: expected key=value, found '{line}'")


def check_kept_types(path: str) -> None:
    """`--keep_dtype`: op names, or `OpType::Type`."""
    for number, line in enumerate(_text_lines(path, "E10001"), 1):
        marker, colons, type = line.strip().partition("::")
        if marker == "OpType" and colons and not re.match(r"[A-Z]", type):
            reason = f"line {number} of '{path}': an op type begins with a capital letter"
            raise failure("E10003", type, "--keep_dtype", reason)


def check_name_map(path: str) -> None:
    """`--op_name_map`: lines of `Custom:Standard`, comments with `#`."""
    lines = _text_lines(path, "E10001")
    pairs = 0
    for number, line in enumerate(lines, 1):
        if not line or line.startswith("#"):
            continue
        custom, colon, standard = line.partition(":")
        if not colon or not custom.strip() or not standard.strip():
            raise failure("E10003", path, "--op_name_map", f"line {number}: expected 'Custom:Standard'")
        pairs += 1
    if not pairs:
        raise failure("E10003", path, "--op_name_map", "the file has no pair of names")


class _JsonShape(NamedTuple):
    """What a cluster file must hold: the members of the document, or of each item of its list `items`."""

    members: tuple[str, ...]
    items: str | None


def _check_cluster(path: str) -> None:
    _check_members(path, _JsonShape(("RankTable", "HcclCommConfig"), None))


def _check_communicators(path: str) -> None:
    _check_members(path, _JsonShape(("RankIds", "HcclCommconfig"), "GroupList"))


def _check_members(path: str, shape: _JsonShape) -> None:
    try:
        document = parse_json(_read(path, "E10032"))
    except JsonError as error:
        raise failure("E10032", path, f"invalid JSON: {error}") from None
    items: Sequence[JsonValue] = [document]
    if shape.items is not None:
        found = cast("dict[str, JsonValue]", document).get(shape.items) if isinstance(document, dict) else None
        if not isinstance(found, list):
            raise failure("E10032", path, f"expected an object with the array '{shape.items}'")
        items = cast("list[JsonValue]", found)
    for item in items:
        for member in shape.members:
            if not isinstance(item, dict) or member not in item:
                raise failure("E10032", path, f"'{member}' is missing")


def _check_compression(path: str) -> None:
    text = _read(path, "E10001").decode("utf-8", "replace")
    for match in re.finditer(r"enable_first_layer_quantization\s*:\s*([^\s}]*)", text):
        if match[1] not in ("true", "false"):
            reason = f"enable_first_layer_quantization must be true or false, found '{match[1]}'"
            raise failure("E20101", path, reason)


_CHECKS: Mapping[str, Callable[[str], None]] = {
    "fusion_switch_file": check_fusion_switches,
    "modify_mixlist": check_mix_list,
    "customize_dtypes": check_custom_types,
    "op_debug_config": check_debug_config,
    "compression_optimize_conf": _check_compression,
    "keep_dtype": check_kept_types,
    "op_name_map": check_name_map,
    "insert_op_conf": check_insert_op_file,
    "cluster_config": _check_cluster,
    "hccl_sub_comm_config": _check_communicators,
}
