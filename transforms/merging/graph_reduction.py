"""A graph without the operations that are computed twice or that nothing needs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dialect.compat import Compat
from dialect.operation import TileOperation
from transforms.canonical_order import canonical_order
from transforms.graph import TileGraph
from transforms.graph_partition.ordered_graph import OrderedGraph, order_graph
from transforms.merging.common_operations import common_operations, is_untouchable
from transforms.merging.dead_operations import living_operations
from transforms.tensor_facts import TensorFacts


@dataclass(frozen=True, slots=True)
class Reduction:
    """What is left of a graph, and what is not; operations by their number in the graph.

    Attributes:
        ordered: the operations that are left, in canonical order and reading what they read now.
        common: the operations that computed what an earlier one does.
        dead: the operations that nothing needs.
        moved_windows: per view of a replaced tensor, what is taken from its offsets.
    """

    ordered: OrderedGraph
    common: Sequence[int] = ()
    dead: Sequence[int] = ()
    moved_windows: Mapping[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])


def without_common_operations(
    ordered: OrderedGraph,
    operations: Sequence[TileOperation],
    tensors: TensorFacts,
    subgraphs: Sequence[int],
    outcasts: frozenset[int],
    compat: Compat,
) -> Reduction:
    """Leave out what is computed twice in one subgraph; if there is any, also what nothing needs.

    Args:
        operations: per operation of the graph, its IR.
        subgraphs: per index.

    Raises:
        PassFailedException: the operations form a cycle then.

    Notes:
        Source: merge passes, section 3.2; graph partition, appendix A.
    """
    untouchable = untouchable_operations(ordered, operations)
    found = common_operations(ordered, operations, tensors, subgraphs, outcasts, untouchable)
    order = ordered.order
    inputs = {
        order[index]: tuple([found.replacements.get(read, read) for read in ordered.inputs[index]])
        for tensor in found.replacements
        for index in ordered.consumers[tensor]
    }
    is_late = any(
        ordered.consumers[tensor][0] <= ordered.producers[instead][-1] for tensor, instead in found.replacements.items()
    )
    moved = {order[index]: shift for index, shift in found.moved_windows.items()}
    common = [order[index] for index in found.deleted]
    if not common:
        return Reduction(with_inputs(ordered, inputs, (), sort=is_late), moved_windows=moved)
    dead = _dead_operations(ordered, inputs, common, outcasts, compat, untouchable)
    return Reduction(with_inputs(ordered, inputs, [*common, *dead], sort=is_late), common, dead, moved)


def without_dead_operations(
    ordered: OrderedGraph,
    operations: Sequence[TileOperation],
    outcasts: frozenset[int],
    compat: Compat,
    *,
    inputs: Mapping[int, tuple[int, ...]] | None = None,
    deleted: Sequence[int] = (),
) -> Reduction:
    """Leave out what no outcast depends on.

    Args:
        operations: per operation of the graph, its IR.
        inputs: per operation that reads other tensors than `ordered` says, what it reads.
        deleted: operations that are gone already.
    """
    changed: Mapping[int, tuple[int, ...]] = {} if inputs is None else inputs
    untouchable = untouchable_operations(ordered, operations)
    dead = _dead_operations(ordered, changed, deleted, outcasts, compat, untouchable)
    return Reduction(with_inputs(ordered, changed, [*deleted, *dead]), (), dead)


def untouchable_operations(ordered: OrderedGraph, operations: Sequence[TileOperation]) -> list[bool]:
    """Per index, whether the operation asks to be left alone."""
    known: dict[int, bool] = {}
    untouchable: list[bool] = []
    for operation in ordered.order:
        params = operations[operation].properties.get("params")
        answer = False
        if params is not None:
            answer = known.get(id(params))
            if answer is None:
                answer = known[id(params)] = is_untouchable(operations[operation])
        untouchable.append(answer)
    return untouchable


def _dead_operations(
    ordered: OrderedGraph,
    inputs: Mapping[int, tuple[int, ...]],
    deleted: Sequence[int],
    outcasts: frozenset[int],
    compat: Compat,
    untouchable: Sequence[bool],
) -> list[int]:
    order = ordered.order
    gone = set(deleted)
    living = living_operations(
        [inputs.get(operation, read) for operation, read in zip(order, ordered.inputs, strict=True)],
        ordered.outputs,
        len(ordered.producers),
        outcasts,
        compat,
        untouchable,
        [index for index, operation in enumerate(order) if operation in gone],
    )
    return [operation for operation, lives in zip(order, living, strict=True) if not lives and operation not in gone]


def with_inputs(
    ordered: OrderedGraph, inputs: Mapping[int, tuple[int, ...]], deleted: Collection[int], *, sort: bool = False
) -> OrderedGraph:
    """The graph in which the operations `inputs` read other tensors, without the operations `deleted`.

    Args:
        sort: whether to find the canonical order anew; else what is left keeps its order.

    Raises:
        PassFailedException: the operations form a cycle.
    """
    if not inputs and not deleted:
        return ordered
    graph = ordered.graph
    if inputs:
        changed = list(graph.inputs)
        for operation, read in inputs.items():
            changed[operation] = read
        graph = replace(graph, inputs=changed)
    gone = set(deleted)
    left = set(ordered.order) - gone
    order = canonical_order(graph) if sort else ordered.order
    return order_graph(graph, [operation for operation in order if operation in left])


def changed_inputs(graph: TileGraph, ordered: OrderedGraph) -> dict[int, tuple[int, ...]]:
    """The operations of `ordered` that read other tensors than in `graph`, and what they read."""
    return {
        operation: read
        for operation, read in zip(ordered.order, ordered.inputs, strict=True)
        if read is not graph.inputs[operation] and read != graph.inputs[operation]
    }
