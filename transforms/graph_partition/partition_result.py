"""What a partition is asked for and what it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dialect.compat import Compat
from dialect.opcodes import CoreType
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
    """One subgraph: how many operations it has, the sum of their cycles, and the core it runs on."""

    operation_count: int
    cycles: int
    core: CoreType


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
