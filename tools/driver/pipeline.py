"""The passes that `-p` names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec

from dialect.suggestions import did_you_mean
from tools.driver.errors import UserError
from tools.driver.specs import construct, option_types, parse_specs
from transforms import NAMED_PIPELINES, PASS_ALIASES

PassFactories = Mapping[str, Callable[[], type[ModulePass]]]
"""Functions that import a pass, by its name."""

_STRICT_KEYS = "strict-keys"


def parse_passes(available: PassFactories, text: str, *, strict_keys: bool = False) -> tuple[ModulePass, ...]:
    """The passes of a pipeline text, imported once all names are known; `UserError` for what is wrong with it.

    Parameters:
        strict_keys: whether passes that check the keys of settings are to fail where a key matches nothing.
    """
    specs = [
        ArgSpec(canonical_pass_name(available, spec.name), spec.parameters) for spec in parse_specs("-p/--passes", text)
    ]
    stages = [stage for spec in specs for stage in _stages(available, spec)]
    if strict_keys:
        stages = [_with_strict_keys(available, stage) for stage in stages]
    return tuple(construct("pass", available, stage) for stage in stages)


def canonical_pass_name(available: PassFactories, name: str) -> str:
    """The name of an available pass or pipeline, from it or from PyPTO's name for it.

    Raises `UserError` with the nearest names for a name of neither.
    """
    canonical = PASS_ALIASES.get(name, name)
    if canonical not in available and canonical not in NAMED_PIPELINES:
        aliases = [alias for alias, target in PASS_ALIASES.items() if target in available]
        nearest = did_you_mean(name, [*available, *NAMED_PIPELINES, *aliases]) or ";"
        raise UserError(f"unknown pass '{name}'{nearest} 'tile-opt --list-passes' shows all of them")
    return canonical


def _stages(available: PassFactories, spec: ArgSpec) -> Sequence[ArgSpec]:
    """The passes that a name stands for; each gets those of the options that it has."""
    if spec.name in available:
        return [spec]
    names = NAMED_PIPELINES[spec.name]
    known = {name: option_types(available[name]()) for name in names}
    for option in spec.parameters:
        everywhere = sorted({known_option for options in known.values() for known_option in options})
        if option.replace("_", "-") not in everywhere:
            raise UserError(
                f"no pass of pipeline '{spec.name}' has an option '{option}'{did_you_mean(option, everywhere) or '.'} "
                f"They have: {', '.join(everywhere)}."
            )
    return [
        ArgSpec(name, {key: value for key, value in spec.parameters.items() if key.replace("_", "-") in known[name]})
        for name in names
    ]


def _with_strict_keys(available: PassFactories, spec: ArgSpec) -> ArgSpec:
    is_stated = _STRICT_KEYS in {key.replace("_", "-") for key in spec.parameters}
    if is_stated or _STRICT_KEYS not in option_types(available[spec.name]()):
        return spec
    return ArgSpec(spec.name, {_STRICT_KEYS: (True,), **spec.parameters})
