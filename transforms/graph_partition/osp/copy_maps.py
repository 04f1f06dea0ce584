"""Which vertex of one copy corresponds to which of another (OSP, section 5.12)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from transforms.graph_partition.osp.dag import Dag, induced, topological_order
from transforms.graph_partition.osp.orbits import TreeNumbers, predecessor_trees

_CHOICES = 64


def presumed_map(dag: Dag, representative: Sequence[int], copy: Sequence[int]) -> dict[int, int]:
    """Per vertex of `copy`, its counterpart as the reference presumes it.

    Vertices with equal unlabelled trees of predecessors are matched in ascending order, those of the representative in
    the order in which it lists them. That need not be an isomorphism.

    Args:
        dag: the graph.
        representative: the copy that is scheduled; with as many vertices of each tree as `copy` has.
        copy: another copy of its group.
    """
    numbers: TreeNumbers = {}
    counterparts: dict[int, list[int]] = {}
    trees = predecessor_trees(dag, representative, numbers)
    for vertex in reversed(representative):
        counterparts.setdefault(trees[vertex], []).append(vertex)
    trees = predecessor_trees(dag, copy, numbers)
    return {vertex: counterparts[trees[vertex]].pop() for vertex in sorted(copy)}


def verified_map(
    dag: Dag, labels: Sequence[Hashable], template: Sequence[int], copy: Sequence[int]
) -> list[int] | None:
    """Per vertex of `template`, its counterpart in an isomorphism to `copy` that keeps labels; None if none is found.

    Colours are refined by the colours before and behind. Vertices of one colour are then matched in ascending order; if
    edges do not fit, one on either side is singled out and refinement goes on.

    Notes:
        One refinement, O((vertices + edges) · log), where colours tell vertices apart, and `_CHOICES` at most; a search
        that would have to take back a choice gives up. Sources: B. Weisfeiler, A. Leman, 1968; B. McKay, "Practical
        graph isomorphism", 1981.
    """
    if len(template) != len(copy):
        return None
    sides = [induced(dag, template), induced(dag, copy)]
    colours: list[list[Hashable]] = [[labels[vertex] for vertex in side] for side in (template, copy)]
    for choice in range(_CHOICES):
        refined = _refine(sides, colours)
        classes = [_classes(side) for side in refined]
        if {colour: len(members) for colour, members in classes[0].items()} != {
            colour: len(members) for colour, members in classes[1].items()
        }:
            return None
        counterpart = [0] * len(template)
        for colour, members in classes[0].items():
            for vertex, other in zip(members, classes[1][colour], strict=True):
                counterpart[vertex] = other
        if _keeps_edges(sides, counterpart):
            return [copy[other] for other in counterpart]
        ambiguous = [colour for colour, members in classes[0].items() if len(members) > 1]
        if not ambiguous:
            return None
        colours = [list(side) for side in refined]
        for side in (0, 1):
            colours[side][classes[side][ambiguous[0]][0]] = ("chosen", choice)
    return None


def _refine(sides: Sequence[Dag], colours: Sequence[Sequence[Hashable]]) -> list[list[int]]:
    """The coarsest colours, finer than the given ones, by which vertices of one colour have like neighbours."""
    orders = [topological_order(side) for side in sides]
    current: Sequence[Sequence[Hashable]] = colours
    count = -1
    while True:
        numbers: dict[Hashable, int] = {}
        behind: list[list[int]] = []
        for side, order, given in zip(sides, orders, current, strict=True):
            found = [0] * len(order)
            for vertex in reversed(order):
                key = (given[vertex], *sorted([found[child] for child in side.children[vertex]]))
                found[vertex] = numbers.setdefault(key, len(numbers))
            behind.append(found)
        numbers = {}
        around: list[list[int]] = []
        for side, order, given in zip(sides, orders, behind, strict=True):
            found = [0] * len(order)
            for vertex in order:
                key = (given[vertex], *sorted([found[parent] for parent in side.parents[vertex]]))
                found[vertex] = numbers.setdefault(key, len(numbers))
            around.append(found)
        if len(numbers) == count:
            return around
        count, current = len(numbers), around


def _classes(colours: Sequence[int]) -> dict[int, list[int]]:
    classes: dict[int, list[int]] = {}
    for vertex, colour in enumerate(colours):
        classes.setdefault(colour, []).append(vertex)
    return classes


def _keeps_edges(sides: Sequence[Dag], counterpart: Sequence[int]) -> bool:
    one, other = sides
    return one.edge_count == other.edge_count and all(
        sorted([counterpart[child] for child in one.children[vertex]]) == other.children[counterpart[vertex]]
        for vertex in range(one.vertex_count)
    )
