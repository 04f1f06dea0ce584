"""ReduceCopyMerge once more, written down from merge passes 4.2 to 4.4 without any thought of speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Tensor:
    """A tensor by its producing and consuming ops; each op is given by its number."""

    producers: tuple[int, ...]
    consumers: tuple[int, ...]
    bytes: int
    in_memory: bool


@dataclass(frozen=True)
class Op:
    """An op: its subgraph, cycles, cube mark, CV-fuse id, and whether it is RESHAPE, assemble-like or for the AICPU."""

    subgraph: int
    cycles: int
    cube: bool
    fusion: int = -1
    kind: str = "plain"


def mixed(ops: Sequence[Op], tensors: Sequence[Tensor], automatic: bool) -> list[frozenset[int]]:
    """The subgraphs that end up together."""
    count = max(op.subgraph for op in ops) + 1
    parent = list(range(count))

    def find(x: int) -> int:
        while parent[x] != x:
            x = parent[x]
        return x

    sub = [op.subgraph for op in ops]
    edges = {(sub[p], sub[c]) for t in tensors for p in t.producers for c in t.consumers if sub[p] != sub[c]}
    cube = [sum(op.cycles for op in ops if op.subgraph == s and op.cube) for s in range(count)]
    vector = [sum(op.cycles for op in ops if op.subgraph == s and not op.cube) for s in range(count)]
    never = {op.subgraph for op in ops if op.kind == "aicpu"}
    unfit: set[int] = set()
    for number, op in enumerate(ops):
        if op.kind != "reshape":
            continue
        after = [sub[c] == op.subgraph for t in tensors if number in t.producers for c in t.consumers]
        before = [sub[p] == op.subgraph for t in tensors if number in t.consumers for p in t.producers]
        if len(set(after)) == 2 or len(set(before)) == 2 or sub.count(op.subgraph) == 1:
            unfit.add(op.subgraph)
    border = [
        t for t in tensors if t.producers and t.consumers and len({sub[o] for o in t.producers + t.consumers}) > 1
    ]
    groups = [tuple(sorted({sub[o] for o in t.producers + t.consumers})) for t in border]
    priority: dict[tuple[int, ...], int] = {}
    forced: set[tuple[int, ...]] = set()
    for t, g in zip(border, groups, strict=True):
        priority[g] = priority.get(g, 0) + t.bytes
        fusions = {ops[o].fusion for o in t.producers + t.consumers}
        if len(fusions) == 1 and -1 not in fusions:
            forced.add(g)
    listed = sorted(priority.items())
    for side in ("producers", "consumers"):
        for s in range(count):
            mine = [(t, g) for t, g in zip(border, groups, strict=True) if s in {sub[o] for o in getattr(t, side)}]
            if mine:
                union = tuple(sorted({m for _, g in mine for m in g}))
                size = sum(t.bytes * sum(sub[o] == s for o in getattr(t, side)) for t, _ in mine)
                listed.append((union, size))
    listed.sort(key=lambda entry: entry[1])
    partners: dict[int, set[int]] = {}
    for number, op in enumerate(ops):
        if op.kind == "assemble":
            together = {sub[p] for t in tensors if number in t.consumers for p in t.producers}
            if len(together) > 1:
                for s in together:
                    partners.setdefault(s, set()).update(together)
    candidates: list[tuple[set[int], bool, bool]] = []
    seen: set[tuple[int, ...]] = set()
    for g, _ in reversed(listed):
        if g in seen:
            continue
        seen.add(g)
        if never & set(g):
            continue
        members = set(g) | {other for m in g for other in partners.get(m, ())}
        candidates.append((members, g in forced, not unfit & members))
    producing_at_all = {sub[p] for t in border for p in t.producers}
    sinks = [s for s in range(count) if s not in producing_at_all]

    def acyclic(group: set[int]) -> bool:
        name = {r: (-1 if r in group else r) for r in range(count)}
        after: dict[int, set[int]] = {}
        for a, b in edges:
            x, y = name[find(a)], name[find(b)]
            if x != y:
                after.setdefault(x, set()).add(y)
        colour: dict[int, int] = {}

        def visit(v: int) -> bool:
            colour[v] = 1
            for w in after.get(v, ()):
                if colour.get(w) == 1 or (w not in colour and not visit(w)):
                    return False
            colour[v] = 2
            return True

        return all(v in colour or visit(v) for v in list(after))

    def roots(operations: Sequence[int]) -> set[int]:
        return {find(sub[o]) for o in operations}

    def inner(group: set[int]) -> bool:
        for t in border:
            p, c = roots(t.producers), roots(t.consumers)
            if t.in_memory and p & group and c & group and (p | c) - group:
                return False
        return True

    def cost(group: set[int]) -> bool:
        a = sum(cube[s] for s in range(count) if find(s) in group)
        v = sum(vector[s] for s in range(count) if find(s) in group)
        return a > 0 and v > 0 and a + v <= 10**7 and 1e-6 <= v / a <= 1e6

    def pattern(group: set[int]) -> bool:
        touching = [t for t in border if (roots(t.producers) | roots(t.consumers)) & group]
        producing: set[int] = set()
        noted: set[tuple[int, int]] = set()
        for t in touching:
            p, c = roots(t.producers) & group, roots(t.consumers) & group
            producing |= p
            if not p or not c:
                continue
            if len(p) > 1 and len(c) > 1:
                return False
            noted |= {(x, y) for x in p for y in c if x != y}
        if not (len(sinks) > 1 and {find(s) for s in sinks} <= group):
            for root in group - producing:
                sources = {
                    r
                    for t in border
                    if root in roots(t.producers) | roots(t.consumers)
                    for r in roots(t.producers)
                    if r != root
                }
                if len(sources) > 1:
                    return False
        many_before = any(sum(y == root for _, y in noted) > 1 for root in group)
        many_after = any(sum(x == root for x, _ in noted) > 1 for root in group)
        return bool(noted) and not (many_before and many_after)

    for round_number in range(5):
        changed = False
        for members, is_forced, eligible in candidates:
            group = {find(m) for m in members}
            if len(group) <= 1:
                continue
            if (is_forced and acyclic(group)) or (
                automatic
                and round_number > 0
                and eligible
                and acyclic(group)
                and inner(group)
                and cost(group)
                and pattern(group)
            ):
                first, *others = sorted(group)
                for other in others:
                    parent[other] = first
                changed = True
        if round_number and not changed:
            break
    together: dict[int, set[int]] = {}
    for s in range(count):
        together.setdefault(find(s), set()).add(s)
    return sorted(map(frozenset, together.values()), key=min)
