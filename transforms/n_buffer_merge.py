"""The pass `n-buffer-merge`: merges vector subgraphs that look alike, so many at a time.

Before:

```mlir
%0 = tile.view %x[0, 0] {subgraph = 0} : !tile.tensor<64x64xf32, ub>
%1 = tile.exp %0 {subgraph = 0} : !tile.tensor<64x64xf32, ub>
tile.assemble %1 into %y[0, 0] {subgraph = 0}
%2 = tile.view %x[64, 0] {subgraph = 1} : !tile.tensor<64x64xf32, ub>
%3 = tile.exp %2 {subgraph = 1} : !tile.tensor<64x64xf32, ub>
tile.assemble %3 into %y[64, 0] {subgraph = 1}
```

After `n-buffer-merge{vec-nbuffer-setting="DEFAULT=2"}` all ops are in subgraph 0, and carry the name of their class:

```mlir
%0 = tile.view %x[0, 0] {subgraph = 0, hashorder = {vec_merge = #tile.hashorder<"func8_0", 2>}} : …
```
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException

from dialect.collection import paused_collection
from dialect.compat import Compat
from dialect.ops import FuncOp
from dialect.pass_options import MergeSetting, OptionValue, option_from_python
from dialect.targets import Target
from transforms.class_table import ClassedFunction, Step, emit_class_table
from transforms.classes import SubgraphClasses, shape_marks
from transforms.effective_options import EffectiveOptions, effective_options, given_setting
from transforms.function_magics import function_magics
from transforms.merging.capacity import (
    CapacityGuard,
    CapacityRule,
    KeptBytes,
    capacity_rule,
    kept_bytes,
    overfull_groups,
)
from transforms.merging.n_buffer import OPTION, Grouping, NBufferMerge, NBufferParameters, n_buffer_merge, vector_mode
from transforms.merging.reports import report_capacity, report_narrow_grouping, report_refusals, report_reshapes
from transforms.merging.subgraph_ids import check_contiguous
from transforms.module_rules import compat_of, resolved_functions, target_of
from transforms.option_keys import KeyedFunction, check_keys, check_labels
from transforms.partitioned_function import PartitionedFunction, partitioned_function
from transforms.remarks import Remark, emit, is_collecting
from transforms.stable_names import StableNames, resolve, stable_names
from transforms.subgraph_graph import subgraph_graph
from transforms.subgraph_writing import write_hash_orders, write_subgraphs
from transforms.tensor_facts import tensor_shapes

PASS_NAME = "n-buffer-merge"


@dataclass(frozen=True, slots=True)
class _Case:
    """One function, and what holds for it."""

    partitioned: PartitionedFunction
    magic: int
    options: EffectiveOptions
    labelled: Mapping[str, Sequence[int]]

    @property
    def setting(self) -> MergeSetting:
        return self.options.setting(OPTION)

    @property
    def symbol(self) -> str:
        return self.partitioned.function.symbol

    def names(self, classes: SubgraphClasses) -> StableNames:
        partitioned = self.partitioned
        return stable_names(
            self.symbol, partitioned.parts.operations, partitioned.ordered, classes, partitioned.subgraphs
        )

    def keyed(self, classes: SubgraphClasses | None) -> KeyedFunction:
        """What the check of keys needs to know, with the classes if they are known."""
        names = self.names(classes) if classes is not None and self.setting.by_stable_name else None
        return KeyedFunction(self.symbol, self.magic, self.setting, classes, self.labelled, names)


@dataclass
class WriteMergedSubgraphs(RewritePattern):
    """Writes new subgraphs and the names of classes on the ops of a function that was looked at."""

    results: Mapping[FuncOp, tuple[PartitionedFunction, int, NBufferMerge]]

    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        if op not in self.results:
            return
        partitioned, magic, result = self.results[op]
        operations = [partitioned.parts.operations[operation] for operation in partitioned.ordered.order]
        write_hash_orders(operations, partitioned.subgraphs, result.classes, "vec_merge", magic)
        write_subgraphs(operations, result.subgraphs, result.count)
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class NBufferMergePass(ModulePass):
    """Merges vector subgraphs that look alike: N subgraphs of a class become one.

    N is what `vec_nbuffer_setting` says of the class, else a number that leaves work for every vector core. The setting
    `{"DEFAULT": 1}` merges nothing. Options given here win over those captured in the function. Every op of a vector
    subgraph gets the name of its class (`hashorder`), by which settings address it.
    """

    name = PASS_NAME

    vec_nbuffer_setting: str | None = None
    """How many to merge: key=count, separated by commas; keys are DEFAULT, func8_0, labels, integers, stable names
    (default: captured, else empty = automatic)."""
    mg_vec_parallel_lb: int | None = None
    """The automatic number leaves at least so many subgraphs of a class (default: captured, else the number of vector
    cores; with pypto rules 48)."""
    grouping: Grouping | None = None
    """wide merges any members of a class, narrow only those that share an input or output neighbour (default: what the
    setting implies: wide with DEFAULT, func keys or -2, else narrow)."""
    capacity: CapacityRule | None = None
    """What to do about merged subgraphs whose tiles exceed L1 or UB (default: warn, with pypto rules off)."""
    shapes: Literal["mixed", "split"] = "mixed"
    """Whether subgraphs of different tile shapes may be in one class."""
    strict_keys: bool = False
    """Whether a key that matches nothing is an error."""

    def __post_init__(self) -> None:
        if self.mg_vec_parallel_lb is not None:
            option_from_python("mg_vec_parallel_lb", self.mg_vec_parallel_lb, Compat.PUBLISHED)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        compat, target, magics = compat_of(op), target_of(op), function_magics(op)
        given: Mapping[str, OptionValue | None] = {
            OPTION: given_setting(OPTION, self.vec_nbuffer_setting, compat),
            "mg_vec_parallel_lb": self.mg_vec_parallel_lb,
        }
        with paused_collection():
            cases: list[_Case] = []
            for function in resolved_functions(op):
                partitioned = partitioned_function(function)
                options = effective_options(function, self.name, given, compat)
                cases.append(_Case(partitioned, magics[function], options, partitioned.labelled()))
            check_labels(self.name, OPTION, [case.keyed(None) for case in cases], compat, self.strict_keys)
            results = [self._merge(case, compat, target) for case in cases]
            keyed = [
                case.keyed(None if result is None else result.classes)
                for case, result in zip(cases, results, strict=True)
            ]
            check_keys(self.name, OPTION, keyed, self.strict_keys)
            written = {
                case.partitioned.function: (case.partitioned, case.magic, result)
                for case, result in zip(cases, results, strict=True)
                if result is not None
            }
            pattern = WriteMergedSubgraphs(written)
            for function in written:
                pattern.match_and_rewrite(function, PatternRewriter(function))

    def _merge(self, case: _Case, compat: Compat, target: Target) -> NBufferMerge | None:
        """What becomes of a function; None for nothing, not even names."""
        partitioned = case.partitioned
        try:
            mode = vector_mode(case.setting)
            if mode is None:
                message = f"skipped: {OPTION} is {{'DEFAULT': 1}}"
                emit(Remark(self.name, "skipped", message, case.symbol))
                if compat is Compat.PYPTO:
                    return None
            if max(partitioned.subgraphs, default=-1) < 0:
                emit(Remark(self.name, "no-subgraphs", "no op has a subgraph: run graph-partition", case.symbol))
                return None
            check_contiguous(partitioned.subgraphs)
            return self._merge_partitioned(case, compat, target)
        except PassFailedException as error:
            raise PassFailedException(f"@{case.symbol}: {error}") from error

    def _merge_partitioned(self, case: _Case, compat: Compat, target: Target) -> NBufferMerge:
        partitioned = case.partitioned
        ordered, subgraphs = partitioned.ordered, partitioned.subgraphs
        count = max(subgraphs) + 1
        rule = capacity_rule(self.capacity, compat)
        needs_shapes = self.shapes == "split" or rule == "enforce" or is_collecting()
        shapes = tensor_shapes(partitioned.parts) if needs_shapes else []
        kept: Sequence[KeptBytes] = ()
        if rule == "enforce" or (rule == "warn" and is_collecting()):
            kept = kept_bytes(ordered, shapes, subgraphs, count, target)
        bound = case.options.integer("mg_vec_parallel_lb")
        if compat is Compat.PUBLISHED and case.options.is_default("mg_vec_parallel_lb"):
            bound = max(1, target.aiv_cores)
            message = f"automatic numbers leave at least {bound} subgraphs of a class, for the cores of {target.name}"
            emit(Remark(self.name, "parallel-bound", message, case.symbol, {"bound": bound, "chip": target.name}))
        parameters = NBufferParameters(
            case.setting,
            case.magic,
            bound,
            compat,
            self.grouping,
            lambda classes: resolve(case.setting.by_stable_name, case.names(classes), case.symbol),
        )
        result = n_buffer_merge(
            ordered,
            subgraphs,
            case.labelled,
            parameters,
            marks=shape_marks(ordered, shapes) if self.shapes == "split" else None,
            make_guards=(lambda: [CapacityGuard(kept)]) if rule == "enforce" else tuple,
        )
        if is_collecting():
            self._explain(case, result, shapes, kept if rule == "warn" else (), count)
        return result

    def _explain(
        self,
        case: _Case,
        result: NBufferMerge,
        shapes: Sequence[Sequence[int]],
        kept: Sequence[KeptBytes],
        count: int,
    ) -> None:
        partitioned, classes = case.partitioned, result.classes
        classed = ClassedFunction(
            case.symbol,
            partitioned.ordered,
            Step.VECTOR,
            case.magic,
            classes,
            case.names(classes),
            partitioned.subgraphs,
            subgraph_graph(partitioned.ordered, partitioned.subgraphs, count),
            result.numbers,
            result.groups,
            shapes,
        )
        emit_class_table(self.name, classed)
        without = partitioned.subgraphs.count(-1)
        if without:
            emit(Remark(self.name, "no-subgraph", f"{without} ops have no subgraph and stay as they are", case.symbol))
        if result.mode is not None:
            if result.mode.grouping == "narrow":
                report_narrow_grouping(self.name, case.symbol, case.magic, result)
            report_reshapes(self.name, case.symbol, case.magic, result)
        for label in result.labels_without_class:
            message = f"{OPTION}: label {label!r} is also on subgraphs for the cube core, which are not merged here"
            emit(Remark(self.name, "label-on-cube", message, case.symbol, {"label": label}))
        report_refusals(self.name, case.symbol, result.refusals)
        roots = list(range(count))
        for groups in result.groups:
            for group in groups:
                for member in group:
                    roots[member] = group[0]
        report_capacity(self.name, case.symbol, overfull_groups(kept, roots))
