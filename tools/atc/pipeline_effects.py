"""What resolved options do to the pipeline: passes that are switched on or off, and passes of their own."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from xdsl.passes import ModulePass

from tools.atc.explanation import explain_switch
from tools.atc.option_map import OptionMap
from tools.atc.resolution import Resolution
from tools.atc.switches import parse_switches
from tools.atc.tables import registry
from transforms import PASS_ALIASES
from transforms.eliminate_dead_operations import EliminateDeadOperationsPass
from transforms.fold_constants import FoldConstantsPass
from transforms.remarks import Remark, emit
from transforms.sort_operations import Order, SortOperationsPass

SOURCE = "ge-options"
"""The source of remarks about options."""

_KEY_OF_PASS: Mapping[str, str] = {
    "fold-constants": "ge.oo.constantFolding",
    "eliminate-dead-operations": "ge.oo.deadCodeElimination",
}
"""The registry option that decides whether a pass runs."""

_OWN_PASSES: tuple[ModulePass, ...] = (FoldConstantsPass(), EliminateDeadOperationsPass())
"""Passes that options bring into a pipeline, in the order in which they run."""

_TOPOLOGICAL_ORDER = "ge.topoSortingMode"
_ORDER_OF_MODE: Mapping[str, Order] = {
    "0": "breadth-first",
    "1": "depth-first",
    "2": "reverse-depth-first",
    "3": "stable",
}

_RESOLVE = "resolve-pass-options"

COMPILE_PIPELINE = (
    f"{_RESOLVE},graph-partition,n-buffer-merge,l1-copy-in-reuse-merge,reduce-copy-merge,outline-subgraphs"
)
"""What `tile-atc` runs besides the passes that options bring in."""


def pipeline_with_options(
    passes: Sequence[ModulePass],
    resolution: Resolution,
    known: Collection[str],
    *,
    levels: bool,
) -> tuple[ModulePass, ...]:
    """The passes of a pipeline as the options want them.

    A pass runs unless the optimization switch names it (by our name or PyPTO's) with `off`, or else its registry
    option is `false`. Constant folding, dead code elimination and a topological order come in, behind
    `resolve-pass-options` or in front, if the option map asks for them, or with `levels` the defaults of the
    optimization level do.

    Parameters:
        known: the names of all passes that exist.
    """
    switches = _switches(resolution, known)
    values = _registry_values(resolution, levels=levels)
    wanted = [
        *(
            made
            for made in (FoldConstantsPass(), EliminateDeadOperationsPass())
            if _is_wanted(made.name, switches, values)
        ),
        *_order(values.get(_TOPOLOGICAL_ORDER, "")),
    ]
    kept = [made for made in passes if not _is_off(made.name, switches, resolution.options)]
    names = [made.name for made in kept]
    brought = [made for made in wanted if made.name not in names and switches.get(made.name, True)]
    for name, state in switches.items():
        if state and name not in {*names, *(made.name for made in brought)}:
            emit(Remark(SOURCE, "switch", f"'{name}:on' has no effect: the pass is not in the pipeline"))
    place = names.index(_RESOLVE) + 1 if _RESOLVE in names else 0
    return (*kept[:place], *brought, *kept[place:])


def _switches(resolution: Resolution, known: Collection[str]) -> Mapping[str, bool]:
    states: dict[str, bool] = {}
    for name, state in parse_switches(resolution.flags["optimization_switch"]).states.items():
        canonical = PASS_ALIASES.get(name, name)
        if canonical in known:
            states[canonical] = state
        else:
            emit(Remark(SOURCE, "switch", explain_switch(name, state)))
    return states


def _registry_values(resolution: Resolution, *, levels: bool) -> Mapping[str, str]:
    """The value of each registry option that the map has, or that the level gives."""
    level = resolution.flags["oo_level"]
    values: dict[str, str] = {}
    for key, option in registry().items():
        if key in resolution.options:
            values[key] = resolution.options[key].value
        elif (levels or resolution.flags.is_given("oo_level")) and level in option.defaults:
            values[key] = option.defaults[level]
    return values


def _is_wanted(name: str, switches: Mapping[str, bool], values: Mapping[str, str]) -> bool:
    """Whether a pass shall come into a pipeline that does not have it."""
    return switches.get(name, _KEY_OF_PASS[name] in values and _is_true(values[_KEY_OF_PASS[name]]))


def _is_true(text: str) -> bool:
    return text in ("", "true")


def _order(mode: str) -> Sequence[ModulePass]:
    return [SortOperationsPass(order=_ORDER_OF_MODE[mode])] if mode in _ORDER_OF_MODE else []


def _is_off(name: str, switches: Mapping[str, bool], options: OptionMap) -> bool:
    """Whether a pass of the pipeline is turned off; a remark says by what."""
    if name in switches:
        if not switches[name]:
            emit(Remark(SOURCE, "switch", f"{name} does not run: ge.optimizationSwitch turns it off"))
        return not switches[name]
    entry = options.get(_KEY_OF_PASS.get(name, ""))
    if entry is None or _is_true(entry.value):
        return False
    key = _KEY_OF_PASS[name]
    emit(Remark(SOURCE, "switch", f"{name} does not run: {key} is '{entry.value}' ({entry.source})"))
    return True
