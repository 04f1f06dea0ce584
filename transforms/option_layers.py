"""Pass options from outside of the graph: layers that override what ops and functions carry.

Precedence of all sources, strongest first: the pipeline; the layers, later ones first; what functions and ops carry;
the defaults. A pass looks at the pipeline and at its function only (`transforms.effective_options`), because layers are
written into the functions before the first pass. `resolve-pass-options` keeps what functions and ops carry already, so
that a layer is stronger than scopes and directives too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, i64
from xdsl.ir import Attribute

from dialect.compat import Compat
from dialect.ops import FuncOp, functions_of
from dialect.pass_options import (
    PASS_OPTIONS,
    OptionValue,
    PassOptionError,
    ScopeSetting,
    option_from_attribute,
    option_to_attribute,
)
from transforms.effective_options import OptionSource, describe_value, remark_value
from transforms.module_rules import compat_of, unresolved_op
from transforms.remarks import Remark, RemarkValue, emit, is_collecting
from transforms.scope_properties import remove_scope, scope_properties

_SOURCE = "pass-options"


class SourcedValue(NamedTuple):
    """The value of an option, and where it comes from, in words that a user understands."""

    value: OptionValue
    source: str


@dataclass(frozen=True, slots=True)
class OptionLayer:
    """What one source outside of the graph says.

    Attributes:
        everywhere: by option, the value for all functions.
        by_function: by the name of a function, the values for it by option; they win over `everywhere`.
    """

    everywhere: Mapping[str, SourcedValue] = field(default_factory=dict[str, SourcedValue])
    by_function: Mapping[str, Mapping[str, SourcedValue]] = field(default_factory=dict[str, Mapping[str, SourcedValue]])


def apply_option_layers(module: ModuleOp, layers: Sequence[OptionLayer]) -> None:
    """Let the functions and ops of a verified module carry what layers say; remarks say what overrides what.

    Parameters:
        layers: the weakest first. A value replaces all of what a weaker source gave to the option.

    Notes:
        O(functions · options), and the ops of functions whose `sg_set_scope` is set.
    """
    compat = compat_of(module)
    is_resolved = unresolved_op(module) is None
    for function in functions_of(module):
        given = _given(function, layers)
        if not given:
            continue
        carried: Mapping[str, Attribute] = {} if function.pass_options is None else function.pass_options.data
        options = dict(carried)
        for name, values in given.items():
            value = values[-1].value
            if isinstance(value, ScopeSetting):
                _stamp(function, value, is_resolved)
            elif not PASS_OPTIONS[name].on_operations:
                options[name] = option_to_attribute(value)
            if is_collecting():
                weaker = [_carried(name, carried[name], compat)] if name in carried else []
                _explain(function, name, values[-1], [*weaker, *values[:-1]])
        function.pass_options = DictionaryAttr({name: options[name] for name in PASS_OPTIONS if name in options})


def _given(function: FuncOp, layers: Sequence[OptionLayer]) -> dict[str, list[SourcedValue]]:
    """By option, all values that layers give to a function, the strongest last."""
    given: dict[str, list[SourcedValue]] = {}
    for layer in layers:
        for values in (layer.everywhere, layer.by_function.get(function.symbol, {})):
            for name, value in values.items():
                given.setdefault(name, []).append(value)
    return given


def _stamp(function: FuncOp, scope: ScopeSetting, is_resolved: bool) -> None:
    """Put all ops of a function into a scope, or into none."""
    stamp = scope_properties(scope)
    if not stamp and not is_resolved:
        stamp = {"scope_id": IntegerAttr(scope.scope_id, i64)}  # keeps resolve-pass-options from stamping another
    for op in function.operations():
        remove_scope(op)
        op.properties.update(stamp)


def _carried(name: str, attribute: Attribute, compat: Compat) -> SourcedValue:
    try:
        value = option_from_attribute(name, attribute, compat, mixed_keys=True)
    except PassOptionError:
        value = str(attribute)
    return SourcedValue(value, str(OptionSource.FUNCTION))


def _explain(function: FuncOp, name: str, chosen: SourcedValue, weaker: Sequence[SourcedValue]) -> None:
    message = f"{name} = {describe_value(chosen.value)} from {chosen.source}"
    if weaker:
        overridden = ", ".join(f"{describe_value(value)} ({source})" for value, source in reversed(weaker))
        message += f"; overrides {overridden}"
    if PASS_OPTIONS[name].on_operations and not isinstance(chosen.value, ScopeSetting):
        message += "; has no effect: no pass of tile-opt reads it"
    overridden_values = tuple({"value": remark_value(value), "source": source} for value, source in weaker)
    details: dict[str, RemarkValue] = {
        "option": name,
        "value": remark_value(chosen.value),
        "source": chosen.source,
        "overrides": overridden_values,
    }
    emit(Remark(_SOURCE, "option", message, function.symbol, details))
