"""The pass `resolve-pass-options`: from scopes and directives to options that ops and functions carry.

Before:

```mlir
tile.kernel @k {
  tile.set_pass_options {vec_nbuffer_setting = {DEFAULT = 4}}
  tile.loop @rows {
    tile.func @body ins(%x: !tile.tensor<64x64xf32, ub>) {
      tile.set_pass_options {sg_set_scope = [1, true, false]}
      %0 = tile.exp %x : !tile.tensor<64x64xf32, ub>
      tile.set_pass_options {sg_set_scope = -1, vec_nbuffer_setting = {DEFAULT = 2, V1 = 1}}
      tile.set_semantic_label "V1"
      %1 = tile.sqrt %0 : !tile.tensor<64x64xf32, ub>
    }
  }
}
```

After:

```mlir
tile.func @body magic(1) ins(%x: …) attributes {pass_options = {vec_nbuffer_setting = {DEFAULT = 2, V1 = 1}}} {
  %0 = tile.exp %x {scope_id = 1, allow_parallel_merge} : !tile.tensor<64x64xf32, ub>
  %1 = tile.sqrt %0 {semantic_label = "V1"} : !tile.tensor<64x64xf32, ub>
}
```
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from dialect.directives import (
    BeginOptionsOp,
    Directive,
    EndOptionsOp,
    ResetOptionsOp,
    SetPassOptionsOp,
    SetSemanticLabelOp,
)
from dialect.operation import TileOperation
from dialect.ops import FuncOp
from dialect.pass_options import (
    FLAGS_WITHOUT_SCOPE,
    NO_SCOPE_SETTING,
    PASS_OPTIONS,
    PassOptionError,
    options_from_dictionary,
)
from dialect.scopes import OptionsOp, ScopeOp
from transforms.effective_options import describe_value, remark_value
from transforms.function_magics import function_magics
from transforms.module_rules import compat_of, target_of
from transforms.remarks import Remark, RemarkValue, emit, is_collecting
from transforms.resolve_pass_options.flattening import (
    FoundFunction,
    flatten,
    names_around,
    names_when_flat,
)
from transforms.resolve_pass_options.scope_consistency import check_scopes, place_of
from transforms.resolve_pass_options.visible_options import Assignment, VisibleOptions
from transforms.scope_properties import scope_properties

_SOURCE = "resolve-pass-options"
_NO_SCOPE_ID = IntegerAttr(-1, i64)


def _place(op: Operation) -> str:
    """Where an op stands: the names around it, such as `@kernel/@loop`."""
    return "/".join(f"@{name}" for name in names_around(op)) or "the module"


def _explain(kind: str, function: str | None, assignment: Assignment, text: str) -> None:
    if not is_collecting():
        return
    setter, place = assignment.setter.name, _place(assignment.setter)
    message = f"{assignment.option} = {describe_value(assignment.value)}, set by {setter} in {place}{text}"
    value = remark_value(assignment.value)
    details: dict[str, RemarkValue] = {"option": assignment.option, "value": value, "setter": setter, "place": place}
    emit(Remark(_SOURCE, kind, message, function, details))


def _function_around(op: Operation) -> str | None:
    parent = op.parent_op()
    return parent.symbol if isinstance(parent, FuncOp) else None


def _set_options(
    visible: VisibleOptions, entries: Mapping[str, Attribute], setter: Operation, *, mixed_keys: bool = False
) -> None:
    try:
        values = options_from_dictionary(entries, visible.compat, mixed_keys=mixed_keys)
    except PassOptionError as error:
        raise PassFailedException(f"{setter.name} in {_place(setter)}: {error}") from error
    for name, value in values.items():
        assignment = visible.assign(name, value, setter)
        if assignment.value != assignment.written:
            text = "; entries of earlier settings stay, as in the shipped compiler"
            _explain("stale-entries", _function_around(setter), assignment, text)


def _act(visible: VisibleOptions, directive: Directive) -> None:
    """Let a directive change what holds from here on."""
    match directive:
        case SetPassOptionsOp():
            _set_options(visible, directive.entries, directive)
        case SetSemanticLabelOp():
            visible.set_label(directive.label_text)
        case BeginOptionsOp():
            visible.begin_scope()
            _set_options(visible, directive.entries, directive, mixed_keys=visible.compat is Compat.PYPTO)
        case EndOptionsOp():
            visible.end_scope()
        case ResetOptionsOp():
            visible.reset()
        case _:
            raise AssertionError(f"no rule for {directive.name}")


@dataclass
class ResolveFunction(RewritePattern):
    """Stamps scope and label on the ops of a function, and leaves it with the options that hold at its end.

    What an op or the function already carries stays. The directives of the function are collected, not erased.
    """

    visible: VisibleOptions
    mixed_cores: bool
    directives: list[Directive] = field(default_factory=list[Directive])

    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        try:
            self._stamp(op)
            check_scopes(op.operations(), self.mixed_cores)
        except PassFailedException as error:
            raise PassFailedException(f"@{op.symbol}: {error}") from error
        self._capture(op)
        rewriter.notify_op_modified(op)

    def _stamp(self, function: FuncOp) -> None:
        visible = self.visible
        scope, label = visible.scope, visible.label
        scope_stamp, label_attribute = scope_properties(scope), StringAttr(label)
        for op in function.body.block.ops:
            if isinstance(op, TileOperation):
                properties = op.properties
                if label and "semantic_label" not in properties:
                    properties["semantic_label"] = label_attribute
                if "scope_id" not in properties:
                    if scope_stamp:
                        properties.update(scope_stamp)
                    elif scope != NO_SCOPE_SETTING:
                        raise PassFailedException(f"{place_of(op)} has the scope {tuple(scope)}: {FLAGS_WITHOUT_SCOPE}")
                elif properties["scope_id"] == _NO_SCOPE_ID:
                    del properties["scope_id"]
            elif isinstance(op, Directive):
                _act(visible, op)
                self.directives.append(op)
                scope, label = visible.scope, visible.label
                scope_stamp, label_attribute = scope_properties(scope), StringAttr(label)

    def _capture(self, function: FuncOp) -> None:
        carried: Mapping[str, Attribute] = {} if function.pass_options is None else function.pass_options.data
        captured = dict(carried)
        for assignment in self.visible.held():
            name = assignment.option
            if PASS_OPTIONS[name].on_operations:
                continue
            assignment.is_captured = True
            if name in carried:
                _explain("carried", function.symbol, assignment, " has no effect: the function carries this option")
            else:
                captured[name] = assignment.attribute
                _explain("captured", function.symbol, assignment, "")
        if captured:
            function.pass_options = DictionaryAttr({name: captured[name] for name in PASS_OPTIONS if name in captured})


def _resolve(module: ModuleOp, resolve: ResolveFunction) -> tuple[list[FoundFunction], list[Operation]]:
    """Walk a module in text order and resolve each function.

    A function that stands in no kernel and no loop is a kernel of its own: what it sets ends with it.

    Returns:
        The functions, and the scopes and directives, each in text order.
    """
    visible = resolve.visible
    functions: list[FoundFunction] = []
    resolved: list[Operation] = []
    open_scopes: list[ScopeOp] = []
    open_blocks = [iter(module.body.block.ops)]
    named_scopes = 0
    top: Operation = module
    while open_blocks:
        op = next(open_blocks[-1], None)
        if op is None:
            open_blocks.pop()
            if open_scopes:
                named_scopes -= not isinstance(open_scopes.pop(), OptionsOp)
                visible.end_scope()
            continue
        if not open_scopes:
            top = op
        if isinstance(op, FuncOp):
            functions.append(FoundFunction(op, top))
            if not named_scopes:
                visible.begin_scope()
            resolve.match_and_rewrite(op, PatternRewriter(op))
            if not named_scopes:
                visible.end_scope()
        elif isinstance(op, ScopeOp):
            resolved.append(op)
            visible.begin_scope()
            if isinstance(op, OptionsOp):
                _set_options(visible, op.entries, op, mixed_keys=visible.compat is Compat.PYPTO)
            else:
                named_scopes += 1
            open_scopes.append(op)
            open_blocks.append(iter(op.body.block.ops))
        elif isinstance(op, Directive):
            resolved.append(op)
            _act(visible, op)
    return functions, resolved


def _explain_without_effect(assignments: Iterable[Assignment]) -> None:
    for assignment in assignments:
        name, setter = assignment.option, assignment.setter
        if assignment.is_captured or name == "sg_set_scope":
            continue
        if PASS_OPTIONS[name].on_operations:
            reason = "no pass of tile-opt reads it"
        elif isinstance(setter, BeginOptionsOp):
            reason = "the options block closes before its function ends, and what holds at the end counts"
        else:
            reason = "no function ends while it holds"
        _explain("without-effect", _function_around(setter), assignment, f" has no effect: {reason}")


@dataclass(frozen=True)
class ResolvePassOptionsPass(ModulePass):
    """Turns scopes and directives into options that ops and functions carry, and removes them.

    Scope ids and labels are stamped on each op where it stands. Any other option counts for a function as a whole, with
    the value that holds where the function ends. Functions of kernels and loops become functions of the module, and
    those without a magic get 1, 2, … in text order. What ops and functions already carry stays. Fails if ops of one
    scope have different flags, or if a scope holds cube and vector ops and the chip has separate cores.
    """

    name = "resolve-pass-options"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        resolve = ResolveFunction(VisibleOptions(compat_of(op)), target_of(op).has_mixed_cores)
        functions, scopes = _resolve(op, resolve)
        if is_collecting():
            _explain_without_effect(resolve.visible.assignments)
        for function, name in names_when_flat(op, functions).items():
            emit(Remark(_SOURCE, "renamed", f"@{function.symbol} of {_place(function)} is called @{name} now", name))
            function.sym_name = StringAttr(name)
        for function, magic in function_magics(op).items():
            function.magic = IntegerAttr(magic, i64)
        flatten(op, functions, [*scopes, *resolve.directives])
