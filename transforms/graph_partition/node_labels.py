"""What super nodes have in common: the operations in them and around them (OSP, section 5.2)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from transforms.graph_partition.operation_hashes import operation_hashes
from transforms.graph_partition.ordered_graph import OrderedGraph

_Tree = tuple[int, ...]


def node_labels(ordered: OrderedGraph, nodes: Sequence[Sequence[int]]) -> list[Hashable]:
    """Per node, a label; nodes of equal labels hold operations of the same kinds in the same surroundings.

    An operation is told by its opcode and the memories and element types of its operands, by that of everything before
    it, and by the shape of what follows it. Tensor shapes, offsets and latencies do not matter.

    Notes:
        O((operations + operands) · log). Every distinct tree gets a number instead of a hash value. A tensor with
        several producers or consumers counts as one neighbour, so that it costs their number once.
    """
    indices = range(ordered.operation_count)
    fronts = _trees(indices, operation_hashes(ordered), ordered.inputs, ordered.producers)
    backs = _trees(reversed(indices), [0] * len(fronts), ordered.outputs, ordered.consumers)
    return [tuple(sorted([(fronts[index], backs[index]) for index in members])) for members in nodes]


def _trees(
    indices: Iterable[int], own: Sequence[int], operands: Sequence[tuple[int, ...]], ends: Sequence[Sequence[int]]
) -> list[int]:
    """Per index, the number of the tree that one side of it unrolls to; `indices` in order from that side."""
    numbers: dict[tuple[str, int, _Tree], int] = {}
    trees = [0] * len(own)
    of_tensor: dict[int, int] = {}
    for index in indices:
        neighbours: dict[int, int] = {}
        for tensor in operands[index]:
            around = ends[tensor]
            if len(around) == 1:
                neighbours[around[0]] = trees[around[0]]
            elif around:
                if tensor not in of_tensor:
                    key = ("tensor", 0, tuple(sorted([trees[end] for end in around])))
                    of_tensor[tensor] = numbers.setdefault(key, len(numbers))
                neighbours[-1 - tensor] = of_tensor[tensor]
        key = ("operation", own[index], tuple(sorted(neighbours.values())))
        trees[index] = numbers.setdefault(key, len(numbers))
    return trees
