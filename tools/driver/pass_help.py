"""What `--list-passes` and `--help-pass` print."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import textwrap
from collections.abc import Mapping
from typing import Any, Literal, cast, get_args, get_origin

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec, ParameterListType

from tools.driver.option_types import describe_type
from tools.driver.pipeline import PassFactories
from tools.driver.specs import option_types
from transforms import NAMED_PIPELINES, PASS_ALIASES

_SUMMARY_WIDTH = 90


def list_passes(available: PassFactories, own: PassFactories) -> str:
    """A table of all passes with a line about each: our `own` ones, then xDSL's."""
    width = max(map(len, available))
    sections = {
        "Passes of tile-opt": [name for name in available if name in own],
        "Passes of xDSL": [name for name in available if name not in own],
    }
    tables = [
        "\n".join(
            [f"{title}:", *(f"  {name:<{width}}  {summary(available[name]())}".rstrip() for name in sorted(names))]
        )
        for title, names in sections.items()
        if names
    ]
    pipelines = [
        f"  {name:<{width}}  {', '.join(stages)}"
        for name, stages in NAMED_PIPELINES.items()
        if all(stage in available for stage in stages)
    ]
    if pipelines:
        tables.insert(1, "\n".join(["Pipelines of tile-opt:", *pipelines]))
    return "\n\n".join(tables)


def describe_pipeline(name: str, available: PassFactories) -> str:
    """The page of a named pipeline: its passes and their options, each of which it takes for all that have it."""
    stages = NAMED_PIPELINES[name]
    lines = [f"{name}: a pipeline of {len(stages)} passes", ""]
    options: dict[str, list[str]] = {}
    for stage in stages:
        described = available[stage]()
        lines.append(f"  {stage}: {summary(described)}")
        for option in option_types(described):
            options.setdefault(option, []).append(stage)
    lines += ["", "Options, and the passes that get them ('tile-opt --help-pass PASS' says more):"]
    lines += [f"  {option}: {', '.join(passes)}" for option, passes in sorted(options.items())]
    example = ArgSpec(name, {"vec-nbuffer-setting": ("DEFAULT=2",)})
    return "\n".join([*lines, "", "Example:", f"  tile-opt -p '{example}' input.mlir"])


def describe_pass(name: str, described: type[ModulePass]) -> str:
    """The page of a pass: its documentation, its options with type and default, and a pipeline to copy."""
    aliases = [alias for alias, canonical in PASS_ALIASES.items() if canonical == name]
    title = f"{name} (also: {', '.join(aliases)})" if aliases else name
    options = _describe_options(described) or "  none"
    example = f"  tile-opt -p '{_example_spec(name, described)}' input.mlir"
    return "\n\n".join(
        part for part in (title, _documentation(described), f"Options:\n{options}", f"Example:\n{example}") if part
    )


def summary(described: type[ModulePass]) -> str:
    """The first sentence of a pass's documentation, shortened to one line."""
    paragraph = " ".join(_documentation(described).split("\n\n")[0].split())
    sentence = paragraph.split(". ")[0].removesuffix(".")
    return textwrap.shorten(sentence, _SUMMARY_WIDTH, placeholder=" ...")


def _documentation(described: type[ModulePass]) -> str:
    """The docstring that the class was written with; not the signature that `dataclass` makes up, nor its base's."""
    documentation = inspect.cleandoc(described.__dict__.get("__doc__") or "")
    return "" if documentation.startswith(f"{described.__name__}(") else documentation


def _describe_options(described: type[ModulePass]) -> str:
    explanations = _field_docstrings(described)
    lines: list[str] = []
    for name, expected in option_types(described).items():
        lines.append(f"  {name}: {describe_type(expected)}, {_describe_default(described, name)}")
        if name in explanations:
            lines.append(textwrap.indent(explanations[name], "      "))
    return "\n".join(lines)


def _describe_default(described: type[ModulePass], option: str) -> str:
    defaults = _defaults(described)
    if option not in defaults:
        return "required"
    default = defaults[option]
    return "no default" if default is None else f"default {_spec_value(default)}"


def _spec_value(value: Any) -> str:
    """A value as it is written in a pipeline."""
    return str(ArgSpec("", {"": _parameters(value)})).removeprefix("{=").removesuffix("}")


def _parameters(value: Any) -> ParameterListType:
    return cast(ParameterListType, value) if isinstance(value, tuple) else (value,)


def _defaults(described: type[ModulePass]) -> Mapping[str, Any]:
    return {
        field.name.replace("_", "-"): (
            field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
        )
        for field in dataclasses.fields(described)
        if field.name not in described.required_fields()
    }


def _example_spec(name: str, described: type[ModulePass]) -> ArgSpec:
    """The pass with a value for each option: the example of its field's metadata, else the default.

    Where there is neither, a required option gets a value of its type, and another one is left out.
    """
    examples = {field.name.replace("_", "-"): field.metadata.get("example") for field in dataclasses.fields(described)}
    defaults = _defaults(described)
    parameters: dict[str, ParameterListType] = {}
    for option, expected in option_types(described).items():
        value = examples[option] or defaults.get(option)
        if value is not None:
            parameters[option] = _parameters(value)
        elif option not in defaults:
            parameters[option] = _value_of_type(expected)
    return ArgSpec(name, parameters)


def _value_of_type(expected: Any) -> ParameterListType:
    values: dict[Any, ParameterListType] = {bool: (True,), int: (1,), float: (0.5,), str: ("value",)}
    if expected in values:
        return values[expected]
    if get_origin(expected) is Literal:
        return (get_args(expected)[0],)
    return _value_of_type(get_args(expected)[0])


def _field_docstrings(described: type[ModulePass]) -> Mapping[str, str]:
    """The string that stands under a field in the source of a class, by the option's name."""
    try:
        source = textwrap.dedent(inspect.getsource(described))
    except (OSError, TypeError):
        return {}
    definition = ast.parse(source).body[0]
    assert isinstance(definition, ast.ClassDef)
    docstrings: dict[str, str] = {}
    for statement, following in zip(definition.body, definition.body[1:], strict=False):
        match statement, following:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                docstrings[name.replace("_", "-")] = inspect.cleandoc(text)
            case _:
                pass
    return docstrings
