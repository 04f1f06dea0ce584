"""The Iso partition: isomorphic parts of the graph become isomorphic subgraphs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from dialect.opcodes import OPCODE_BY_NAME, CoreType
from transforms.canonical_order import canonical_order
from transforms.graph import TileGraph
from transforms.graph_partition.classes import NodeClasses, classes_of_hashes, dependent_classes, split_by_depth
from transforms.graph_partition.core_types import core_type_of
from transforms.graph_partition.group_merge import GroupMerger
from transforms.graph_partition.group_merge_step import MergeBounds
from transforms.graph_partition.groups import Group, grow_groups
from transforms.graph_partition.node_hashes import balanced_values, node_hashes, plain_values
from transforms.graph_partition.ordered_graph import OrderedGraph, by_operation, order_graph
from transforms.graph_partition.partition_result import IsoParameters, IsoPartition, SubgraphSummary
from transforms.graph_partition.super_node_builder import SuperNodeRules, build_super_nodes
from transforms.graph_partition.super_nodes import SuperNodes

_CONVERT = OPCODE_BY_NAME["CONVERT"].number
_LARGEST_BOUND = 2**31 - 1
_CYCLE_BOUNDS = ((10_000_000, 5_000_000), (290_000, 150_000), (50_000, 10_000), (0, 1536))


def partition(graph: TileGraph, parameters: IsoParameters, *, explain: bool = False) -> IsoPartition:
    """Partition `graph` with the algorithm Iso.

    Operations that must stay together form super nodes; super nodes of equal structural hash form classes; a class
    seeds a group of isomorphic lanes, which grows along its links and then merges with groups next to it; the lanes are
    the subgraphs.

    Args:
        graph: the operations and tensors of one function.
        parameters: bounds, rules and target.
        explain: whether to find out why neighbouring groups were not merged.

    Raises:
        PassFailedException: the operations form a cycle; core types or scopes do not allow what must be done; a bound
            is out of range; cycles do not fit into 32 bits; with pypto rules also where the reference fails. The
            message names operations by opcode and magic.

    Notes:
        Near-linear in operations and operands. Source: graph partition, sections 1 to 10 and 17.
    """
    for name, bound in (
        ("pg_parallel_lower_bound", parameters.parallel_lower_bound),
        ("pg_lower_bound", parameters.lower_bound),
    ):
        if not 0 <= bound <= _LARGEST_BOUND:
            raise PassFailedException(f"{name} is {bound}, expected 0..{_LARGEST_BOUND}")
    if parameters.single_subgraph:
        return _single_subgraph(graph)

    ordered = order_graph(graph, canonical_order(graph))
    cycle_bound = cycle_bound_of(ordered.latencies)
    super_nodes = build_super_nodes(ordered, SuperNodeRules(parameters.compat, parameters.mixed_cores))
    if super_nodes.node_cycles:
        indices = sorted(index for node in super_nodes.node_cycles[0] for index in super_nodes.nodes[node])
        raise PassFailedException(
            "operations get no subgraph, because the sets of operations that must stay together depend on one another "
            f"in a cycle: {ordered.describe_all(indices)}"
        )
    values = balanced_values(ordered, parameters.compat) if parameters.balanced else plain_values(ordered)
    classes, groups = _find_groups(ordered, super_nodes, values, cycle_bound, parameters.compat)
    bounds = MergeBounds(cycle_bound, parameters.parallel_lower_bound, parameters.lower_bound)
    merger = GroupMerger(ordered, super_nodes, groups, bounds, parameters.compat)
    merger.run()
    if parameters.compat is Compat.PYPTO:
        _check_no_empty_lanes(ordered, super_nodes, merger.groups)
    subgraph_of = _subgraph_of_nodes(super_nodes, merger.groups)
    lanes = [lane for group in merger.groups for lane in group.lanes]
    ends = [0, *accumulate(len(group.lanes) for group in merger.groups)]
    return IsoPartition(
        subgraphs=by_operation(ordered, [subgraph_of[node] for node in super_nodes.node_of]),
        is_cube=by_operation(ordered, super_nodes.is_cube),
        scopes=by_operation(ordered, super_nodes.operation_scopes),
        cv_fuse=by_operation(ordered, super_nodes.cv_fuse),
        order=ordered.order,
        subgraph_count=len(lanes),
        summaries=[
            SubgraphSummary(
                sum([len(super_nodes.nodes[node]) for node in lane.nodes]), lane.cycles, core_type_of(lane.core)
            )
            for lane in lanes
        ],
        groups=[range(start, end) for start, end in pairwise(ends)],
        super_node_count=len(super_nodes.nodes),
        class_count=len(classes.members),
        cycle_bound=cycle_bound,
        negative_latencies=[operation for operation, latency in enumerate(graph.latencies) if latency < 0],
        unknown_conversions=_unknown_conversions(graph),
        refused_merges=merger.refused_merges() if explain else (),
    )


def cycle_bound_of(latencies: Sequence[int]) -> int:
    """Up to how many cycles subgraphs grow in a function with these latencies (graph partition, section 1)."""
    total = sum([latency for latency in latencies if latency > 0])
    return next(bound for at_least, bound in _CYCLE_BOUNDS if total >= at_least)


def _single_subgraph(graph: TileGraph) -> IsoPartition:
    count = graph.operation_count
    return IsoPartition(
        subgraphs=[0] * count,
        is_cube=None,
        scopes=graph.scopes,
        cv_fuse=[-1] * count,
        order=range(count),
        subgraph_count=1,
        summaries=[SubgraphSummary(count, sum(graph.latencies), CoreType.ANY)],
        groups=[range(1)],
        super_node_count=1,
        class_count=1,
        cycle_bound=cycle_bound_of(graph.latencies),
    )


def _find_groups(
    ordered: OrderedGraph, super_nodes: SuperNodes, values: Sequence[int], cycle_bound: int, compat: Compat
) -> tuple[NodeClasses, list[Group]]:
    classes = classes_of_hashes(node_hashes(values, super_nodes.nodes))
    groups, left_over = grow_groups(ordered, super_nodes, classes, cycle_bound)
    if left_over:
        dependent = dependent_classes(super_nodes.graph, classes)
        if compat is Compat.PYPTO:
            firsts = [super_nodes.nodes[node][0] for node in classes.members[dependent[0]]]
            raise PassFailedException(
                "operations get no subgraph, because parts of the graph that look alike wait for one another: "
                f"those of {ordered.describe_all(firsts)}"
            )
        classes = split_by_depth(super_nodes.graph, classes, dependent)
        groups, _ = grow_groups(ordered, super_nodes, classes, cycle_bound)
    return classes, groups


def _check_no_empty_lanes(ordered: OrderedGraph, super_nodes: SuperNodes, groups: Sequence[Group]) -> None:
    for group in groups:
        for lane in group.lanes:
            if lane.cycles == 0:
                indices = sorted(index for node in lane.nodes for index in super_nodes.nodes[node])
                raise PassFailedException(
                    "operations get no subgraph, because their latencies sum up to 0 cycles: "
                    f"{ordered.describe_all(indices)}"
                )


def _subgraph_of_nodes(super_nodes: SuperNodes, groups: Sequence[Group]) -> list[int]:
    subgraph_of = [0] * len(super_nodes.nodes)
    subgraph = 0
    for group in groups:
        for lane in group.lanes:
            for node in lane.nodes:
                subgraph_of[node] = subgraph
            subgraph += 1
    return subgraph_of


def _unknown_conversions(graph: TileGraph) -> list[int]:
    return [
        operation
        for operation, opcode in enumerate(graph.opcodes)
        if opcode == _CONVERT and operation not in graph.conversions
    ]
