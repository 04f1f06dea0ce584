"""The best of several partitions of a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from dialect.targets import Target
from transforms.graph import TileGraph
from transforms.graph_partition.iso import cycle_bound_of, partition
from transforms.graph_partition.osp_partition import OspParameters, OspProblem
from transforms.graph_partition.partition_result import IsoParameters, OspPartition, Partition
from transforms.partition_check import ViolationKind, check_partition
from transforms.partition_metrics import Objective, PartitionMetrics, measure_partition

_OTHER_OBJECTIVES = (Objective.CRITICAL_PATH, Objective.BSP, Objective.CUT)


@dataclass(frozen=True, slots=True)
class BestPartition:
    """The partition that was chosen, and why.

    Attributes:
        algorithm: the name of the algorithm that made it.
        partition: what it made.
        metrics: per algorithm that made a valid partition, what was measured of it.
        failures: per algorithm that made none, why.
    """

    algorithm: str
    partition: Partition
    metrics: Mapping[str, PartitionMetrics]
    failures: Mapping[str, str]


def best_partition(
    graph: TileGraph,
    iso: IsoParameters,
    osp: OspParameters,
    tensor_bytes: Sequence[int],
    target: Target,
    objective: Objective,
    *,
    explain: bool = False,
) -> BestPartition:
    """Run all algorithms and keep the partition that `objective` likes best.

    The algorithms are Iso, OspSarkar, OspBsp, multilevel partitioning with as many cycles in a subgraph as Iso allows,
    and OspSarkar without leniency; the last one only if leniency made OspSarkar's longest path longer than it was
    before. Of partitions that are equal in the objective, the other objectives decide, then the number of subgraphs,
    then this order.

    Args:
        graph: the operations and tensors of one function.
        iso, osp: parameters of the algorithms.
        tensor_bytes: per tensor, its size.
        target: whose cores run the subgraphs.
        objective: what is to be small.
        explain: whether to find out why neighbouring subgraphs are not one.

    Raises:
        PassFailedException: no algorithm finds a valid partition; the message is that of the first.
    """

    @cache
    def problem() -> OspProblem:
        return OspProblem(graph, osp, tensor_bytes)

    candidates: Mapping[str, Callable[[], Partition | None]] = {
        "iso": lambda: partition(graph, iso, explain=explain),
        "osp-sarkar": lambda: problem().by_sarkar(explain=explain),
        "osp-bsp": lambda: problem().by_bsp(explain=explain),
        "multilevel": lambda: problem().by_multilevel(cycle_bound_of(graph.latencies), explain=explain),
        "strict-sarkar": lambda: _strict_sarkar(problem, found.get("osp-sarkar"), explain=explain),
    }
    found: dict[str, Partition] = {}
    metrics: dict[str, PartitionMetrics] = {}
    failures: dict[str, str] = {}
    for name, find in candidates.items():
        try:
            result = find()
            if result is None:
                continue
            check_result(graph, result, iso)
        except PassFailedException as failure:
            failures[name] = str(failure)
            continue
        found[name] = result
        metrics[name] = measure_partition(graph, result.subgraphs, tensor_bytes, target)
    if not found:
        raise PassFailedException(next(iter(failures.values())))

    def rank(name: str) -> tuple[int, ...]:
        values = [metrics[name].value(other) for other in (objective, *_OTHER_OBJECTIVES)]
        return (*values, metrics[name].subgraph_count)

    best = min(found, key=rank)
    return BestPartition(best, found[best], metrics, failures)


def _strict_sarkar(problem: Callable[[], OspProblem], lenient: Partition | None, *, explain: bool) -> Partition | None:
    """OspSarkar without leniency, where leniency did harm."""
    if lenient is None or not problem().is_path_longer(lenient):
        return None
    return problem().by_sarkar(explain=explain, algorithm="strict-sarkar", leniency=0.0)


def check_result(graph: TileGraph, result: Partition, parameters: IsoParameters) -> None:
    """Check a partition of any algorithm.

    Raises:
        PassFailedException: it is not valid.
    """
    is_osp = isinstance(result, OspPartition)
    violations = check_partition(
        graph,
        result.subgraphs,
        parameters.compat,
        parameters.mixed_cores,
        may_mix_sides=is_osp and parameters.mixed_cores,
        ignores_scopes=is_osp and parameters.compat is Compat.PYPTO,
    )
    if violations:
        hint = ""
        if is_osp and parameters.compat is Compat.PYPTO and violations[0].kind is ViolationKind.SUBGRAPH_CYCLE:
            hint = "; the shipped compiler matches isomorphic subgraphs by position, published rules verify the match"
        raise PassFailedException(f"the partition is not valid: {violations[0].message}{hint}")
