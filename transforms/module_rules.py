"""What a module says about all its functions: the rules and the chip; and the functions themselves."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from dialect.directives import Directive
from dialect.ops import FuncOp, functions_of
from dialect.scopes import ScopeOp
from dialect.suggestions import did_you_mean
from dialect.targets import DEFAULT_SOC, Target, find_target
from dialect.values import string_of


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


def target_of(module: ModuleOp) -> Target:
    """The chip of the module attribute `tile.soc`, A2/A3 if it is absent.

    Raises:
        PassFailedException: the attribute names no chip.
    """
    attribute = module.attributes.get("tile.soc")
    name = DEFAULT_SOC if attribute is None else string_of(attribute)
    if name is None:
        raise PassFailedException(f"tile.soc is {attribute}, expected the name of a chip in quotes")
    try:
        return find_target(name)
    except ValueError as error:
        raise PassFailedException(f"tile.soc: {error}") from error


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
