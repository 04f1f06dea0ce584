"""The pass `l1-copy-in-reuse-merge`: merges cube subgraphs that copy the same tiles to L1, then those that look alike.

Before (two of the subgraphs of a matrix product; both copy the same tile of the right matrix):

```mlir
%0 = tile.view %a[0, 0] {subgraph = 0} : !tile.tensor<64x64xf32, l1>
%1 = tile.view %b[0, 0] {subgraph = 0} : !tile.tensor<64x64xf32, l1>
…
%2 = tile.view %a[64, 0] {subgraph = 1} : !tile.tensor<64x64xf32, l1>
%3 = tile.view %b[0, 0] {subgraph = 1} : !tile.tensor<64x64xf32, l1>
%4 = tile.view %3[0, 0] {subgraph = 1} : !tile.tensor<64x64xf32, l0b>
```

After `l1-copy-in-reuse-merge{cube-l1-reuse-setting="DEFAULT=2"}` all are in subgraph 0, and the second copy is gone:

```mlir
%4 = tile.view %1[0, 0] {subgraph = 0} : !tile.tensor<64x64xf32, l0b>
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
from transforms.class_table import ClassedFunction, Step, emit_class_table, shared_bytes
from transforms.classes import SubgraphClasses, shape_marks
from transforms.effective_options import EffectiveOptions, effective_options, given_setting
from transforms.function_magics import function_magics
from transforms.graph_partition.ordered_graph import OrderedGraph
from transforms.merging import cube_groups, l1_reuse
from transforms.merging.capacity import (
    CapacityGuard,
    CapacityRule,
    capacity_rule,
    kept_bytes,
    overfull_groups,
)
from transforms.merging.function_edit import edit_function
from transforms.merging.graph_reduction import changed_inputs
from transforms.merging.guards import MergeGuard, groups_by_root
from transforms.merging.l1_copy_in_reuse import L1Merge, L1Parameters, Steps, l1_copy_in_reuse_merge
from transforms.merging.l1_reports import report_cube_bound, report_duplicates, report_reuse
from transforms.merging.merge_counts import Chosen
from transforms.merging.reports import report_capacity, report_eliminated, report_refusals
from transforms.module_rules import compat_of, resolved_functions, target_of
from transforms.option_keys import KeyedFunction, check_keys, check_labels
from transforms.partitioned_function import PartitionedFunction, partitioned_function
from transforms.remarks import Remark, emit, is_collecting
from transforms.stable_names import StableNames, resolve, stable_names
from transforms.subgraph_graph import subgraph_graph
from transforms.subgraph_writing import write_hash_orders, write_subgraphs
from transforms.tensor_facts import TensorFacts, tensor_facts

PASS_NAME = "l1-copy-in-reuse-merge"


@dataclass(frozen=True, slots=True)
class _Case:
    """One function, and what holds for it."""

    partitioned: PartitionedFunction
    tensors: TensorFacts
    magic: int
    options: EffectiveOptions
    labelled: Mapping[str, Sequence[int]]

    @property
    def symbol(self) -> str:
        return self.partitioned.function.symbol

    def setting(self, option: str) -> MergeSetting:
        return self.options.setting(option)

    def names(self, steps: Steps, classes: SubgraphClasses, units: Sequence[int]) -> StableNames:
        return stable_names(self.symbol, self.partitioned.parts.operations, steps.ordered, classes, units)

    def keyed(self, option: str, classes: SubgraphClasses | None, names: StableNames | None) -> KeyedFunction:
        """What the check of keys needs to know, with the classes if they are known."""
        return KeyedFunction(self.symbol, self.magic, self.setting(option), classes, self.labelled, names)


@dataclass
class WriteMergedSubgraphs(RewritePattern):
    """Writes new subgraphs and the names of classes on the ops of a function, and removes ops that are not needed."""

    results: Mapping[FuncOp, tuple[_Case, L1Merge]]

    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        case, result = self.results[op]
        parts, steps = case.partitioned.parts, result.steps
        operations = [parts.operations[operation] for operation in result.ordered.order]
        if steps.reuse_classes is not None:
            write_hash_orders(operations, result.old_subgraphs, steps.reuse_classes, "l1_reuse", case.magic)
        if steps.cube_classes is not None and steps.names_cube_classes:
            subgraphs = [steps.reuse_root(subgraph) for subgraph in result.old_subgraphs]
            write_hash_orders(operations, subgraphs, steps.cube_classes, "cube_merge", case.magic)
        write_subgraphs(operations, result.subgraphs, result.count)
        inputs = changed_inputs(parts.graph, result.ordered)
        deleted = [*result.common, *result.duplicates, *result.dead]
        edit_function(op, parts, inputs, deleted, result.moved_windows)
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class L1CopyInReuseMergePass(ModulePass):
    """Merges cube subgraphs that copy the same tile of global memory to L1, then cube subgraphs that look alike.

    First what a subgraph computes twice is computed once. Then a subgraph joins the latest one that has copied one of
    its tiles, as `cube_l1_reuse_setting` allows, and tiles that one subgraph copies twice are copied once. Then
    subgraphs of a class merge as `cube_nbuffer_setting` says. Last, what no outcast depends on is removed.

    Options given here win over those captured in the function. Ops of a subgraph that copies to L1 get the names of its
    classes (`hashorder`), by which the two settings address it.
    """

    name = PASS_NAME

    cube_l1_reuse_setting: str | None = None
    """How many may share copies: key=count or key=count:left or :right for the matrix to share, separated by commas;
    keys are DEFAULT, func8_0, labels, integers, stable names (default: captured, else empty = automatic)."""
    cube_nbuffer_setting: str | None = None
    """How many subgraphs of a class to merge, in the same form without sides (default: captured, else DEFAULT=1)."""
    mg_copyin_upper_bound: int | None = None
    """Bytes that the copies of a merged subgraph may have together (default: captured, else 104857600)."""
    enable_slice: bool | None = None
    """Whether SLICE copies tiles instead of VIEW (default: captured, else false)."""
    capacity: CapacityRule | None = None
    """What to do about merged subgraphs whose tiles exceed L1 or UB (default: warn, with pypto rules off)."""
    shapes: Literal["mixed", "split"] = "mixed"
    """Whether subgraphs of different tile shapes may be in one class."""
    strict_keys: bool = False
    """Whether a key that matches nothing is an error."""

    def __post_init__(self) -> None:
        if self.mg_copyin_upper_bound is not None:
            option_from_python("mg_copyin_upper_bound", self.mg_copyin_upper_bound, Compat.PUBLISHED)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        compat, target, magics = compat_of(op), target_of(op), function_magics(op)
        given: Mapping[str, OptionValue | None] = {
            l1_reuse.OPTION: given_setting(l1_reuse.OPTION, self.cube_l1_reuse_setting, compat),
            cube_groups.OPTION: given_setting(cube_groups.OPTION, self.cube_nbuffer_setting, compat),
            "mg_copyin_upper_bound": self.mg_copyin_upper_bound,
            "enable_slice": self.enable_slice,
        }
        with paused_collection():
            cases: list[_Case] = []
            for function in resolved_functions(op):
                partitioned = partitioned_function(function)
                tensors = tensor_facts(function, partitioned.parts)
                options = effective_options(function, self.name, given, compat)
                cases.append(_Case(partitioned, tensors, magics[function], options, partitioned.labelled()))
            for option in (l1_reuse.OPTION, cube_groups.OPTION):
                keyed = [case.keyed(option, None, None) for case in cases]
                check_labels(self.name, option, keyed, compat, self.strict_keys)
            results = {case.partitioned.function: (case, self._merge(case, compat, target)) for case in cases}
            self._check_keys(list(results.values()))
            pattern = WriteMergedSubgraphs(results)
            for function in results:
                pattern.match_and_rewrite(function, PatternRewriter(function))

    def _check_keys(self, results: Sequence[tuple[_Case, L1Merge]]) -> None:
        for option in (l1_reuse.OPTION, cube_groups.OPTION):
            keyed: list[KeyedFunction] = []
            for case, result in results:
                steps = result.steps
                classes, units = steps.reuse_classes, steps.subgraphs
                if option == cube_groups.OPTION and steps.cube_classes is not None:
                    classes, units = steps.cube_classes, steps.units_after_reuse()
                names = None
                if classes is not None and case.setting(option).by_stable_name:
                    names = case.names(steps, classes, units)
                keyed.append(case.keyed(option, classes, names))
            check_keys(self.name, option, keyed, self.strict_keys)

    def _merge(self, case: _Case, compat: Compat, target: Target) -> L1Merge:
        partitioned, options = case.partitioned, case.options
        rule = capacity_rule(self.capacity, compat)
        parameters = L1Parameters(
            options.setting(l1_reuse.OPTION),
            options.setting(cube_groups.OPTION),
            case.magic,
            options.integer("mg_copyin_upper_bound"),
            target.aic_cores,
            compat,
            options.flag("enable_slice"),
        )

        def names(option: str, steps: Steps, classes: SubgraphClasses) -> Mapping[str, Sequence[int]]:
            keys = case.setting(option).by_stable_name
            if not keys:
                return {}
            units = steps.units_after_reuse() if option == cube_groups.OPTION else steps.subgraphs
            return resolve(keys, case.names(steps, classes, units), case.symbol)

        def guards(
            ordered: OrderedGraph, subgraphs: Sequence[int], count: int, copies: Sequence[Mapping[int, int]]
        ) -> Sequence[MergeGuard]:
            return [CapacityGuard(kept_bytes(ordered, case.tensors.shapes, subgraphs, count, target, copies))]

        try:
            result = l1_copy_in_reuse_merge(
                partitioned.ordered,
                partitioned.parts.operations,
                case.tensors,
                partitioned.subgraphs,
                partitioned.labels,
                partitioned.outcasts,
                parameters,
                stable_names=names,
                marks=shape_marks(partitioned.ordered, case.tensors.shapes) if self.shapes == "split" else None,
                make_guards=guards if rule == "enforce" else None,
            )
        except PassFailedException as error:
            raise PassFailedException(f"@{case.symbol}: {error}") from error
        if is_collecting():
            self._explain(case, result, parameters, target if rule == "warn" else None)
        return result

    def _explain(self, case: _Case, result: L1Merge, parameters: L1Parameters, target: Target | None) -> None:
        steps, shapes = result.steps, case.tensors.shapes
        report_eliminated(self.name, case.symbol, result.common, result.dead, case.partitioned.parts)
        if steps.reuse_classes is None:
            emit(Remark(self.name, "skipped", "skipped: both settings are {'DEFAULT': 1}", case.symbol))
            return
        graph = subgraph_graph(steps.ordered, steps.subgraphs, steps.count)
        asked = [
            Chosen(steps.limits[members[0]].count, steps.limits[members[0]].key)
            for members in steps.reuse_classes.members
            if steps.limits
        ]
        roots = steps.reuse_roots or list(range(steps.count))
        reuse = ClassedFunction(
            case.symbol,
            steps.ordered,
            Step.L1_REUSE,
            case.magic,
            steps.reuse_classes,
            case.names(steps, steps.reuse_classes, steps.subgraphs),
            steps.subgraphs,
            graph,
            asked,
            [groups_by_root(members, roots) for members in steps.reuse_classes.members],
            shapes,
            shared_bytes(steps.reuse_classes, steps.copies),
        )
        emit_class_table(self.name, reuse)
        report_reuse(self.name, case.symbol, case.magic, result, parameters.volume_bound)
        report_duplicates(self.name, case.symbol, result, case.partitioned.parts)
        if steps.cube_classes is not None:
            units = steps.units_after_reuse()
            cube = ClassedFunction(
                case.symbol,
                steps.ordered,
                Step.CUBE,
                case.magic,
                steps.cube_classes,
                case.names(steps, steps.cube_classes, units),
                units,
                subgraph_graph(steps.ordered, units, steps.count),
                steps.numbers,
                [groups_by_root(members, steps.roots) for members in steps.cube_classes.members],
                shapes,
            )
            emit_class_table(self.name, cube)
            report_cube_bound(self.name, case.symbol, case.magic, result, parameters.volume_bound)
        report_refusals(self.name, case.symbol, steps.refusals)
        if target is not None:
            kept = kept_bytes(steps.ordered, shapes, steps.subgraphs, steps.count, target, steps.copies)
            report_capacity(self.name, case.symbol, overfull_groups(kept, steps.roots))
