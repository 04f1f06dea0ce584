"""The passes that `-p` names."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec

from dialect.suggestions import did_you_mean
from tools.driver.errors import UserError
from tools.driver.specs import construct, parse_specs
from transforms import PASS_ALIASES

PassFactories = Mapping[str, Callable[[], type[ModulePass]]]
"""Functions that import a pass, by its name."""


def parse_passes(available: PassFactories, text: str) -> tuple[ModulePass, ...]:
    """The passes of a pipeline text, imported once all names are known; `UserError` for what is wrong with it."""
    specs = [
        ArgSpec(canonical_pass_name(available, spec.name), spec.parameters) for spec in parse_specs("-p/--passes", text)
    ]
    return tuple(construct("pass", available, spec) for spec in specs)


def canonical_pass_name(available: PassFactories, name: str) -> str:
    """The name of an available pass, from it or from PyPTO's name for it; `UserError` with the nearest names else."""
    canonical = PASS_ALIASES.get(name, name)
    if canonical not in available:
        aliases = [alias for alias, target in PASS_ALIASES.items() if target in available]
        nearest = did_you_mean(name, [*available, *aliases]) or ";"
        raise UserError(f"unknown pass '{name}'{nearest} 'tile-opt --list-passes' shows all of them")
    return canonical
