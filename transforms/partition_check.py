"""Checks a partition of a tile graph, whoever made it; shares no code with the partition algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from dialect.compat import Compat
from dialect.opcodes import OPCODES, CoreType
from transforms.graph import TileGraph
from transforms.inseparable_operations import InseparableSets, inseparable_sets
from transforms.operation_description import describe_operation


class ViolationKind(StrEnum):
    """What a partition must not do."""

    NO_SUBGRAPH = "no-subgraph"
    UNUSED_ID = "unused-id"
    SUBGRAPH_CYCLE = "subgraph-cycle"
    MIXED_CORES = "mixed-cores"
    MIXED_SCOPES = "mixed-scopes"
    BROKEN_ISOLATION = "broken-isolation"
    TORN_SCOPE = "torn-scope"


@dataclass(frozen=True, slots=True)
class Violation:
    """One rule that a partition breaks, with the operations and subgraphs that show it."""

    kind: ViolationKind
    message: str
    operations: tuple[int, ...] = ()
    subgraphs: tuple[int, ...] = ()


_IS_WINDOWED: tuple[bool, ...] = tuple(opcode.is_windowed for opcode in OPCODES)
_IS_AIC: tuple[bool, ...] = tuple(opcode.core is CoreType.AIC for opcode in OPCODES)
_IS_AIV: tuple[bool, ...] = tuple(opcode.core is CoreType.AIV for opcode in OPCODES)


def check_partition(
    graph: TileGraph,
    subgraphs: Sequence[int],
    compat: Compat,
    mixed_cores: bool = False,
    *,
    may_mix_sides: bool = False,
    ignores_scopes: bool = False,
) -> list[Violation]:
    """Check the subgraph id of every operation of `graph`.

    * Every operation has an id, ids count from 0, and each is used.
    * Subgraphs do not depend on one another in a cycle.
    * No subgraph holds AIC and AIV operations. With pypto rules it may, if operations that cannot be separated do.
    * Operations of different scopes are in different subgraphs (with pypto rules: unless both scopes allow cross-scope
      merges), and a scope that does not allow them shares no subgraph with operations outside.
    * A scope that allows parallel merges is in one subgraph, and neighbours of one scope are in one. Not checked where
      cores are mixed, since there a scope with cube and vector operations is not joined.

    View-like and assemble-like operations have no scope here. Nothing is promised to a scope about operations that
    cannot be separated from operations of another scope.

    Args:
        graph: the operations and tensors.
        subgraphs: per operation, its id, negative for none.
        compat: the rules that the partition was made by.
        mixed_cores: whether the target couples a cube core with vector cores.
        may_mix_sides: whether a subgraph may hold AIC and AIV operations, as OspSarkar, OspBsp and ReduceCopyMerge make
            them where cores are mixed.
        ignores_scopes: whether nothing is promised to scopes, as the reference's OspSarkar and OspBsp do.

    Returns:
        what is wrong, in the order of the list above; nothing else is looked at while ids are wrong.

    Raises:
        PassFailedException: scopes look broken, and the operations themselves form a cycle.

    Notes:
        O(operations + operands); which operations are inseparable is only found out where scopes look broken. Source:
        graph partition, sections 11.3 and 12.
    """
    violations = check_ids(graph, subgraphs)
    if violations or not subgraphs:
        return violations
    violations = _check_cycles(graph, subgraphs)
    checks = _SideAndScopeChecks(graph, subgraphs, compat, mixed_cores)
    if not may_mix_sides:
        violations += checks.mixed_cores()
    if not ignores_scopes:
        violations += [*checks.shared_subgraphs(), *checks.torn_scopes()]
    return violations


def check_ids(graph: TileGraph, subgraphs: Sequence[int]) -> list[Violation]:
    """What is wrong with ids as such: operations without one, and gaps. Arguments as for `check_partition`."""
    violations: list[Violation] = []
    for operation, subgraph in enumerate(subgraphs):
        if subgraph < 0:
            message = f"{describe_operation(graph, operation)} has no subgraph"
            violations.append(Violation(ViolationKind.NO_SUBGRAPH, message, (operation,)))
    used = sorted(set(subgraphs) - {-1})
    expected = 0
    for subgraph in used:
        if subgraph > expected:
            missing = str(expected) if subgraph == expected + 1 else f"{expected}..{subgraph - 1}"
            message = f"no operation has the subgraph id {missing}, although {subgraph} is used"
            violations.append(Violation(ViolationKind.UNUSED_ID, message, (), (expected, subgraph)))
        expected = subgraph + 1
    return violations


def _check_cycles(graph: TileGraph, subgraphs: Sequence[int]) -> list[Violation]:
    cycle = _find_cycle(graph, subgraphs)
    if not cycle:
        return []
    shown = [str(subgraph) for subgraph in cycle[:8]]
    if len(cycle) > len(shown):
        shown.append(f"… {len(cycle) - len(shown)} more")
    message = "subgraphs depend on one another in a cycle: " + " -> ".join([*shown, shown[0]])
    return [Violation(ViolationKind.SUBGRAPH_CYCLE, message, (), tuple(cycle))]


def _find_cycle(graph: TileGraph, subgraphs: Sequence[int]) -> list[int]:
    """Subgraphs that depend on one another in a cycle, each on the one before; empty if there is no cycle.

    Tensors of several producing subgraphs are vertices of their own, numbered after the subgraphs.
    """
    writer = [-1] * graph.tensor_count
    writers: dict[int, set[int]] = {}
    for subgraph, outputs in zip(subgraphs, graph.outputs, strict=True):
        for tensor in outputs:
            if writer[tensor] == -1:
                writer[tensor] = subgraph
            elif writer[tensor] != subgraph:
                writers.setdefault(tensor, {writer[tensor]}).add(subgraph)
    edges: set[tuple[int, int]] = set()
    readers: dict[int, set[int]] = {}
    for subgraph, inputs in zip(subgraphs, graph.inputs, strict=True):
        for tensor in inputs:
            if tensor in writers:
                readers.setdefault(tensor, set()).add(subgraph)
            elif writer[tensor] not in (-1, subgraph):
                edges.add((writer[tensor], subgraph))
    vertex_count = max(subgraphs) + 1
    for tensor, reading in readers.items():
        writing = writers[tensor]
        both = sorted(writing & reading)
        if len(both) > 1:
            return both[:2]
        edges.update((one, own) for own in both for one in writing if one != own)
        edges.update((one, vertex_count) for one in writing)
        edges.update((vertex_count, one) for one in reading.difference(both))
        vertex_count += 1
    cycle = _cycle_of(edges, vertex_count)
    return [vertex for vertex in cycle if vertex <= max(subgraphs)]


def _cycle_of(edges: set[tuple[int, int]], vertex_count: int) -> list[int]:
    """The vertices of a cycle, in its direction; empty if there is none."""
    before: list[list[int]] = [[] for _ in range(vertex_count)]
    missing = [0] * vertex_count
    for source, target in edges:
        before[target].append(source)
        missing[source] += 1
    free = [vertex for vertex, count in enumerate(missing) if not count]
    for vertex in free:
        for source in before[vertex]:
            missing[source] -= 1
            if not missing[source]:
                free.append(source)
    if len(free) == vertex_count:
        return []
    # What is left leads into a cycle, so walk against the edges from what the search could not free.
    after: dict[int, int] = {source: target for source, target in sorted(edges) if missing[source] and missing[target]}
    vertex, place = min(after), dict[int, int]()
    while vertex not in place:
        place[vertex] = len(place)
        vertex = after[vertex]
    return list(place)[place[vertex] :]


class _SideAndScopeChecks:
    """The checks that may have to know which operations cannot be separated."""

    def __init__(self, graph: TileGraph, subgraphs: Sequence[int], compat: Compat, mixed_cores: bool) -> None:
        self._graph = graph
        self._subgraphs = subgraphs
        self._published = compat is Compat.PUBLISHED
        self._mixed_cores = mixed_cores
        self._found_sets: InseparableSets | None = None
        self._scoped = [
            operation
            for operation, scope in enumerate(graph.scopes)
            if scope[0] != -1 and not _IS_WINDOWED[graph.opcodes[operation]]
        ]

    @property
    def _sets(self) -> InseparableSets:
        if self._found_sets is None:
            self._found_sets = inseparable_sets(self._graph)
        return self._found_sets

    def mixed_cores(self) -> list[Violation]:
        cube: dict[int, int] = {}
        vector: dict[int, int] = {}
        for operation, (subgraph, opcode) in enumerate(zip(self._subgraphs, self._graph.opcodes, strict=True)):
            if _IS_AIC[opcode]:
                cube.setdefault(subgraph, operation)
            elif _IS_AIV[opcode]:
                vector.setdefault(subgraph, operation)
        violations: list[Violation] = []
        for subgraph in sorted(cube.keys() & vector.keys()):
            if self._published or not self._has_mixed_set(subgraph):
                pair = cube[subgraph], vector[subgraph]
                message = f"subgraph {subgraph} holds {self._named(pair[0])} on AIC and {self._named(pair[1])} on AIV"
                violations.append(Violation(ViolationKind.MIXED_CORES, message, pair, (subgraph,)))
        return violations

    def _has_mixed_set(self, subgraph: int) -> bool:
        opcodes = self._graph.opcodes
        inside = [operation for operation, other in enumerate(self._subgraphs) if other == subgraph]
        cube = {self._sets.set_of[operation] for operation in inside if _IS_AIC[opcodes[operation]]}
        return any(_IS_AIV[opcodes[operation]] and self._sets.set_of[operation] in cube for operation in inside)

    def shared_subgraphs(self) -> list[Violation]:
        """Scopes that share a subgraph with something that they must not share one with."""
        scopes = self._graph.scopes
        scoped_in: dict[int, set[int]] = {}
        for operation in self._scoped:
            scoped_in.setdefault(self._subgraphs[operation], set()).add(operation)
        isolating = {
            subgraph
            for subgraph, operations in scoped_in.items()
            if any(not scopes[operation].cross for operation in operations)
        }
        foreign: dict[int, list[int]] = {}
        for operation, subgraph in enumerate(self._subgraphs):
            counts = scopes[operation].id != -1 or subgraph in isolating
            if subgraph in scoped_in and counts and not _IS_WINDOWED[self._graph.opcodes[operation]]:
                foreign.setdefault(subgraph, []).append(operation)
        violations: list[Violation] = []
        for subgraph in sorted(foreign):
            if len({scopes[operation].id for operation in foreign[subgraph]}) > 1:
                violation = self._shared(subgraph, foreign[subgraph])
                if violation is not None:
                    violations.append(violation)
        return violations

    def _shared(self, subgraph: int, operations: Sequence[int]) -> Violation | None:
        """Whether one of the inseparable sets within a subgraph must not share it with another."""
        scopes, sets = self._graph.scopes, self._sets
        members: dict[int, list[int]] = {}
        for operation in operations:
            members.setdefault(sets.set_of[operation], []).append(operation)
        ids_of = {number: {scopes[operation].id for operation in inside} - {-1} for number, inside in members.items()}
        for number, inside in members.items():
            if len(ids_of[number]) != 1 or len(sets.scope_ids[number]) > 1:
                continue
            (scope_id,) = ids_of[number]
            own = next(operation for operation in inside if scopes[operation].id == scope_id)
            isolated = any(scopes[operation].id == scope_id and not scopes[operation].cross for operation in inside)
            for other, others in members.items():
                if scope_id in ids_of[other] or (not isolated and not ids_of[other]):
                    continue
                kind = ViolationKind.BROKEN_ISOLATION if isolated else ViolationKind.MIXED_SCOPES
                if isolated or (self._published and len(sets.scope_ids[other]) == 1):
                    message = (
                        f"subgraph {subgraph} holds {self._named_with_scope(own)} and "
                        f"{self._named_with_scope(others[0])}"
                    )
                    return Violation(kind, message, (own, others[0]), (subgraph,))
        return None

    def torn_scopes(self) -> list[Violation]:
        """Scopes that are in several subgraphs although they must be in one."""
        violations: list[Violation] = []
        if self._mixed_cores:
            return violations
        operations_of: dict[int, list[int]] = {}
        for operation in self._scoped:
            operations_of.setdefault(self._graph.scopes[operation].id, []).append(operation)
        for scope_id, operations in sorted(operations_of.items()):
            if len({self._subgraphs[operation] for operation in operations}) == 1:
                continue
            sets = self._sets
            operations = [operation for operation in operations if sets.scope_ids[sets.set_of[operation]] == {scope_id}]
            if all(self._graph.scopes[operation].parallel for operation in operations):
                torn = self._first_torn(operations)
            else:
                torn = self._first_torn_neighbours(operations)
            if torn is not None:
                places = tuple(self._subgraphs[operation] for operation in torn)
                message = (
                    f"scope {scope_id} is torn: {self._named(torn[0])} is in subgraph {places[0]}, "
                    f"{self._named(torn[1])} in subgraph {places[1]}"
                )
                violations.append(Violation(ViolationKind.TORN_SCOPE, message, torn, places))
        return violations

    def _first_torn(self, operations: Sequence[int]) -> tuple[int, int] | None:
        for operation in operations[1:]:
            if self._subgraphs[operation] != self._subgraphs[operations[0]]:
                return operations[0], operation
        return None

    def _first_torn_neighbours(self, operations: Sequence[int]) -> tuple[int, int] | None:
        writers: dict[int, list[int]] = {}
        for operation in operations:
            for tensor in self._graph.outputs[operation]:
                writers.setdefault(tensor, []).append(operation)
        readers: dict[int, list[int]] = {}
        for operation in operations:
            for tensor in self._graph.inputs[operation]:
                if tensor in writers:
                    readers.setdefault(tensor, []).append(operation)
        for tensor, reading in readers.items():
            torn = self._first_torn([*writers[tensor], *reading])
            if torn is not None:
                return torn
        return None

    def _named(self, operation: int) -> str:
        return describe_operation(self._graph, operation)

    def _named_with_scope(self, operation: int) -> str:
        scope_id = self._graph.scopes[operation].id
        return f"{self._named(operation)} " + (f"of scope {scope_id}" if scope_id != -1 else "outside any scope")
