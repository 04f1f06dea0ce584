"""Passes over tile functions; a pass is imported when it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module

from xdsl.passes import ModulePass

PASS_ALIASES: Mapping[str, str] = {
    "GraphPartition": "graph-partition",
    "NBufferMerge": "n-buffer-merge",
    "L1CopyInReuseMerge": "l1-copy-in-reuse-merge",
    "ReduceCopyMerge": "reduce-copy-merge",
}
"""PyPTO's names of passes, which a user may type, and ours."""

NAMED_PIPELINES: Mapping[str, Sequence[str]] = {
    "block-graph": (
        "resolve-pass-options",
        "graph-partition",
        "n-buffer-merge",
        "l1-copy-in-reuse-merge",
        "reduce-copy-merge",
        "outline-subgraphs",
    ),
}
"""Sequences of passes that go by one name."""

_PASS_CLASSES: Mapping[str, tuple[str, str]] = {
    "cast-boundaries": ("cast_boundaries", "CastBoundariesPass"),
    "check-option-keys": ("check_option_keys", "CheckOptionKeysPass"),
    "check-partition": ("check_partition", "CheckPartitionPass"),
    "eliminate-common-operations": ("eliminate_common_operations", "EliminateCommonOperationsPass"),
    "eliminate-dead-operations": ("eliminate_dead_operations", "EliminateDeadOperationsPass"),
    "fold-constants": ("fold_constants", "FoldConstantsPass"),
    "graph-partition": ("graph_partition.graph_partition_pass", "GraphPartitionPass"),
    "inline-subgraphs": ("inline_subgraphs", "InlineSubgraphsPass"),
    "l1-copy-in-reuse-merge": ("l1_copy_in_reuse_merge", "L1CopyInReuseMergePass"),
    "n-buffer-merge": ("n_buffer_merge", "NBufferMergePass"),
    "outline-subgraphs": ("outline_subgraphs", "OutlineSubgraphsPass"),
    "reduce-copy-merge": ("reduce_copy_merge", "ReduceCopyMergePass"),
    "resolve-pass-options": ("resolve_pass_options.resolve_pass_options_pass", "ResolvePassOptionsPass"),
    "select-outputs": ("select_outputs", "SelectOutputsPass"),
    "set-input-shapes": ("set_input_shapes", "SetInputShapesPass"),
    "sort-operations": ("sort_operations", "SortOperationsPass"),
}
"""The module (in this package) and the class of each pass."""


def get_all_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Functions that import a pass, by its name."""
    return {name: partial(_import_pass, *place) for name, place in _PASS_CLASSES.items()}


def _import_pass(module: str, class_name: str) -> type[ModulePass]:
    return getattr(import_module(f"{__name__}.{module}"), class_name)
