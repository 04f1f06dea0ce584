"""The pass `check-option-keys`: says of each key of the merge settings what it matches. Changes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from dialect.ops import FuncOp
from dialect.pass_options import MERGE_OPTIONS, OptionValue
from transforms.effective_options import EffectiveOptions, effective_options, given_setting
from transforms.function_magics import function_magics
from transforms.l1_copy_in_reuse_merge import L1CopyInReuseMergePass
from transforms.module_rules import compat_of, resolved_functions
from transforms.n_buffer_merge import NBufferMergePass
from transforms.option_keys import KEY_REMARKS, KeyedFunction, check_keys, check_labels
from transforms.partitioned_function import partitioned_function
from transforms.remarks import Remark, collect_remarks, emit


@dataclass(frozen=True)
class CheckOptionKeysPass(ModulePass):
    """Says of each key of the merge settings which class, label or function it matches; changes nothing.

    The passes that merge do the same for their own settings. What the keys of the cube settings match depends on the
    merges before, so these are tried on a copy of the module. Before the partition only labels and functions are known.
    A label that no op carries is an error (with pypto rules a remark), any other key that matches nothing a remark.
    """

    name = "check-option-keys"

    vec_nbuffer_setting: str | None = None
    """As for n-buffer-merge."""
    cube_l1_reuse_setting: str | None = None
    """As for l1-copy-in-reuse-merge."""
    cube_nbuffer_setting: str | None = None
    """As for l1-copy-in-reuse-merge."""
    strict_keys: bool = False
    """Whether a key that matches nothing is an error."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = resolved_functions(op)
        if all(op.subgraph is not None for function in functions for op in function.operations()):
            with collect_remarks() as remarks:
                self._try_merges(ctx, op.clone())
        else:
            with collect_remarks() as remarks:
                self._check_without_classes(op, function_magics(op))
        for remark in remarks:
            if remark.kind in KEY_REMARKS:
                emit(replace(remark, source=self.name))
        if not any(remark.kind in KEY_REMARKS for remark in remarks):
            emit(Remark(self.name, "no-keys", "no merge setting has a key other than the default"))

    def _try_merges(self, ctx: Context, copy: ModuleOp) -> None:
        NBufferMergePass(
            vec_nbuffer_setting=self.vec_nbuffer_setting, capacity="off", strict_keys=self.strict_keys
        ).apply(ctx, copy)
        L1CopyInReuseMergePass(
            cube_l1_reuse_setting=self.cube_l1_reuse_setting,
            cube_nbuffer_setting=self.cube_nbuffer_setting,
            capacity="off",
            strict_keys=self.strict_keys,
        ).apply(ctx, copy)

    def _check_without_classes(self, module: ModuleOp, magics: Mapping[FuncOp, int]) -> None:
        compat = compat_of(module)
        given: Mapping[str, OptionValue | None] = {
            name: given_setting(name, getattr(self, name), compat) for name in MERGE_OPTIONS
        }
        cases: list[tuple[str, int, EffectiveOptions, Mapping[str, Sequence[int]]]] = []
        for function, magic in magics.items():
            options = effective_options(function, self.name, given, compat)
            cases.append((function.symbol, magic, options, partitioned_function(function).labelled()))
        for option in MERGE_OPTIONS:
            keyed = [
                KeyedFunction(symbol, magic, options.setting(option), None, labelled)
                for symbol, magic, options, labelled in cases
            ]
            check_labels(self.name, option, keyed, compat, self.strict_keys)
            check_keys(self.name, option, keyed, self.strict_keys)
