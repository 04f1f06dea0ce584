"""Passes over tile functions; a pass is imported when it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.passes import ModulePass

PASS_ALIASES: Mapping[str, str] = {
    "GraphPartition": "graph-partition",
    "NBufferMerge": "n-buffer-merge",
    "L1CopyInReuseMerge": "l1-copy-in-reuse-merge",
    "ReduceCopyMerge": "reduce-copy-merge",
}
"""PyPTO's names of passes, which a user may type, and ours."""


def get_all_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Functions that import a pass, by its name."""

    def get_check_partition() -> type[ModulePass]:
        from transforms.check_partition import CheckPartitionPass

        return CheckPartitionPass

    def get_graph_partition() -> type[ModulePass]:
        from transforms.graph_partition.graph_partition_pass import GraphPartitionPass

        return GraphPartitionPass

    def get_inline_subgraphs() -> type[ModulePass]:
        from transforms.inline_subgraphs import InlineSubgraphsPass

        return InlineSubgraphsPass

    def get_outline_subgraphs() -> type[ModulePass]:
        from transforms.outline_subgraphs import OutlineSubgraphsPass

        return OutlineSubgraphsPass

    def get_n_buffer_merge() -> type[ModulePass]:
        from transforms.n_buffer_merge import NBufferMergePass

        return NBufferMergePass

    def get_l1_copy_in_reuse_merge() -> type[ModulePass]:
        from transforms.l1_copy_in_reuse_merge import L1CopyInReuseMergePass

        return L1CopyInReuseMergePass

    def get_eliminate_common_operations() -> type[ModulePass]:
        from transforms.eliminate_common_operations import EliminateCommonOperationsPass

        return EliminateCommonOperationsPass

    def get_eliminate_dead_operations() -> type[ModulePass]:
        from transforms.eliminate_dead_operations import EliminateDeadOperationsPass

        return EliminateDeadOperationsPass

    def get_reduce_copy_merge() -> type[ModulePass]:
        from transforms.reduce_copy_merge import ReduceCopyMergePass

        return ReduceCopyMergePass

    return {
        "check-partition": get_check_partition,
        "eliminate-common-operations": get_eliminate_common_operations,
        "eliminate-dead-operations": get_eliminate_dead_operations,
        "graph-partition": get_graph_partition,
        "inline-subgraphs": get_inline_subgraphs,
        "l1-copy-in-reuse-merge": get_l1_copy_in_reuse_merge,
        "n-buffer-merge": get_n_buffer_merge,
        "outline-subgraphs": get_outline_subgraphs,
        "reduce-copy-merge": get_reduce_copy_merge,
    }
