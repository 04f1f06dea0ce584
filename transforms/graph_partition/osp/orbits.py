"""Orbits: sets of vertices that have the same graph before and behind them (OSP, sections 5.2 and 5.3)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from transforms.graph_partition.osp.dag import Dag, topological_order

TreeNumbers = dict[tuple[int, ...], int]
"""The numbers of unlabelled trees, by the ascending numbers of the trees below their root."""


def orbits(dag: Dag, labels: Sequence[Hashable]) -> list[list[int]]:
    """The orbits of `dag`, the last one to appear in topological order first; the vertices of each ascending.

    Two vertices are in one orbit if what follows them, unrolled to a tree, is labelled alike, and so are, seen from
    their parents, what leads to them. That is weaker than an automorphism, so a copy map has to be verified.

    Args:
        dag: the graph.
        labels: per vertex, what tells it from others.

    Raises:
        ValueError: the edges form a cycle.

    Notes:
        O((vertices + edges) · log). Every distinct tree gets a number instead of a hash value, so that nothing can
        collide. The reference takes orbits out of a hash table; where they are few, it gets them in this order.
        Sources: R. Merkle, "A digital signature based on a conventional encryption function", 1987; B. Weisfeiler,
        A. Leman, "The reduction of a graph to canonical form", 1968.
    """
    order = topological_order(dag)
    numbers: dict[Hashable, int] = {}
    behind = [0] * dag.vertex_count
    for vertex in reversed(order):
        tree = (labels[vertex], *sorted([behind[child] for child in dag.children[vertex]]))
        behind[vertex] = numbers.setdefault(tree, len(numbers))
    numbers = {}
    around = [0] * dag.vertex_count
    found: dict[int, list[int]] = {}
    for vertex in order:
        tree = (behind[vertex], *sorted([around[parent] for parent in dag.parents[vertex]]))
        around[vertex] = numbers.setdefault(tree, len(numbers))
        found.setdefault(around[vertex], []).append(vertex)
    return [sorted(vertices) for vertices in reversed(found.values())]


def predecessor_trees(dag: Dag, vertices: Iterable[int], numbers: TreeNumbers) -> dict[int, int]:
    """Per vertex of an induced subgraph, the number of the unlabelled tree that its predecessors unroll to.

    Args:
        dag: the graph.
        vertices: those of the subgraph.
        numbers: the trees that have numbers already; new ones are added.

    Notes:
        O((vertices + edges of theirs) · log).
    """
    missing = dict.fromkeys(vertices, 0)
    for vertex in missing:
        missing[vertex] = sum([parent in missing for parent in dag.parents[vertex]])
    ready = [vertex for vertex, count in missing.items() if not count]
    trees: dict[int, int] = {}
    for vertex in ready:
        tree = tuple(sorted([trees[parent] for parent in dag.parents[vertex] if parent in missing]))
        trees[vertex] = numbers.setdefault(tree, len(numbers))
        for child in dag.children[vertex]:
            if child in missing:
                missing[child] -= 1
                if not missing[child]:
                    ready.append(child)
    return trees
