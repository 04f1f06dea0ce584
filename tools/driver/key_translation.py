"""`--translate-keys`: a settings file in which names of classes are stable names, or the other way round.

A file with `func{magic}_{order}` keys that name classes of the graph gets stable names for them; another one gets such
keys for its stable names. What the names mean is found by merging a copy of the graph with the settings of the file,
since the names of the cube settings depend on the merges before.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from dialect.pass_options import MERGE_OPTIONS, is_class_name, is_stable_name
from tools.driver.settings_files import Options, SettingsFile, layers_of, read_settings_file
from transforms.class_table import Step
from transforms.graph_partition.graph_partition_pass import GraphPartitionPass
from transforms.l1_copy_in_reuse_merge import L1CopyInReuseMergePass
from transforms.module_rules import compat_of, resolved_functions
from transforms.n_buffer_merge import NBufferMergePass
from transforms.option_layers import apply_option_layers
from transforms.remarks import Remark, collect_remarks
from transforms.stable_names import long_form

_OPTION_OF_STEP: Mapping[str, str] = {
    Step.VECTOR: "vec_nbuffer_setting",
    Step.L1_REUSE: "cube_l1_reuse_setting",
    Step.CUBE: "cube_nbuffer_setting",
}


@dataclass(frozen=True, slots=True)
class Translation:
    """A settings file with other keys; `kept` are keys that name no class of the graph, with their options."""

    text: str
    kept: Sequence[tuple[str, str]]


@dataclass(slots=True)
class _Names:
    """What the classes of one option are called, by function."""

    stable_of: dict[str, dict[str, Sequence[str]]] = field(default_factory=dict[str, dict[str, Sequence[str]]])

    def add(self, function: str, names: Sequence[str]) -> None:
        self.stable_of.setdefault(function, {})[names[0]] = names[1:]


def translate_keys(ctx: Context, path: str, module: ModuleOp) -> Translation:
    """The settings file at `path` with its keys translated for a module, which is partitioned if it is not.

    Raises:
        UserError: a file that is not right, or that does not fit the module.
        PassFailedException: the graph cannot be partitioned or merged with these settings.
    """
    file = read_settings_file(path)
    names = _names_of_classes(ctx, file, module)
    to_stable = any(
        _stable_names(key, names[option], None) for options in _sections(file) for option, key in _merge_keys(options)
    )
    kept: list[tuple[str, str]] = []

    def translated(options: Options, function: str | None) -> dict[str, object]:
        result = dict(options)
        for option in MERGE_OPTIONS:
            setting = options.get(option)
            if isinstance(setting, dict):
                entries = cast("Mapping[str, object]", setting)
                result[option] = _translated(entries, names[option], function, to_stable, option, kept)
        return result

    process = translated(file.process, None)
    document: dict[str, object] = process
    if file.process_path or file.functions:
        functions = {name: translated(options, name) for name, options in file.functions.items()}
        document = {"process": process, "functions": functions}
    return Translation(json.dumps(document, indent=1, ensure_ascii=False) + "\n", kept)


def _sections(file: SettingsFile) -> Sequence[Options]:
    return [file.process, *file.functions.values()]


def _merge_keys(options: Options) -> list[tuple[str, str]]:
    settings = [(option, options.get(option)) for option in MERGE_OPTIONS]
    return [
        (option, key)
        for option, setting in settings
        if isinstance(setting, dict)
        for key in cast("Mapping[str, object]", setting)
    ]


def _names_of_classes(ctx: Context, file: SettingsFile, module: ModuleOp) -> Mapping[str, _Names]:
    copy = module.clone()
    apply_option_layers(copy, layers_of([file], copy, compat_of(copy)))
    if any(op.subgraph is None for function in resolved_functions(copy) for op in function.operations()):
        GraphPartitionPass().apply(ctx, copy)
    with collect_remarks() as remarks:
        NBufferMergePass().apply(ctx, copy)
        L1CopyInReuseMergePass().apply(ctx, copy)
    names = {option: _Names() for option in MERGE_OPTIONS}
    for remark in remarks:
        if remark.kind == "class":
            _add(names[_OPTION_OF_STEP[str(remark.details["step"])]], remark)
    return names


def _add(names: _Names, remark: Remark) -> None:
    assert remark.function is not None
    names.add(remark.function, [str(name) for name in cast("Sequence[object]", remark.details["names"])])


def _translated(
    entries: Mapping[str, object],
    names: _Names,
    function: str | None,
    to_stable: bool,
    option: str,
    kept: list[tuple[str, str]],
) -> dict[str, object]:
    result: dict[str, object] = {}
    for key, value in entries.items():
        if is_class_name(key) if to_stable else is_stable_name(key):
            found = _stable_names(key, names, function) if to_stable else _class_names(key, names, function)
            if not found:
                kept.append((option, key))
        else:
            found = [key]
        for other in found or [key]:
            result.setdefault(other, value)
    return result


def _stable_names(key: str, names: _Names, function: str | None) -> list[str]:
    """The stable name of a class; the long form where another function has one that is called the same."""
    for owner, classes in names.stable_of.items():
        if key in classes and function in (None, owner):
            best = classes[key][0]
            others = [known for other, known in names.stable_of.items() if other != owner]
            is_shared = any(best in stable for known in others for stable in known.values())
            return [long_form(best, owner) if is_shared else best]
    return []


def _class_names(key: str, names: _Names, function: str | None) -> list[str]:
    return [
        name
        for owner, classes in names.stable_of.items()
        if function in (None, owner)
        for name, stable in classes.items()
        if any(known == key or long_form(known, owner) == key for known in stable)
        or (key.startswith("~") and any(known.startswith(key) for known in stable))
    ]
