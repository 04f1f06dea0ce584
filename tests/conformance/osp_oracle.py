"""The merging of orbits as the specification words it: after every merge, everything is computed anew."""

from __future__ import annotations

from collections import Counter

from transforms.graph_partition.osp.dag import Dag


class Oracle:
    """`run` returns the groups, each a list of copies, and per group the groups behind it."""

    def __init__(self, dag: Dag, orbits: list[list[int]], mixes_types: bool) -> None:
        self.dag, self.mixes_types = dag, mixes_types
        self.groups = [[[vertex] for vertex in orbit] for orbit in orbits]
        group_of = {vertex: group for group, orbit in enumerate(orbits) for vertex in orbit}
        self.work = [sum(dag.work[vertex] for vertex in orbit) for orbit in orbits]
        self.types = [dag.types[max(orbit)] for orbit in orbits]
        self.children: list[list[int]] = [[] for _ in orbits]
        for vertex, children in enumerate(dag.children):
            for child in children:
                source, target = group_of[vertex], group_of[child]
                if source != target and target not in self.children[source]:
                    self.children[source].append(target)
        sizes = Counter(len(orbit) for orbit in orbits if len(orbit) > 1)
        enough = max(1, int(0.1 * sizes.total()))
        self.levels = sorted((size for size, count in sizes.items() if count >= enough), reverse=True)
        if not self.levels:
            most = max(sizes.values(), default=0)
            self.levels = [min((size for size, count in sizes.items() if count == most), default=2)]
        locked: Counter[int] = Counter()
        for group, orbit in enumerate(orbits):
            if len(orbit) > 1:
                locked[self.kind(group)] += self.work[group]
        self.locked = {kind: int(0.5 * work) for kind, work in locked.items()}
        self.bad: set[tuple[int, int]] = set()
        self.bad_path: set[tuple[int, int]] = set()

    def kind(self, group: int) -> int:
        return 0 if self.mixes_types else self.types[group]

    def run(self) -> tuple[list[list[list[int]]], list[list[int]]]:
        for symmetry in self.levels:
            self.bad = set()
            self.contract(False, symmetry, 0)
            if self.mixes_types:
                self.contract(True, symmetry, 0)
            self.bad_path = set()
            self.contract(self.mixes_types, symmetry, 500)
        self.bad = set()
        self.contract(self.mixes_types, None, 0)
        return self.groups, [sorted(children) for children in self.children]

    def contract(self, mixes_types: bool, symmetry: int | None, slack: int) -> None:
        while self.merge_first(mixes_types, symmetry, slack):
            pass

    def merge_first(self, mixes_types: bool, symmetry: int | None, slack: int) -> bool:
        depths, heights, longest = self.levels_and_path(self.children, self.work)
        for u, children in enumerate(self.children):
            for v in children:
                if (u, v) in self.bad or (u, v) in self.bad_path:
                    continue
                if not mixes_types and self.types[u] != self.types[v]:
                    continue
                if depths[u] + 1 != depths[v] and heights[u] != heights[v] + 1:
                    continue
                sizes = [len(self.groups[u]), len(self.groups[v])]
                if symmetry is None and all(
                    self.work[group] > 200 * size for group, size in zip((u, v), sizes, strict=True)
                ):
                    continue
                copies = self.pieces(u, v)
                if copies is None or not (symmetry is None or self.is_symmetric(u, v, len(copies), symmetry)):
                    self.bad.add((u, v))
                    continue
                place, merged, work = self.quotient(u, v)
                if self.levels_and_path(merged, work)[2] > longest + slack * len(copies):
                    self.bad_path.add((u, v))
                    continue
                self.groups[u] = copies
                del self.groups[v]
                del self.types[v]
                self.children, self.work = merged, work
                self.bad, self.bad_path = (
                    {(place[a], place[b]) for a, b in edges if v not in (a, b)} for edges in (self.bad, self.bad_path)
                )
                return True
        return False

    def is_symmetric(self, u: int, v: int, count: int, symmetry: int) -> bool:
        least = self.levels[-1]
        sizes = [len(self.groups[u]), len(self.groups[v])]
        if count < symmetry and not (symmetry == least and max(sizes) < least):
            return False
        significant = [
            size
            for group, size in zip((u, v), sizes, strict=True)
            if size >= least and self.work[group] > self.locked.get(self.kind(group), 0)
        ]
        return count >= min(significant, default=0)

    def pieces(self, u: int, v: int) -> list[list[int]] | None:
        inside = {vertex for group in (u, v) for copy in self.groups[group] for vertex in copy}
        left, pieces = set(inside), list[list[int]]()
        for start in sorted(inside):
            if start in left:
                piece, stack = [], [start]
                left.remove(start)
                while stack:
                    vertex = stack.pop()
                    piece.append(vertex)
                    for other in [*self.dag.children[vertex], *self.dag.parents[vertex]]:
                        if other in left:
                            left.remove(other)
                            stack.append(other)
                pieces.append(sorted(piece))
        return pieces if len({self.shape(piece) for piece in pieces}) == 1 else None

    def shape(self, piece: list[int]) -> object:
        inside = set(piece)
        trees: dict[int, object] = {}

        def tree(vertex: int) -> object:
            if vertex not in trees:
                trees[vertex] = tuple(sorted((tree(p) for p in self.dag.parents[vertex] if p in inside), key=repr))
            return trees[vertex]

        edges = sum(child in inside for vertex in piece for child in self.dag.children[vertex])
        return len(piece), edges, tuple(sorted((tree(vertex) for vertex in piece), key=repr))

    def quotient(self, u: int, v: int) -> tuple[list[int], list[list[int]], list[int]]:
        place = [group - (group > v) for group in range(len(self.children))]
        place[v] = place[u]
        merged: list[list[int]] = [[] for _ in self.children[1:]]
        work = [0] * len(merged)
        for group, children in enumerate(self.children):
            work[place[group]] += self.work[group]
            for child in children:
                if place[child] != place[group] and place[child] not in merged[place[group]]:
                    merged[place[group]].append(place[child])
        return place, merged, work

    def levels_and_path(self, children: list[list[int]], work: list[int]) -> tuple[list[int], list[int], int]:
        parents: list[list[int]] = [[] for _ in children]
        for group, targets in enumerate(children):
            for target in targets:
                parents[target].append(group)
        missing = list(map(len, parents))
        order = [group for group, count in enumerate(missing) if not count]
        for group in order:
            for child in children[group]:
                missing[child] -= 1
                if not missing[child]:
                    order.append(child)
        assert len(order) == len(children)
        depths, heights, paths = [0] * len(order), [0] * len(order), [0] * len(order)
        for group in order:
            depths[group] = 1 + max((depths[parent] for parent in parents[group]), default=-1)
            paths[group] = work[group] + max((paths[parent] for parent in parents[group]), default=0)
        for group in reversed(order):
            heights[group] = 1 + max((heights[child] for child in children[group]), default=-1)
        return depths, heights, max(paths, default=0)
