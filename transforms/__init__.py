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

    def get_outline_subgraphs() -> type[ModulePass]:
        from transforms.outline_subgraphs import OutlineSubgraphsPass

        return OutlineSubgraphsPass

    return {
        "check-partition": get_check_partition,
        "graph-partition": get_graph_partition,
        "outline-subgraphs": get_outline_subgraphs,
    }
