"""Tensors that are computed twice in one subgraph (graph partition, appendix A; merge passes, section 3.2)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Attribute

from dialect.opcodes import OPCODE_BY_NAME, OPCODES, CalcType
from dialect.operation import TileOperation
from dialect.types import MEMORY_NUMBERS, Memory
from dialect.values import boolean_of
from transforms.graph_partition.ordered_graph import OrderedGraph
from transforms.tensor_facts import TensorFacts

_KEY_PROPERTIES = ("attr", "from", "to", "offsets", "dyn_offsets", "valid", "params", "is_cube", "hashorder")
"""Properties of an operation that make a difference; `valid` counts where it is that of a window."""

_ASSEMBLE, _VIEW, _COPY_IN = (OPCODE_BY_NAME[name].number for name in ("ASSEMBLE", "VIEW", "COPY_IN"))
_UNKNOWN = MEMORY_NUMBERS[Memory.UNKNOWN]
_CUBE_MEMORIES = frozenset(MEMORY_NUMBERS[memory] for memory in (Memory.L1, Memory.L0A, Memory.L0B, Memory.L0C))
_VECTOR_MEMORY = MEMORY_NUMBERS[Memory.UB]

_IS_EXEMPT = tuple(
    opcode.is_view_like
    or (
        opcode.calc in (CalcType.MOVE_LOCAL, CalcType.MOVE_IN)
        and opcode.input_memories == ("L1",)
        and len(opcode.output_memories) == 1
        and opcode.output_memories != ("L1",)
    )
    for opcode in OPCODES
)
"""Per opcode, whether it is never eliminated: views, and copies from L1 to a memory behind it."""

DO_NOT_TOUCH = ("DONT_TOUCH", "dontTouch")
"""The names of the parameter that keeps an operation from being eliminated."""


@dataclass(frozen=True, slots=True)
class CommonOperations:
    """What is computed twice.

    Attributes:
        replacements: per tensor that is not needed, the tensor that its readers read instead.
        deleted: the indices of the operations that computed only such tensors, ascending.
        moved_windows: per index of a view of a replaced tensor, what is to be taken from its offsets.
    """

    replacements: Mapping[int, int]
    deleted: Sequence[int]
    moved_windows: Mapping[int, tuple[int, ...]]


def is_untouchable(operation: TileOperation) -> bool:
    """Whether an operation asks to be left alone."""
    params = operation.properties.get("params")
    if params is None:
        return False
    entries: Mapping[str, Attribute] = getattr(params, "data", {})
    return any(boolean_of(entries.get(name)) for name in DO_NOT_TOUCH)


def common_operations(
    ordered: OrderedGraph,
    operations: Sequence[TileOperation],
    tensors: TensorFacts,
    subgraphs: Sequence[int],
    outcasts: frozenset[int],
    untouchable: Sequence[bool],
) -> CommonOperations:
    """Find the tensors of `ordered` that an earlier tensor of the same subgraph equals.

    Tensors are equal if the operations that produce them are: opcode, inputs (raw tensor, type, offset), attributes
    and subgraph. Views, copies from L1 to L0 and untouchable operations are exempt, and so are outcasts, tensors that
    nobody reads, tensors that a chain of ASSEMBLE ties to a memory, and what would leave a subgraph of mixed cores.

    Args:
        operations: per operation of the graph, not per index, its IR.
        subgraphs: per index; operations without a subgraph count as being in one.
        untouchable: per index, whether the operation asks to be left alone.

    Notes:
        O(operations + operands), besides the sizes of distinct attributes.
    """
    return _Finder(ordered, operations, tensors, subgraphs, outcasts, untouchable).run()


class _Finder:
    def __init__(
        self,
        ordered: OrderedGraph,
        operations: Sequence[TileOperation],
        tensors: TensorFacts,
        subgraphs: Sequence[int],
        outcasts: frozenset[int],
        untouchable: Sequence[bool],
    ) -> None:
        self._ordered = ordered
        self._memories = ordered.graph.memories
        self._elements = ordered.graph.elements
        self._tensors = tensors
        self._subgraphs = subgraphs
        self._outcasts = outcasts
        self._properties = [operations[operation].properties for operation in ordered.order]
        self._number_of_attribute: dict[Attribute, int] = {}
        self._number_of_object: dict[int, int] = {}
        self._stands_for: dict[int, int] = {}
        self._shape_numbers: dict[Hashable, int] = {}
        self._assemble_ties: dict[int, bool] = {}
        self._mixed: frozenset[int] | None = None
        self._untouchable = untouchable

    def run(self) -> CommonOperations:
        ordered, consumers = self._ordered, self._ordered.consumers
        first_with_key: dict[Hashable, int] = {}
        kept = bytearray(ordered.operation_count)
        done = bytearray(len(consumers))
        for outputs in ordered.outputs:
            for tensor in outputs:
                if done[tensor]:
                    continue
                done[tensor] = True
                producers = ordered.producers[tensor]
                if any(_IS_EXEMPT[ordered.opcodes[index]] or self._untouchable[index] for index in producers):
                    continue
                first = first_with_key.setdefault(self._key_of_tensor(tensor), tensor)
                if first == tensor:
                    for index in producers:
                        kept[index] = True
                elif consumers[tensor] and consumers[first] and self._is_replaceable(tensor, first):
                    self._stands_for[tensor] = first
        return CommonOperations(self._stands_for, self._deleted(kept), self._moved_windows())

    def _key_of_tensor(self, tensor: int) -> Hashable:
        producers = self._ordered.producers[tensor]
        valid = self._number(self._tensors.valid_shapes[tensor])
        if len(producers) == 1:
            return (valid, self._memories[tensor], *self._key_of_operation(producers[0]))
        keys = sorted(self._key_of_operation(index) for index in producers)
        return (valid, self._memories[tensor], *keys)

    def _key_of_operation(self, index: int) -> tuple[int, ...]:
        ordered, facts = self._ordered, self._tensors
        key = [self._subgraphs[index], ordered.opcodes[index]]
        for tensor in ordered.inputs[index]:
            tensor = self._stands_for.get(tensor, tensor)
            key += (facts.storages[tensor], self._elements[tensor], self._number_of_shape(tensor))
        properties = self._properties[index]
        for place, name in enumerate(_KEY_PROPERTIES):
            value = properties.get(name)
            if value is not None:
                key += (-1 - place, self._number(value))
        return tuple(key)

    def _number_of_shape(self, tensor: int) -> int:
        facts = self._tensors
        shape = facts.shapes[tensor], facts.offsets[tensor], facts.dynamic_offsets[tensor]
        return self._shape_numbers.setdefault(shape, len(self._shape_numbers))

    def _number(self, attribute: Attribute | None) -> int:
        """A number for an attribute; equal attributes have equal numbers."""
        if attribute is None:
            return -1
        number = self._number_of_object.get(id(attribute))
        if number is None:
            number = self._number_of_attribute.setdefault(attribute, len(self._number_of_attribute))
            self._number_of_object[id(attribute)] = number
        return number

    def _is_replaceable(self, tensor: int, first: int) -> bool:
        facts, producers = self._tensors, self._ordered.producers
        return (
            tensor not in self._outcasts
            and facts.shapes[tensor] == facts.shapes[first]
            and self._elements[tensor] == self._elements[first]
            and list(producers[tensor]) != list(producers[first])
            and not self._is_tied(tensor)
            and not self._leaves_mixed_subgraph(tensor, first)
            and not self._moves_a_copy(tensor, first)
        )

    def _is_tied(self, tensor: int) -> bool:
        """Whether a chain of ASSEMBLE from `tensor` has one whose memories are equal or unknown."""
        known = self._assemble_ties.get(tensor)
        if known is not None:
            return known
        tied = False
        seen, stack = {tensor}, [tensor]
        while stack and not tied:
            current = stack.pop()
            for index in self._ordered.consumers[current]:
                if self._ordered.opcodes[index] != _ASSEMBLE:
                    continue
                for output in self._ordered.outputs[index][:1]:
                    memory = self._memories[output]
                    tied |= memory in (self._memories[current], _UNKNOWN) or self._memories[current] == _UNKNOWN
                    if output not in seen:
                        seen.add(output)
                        stack.append(output)
        self._assemble_ties[tensor] = tied
        return tied

    def _leaves_mixed_subgraph(self, tensor: int, first: int) -> bool:
        """Whether reading `first` instead of `tensor` shows others what a subgraph of mixed cores kept to itself."""
        producing = {self._subgraphs[index] for index in self._ordered.producers[first]} & self._mixed_subgraphs()
        if not producing:
            return False
        consuming = {self._subgraphs[index] for read in (tensor, first) for index in self._ordered.consumers[read]}
        return any(subgraph in consuming and len(consuming) > 1 for subgraph in producing)

    def _mixed_subgraphs(self) -> frozenset[int]:
        """The subgraphs that keep tensors in memories of the cube core and of the vector core."""
        if self._mixed is None:
            cube: set[int] = set()
            vector: set[int] = set()
            for tensor, producers in enumerate(self._ordered.producers):
                memory = self._memories[tensor]
                side = cube if memory in _CUBE_MEMORIES else vector if memory == _VECTOR_MEMORY else None
                if side is not None and producers:
                    consuming = {self._subgraphs[index] for index in self._ordered.consumers[tensor]}
                    side.update(consuming.intersection([self._subgraphs[index] for index in producers]))
            self._mixed = frozenset(cube & vector)
        return self._mixed

    def _shift(self, tensor: int, first: int) -> tuple[int, ...]:
        """How much further in its raw tensor `tensor` begins than `first`; empty for not at all."""
        offsets = self._tensors.offsets
        rank = len(self._tensors.shapes[tensor])
        of_tensor, of_first = offsets[tensor] or (0,) * rank, offsets[first] or (0,) * rank
        shift = tuple(place - origin for place, origin in zip(of_tensor, of_first, strict=True))
        return shift if any(shift) else ()

    def _moves_a_copy(self, tensor: int, first: int) -> bool:
        """Whether a COPY_IN would have to move its window, which stands in an attribute that nothing interprets."""
        opcodes = self._ordered.opcodes
        return bool(self._shift(tensor, first)) and any(
            opcodes[index] == _COPY_IN for index in self._ordered.consumers[tensor]
        )

    def _moved_windows(self) -> dict[int, tuple[int, ...]]:
        moved: dict[int, tuple[int, ...]] = {}
        for tensor, first in self._stands_for.items():
            if shift := self._shift(tensor, first):
                for index in self._ordered.consumers[tensor]:
                    if self._ordered.opcodes[index] == _VIEW:
                        moved[index] = shift
        return moved

    def _deleted(self, kept: bytearray) -> list[int]:
        """The operations that are not kept and produce nothing but replaced tensors."""
        producers = self._ordered.producers
        candidates = sorted({index for tensor in self._stands_for for index in producers[tensor] if not kept[index]})
        return [index for index in candidates if not any(map(self._is_needed, self._ordered.outputs[index]))]

    def _is_needed(self, tensor: int) -> bool:
        return tensor in self._outcasts or (bool(self._ordered.consumers[tensor]) and tensor not in self._stands_for)
