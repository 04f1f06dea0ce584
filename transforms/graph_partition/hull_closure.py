"""Makes sets of operations convex: what lies on a path between two operations of a set joins the set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.utils.exceptions import PassFailedException

from transforms.graph_partition.node_graph import NodeGraph, contract
from transforms.graph_partition.operation_sets import OperationSets
from transforms.graph_partition.ordered_graph import OrderedGraph
from transforms.graph_partition.readiness import is_acyclic
from transforms.graph_partition.strong_components import node_cycles


@dataclass(frozen=True, slots=True)
class NumberedNodes:
    """Sets of operations, numbered by ascending root.

    Attributes:
        node_of: per index, its node.
        nodes: per node, its indices, ascending.
        graph: how the nodes depend on one another.
        cycles: the sets of nodes that depend on one another although each of them is convex.
    """

    node_of: Sequence[int]
    nodes: Sequence[Sequence[int]]
    graph: NodeGraph
    cycles: Sequence[Sequence[int]]


def close_hulls(ordered: OrderedGraph, sets: OperationSets) -> NumberedNodes:
    """Unite sets until each is convex, then number them.

    Raises:
        PassFailedException: an operation between two operations of a set cannot join it, for its core type.

    Notes:
        If the sets depend on one another without a cycle, and that is the usual case, each is convex and nothing is
        done: O(operations + operands). Otherwise the walks of the reference, which decide the roots, are replayed, but
        only inside the cycles, since whatever lies on a path between two operations of a set lies on a cycle with it;
        thousands of sets that enclose one another cost quadratic time. Source: graph partition, section 5.4.
    """
    numbered = number_nodes(ordered, sets)
    if not numbered.cycles:
        return numbered
    for cycle in numbered.cycles:
        _HullWalk(ordered, sets, sorted(index for node in cycle for index in numbered.nodes[node])).close()
    return number_nodes(ordered, sets)


def number_nodes(ordered: OrderedGraph, sets: OperationSets) -> NumberedNodes:
    """Number the sets as they are and find the cycles among them. O(operations + operands)."""
    node_of, nodes = sets.numbered()
    graph = contract(ordered, node_of, len(nodes))
    return NumberedNodes(node_of, nodes, graph, [] if is_acyclic(graph) else node_cycles(graph))


class _HullWalk:
    """The closure inside one strongly connected component, given by its indices."""

    def __init__(self, ordered: OrderedGraph, sets: OperationSets, component: Sequence[int]) -> None:
        self._ordered = ordered
        self._sets = sets
        self._component = component
        self._inside = frozenset(component)
        self._shared: dict[int, bool] = {}

    def close(self) -> None:
        convex_sizes: dict[int, int] = {}
        while True:
            members: dict[int, list[int]] = {}
            for index in self._component:
                members.setdefault(self._sets.root(index), []).append(index)
            # A set that has not grown since its last walk is convex still.
            grown = [root for root in sorted(members) if 1 < len(members[root]) != convex_sizes.get(root)]
            changed = False
            for root in grown:
                hull = self._hull(members[root])
                if len(hull) == len(members[root]):
                    convex_sizes[root] = len(hull)
                    continue
                changed = True
                for index in hull[1:]:
                    if not self._sets.unite(hull[0], index):
                        raise PassFailedException(self._mixing(members[root], index))
            if not changed:
                return

    def _hull(self, members: Sequence[int]) -> list[int]:
        """`members` and the indices between them, in the order in which the reference meets them walking backwards."""
        producers, inputs = self._ordered.producers, self._ordered.inputs
        lowest = members[0]
        reached = self._reached_from(members)
        hull: list[int] = []
        visited: set[int] = set()
        unread: dict[int, int] = {}
        stack = list(members)  # Indices, and as -1 - tensor the producers of a tensor that are still to be visited.
        while stack:
            index = stack.pop()
            if index < 0:
                tensor = -1 - index
                position = unread[tensor]
                writers = producers[tensor]
                while position > 0 and (writers[position - 1] in visited or writers[position - 1] not in self._inside):
                    position -= 1
                if position == 0 or writers[position - 1] < lowest:
                    unread[tensor] = 0
                    continue
                unread[tensor] = position - 1
                stack.append(-1 - tensor)
                index = writers[position - 1]
            if index in visited:
                continue
            visited.add(index)
            if index in reached:
                hull.append(index)
            tensors = dict.fromkeys(tensor for tensor in inputs[index] if producers[tensor])
            if len(tensors) > 1 and sum(map(self._is_shared, tensors)) > 1:
                before = dict.fromkeys(producer for tensor in tensors for producer in producers[tensor])
                stack.extend(index for index in before if index >= lowest and index in self._inside)
            else:
                for tensor in tensors:
                    unread.setdefault(tensor, len(producers[tensor]))
                    stack.append(-1 - tensor)
        return hull

    def _reached_from(self, members: Sequence[int]) -> set[int]:
        """The indices of the component that are reachable from `members` without passing the largest of them."""
        consumers, outputs = self._ordered.consumers, self._ordered.outputs
        highest = members[-1]
        reached = set(members)
        seen: set[int] = set()
        stack = list(members)
        while stack:
            for tensor in outputs[stack.pop()]:
                if tensor not in seen:
                    seen.add(tensor)
                    for consumer in consumers[tensor]:
                        if consumer <= highest and consumer in self._inside and consumer not in reached:
                            reached.add(consumer)
                            stack.append(consumer)
        return reached

    def _is_shared(self, tensor: int) -> bool:
        """Whether a producer of `tensor` writes other tensors too, so that it may stand before an index twice."""
        shared = self._shared.get(tensor)
        if shared is None:
            outputs = self._ordered.outputs
            shared = self._shared[tensor] = any(len(outputs[p]) > 1 for p in self._ordered.producers[tensor])
        return shared

    def _mixing(self, members: Sequence[int], index: int) -> str:
        return (
            f"{self._ordered.describe(index)} lies between operations that must stay together, "
            f"{self._ordered.describe_all(members)}, but some run on the cube core and others on the vector core"
        )
