"""The checks of `--singleop`: flags, and the JSON file that describes operators (ATC options, e.10; use, 3.8)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar, cast

from tools.atc.check_flags import check_hf32, check_operator_flags
from tools.atc.entry_checks import OM, UNSET_FRAMEWORK
from tools.atc.flag_values import FlagValues
from tools.atc.messages import AtcError, failure, message
from tools.atc.paths import check_output_path
from tools.atc.strict_json import JsonError, JsonValue, parse_json, read_limited
from tools.atc.tables import data_types, formats

_ATTRIBUTE_TYPES: Mapping[str, str] = {
    "bool": "bool",
    "int": "int",
    "float": "float",
    "string": "string",
    "list_bool": "list of bool",
    "list_int": "list of int",
    "list_float": "list of float",
    "list_string": "list of string",
    "list_list_int": "list of list of int",
    "data_type": "string",
}
_NAME = re.compile(r"[A-Za-z0-9._-]{1,128}")
_UNKNOWN_RANK = -2

_T = TypeVar("_T")


def check_single_operator(flags: FlagValues) -> FlagValues:
    """The flags as they go on with `--singleop`, after all its checks.

    Raises:
        AtcError: the first check that fails.
    """
    path = flags["singleop"]
    refused = {
        "--display_model_info=1": flags["display_model_info"] == "1",
        "--framework": flags["framework"] != UNSET_FRAMEWORK,
        "--insert_op_conf": flags["insert_op_conf"] != "",
        f"--mode={flags['mode']}": flags["mode"] != OM,
    }
    for other, is_given in refused.items():
        if is_given:
            raise failure("E10001", path, "--singleop", f"it cannot be used together with {other}")
    for name in ("output", "soc_version"):
        if not flags[name]:
            raise failure("E10054", f"--{name}")
    check_output_path(flags["output"], "--output")
    flags = check_operator_flags(flags)
    check_hf32(flags)
    _check_file(path)
    return flags


def _check_file(path: str) -> None:
    try:
        resolved = os.path.realpath(path, strict=True)
    except (OSError, ValueError) as error:
        raise failure("E10023", path, getattr(error, "strerror", None) or "not a path") from None
    try:
        document = parse_json(read_limited(resolved))
    except OSError as error:
        raise failure("E10024", path, error.strerror) from None
    except JsonError as error:
        raise failure("E10025", path, error) from None
    if document is None:
        return
    if isinstance(document, dict):
        values = list(cast("dict[str, JsonValue]", document).values())
        raise failure("E10026", f"the file is one object with {len(values)} values, expected an array of operators")
    if not isinstance(document, list):
        raise failure("E10032", path, "expected an array of operators")
    for index, operator in enumerate(cast("list[JsonValue]", document)):
        _OperatorCheck(path, index).check(operator)


class _OperatorCheck:
    """The checks of one operator; `path` and `index` are for the messages."""

    def __init__(self, path: str, index: int):
        self.path = path
        self.place = f"operator {index}"
        self.operator = str(index)

    def check(self, value: JsonValue) -> None:
        operator = self._object(value, self.place)
        if "compile_flag" in operator and "op" not in operator:
            return
        name = self._member(operator, "op", str, self.place) if "op" in operator else ""
        if not name:
            raise failure("E10026", self.place)
        self.operator = f"'{name}'"
        label = operator.get("name", "")
        if not isinstance(label, str) or (label and not _NAME.fullmatch(label)):
            raise self._wrong(f"{self.place}: 'name' must be at most 128 letters, digits, '.', '_' and '-'")
        for direction in ("input_desc", "output_desc"):
            tensors = self._list(operator.get(direction, []), f"{self.place}: {direction}")
            for index, tensor in enumerate(tensors):
                self._check_tensor(tensor, direction.removesuffix("_desc"), index)
        for index, attribute in enumerate(self._list(operator.get("attr", []), f"{self.place}: attr")):
            self._check_attribute(attribute, index)

    def _check_tensor(self, value: JsonValue, direction: str, index: int) -> None:
        place = f"{self.place}, {direction} {index}"
        tensor = self._object(value, place)
        layout = self._member(tensor, "format", str, place)
        type = self._member(tensor, "type", str, place)
        shape = self._integers(tensor.get("shape"), f"{place}: shape")
        absent = (layout == "RESERVED", type == "UNDEFINED")
        if all(absent) and direction == "input":
            return
        if layout not in formats() or absent[0]:
            raise failure("E10027", self.operator, direction, "format", index, f"'{layout}' is no format here")
        if type not in data_types():
            raise failure("E10027", self.operator, direction, "type", index, f"'{type}' is no data type here")
        ranges = [
            self._integers(pair, f"{place}: shape_range")
            for pair in self._list(tensor.get("shape_range", []), f"{place}: shape_range")
        ]
        self._check_shape(shape, ranges, direction, index)

    def _check_shape(self, shape: Sequence[int], ranges: Sequence[Sequence[int]], direction: str, index: int) -> None:
        unknown = sum(dim < 0 for dim in shape)
        if _UNKNOWN_RANK in shape:
            if list(shape) != [_UNKNOWN_RANK] or ranges:
                reason = "a shape of unknown rank is [-2] and has no shape_range"
                raise failure("E13014", self.operator, direction, index, reason)
        elif len(ranges) != unknown or any(len(pair) != 2 for pair in ranges):
            reason = f"{unknown} dims are negative, expected so many pairs in shape_range, found {len(ranges)}"
            raise failure("E13014", self.operator, direction, index, reason)

    def _check_attribute(self, value: JsonValue, index: int) -> None:
        place = f"{self.place}, attribute {index}"
        attribute = self._object(value, place)
        name = self._member(attribute, "name", str, place) if "name" in attribute else ""
        if not name:
            raise failure("E10029", self.operator, index)
        type = self._member(attribute, "type", str, place) if "type" in attribute else ""
        if type not in _ATTRIBUTE_TYPES:
            raise AtcError(
                message("E13006", name, type), message("E10030", self.operator, name, "its type is not known")
            )
        given = attribute.get("value")
        if given is None or given == "":
            raise failure("E10030", self.operator, name, "the value is missing or empty")
        if not _is_of_type(given, _ATTRIBUTE_TYPES[type]):
            raise self._wrong(f"{place}: 'value' is not of the type {type}")

    def _object(self, value: JsonValue, place: str) -> Mapping[str, JsonValue]:
        if not isinstance(value, dict):
            raise self._wrong(f"{place}: expected an object")
        return cast("dict[str, JsonValue]", value)

    def _list(self, value: JsonValue, place: str) -> Sequence[JsonValue]:
        if not isinstance(value, list):
            raise self._wrong(f"{place}: expected an array")
        return cast("list[JsonValue]", value)

    def _integers(self, value: JsonValue, place: str) -> Sequence[int]:
        items = self._list(value, place)
        if not _is_of_type(value, "list of int"):
            raise self._wrong(f"{place}: expected integers")
        return cast("Sequence[int]", items)

    def _member(self, owner: Mapping[str, JsonValue], name: str, type: Callable[..., _T], place: str) -> _T:
        value = owner.get(name)
        if value.__class__ is not type:
            raise self._wrong(f"{place}: '{name}' is missing or no string")
        return cast("_T", value)

    def _wrong(self, reason: str) -> AtcError:
        return failure("E10032", self.path, reason)


def _is_of_type(value: JsonValue, type: str) -> bool:
    container, _, element = type.partition(" of ")
    match container:
        case "list":
            return isinstance(value, list) and all(_is_of_type(item, element) for item in cast("list[object]", value))
        case "bool":
            return isinstance(value, bool)
        case "int":
            return isinstance(value, int) and not isinstance(value, bool)
        case "float":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case _:
            return isinstance(value, str)
