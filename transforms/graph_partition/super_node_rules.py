"""Which operations must share a super node (graph partition, section 5.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum, auto

from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from dialect.opcodes import OPCODE_BY_NAME, OPCODES, CalcType, Opcode
from transforms.graph_partition.memories import BT, DDR, FIX_QUANT_PRE, L0A, L0AMX, L0B, L0BMX, L0C, L1, UB
from transforms.graph_partition.operation_sets import OperationSets
from transforms.graph_partition.ordered_graph import OrderedGraph


class _Kind(Enum):
    """What of an opcode decides which rules are tried."""

    CONVERT = auto()
    VIEW_LIKE = auto()
    ASSEMBLE_LIKE = auto()
    MOVE_OUT = auto()
    MOVE_IN = auto()
    MATMUL = auto()
    OTHER = auto()


def _kind(opcode: Opcode) -> _Kind:
    if opcode.name == "CONVERT":
        return _Kind.CONVERT
    if opcode.is_view_like:
        return _Kind.VIEW_LIKE
    if opcode.is_assemble_like:
        return _Kind.ASSEMBLE_LIKE
    if opcode.calc is CalcType.MOVE_OUT:
        return _Kind.MOVE_OUT
    if opcode.calc in (CalcType.MOVE_IN, CalcType.MOVE_LOCAL):
        return _Kind.MOVE_IN
    if opcode.calc is CalcType.MATMUL:
        return _Kind.MATMUL
    return _Kind.OTHER


_KINDS: tuple[_Kind, ...] = tuple(map(_kind, OPCODES))
_EXPAND = OPCODE_BY_NAME["EXPAND"].number
_WRITES_OUT_ITSELF = frozenset(OPCODE_BY_NAME[name].number for name in ("TRANSPOSE_MOVEOUT", "INDEX_OUTCAST"))
_CUBE_BUFFERS = frozenset((L0C, L1, L0A, L0B))
_CUBE_INPUTS = frozenset((L0A, L0B, L0AMX, L0BMX, BT, FIX_QUANT_PRE))
_LOADED = frozenset((L1, BT, FIX_QUANT_PRE))


class _Purpose(Enum):
    """Which operations around a tensor a rule unites."""

    PRODUCER = auto()
    ACCUMULATED = auto()
    CONSUMER = auto()
    CONSUMER_OUTSIDE_CUBE = auto()
    PRODUCT_VIEW = auto()


_FEW = 12
"""Up to this many operations around a tensor are united one by one every time."""


def unite_by_rules(
    ordered: OrderedGraph, sets: OperationSets, compat: Compat, *, joins_expansions: bool = False
) -> None:
    """Unite the operations that rules R1 to R7 tie together, in the reference's order and direction.

    Args:
        joins_expansions: whether rule R8 of OspSarkar and OspBsp holds too: an EXPAND joins its only consumer.

    Raises:
        PassFailedException: core types do not allow a union; or, with pypto rules, R4 looks at the first producer of an
            input that has none.

    Notes:
        O(operations + operands) unions: once all operations around a tensor are one set, a later union with all of them
        needs one of each core type only.
    """
    _Rules(ordered, sets, compat, joins_expansions).apply()


class _Rules:
    def __init__(self, ordered: OrderedGraph, sets: OperationSets, compat: Compat, joins_expansions: bool) -> None:
        self._ordered = ordered
        self._sets = sets
        self._compat = compat
        self._joins_expansions = joins_expansions
        self._memories = ordered.graph.memories
        self._of_wide_tensors: dict[tuple[_Purpose, int], Sequence[int]] = {}

    def apply(self) -> None:
        ordered, memories = self._ordered, self._memories
        for index, (opcode, inputs, outputs) in enumerate(
            zip(ordered.opcodes, ordered.inputs, ordered.outputs, strict=True)
        ):
            kind = _KINDS[opcode]
            memory_out = memories[outputs[0]] if outputs else None
            memory_in = memories[inputs[0]] if inputs else None
            if kind is _Kind.CONVERT:
                self._tie_conversion(index)
            elif memory_in == L0C and memory_out == L1 and kind in (_Kind.VIEW_LIKE, _Kind.ASSEMBLE_LIKE):
                self._tie_product_move(index, kind)
            elif memory_in is not None and memory_in != UB and memory_out in _LOADED:
                self._gather_consumers(index, _Purpose.CONSUMER)
            elif kind is _Kind.ASSEMBLE_LIKE and outputs:
                self._tie_assemble(index, memory_in, memory_out)
            elif kind is _Kind.MOVE_OUT:
                self._gather_producers(index)
            elif kind is _Kind.MOVE_IN or kind is _Kind.VIEW_LIKE:
                self._join_first_consumer(index)
            elif kind is _Kind.MATMUL:
                self._tie_matmul(index)
            elif opcode == _EXPAND and self._joins_expansions:
                self._join_only_consumer(index)

    def _tie_conversion(self, index: int) -> None:
        conversion = self._ordered.graph.conversions.get(self._ordered.order[index])
        if conversion is None:
            return
        self._gather_producers(index)
        source, target = conversion
        if not ((source in _CUBE_BUFFERS and target == UB) or (target in _CUBE_BUFFERS and source == UB)):
            self._gather_consumers(index, _Purpose.CONSUMER)

    def _tie_product_move(self, index: int, kind: _Kind) -> None:
        if kind is _Kind.ASSEMBLE_LIKE:
            self._gather_consumers(index, _Purpose.CONSUMER_OUTSIDE_CUBE)
        else:
            self._gather_consumers(index, _Purpose.CONSUMER)
        self._gather_producers(index)

    def _tie_assemble(self, index: int, memory_in: int | None, memory_out: int | None) -> None:
        producers, inputs = self._ordered.producers, self._ordered.inputs[index]
        if memory_in is not None and memory_in != DDR and memory_out == DDR:
            writers = producers[inputs[0]]
            if not writers and self._compat is Compat.PYPTO:
                raise PassFailedException(
                    f"{self._ordered.describe(index)} writes to DDR from an on-chip tensor that no operation of the "
                    "function produces; the reference reads undefined memory here"
                )
            if not writers or self._ordered.opcodes[self._smallest_magic(writers)] not in _WRITES_OUT_ITSELF:
                self._gather_producers(index)
                return
        for tensor in inputs:
            if producers[tensor]:
                self._sets.unite(index, producers[tensor][0])
                return

    def _smallest_magic(self, indices: Sequence[int]) -> int:
        magics, order = self._ordered.graph.magics, self._ordered.order
        return min(indices, key=lambda index: magics[order[index]])

    def _join_first_consumer(self, index: int) -> None:
        consumers = self._ordered.consumers
        firsts = [consumers[tensor][0] for tensor in self._ordered.outputs[index] if consumers[tensor]]
        if firsts:
            self._sets.unite(index, min(firsts))

    def _join_only_consumer(self, index: int) -> None:
        consumers = {user for tensor in self._ordered.outputs[index] for user in self._ordered.consumers[tensor][:2]}
        if len(consumers) == 1:
            self._sets.unite(index, *consumers)

    def _tie_matmul(self, index: int) -> None:
        inputs, outputs = self._ordered.inputs[index], self._ordered.outputs[index]
        if len(inputs) > 2 and self._memories[inputs[2]] == L0C:
            self._join_accumulated(index, inputs)
        views = self._consumers(outputs, _Purpose.PRODUCT_VIEW)
        if self._unite_all((index, view) for view in views) and len(outputs) == 1:
            self._remember(_Purpose.PRODUCT_VIEW, outputs[0])

    def _join_accumulated(self, index: int, inputs: tuple[int, ...]) -> None:
        """R7, first part: `index` joins every multiply that produces its third input, in the order of its in-list."""
        matmuls = self._users(inputs[2], _Purpose.ACCUMULATED)
        if len(matmuls) > 1:
            outputs = self._ordered.outputs
            matmuls = sorted(
                matmuls, key=lambda matmul: min(inputs.index(tensor) for tensor in outputs[matmul] if tensor in inputs)
            )
        if self._unite_all((index, matmul) for matmul in matmuls):
            self._remember(_Purpose.ACCUMULATED, inputs[2])

    def _gather_producers(self, index: int) -> None:
        """Hang every producer of every input under `index`, by operand and then by index."""
        for tensor in self._ordered.inputs[index]:
            if self._unite_all((producer, index) for producer in self._users(tensor, _Purpose.PRODUCER)):
                self._remember(_Purpose.PRODUCER, tensor)

    def _gather_consumers(self, index: int, purpose: _Purpose) -> None:
        """Hang the consumers of every output that serve `purpose` under `index`, by index."""
        outputs = self._ordered.outputs[index]
        if self._unite_all((consumer, index) for consumer in self._consumers(outputs, purpose)):
            for tensor in outputs:
                self._remember(purpose, tensor)

    def _unite_all(self, pairs: Iterable[tuple[int, int]]) -> bool:
        """Unite all `pairs`; returns whether none was refused."""
        united = True
        for a, b in pairs:
            united &= self._sets.unite(a, b)
        return united

    def _consumers(self, tensors: tuple[int, ...], purpose: _Purpose) -> Sequence[int]:
        if len(tensors) == 1:
            return self._users(tensors[0], purpose)
        return sorted({consumer for tensor in tensors for consumer in self._users(tensor, purpose)})

    def _users(self, tensor: int, purpose: _Purpose) -> Sequence[int]:
        """The operations around `tensor` that serve `purpose`; once many are one set, one of each core type."""
        ordered = self._ordered
        of_producers = purpose is _Purpose.PRODUCER or purpose is _Purpose.ACCUMULATED
        around = ordered.producers[tensor] if of_producers else ordered.consumers[tensor]
        if len(around) <= _FEW:
            return self._choose(around, purpose)
        chosen = self._of_wide_tensors.get((purpose, tensor))
        if chosen is None:
            chosen = self._of_wide_tensors[purpose, tensor] = self._choose(around, purpose)
        return chosen

    def _choose(self, indices: Sequence[int], purpose: _Purpose) -> Sequence[int]:
        opcodes = self._ordered.opcodes
        match purpose:
            case _Purpose.PRODUCER | _Purpose.CONSUMER:
                return indices
            case _Purpose.ACCUMULATED:
                return [index for index in indices if _KINDS[opcodes[index]] is _Kind.MATMUL]
            case _Purpose.CONSUMER_OUTSIDE_CUBE:
                return [index for index in indices if self._memory_out(index) not in _CUBE_INPUTS]
            case _Purpose.PRODUCT_VIEW:
                views = [index for index in indices if _KINDS[opcodes[index]] is _Kind.VIEW_LIKE]
                return [index for index in views if self._memory_out(index) == L0C]

    def _memory_out(self, index: int) -> int | None:
        outputs = self._ordered.outputs[index]
        return self._memories[outputs[0]] if outputs else None

    def _remember(self, purpose: _Purpose, tensor: int) -> None:
        """Note that all users of `tensor` for `purpose` are one set now."""
        users = self._of_wide_tensors.get((purpose, tensor), ())
        if len(users) > _FEW:
            cores, windowed = self._ordered.cores, self._ordered.windowed
            kinds = {(cores[user], windowed[user]): user for user in reversed(users)}
            self._of_wide_tensors[purpose, tensor] = sorted(kinds.values())
