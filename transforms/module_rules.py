"""What a module says about all its functions: the rules and the chip; and the functions themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from dialect.directives import Directive
from dialect.ops import FuncOp, functions_of
from dialect.scopes import ScopeOp
from dialect.suggestions import did_you_mean
from dialect.targets import DEFAULT_SOC, Target, find_target
from dialect.values import integer_of, string_of


def compat_of(module: ModuleOp) -> Compat:
    """The rule set of the module attribute `tile.compat`, `published` if it is absent.

    Raises:
        PassFailedException: the attribute names no rule set.
    """
    attribute = module.attributes.get("tile.compat")
    if attribute is None:
        return Compat.PUBLISHED
    name = string_of(attribute)
    if name is None or name not in tuple(Compat):
        hint = "" if name is None else did_you_mean(name, tuple(Compat))
        raise PassFailedException(f"tile.compat is {attribute}, expected one of {', '.join(Compat)}{hint}")
    return Compat(name)


AIC_CORES, AIV_CORES = "tile.aic_cores", "tile.aiv_cores"
"""Module attributes: how many cube and vector cores there are, where that is not the chip's own number."""


def target_of(module: ModuleOp) -> Target:
    """The chip of the module attribute `tile.soc`, A2/A3 if it is absent, with the core counts that the module states.

    Raises:
        PassFailedException: the attribute names no chip, or a core count is no count.
    """
    attribute = module.attributes.get("tile.soc")
    name = DEFAULT_SOC if attribute is None else string_of(attribute)
    if name is None:
        raise PassFailedException(f"tile.soc is {attribute}, expected the name of a chip in quotes")
    try:
        target = find_target(name)
    except ValueError as error:
        raise PassFailedException(f"tile.soc: {error}") from error
    aic_cores = _core_count(module, AIC_CORES, target.aic_cores)
    return replace(target, aic_cores=aic_cores, aiv_cores=_core_count(module, AIV_CORES, target.aiv_cores))


def _core_count(module: ModuleOp, name: str, default: int) -> int:
    attribute = module.attributes.get(name)
    if attribute is None:
        return default
    count = integer_of(attribute)
    if count is None or not 0 <= count <= default:
        raise PassFailedException(f"{name} is {attribute}, expected an integer in the range 0..{default}")
    return count


def unresolved_op(module: ModuleOp) -> Operation | None:
    """A scope or directive of a module, which `resolve-pass-options` has yet to remove; None if there is none.

    Notes:
        O(ops).
    """
    blocks = [module.body.block, *(function.body.block for function in functions_of(module))]
    return next((op for block in blocks for op in block.ops if isinstance(op, (ScopeOp, Directive))), None)


def resolved_functions(module: ModuleOp) -> Sequence[FuncOp]:
    """The tile functions of a module without scopes and directives, in text order.

    Raises:
        PassFailedException: the module has some.

    Notes:
        O(ops).
    """
    unresolved = unresolved_op(module)
    if unresolved is not None:
        raise PassFailedException(f"the module has {unresolved.name}; run resolve-pass-options before this pass")
    return list(functions_of(module))
