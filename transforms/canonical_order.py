"""The canonical order of the operations of a tile function."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from xdsl.utils.exceptions import PassFailedException

from transforms.graph import TileGraph
from transforms.operation_description import describe_operation


def canonical_order(graph: TileGraph) -> list[int]:
    """The operations of `graph` in canonical order.

    The order is topological and depends only on magics and operand order, never on the order in the text: breadth-first
    from the sinks, each tensor counted once per use and runtime reads counted as uses, then reversed. Subgraph ids and
    names follow it.

    Returns:
        operation numbers of `graph`, each once.

    Raises:
        PassFailedException: the operations form a cycle; the message names one.

    Notes:
        O(operations log operations + operands). Source: graph partition, section 3.
    """
    by_magic = sorted(range(graph.operation_count), key=graph.magics.__getitem__)
    pending = _count_uses(graph)
    first_producer = [-1] * graph.tensor_count
    later_producers: dict[int, list[int]] = {}
    unreleased = [0] * graph.operation_count
    for operation in by_magic:
        for tensor in _distinct(graph.outputs[operation]):
            if pending[tensor]:
                unreleased[operation] += 1
                if first_producer[tensor] < 0:
                    first_producer[tensor] = operation
                else:
                    later_producers.setdefault(tensor, []).append(operation)

    inputs, runtime_reads = graph.inputs, graph.runtime_reads
    reversed_order = [operation for operation in by_magic if not unreleased[operation]]
    for operation in reversed_order:
        uses = inputs[operation]
        if operation in runtime_reads:
            uses = uses + runtime_reads[operation]
        for tensor in uses:
            pending[tensor] -= 1
            producer = first_producer[tensor]
            if producer >= 0 and not pending[tensor]:
                unreleased[producer] -= 1
                if not unreleased[producer]:
                    reversed_order.append(producer)
                for producer in later_producers.get(tensor, ()):
                    unreleased[producer] -= 1
                    if not unreleased[producer]:
                        reversed_order.append(producer)
    if len(reversed_order) < graph.operation_count:
        raise PassFailedException(_cycle_message(graph, _find_cycle(graph, unreleased)))
    reversed_order.reverse()
    return reversed_order


def _count_uses(graph: TileGraph) -> list[int]:
    uses = [0] * graph.tensor_count
    for inputs in graph.inputs:
        for tensor in inputs:
            uses[tensor] += 1
    for reads in graph.runtime_reads.values():
        for tensor in reads:
            uses[tensor] += 1
    return uses


def _distinct(tensors: tuple[int, ...]) -> Sequence[int]:
    return tensors if len(tensors) < 2 else list(dict.fromkeys(tensors))


def _find_cycle(graph: TileGraph, unreleased: Sequence[int]) -> list[int]:
    """A cycle among the operations that the sort could not release, the shortest one through one of its operations."""
    blocked = [operation for operation, count in enumerate(unreleased) if count]
    consumers: dict[int, list[int]] = {}
    for operation in blocked:
        for tensor in (*graph.inputs[operation], *graph.runtime_reads.get(operation, ())):
            consumers.setdefault(tensor, []).append(operation)

    def successors(operation: int) -> list[int]:
        return [consumer for tensor in graph.outputs[operation] for consumer in consumers.get(tensor, ())]

    # Every blocked operation has a blocked consumer, so a walk along consumers must come back to itself.
    operation, seen = blocked[0], set[int]()
    while operation not in seen:
        seen.add(operation)
        operation = successors(operation)[0]

    start, came_from, queue = operation, dict[int, int](), deque([operation])
    while start not in came_from:
        operation = queue.popleft()
        for successor in successors(operation):
            if successor not in came_from:
                came_from[successor] = operation
                queue.append(successor)
    cycle = [start]
    while came_from[cycle[-1]] != start:
        cycle.append(came_from[cycle[-1]])
    cycle.append(start)
    cycle.reverse()
    return cycle[:-1]


def _cycle_message(graph: TileGraph, cycle: Sequence[int]) -> str:
    shown = [describe_operation(graph, operation) for operation in cycle[:8]]
    if len(cycle) > len(shown):
        shown.append(f"… {len(cycle) - len(shown)} more")
    return "operations depend on one another in a cycle: " + " -> ".join([*shown, shown[0]])
