"""View-like and assemble-like operations take over the scope of a neighbour."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from dialect.opcodes import OPCODES
from transforms.graph import Scope
from transforms.graph_partition.ordered_graph import OrderedGraph

_IS_ASSEMBLE_LIKE: tuple[bool, ...] = tuple(opcode.is_assemble_like for opcode in OPCODES)


def propagate_scopes(ordered: OrderedGraph) -> list[Scope]:
    """Per index, the scope after propagation.

    A view-like operation takes the scope of its first scoped consumer and an assemble-like one that of its first scoped
    producer, even if it has another; nothing else changes.

    Notes:
        O(operands + windowed operations · log): the rounds of the reference are replayed by events, since an operation
        without scoped neighbours changes only after one of them has got a scope. Source: graph partition, section 5.1.
    """
    scopes = [ordered.graph.scopes[operation] for operation in ordered.order]
    if any(scope[0] != -1 for scope in scopes):
        _Propagation(ordered, scopes).run()
    return scopes


class _Propagation:
    def __init__(self, ordered: OrderedGraph, scopes: list[Scope]) -> None:
        self._ordered = ordered
        self._scopes = scopes
        self._magics = [ordered.graph.magics[operation] for operation in ordered.order]
        self._first_writer: dict[int, int] = {}
        self._first_reader: dict[int, int] = {}
        for index, scope in enumerate(scopes):
            if scope.id != -1:
                self._publish(index)

    def _publish(self, index: int) -> list[int]:
        """Make the scope of `index` visible at its tensors; returns the tensors' users that see a scope only now."""
        magics, woken = self._magics, list[int]()
        for tensors, firsts, users, wants_assemble in (
            (self._ordered.outputs[index], self._first_writer, self._ordered.consumers, True),
            (self._ordered.inputs[index], self._first_reader, self._ordered.producers, False),
        ):
            for tensor in tensors:
                first = firsts.get(tensor)
                if first is None:
                    woken.extend(user for user in users[tensor] if self._is_assemble_like(user) is wants_assemble)
                if first is None or magics[index] < magics[first]:
                    firsts[tensor] = index
        return woken

    def _is_assemble_like(self, index: int) -> bool:
        return _IS_ASSEMBLE_LIKE[self._ordered.opcodes[index]]

    def _neighbour_scope(self, index: int) -> Scope | None:
        if self._is_assemble_like(index):
            tensors, firsts = self._ordered.inputs[index], self._first_writer
        else:
            tensors, firsts = self._ordered.outputs[index], self._first_reader
        for tensor in tensors:
            first = firsts.get(tensor)
            if first is not None:
                return self._scopes[first]
        return None

    def run(self) -> None:
        scopes = self._scopes
        waiting: set[int] = set()
        for index in self._pending():
            scope = self._neighbour_scope(index)
            if scope is None:
                waiting.add(index)
            elif scope.id != scopes[index].id:
                self._take_over(index, scope)
        direction = -1
        ready = [index for index in waiting if self._neighbour_scope(index) is not None]
        while ready:
            ready = self._run_round(ready, waiting, direction)
            direction = -direction

    def _pending(self) -> list[int]:
        pending: list[int] = []
        for index, windowed in enumerate(self._ordered.windowed):
            if windowed:
                scope, own = self._neighbour_scope(index), self._scopes[index]
                if own.id == -1 or (scope is not None and scope.id != own.id):
                    pending.append(index)
        return pending

    def _run_round(self, ready: list[int], waiting: set[int], direction: int) -> list[int]:
        """One round over the waiting operations, up or down; returns those that the next round can resolve."""
        heap = [direction * index for index in ready]
        heapify(heap)
        later: set[int] = set()
        while heap:
            key = heappop(heap)
            index = direction * key
            if index not in waiting:
                continue
            waiting.remove(index)
            scope = self._neighbour_scope(index)
            if scope is None or scope.id == self._scopes[index].id:
                continue
            for woken in self._take_over(index, scope):
                if woken in waiting:
                    if direction * woken > key:
                        heappush(heap, direction * woken)
                    else:
                        later.add(woken)
        return sorted(later & waiting)

    def _take_over(self, index: int, scope: Scope) -> list[int]:
        was_visible = self._scopes[index].id != -1
        self._scopes[index] = scope
        return [] if was_visible else self._publish(index)
