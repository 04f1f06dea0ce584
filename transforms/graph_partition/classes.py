"""Classes of nodes of equal hash (graph partition, section 7.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from transforms.graph_partition.node_graph import NodeGraph
from transforms.graph_partition.readiness import node_depths
from transforms.graph_partition.strong_components import strong_components


@dataclass(frozen=True, slots=True)
class NodeClasses:
    """Which nodes are alike: `class_of` per node, and `members` per class, ascending; classes by first member."""

    class_of: Sequence[int]
    members: Sequence[Sequence[int]]


def classes_of_hashes(hashes: Sequence[int]) -> NodeClasses:
    """One class per hash value."""
    return _classes(hashes)


def dependent_classes(graph: NodeGraph, classes: NodeClasses) -> list[int]:
    """The classes whose members wait for one another, directly or through other classes, ascending.

    Members of a class are taken all at once, so these can never be taken. O(nodes + link ends).
    """
    successors: list[Sequence[int]] = [[] for _ in classes.members]
    first_links: list[list[int]] = [[] for _ in classes.members]
    waits_for_itself = [False] * len(classes.members)
    for sources, targets in zip(graph.sources, graph.targets, strict=True):
        from_classes = {classes.class_of[node] for node in sources}
        to_classes = {classes.class_of[node] for node in targets}
        for number in from_classes & to_classes:
            ends = {node for node in (*sources, *targets) if classes.class_of[node] == number}
            waits_for_itself[number] |= len(ends) > 1
        for number in from_classes:
            first_links[number].append(len(successors))
        successors.append(sorted(to_classes))
    successors[: len(first_links)] = first_links
    component = strong_components(successors)[: len(classes.members)]
    sizes = Counter(component)
    return [number for number, waits in enumerate(waits_for_itself) if waits or sizes[component[number]] > 1]


def split_by_depth(graph: NodeGraph, classes: NodeClasses, numbers: Sequence[int]) -> NodeClasses:
    """Split the classes `numbers` by node depth.

    If these are the dependent classes, no class of the result is dependent: every link between them leads to a greater
    depth. O(nodes + link ends). Source: graph partition, section 17, D2.
    """
    depths = node_depths(graph)
    split = set(numbers)
    return _classes([(number, depths[node] if number in split else -1) for node, number in enumerate(classes.class_of)])


def _classes(keys: Sequence[object]) -> NodeClasses:
    numbers: dict[object, int] = {}
    class_of = [numbers.setdefault(key, len(numbers)) for key in keys]
    members: list[list[int]] = [[] for _ in numbers]
    for node, number in enumerate(class_of):
        members[number].append(node)
    return NodeClasses(class_of, members)
