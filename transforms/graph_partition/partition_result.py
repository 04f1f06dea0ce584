"""What a partition is asked for and what it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from dialect.compat import Compat
from transforms.graph import Scope
from transforms.graph_partition.group_merge_step import RefusedMerge


@dataclass(frozen=True, slots=True)
class IsoParameters:
    """Parameters of the Iso partition.

    Attributes:
        parallel_lower_bound: `pg_parallel_lower_bound`; groups of at least so many lanes may merge with groups of other
            lane counts, 0..2147483647.
        lower_bound: `pg_lower_bound`, cycles; subgraphs of at most so many cycles may do so too, 0..2147483647.
        compat: the rule set.
        mixed_cores: whether the target couples a cube core with vector cores (NPU architecture 3510).
        single_subgraph: whether everything becomes subgraph 0 (lite NPUs, architectures 3003 and 3113).
        balanced: whether the branches of an unbalanced reduction count as alike; False only in tests.
    """

    parallel_lower_bound: int = 20
    lower_bound: int = 512
    compat: Compat = Compat.PUBLISHED
    mixed_cores: bool = False
    single_subgraph: bool = False
    balanced: bool = True


class SubgraphSummary(NamedTuple):
    """One subgraph: how many operations it has, the sum of their cycles, and the core or cores it runs on."""

    operation_count: int
    cycles: int
    core: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """Which subgraph each operation belongs to; operations are those of the `TileGraph`, in its numbering.

    Attributes:
        subgraphs: per operation, its subgraph id, 0..`subgraph_count` - 1.
        is_cube: per operation, whether its super node has an AIC operation; None if operations are not marked.
        scopes: per operation, its scope after propagation.
        cv_fuse: per operation, its CV-fuse id, -1 for none.
        order: the operations in the order that the partition numbers them in.
        subgraph_count: the number of subgraphs.
        summaries: per subgraph, what it consists of.
        super_node_count: how many sets of inseparable operations there are.
    """

    subgraphs: Sequence[int]
    is_cube: Sequence[bool] | None
    scopes: Sequence[Scope]
    cv_fuse: Sequence[int]
    order: Sequence[int]
    subgraph_count: int
    summaries: Sequence[SubgraphSummary]
    super_node_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IsoPartition(Partition):
    """What the Iso partition says besides.

    Attributes:
        groups: the ids of each group of isomorphic subgraphs, in order.
        class_count: how many kinds of super nodes there are.
        cycle_bound: up to how many cycles subgraphs grow, derived from the sum of latencies.
        negative_latencies: operations whose latency is negative and does not count for `cycle_bound`.
        unknown_conversions: CONVERT operations that do not say from where to where.
        refused_merges: why neighbouring groups, by their places in `groups`, are not merged; empty unless asked for.
    """

    groups: Sequence[range]
    class_count: int
    cycle_bound: int
    negative_latencies: Sequence[int] = ()
    unknown_conversions: Sequence[int] = ()
    refused_merges: Sequence[RefusedMerge] = ()


class FusionObstacle(StrEnum):
    """Why two subgraphs with an edge between them are not one."""

    ALONE = "alone"
    """One of them is isolated by its scope, or runs on a hub."""

    CORE = "core"
    """They run on different cores."""

    SCOPE = "scope"
    """They belong to different scopes."""

    COST = "cost"
    """The algorithm found no way to join them that is not slower by its measure."""


class RefusedFusion(NamedTuple):
    """Two subgraphs, the second behind the first, and why they are not one."""

    first: int
    second: int
    reason: FusionObstacle


@dataclass(frozen=True, slots=True, kw_only=True)
class OspPartition(Partition):
    """What OspSarkar and OspBsp say besides.

    Attributes:
        algorithm: `osp-sarkar`, `osp-bsp`, or another of the kind.
        group_count: how many groups of isomorphic subgraphs OspBsp found, None with OspSarkar.
        unlike_copy_count: how many subgraphs of such groups were found to be unlike the others after all.
        edge_cost: cycles of an edge between subgraphs, on the two paths below.
        longest_path_before, longest_path_after: the longest path over super nodes and over subgraphs, in cycles; None
            unless asked for.
        refused_fusions: why neighbouring subgraphs are not one; empty unless asked for.
    """

    algorithm: str
    group_count: int | None
    unlike_copy_count: int
    edge_cost: int
    longest_path_before: int | None
    longest_path_after: int | None
    refused_fusions: Sequence[RefusedFusion] = ()
