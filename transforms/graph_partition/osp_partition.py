"""The partitions OspSarkar and OspBsp of a function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from transforms.canonical_order import canonical_order
from transforms.graph import TileGraph
from transforms.graph_partition.core_types import core_type_of, core_types_of
from transforms.graph_partition.node_dag import FIRST_OWN_TYPE, node_dag
from transforms.graph_partition.node_labels import node_labels
from transforms.graph_partition.ordered_graph import by_operation, order_graph
from transforms.graph_partition.osp.acyclic_multilevel import multilevel_partition
from transforms.graph_partition.osp.bsp import bsp_partition
from transforms.graph_partition.osp.dag import Dag, is_acyclic, quotient
from transforms.graph_partition.osp.dag_paths import longest_path
from transforms.graph_partition.osp.sarkar import EDGE_COSTS, LENIENCY, sarkar_partition
from transforms.graph_partition.partition_result import (
    FusionObstacle,
    OspPartition,
    Partition,
    RefusedFusion,
    SubgraphSummary,
)
from transforms.graph_partition.super_node_builder import SuperNodeRules, build_super_nodes
from transforms.graph_partition.super_nodes import SuperNodes


@dataclass(frozen=True, slots=True)
class OspParameters:
    """Parameters of OspSarkar and OspBsp.

    Attributes:
        lower_bound: `pg_lower_bound`, cycles; OspSarkar batches super nodes of at most so many. OspBsp ignores it.
        compat: the rule set; with pypto rules option scopes are not looked at.
        mixed_cores: whether the target couples a cube core with vector cores, so that a subgraph may hold operations of
            both.
        core_counts: the numbers of AIC, AIV and AICPU cores.
    """

    lower_bound: int = 512
    compat: Compat = Compat.PUBLISHED
    mixed_cores: bool = False
    core_counts: tuple[int, int, int] = (24, 48, 6)

    @property
    def rules(self) -> SuperNodeRules:
        return SuperNodeRules(
            self.compat,
            couples_cores=self.mixed_cores,
            mixes_cores=self.mixed_cores,
            joins_expansions=True,
            honours_scopes=self.compat is Compat.PUBLISHED,
        )


def partition_by_sarkar(graph: TileGraph, parameters: OspParameters, *, explain: bool = False) -> OspPartition:
    """Partition `graph` with the algorithm OspSarkar: fuse super nodes where that does not lengthen the longest path.

    Args:
        graph: the operations and tensors of one function; its order of operations decides between equal merges.
        parameters: bound, rules and target.
        explain: whether to find out why neighbouring subgraphs are not one.

    Raises:
        PassFailedException: core types or scopes do not allow what must be done; with pypto rules also where the
            reference fails.
    """
    return OspProblem(graph, parameters).by_sarkar(explain=explain)


def partition_by_bsp(
    graph: TileGraph, parameters: OspParameters, tensor_bytes: Sequence[int], *, explain: bool = False
) -> OspPartition:
    """Partition `graph` with the algorithm OspBsp: schedule one of each kind of isomorphic subgraphs on its cores.

    Args:
        graph, parameters, explain: as for `partition_by_sarkar`.
        tensor_bytes: per tensor, its size.

    Raises:
        PassFailedException: as `partition_by_sarkar`; or operations need a core that the target does not have.
    """
    return OspProblem(graph, parameters, tensor_bytes).by_bsp(explain=explain)


class OspProblem:
    """A function as these algorithms see it, for those who want more than one answer.

    Attributes:
        ordered: its operations in the order that decides between equal merges.
        nodes: its super nodes.
        dag: the super nodes as a weighted graph.
    """

    def __init__(self, graph: TileGraph, parameters: OspParameters, tensor_bytes: Sequence[int] | None = None) -> None:
        """Find the super nodes; without sizes of tensors, nothing costs communication.

        Raises:
            PassFailedException: core types or scopes do not allow what must be done; super nodes, or the operations,
                depend on one another in a cycle.
        """
        self._parameters = parameters
        self.ordered = order_graph(graph, _list_order(graph))
        self.nodes = build_super_nodes(self.ordered, parameters.rules)
        if self.nodes.node_cycles:
            indices = sorted(index for node in self.nodes.node_cycles[0] for index in self.nodes.nodes[node])
            raise PassFailedException(
                "the sets of operations that must stay together depend on one another in a cycle: "
                f"{self.ordered.describe_all(indices)}"
            )
        self.dag = node_dag(self.ordered, self.nodes, parameters.rules, tensor_bytes)

    def by_sarkar(
        self, *, explain: bool = False, algorithm: str = "osp-sarkar", leniency: float = LENIENCY
    ) -> OspPartition:
        """See `partition_by_sarkar`; with another leniency than the reference's it has another name."""
        parts = sarkar_partition(self.dag, self._parameters.lower_bound, leniency)
        return self._result(algorithm, parts, explain=explain)

    def is_path_longer(self, result: Partition) -> bool:
        """Whether the longest path is longer with a partition than without, for the largest edge cost."""
        part_of = [result.subgraphs[self.ordered.order[members[0]]] for members in self.nodes.nodes]
        parts = quotient(self.dag, part_of, result.subgraph_count)
        return longest_path(parts, EDGE_COSTS[-1]) > longest_path(self.dag, EDGE_COSTS[-1])

    def by_multilevel(self, largest_work: int, *, explain: bool = False) -> OspPartition:
        """Partition by `multilevel_partition`: subgraphs of at most `largest_work` cycles that send little."""
        return self._result("multilevel", multilevel_partition(self.dag, largest_work), explain=explain)

    def by_bsp(self, *, explain: bool = False) -> OspPartition:
        """See `partition_by_bsp`."""
        parameters = self._parameters
        self._check_cores()
        try:
            found = bsp_partition(
                self.dag,
                node_labels(self.ordered, self.nodes.nodes),
                processor_counts(parameters.core_counts, mixes_cores=parameters.mixed_cores),
                mixes_types=parameters.mixed_cores,
                heals=parameters.compat is Compat.PUBLISHED,
            )
        except ValueError as error:
            raise PassFailedException(str(error)) from error
        return self._result(
            "osp-bsp",
            found.part_of,
            explain=explain,
            group_count=found.group_count,
            unlike_copy_count=found.unlike_copy_count,
        )

    def _check_cores(self) -> None:
        """Refuse operations that need a core that the target does not have, and what the reference cannot count.

        Raises:
            PassFailedException: there are such.
        """
        parameters = self._parameters
        counts = processor_counts(parameters.core_counts, mixes_cores=parameters.mixed_cores)
        for node, type in enumerate(self.dag.types):
            if type < len(counts) and not counts[type]:
                raise PassFailedException(
                    f"{self.ordered.describe_all(self.nodes.nodes[node])} needs {core_type_of(self.nodes.cores[node])} "
                    "cores, and the target has none"
                )
        if parameters.mixed_cores and parameters.compat is Compat.PYPTO:
            for node, type in enumerate(self.dag.types):
                if type == 1 and any(self.dag.types[child] == 1 for child in self.dag.children[node]):
                    raise PassFailedException(
                        f"{self.ordered.describe_all(self.nodes.nodes[node])} and what follows it run on AICPU; on "
                        "targets with mixed cores the reference reads undefined memory here"
                    )

    def _result(
        self,
        algorithm: str,
        part_of: Sequence[int],
        *,
        explain: bool,
        group_count: int | None = None,
        unlike_copy_count: int = 0,
    ) -> OspPartition:
        """The partition of the operations that parts of super nodes make."""
        ordered, nodes, count = self.ordered, self.nodes, 1 + max(part_of, default=-1)
        parts = quotient(self.dag, part_of, count)
        explains_paths = explain and is_acyclic(parts)
        return OspPartition(
            subgraphs=by_operation(ordered, [part_of[node] for node in nodes.node_of]),
            is_cube=by_operation(ordered, nodes.is_cube),
            scopes=by_operation(ordered, nodes.operation_scopes),
            cv_fuse=by_operation(ordered, nodes.cv_fuse),
            order=ordered.order,
            subgraph_count=count,
            summaries=_summaries(nodes, part_of, parts),
            super_node_count=len(nodes.nodes),
            algorithm=algorithm,
            group_count=group_count,
            unlike_copy_count=unlike_copy_count,
            edge_cost=EDGE_COSTS[-1],
            longest_path_before=longest_path(self.dag, EDGE_COSTS[-1]) if explains_paths else None,
            longest_path_after=longest_path(parts, EDGE_COSTS[-1]) if explains_paths else None,
            refused_fusions=_refused_fusions(parts) if explain else (),
        )


def processor_counts(core_counts: tuple[int, int, int], *, mixes_cores: bool) -> tuple[int, ...]:
    """Per vertex type, the processors of the machine; with mixed cores a cube core and its vector cores are one."""
    aic, aiv, aicpu = core_counts
    return (aic, aicpu) if mixes_cores else (aic, aiv, aicpu)


def _list_order(graph: TileGraph) -> Sequence[int]:
    """The order of the operations as they stand; if a reader stands before a writer, the canonical order."""
    read: set[int] = set()
    for inputs, outputs in zip(graph.inputs, graph.outputs, strict=True):
        read.update(inputs)
        if not read.isdisjoint(outputs):
            return canonical_order(graph)
    return range(graph.operation_count)


def _summaries(nodes: SuperNodes, part_of: Sequence[int], parts: Dag) -> list[SubgraphSummary]:
    counts = [0] * parts.vertex_count
    cores = [0] * parts.vertex_count
    for part, members, core in zip(part_of, nodes.nodes, nodes.cores, strict=True):
        counts[part] += len(members)
        cores[part] |= core
    return [
        SubgraphSummary(count, work, core_types_of(mask))
        for count, work, mask in zip(counts, parts.work, cores, strict=True)
    ]


def _refused_fusions(parts: Dag) -> list[RefusedFusion]:
    """Why subgraphs with an edge between them are not one."""
    refused: list[RefusedFusion] = []
    for part, children in enumerate(parts.children):
        for child in children:
            if max(parts.types[part], parts.types[child]) >= FIRST_OWN_TYPE:
                reason = FusionObstacle.ALONE
            elif parts.types[part] != parts.types[child]:
                reason = FusionObstacle.CORE
            elif 0 != parts.scopes[part] != parts.scopes[child] != 0:
                reason = FusionObstacle.SCOPE
            else:
                reason = FusionObstacle.COST
            refused.append(RefusedFusion(part, child, reason))
    return refused
