"""Which operations no partition may separate; written for checking, apart from the partition algorithms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dialect.opcodes import OPCODES, CalcType
from transforms.canonical_order import canonical_order
from transforms.graph import Scope, TileGraph

_UB, _L1, _L0A, _L0B, _L0C, _FIX_QUANT_PRE, _BT, _DDR, _L0AMX, _L0BMX = 0, 1, 2, 3, 4, 6, 12, 15, 21, 22
_CUBE_INPUTS = (_L0A, _L0B, _L0AMX, _L0BMX, _BT, _FIX_QUANT_PRE)


@dataclass(frozen=True, slots=True)
class InseparableSets:
    """Sets of operations that rules, scopes and paths between them hold together; at least as large as super nodes.

    Attributes:
        set_of: per operation, its set.
        scope_ids: per set, the ids of the scopes of its operations that are not view-like or assemble-like.
    """

    set_of: Sequence[int]
    scope_ids: Sequence[set[int]]


def inseparable_sets(graph: TileGraph) -> InseparableSets:
    """The sets of operations of `graph` that stay together.

    Raises:
        PassFailedException: the operations form a cycle.

    Notes:
        O(operations + operands), times the number of rounds in which scopes propagate. Source: graph partition,
        sections 5 and 6, read as a relation without direction; in doubt operations count as inseparable.
    """
    finder = _Finder(graph)
    finder.unite_by_rules()
    counts = finder.scopes_that_count()
    finder.unite_cycles()
    finder.unite_scopes(counts)
    finder.unite_cycles()
    return finder.result()


class _Finder:
    def __init__(self, graph: TileGraph) -> None:
        self._graph = graph
        self._order = canonical_order(graph)
        self._position = {operation: position for position, operation in enumerate(self._order)}
        self._opcodes = [OPCODES[opcode] for opcode in graph.opcodes]
        self._parent = list(range(graph.operation_count))
        self._writers: list[list[int]] = [[] for _ in range(graph.tensor_count)]
        self._readers: list[list[int]] = [[] for _ in range(graph.tensor_count)]
        for operation in self._order:
            for tensor in graph.outputs[operation]:
                self._writers[tensor].append(operation)
            for tensor in graph.inputs[operation]:
                self._readers[tensor].append(operation)
        # Per purpose and tensor, the operations to unite with; one of them once all are united.
        self._to_unite: dict[tuple[str, int], list[int]] = {}

    def _root(self, operation: int) -> int:
        while self._parent[operation] != operation:
            self._parent[operation] = operation = self._parent[self._parent[operation]]
        return operation

    def _unite(self, one: int, other: int) -> None:
        self._parent[self._root(other)] = self._root(one)

    def _unite_with(self, operation: int, purpose: str, tensor: int, choose: Callable[[int], list[int]]) -> None:
        users = self._to_unite.get((purpose, tensor))
        if users is None:
            users = choose(tensor)
        for user in users:
            self._unite(operation, user)
        self._to_unite[purpose, tensor] = users[:1]

    def unite_by_rules(self) -> None:
        for operation in range(self._graph.operation_count):
            self._unite_by_rule(operation)

    def _unite_by_rule(self, operation: int) -> None:
        graph, opcode = self._graph, self._opcodes[operation]
        inputs, outputs = graph.inputs[operation], graph.outputs[operation]
        source = graph.memories[inputs[0]] if inputs else None
        target = self._memory_out(operation)
        if opcode.name == "CONVERT":
            ends = graph.conversions.get(operation)
            if ends is not None:
                self._join_writers(operation)
                if not ({*ends} - {_L0C, _L1, _L0A, _L0B} == {_UB} and ends[0] != ends[1]):
                    self._join_readers(operation)
        elif opcode.is_windowed and source == _L0C and target == _L1:
            self._join_readers(operation, spares_cube_inputs=opcode.is_assemble_like)
            self._join_writers(operation)
        elif source is not None and source != _UB and target in (_L1, _BT, _FIX_QUANT_PRE):
            self._join_readers(operation)
        elif opcode.is_assemble_like and outputs:
            if source not in (None, _DDR) and target == _DDR and not self._is_written_out(inputs[0]):
                self._join_writers(operation)
            else:
                self._join_first(operation, [self._writers[tensor][0] for tensor in inputs if self._writers[tensor]])
        elif opcode.calc is CalcType.MOVE_OUT:
            self._join_writers(operation)
        elif opcode.calc in (CalcType.MOVE_IN, CalcType.MOVE_LOCAL):
            first_readers = [self._readers[tensor][0] for tensor in outputs if self._readers[tensor]]
            self._join_first(operation, sorted(first_readers, key=self._position.__getitem__))
        elif opcode.calc is CalcType.MATMUL:
            if len(inputs) > 2 and graph.memories[inputs[2]] == _L0C:
                self._unite_with(operation, "accumulated", inputs[2], self._matmul_writers)
            for tensor in outputs:
                self._unite_with(operation, "product views", tensor, self._product_views)

    def _memory_out(self, operation: int) -> int | None:
        outputs = self._graph.outputs[operation]
        return self._graph.memories[outputs[0]] if outputs else None

    def _is_written_out(self, tensor: int) -> bool:
        """Whether the writer of smallest magic brings `tensor` out itself."""
        magics = self._graph.magics
        first = min(self._writers[tensor], key=magics.__getitem__, default=None)
        return first is not None and self._opcodes[first].name in ("TRANSPOSE_MOVEOUT", "INDEX_OUTCAST")

    def _join_first(self, operation: int, others: Sequence[int]) -> None:
        if others:
            self._unite(operation, others[0])

    def _join_writers(self, operation: int) -> None:
        for tensor in self._graph.inputs[operation]:
            self._unite_with(operation, "writers", tensor, self._writers.__getitem__)

    def _join_readers(self, operation: int, spares_cube_inputs: bool = False) -> None:
        for tensor in self._graph.outputs[operation]:
            if spares_cube_inputs:
                self._unite_with(operation, "readers but cube inputs", tensor, self._readers_but_cube_inputs)
            else:
                self._unite_with(operation, "readers", tensor, self._readers.__getitem__)

    def _readers_but_cube_inputs(self, tensor: int) -> list[int]:
        return [reader for reader in self._readers[tensor] if self._memory_out(reader) not in _CUBE_INPUTS]

    def _matmul_writers(self, tensor: int) -> list[int]:
        return [writer for writer in self._writers[tensor] if self._opcodes[writer].calc is CalcType.MATMUL]

    def _product_views(self, tensor: int) -> list[int]:
        views = [reader for reader in self._readers[tensor] if self._opcodes[reader].is_view_like]
        return [view for view in views if self._memory_out(view) == _L0C]

    def unite_cycles(self) -> None:
        """Unite sets that depend on one another: what lies on a path between two operations of a set is one of them.

        S. R. Kosaraju's two searches over sets and tensors; tensor t is vertex operation_count + t.
        """
        count = self._graph.operation_count
        after: list[list[int]] = [[] for _ in range(count + self._graph.tensor_count)]
        before: list[list[int]] = [[] for _ in range(count + self._graph.tensor_count)]
        for tensor in range(self._graph.tensor_count):
            for writer in {self._root(writer) for writer in self._writers[tensor]}:
                after[writer].append(count + tensor)
                before[count + tensor].append(writer)
            for reader in {self._root(reader) for reader in self._readers[tensor]}:
                after[count + tensor].append(reader)
                before[reader].append(count + tensor)
        unseen = bytearray(b"\1") * len(before)
        for start in reversed(_finished(after)):
            component: list[int] = []
            stack = [start]
            while stack:
                vertex = stack.pop()
                if unseen[vertex]:
                    unseen[vertex] = False
                    stack.extend(before[vertex])
                    if vertex < count:
                        component.append(vertex)
            for vertex in component[1:]:
                self._unite(component[0], vertex)

    def unite_scopes(self, counts: Sequence[bool]) -> None:
        """Unite the sets with operations of one scope: all if it allows parallel merges, else direct neighbours.

        `counts` says per operation whether its scope may be that of its super node.
        """
        scopes = self._propagated_scopes()
        ids_of: dict[int, set[int]] = {}
        first_of_parallel: dict[int, int] = {}
        pairs: list[tuple[int, int]] = []
        for operation, scope in enumerate(scopes):
            if scope.id != -1 and counts[operation]:
                ids_of.setdefault(self._root(operation), set()).add(scope.id)
                if scope.parallel:
                    pairs.append((first_of_parallel.setdefault(scope.id, operation), operation))
        for writers, readers in zip(self._writers, self._readers, strict=True):
            writing: dict[int, list[int]] = {}
            for writer in writers:
                for scope_id in ids_of.get(self._root(writer), ()):
                    writing.setdefault(scope_id, []).append(writer)
            for reader in readers if writing else ():
                for scope_id in ids_of.get(self._root(reader), set[int]()) & writing.keys():
                    pairs.extend((reader, writer) for writer in writing[scope_id])
                    del writing[scope_id][1:]
        for one, other in pairs:
            self._unite(one, other)

    def scopes_that_count(self) -> list[bool]:
        """Per operation, whether it may decide the scope of its set, which view-like ones do only among themselves."""
        windowed = [opcode.is_windowed for opcode in self._opcodes]
        with_others = {self._root(operation) for operation in self._order if not windowed[operation]}
        return [
            not is_windowed or self._root(operation) not in with_others
            for operation, is_windowed in enumerate(windowed)
        ]

    def _propagated_scopes(self) -> list[Scope]:
        """View-like operations take the scope of a scoped consumer, assemble-like ones that of a scoped producer."""
        graph, magics = self._graph, self._graph.magics
        scopes = list(graph.scopes)
        first_writer: dict[int, int] = {}
        first_reader: dict[int, int] = {}

        def publish(operation: int) -> None:
            for tensors, firsts in ((graph.outputs, first_writer), (graph.inputs, first_reader)):
                for tensor in tensors[operation]:
                    firsts[tensor] = min(firsts.get(tensor, operation), operation, key=magics.__getitem__)

        def near(operation: int) -> Scope | None:
            if self._opcodes[operation].is_assemble_like:
                tensors, firsts = graph.inputs[operation], first_writer
            else:
                tensors, firsts = graph.outputs[operation], first_reader
            return next((scopes[firsts[tensor]] for tensor in tensors if tensor in firsts), None)

        for operation in self._order:
            if scopes[operation].id != -1:
                publish(operation)
        pending: list[int] = []
        for operation in self._order:
            scope = near(operation)
            if self._opcodes[operation].is_windowed and (
                scopes[operation].id == -1 or (scope is not None and scope.id != scopes[operation].id)
            ):
                pending.append(operation)
        while pending:
            deferred: list[int] = []
            for operation in pending:
                scope = near(operation)
                if scope is None:
                    deferred.append(operation)
                elif scope.id != scopes[operation].id:
                    scopes[operation] = scope
                    publish(operation)
            if len(deferred) == len(pending):
                break
            pending = deferred[::-1]
        return scopes

    def result(self) -> InseparableSets:
        numbers: dict[int, int] = {}
        set_of = [numbers.setdefault(self._root(operation), len(numbers)) for operation in range(len(self._opcodes))]
        scope_ids: list[set[int]] = [set() for _ in numbers]
        for number, opcode, scope in zip(set_of, self._opcodes, self._graph.scopes, strict=True):
            if scope.id != -1 and not opcode.is_windowed:
                scope_ids[number].add(scope.id)
        return InseparableSets(set_of, scope_ids)


def _finished(after: Sequence[Sequence[int]]) -> list[int]:
    """The vertices in the order in which a depth-first search leaves them."""
    entered = bytearray(len(after))
    finished: list[int] = []
    for start in range(len(after)):
        stack = [start]
        while stack:
            vertex = stack[-1]
            if entered[vertex] == 0:
                entered[vertex] = 1
                stack.extend(following for following in after[vertex] if not entered[following])
            else:
                stack.pop()
                if entered[vertex] == 1:
                    entered[vertex] = 2
                    finished.append(vertex)
    return finished
