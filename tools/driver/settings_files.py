"""The files of `--pass-options`: pass options as JSON, for all functions or by function.

A file is either one object with the options, or `{"process": {…}, "functions": {"name": {…}}}`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn, cast

from xdsl.dialects.builtin import ModuleOp

from dialect.compat import Compat
from dialect.ops import functions_of
from dialect.pass_options import PASS_OPTIONS, Mistake, PassOptionError, option_from_json
from dialect.suggestions import did_you_mean
from tools.driver.errors import UserError
from tools.driver.source import read_source
from transforms.option_layers import OptionLayer, SourcedValue

SIZE_LIMIT = 1 << 24
"""Bytes that a settings file may have at most."""

_MOST_DIGITS = 20
_SECTIONS = ("process", "functions")

Options = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """What a file says, as JSON values; which values are legal depends on the module's rules.

    Attributes:
        path: the file.
        process: the options for all functions.
        process_path: the JSON path of `process`; empty if the file is just these options.
        functions: the options of functions by their name.
    """

    path: str
    process: Options
    process_path: str
    functions: Mapping[str, Options]


def read_settings_file(path: str) -> SettingsFile:
    """Read a settings file.

    Raises:
        UserError: a file that cannot be read, is too large, is no JSON, has a key twice, or is not of the form above.
    """
    data = read_source(path)
    if len(data) > SIZE_LIMIT:
        raise UserError(f"{len(data)} bytes, expected at most {SIZE_LIMIT}", path)
    try:
        document = STRICT_JSON.decode(data.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise UserError(f"no JSON: {error.msg}", f"{path}:{error.lineno}:{error.colno}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"byte {error.start} is not UTF-8", path) from None
    except RecursionError:
        raise UserError("nested too deeply", path) from None
    except ValueError as error:
        raise UserError(str(error), path) from None
    top = _options(path, "", document)
    sections = [name for name in _SECTIONS if name in top]
    if not sections:
        return SettingsFile(path, top, "", {})
    for name in top:
        if name not in _SECTIONS:
            raise UserError(
                f"{name}: unknown beside '{sections[0]}'{did_you_mean(name, _SECTIONS)} "
                "(there are 'process' and 'functions')",
                path,
            )
    functions = {
        name: _options(path, _member("functions", name), options)
        for name, options in _options(path, "functions", top.get("functions", {})).items()
    }
    return SettingsFile(path, _options(path, "process", top.get("process", {})), "process", functions)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"key {json.dumps(key, ensure_ascii=False)} stands twice in one object")
        found[key] = value
    return found


def _integer(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"a number of {len(text)} digits, expected at most {_MOST_DIGITS}")
    return int(text)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


STRICT_JSON = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_constant=_no_number)
"""Decodes JSON whose objects have each key once and whose numbers have a sensible number of digits.

Raises ValueError for others, of which `json.JSONDecodeError` is a kind.
"""


def _options(path: str, json_path: str, value: object) -> Options:
    if not isinstance(value, dict):
        place = f"{json_path}: " if json_path else ""
        raise UserError(f"{place}expected an object, found {json.dumps(value, ensure_ascii=False)[:60]}", path)
    return cast("dict[str, object]", value)


def _member(json_path: str, key: str) -> str:
    if key.isidentifier():
        return f"{json_path}.{key}" if json_path else key
    return f"{json_path}[{json.dumps(key, ensure_ascii=False)}]"


def layers_of(files: Sequence[SettingsFile], module: ModuleOp, compat: Compat) -> Sequence[OptionLayer]:
    """The layers of settings files for a module, in the order of the files.

    Raises:
        UserError: an option that does not exist, a value that it does not take under the module's rules, or a function
            that the module does not have; with the file and the path in it.
    """
    names = {function.symbol for function in functions_of(module)}
    layers: list[OptionLayer] = []
    for file in files:
        for name in file.functions:
            if name not in names:
                hint = did_you_mean(name, names) or (
                    f" (there are: {', '.join(sorted(names)[:10])})" if names else " (the module has no function)"
                )
                raise UserError(f"{_member('functions', name)}: there is no function @{name}{hint}", file.path)
        layers.append(
            OptionLayer(
                _values(file, file.process_path, file.process, compat),
                {
                    name: _values(file, _member("functions", name), options, compat)
                    for name, options in file.functions.items()
                },
            )
        )
    return layers


def _values(file: SettingsFile, json_path: str, options: Options, compat: Compat) -> dict[str, SourcedValue]:
    values: dict[str, SourcedValue] = {}
    for name, value in options.items():
        place = _member(json_path, name)
        rules = Compat.PUBLISHED if name == "sg_set_scope" else compat  # an error at once, as no op is set one by one
        try:
            values[name] = SourcedValue(option_from_json(name, value, rules), f"{file.path} ({place})")
        except PassOptionError as error:
            if error.mistake is Mistake.NAME:
                hint = did_you_mean(name, (*PASS_OPTIONS, *_SECTIONS)) or f" (there are: {', '.join(PASS_OPTIONS)})"
                raise UserError(f"{place}: there is no such pass option{hint}", file.path) from None
            if error.key is not None:
                place += f"[{json.dumps(str(error.key), ensure_ascii=False)}]"
            raise UserError(f"{place}: {error.problem}", file.path) from None
    return values
