"""From the operations of a subgraph to those of a leaf: copies become explicit, duplicates go (cost model, 6.1)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from dialect.types import MEMORY_NUMBERS, Memory
from tools.simulate.leaves.boundary import Boundary
from tools.simulate.leaves.leaf import LeafOperation, Tile, is_timed
from tools.simulate.leaves.partitioned_graph import DDR, L0A, L0B, L0C, L1, OFF_CHIP, UB, PartitionedGraph

MADE_BY_LOWERING = -1
"""The origin of operations and tiles that no operation or tensor of the graph stands for."""

_MOVES: Mapping[tuple[int, int], str] = {
    (L1, L0A): "L1_TO_L0A",
    (L1, L0B): "L1_TO_L0B",
    (L1, MEMORY_NUMBERS[Memory.BT]): "L1_TO_BT",
    (L1, MEMORY_NUMBERS[Memory.L0AMX]): "L1_TO_L0A_SCALE",
    (L1, MEMORY_NUMBERS[Memory.L0BMX]): "L1_TO_L0B_SCALE",
    (L0C, UB): "L0C_COPY_UB",
    (L0C, L1): "L0C_COPY_L1",
    (UB, L1): "UB_COPY_L1",
}
"""What a view, an assemble or a conversion between two memories of one core becomes."""

_TRANSPOSING: Mapping[str, str] = {"L1_TO_L0A": "L1_TO_L0At", "L1_TO_L0B": "L1_TO_L0Bt"}
_VIEWS = frozenset({"VIEW", "SLICE"})
_ASSEMBLES = frozenset({"ASSEMBLE", "CONTRACT"})
_WINDOWED_OR_CONVERTING = _VIEWS | _ASSEMBLES | {"CONVERT"}
_REPEATED = frozenset({"A_MULACC_B", "A_MULACC_Bt", *_MOVES.values(), *_TRANSPOSING.values()})
"""Operations that are made once for each operation of the graph, be they equal or not."""


@dataclass(slots=True)
class LoweredSubgraph:
    """The operations of a leaf, in the order of the graph, over tiles of their logical shapes.

    Attributes:
        origins: per operation of the leaf, the operation of the graph that it stands for, or `MADE_BY_LOWERING`.
        tensors: per tile, the tensor that it stands for, or `MADE_BY_LOWERING`.
    """

    tiles: list[Tile] = field(default_factory=list[Tile])
    tensors: list[int] = field(default_factory=list[int])
    operations: list[LeafOperation] = field(default_factory=list[LeafOperation])
    origins: list[int] = field(default_factory=list[int])

    def add_tile(self, tile: Tile, tensor: int = MADE_BY_LOWERING) -> int:
        self.tiles.append(tile)
        self.tensors.append(tensor)
        return len(self.tiles) - 1

    def add_operation(self, operation: LeafOperation, origin: int = MADE_BY_LOWERING) -> None:
        self.operations.append(operation)
        self.origins.append(origin)


def lowered_opcode(graph: PartitionedGraph, operation: int) -> str:
    """What an operation becomes when the compiler makes instructions of it."""
    opcode = graph.opcodes[operation]
    inputs, outputs = graph.inputs[operation], graph.outputs[operation]
    if opcode not in _WINDOWED_OR_CONVERTING or not inputs or not outputs:
        return opcode
    source, target = graph.memories[inputs[0]], graph.memories[outputs[0]]
    if source in OFF_CHIP and target not in OFF_CHIP and opcode not in _ASSEMBLES:
        return "COPY_IN"
    if source not in OFF_CHIP and target in OFF_CHIP and opcode not in _VIEWS:
        return "COPY_OUT"
    move = _MOVES.get((source, target), opcode)
    return _TRANSPOSING.get(move, move) if operation in graph.transposed else move


def merged_places(graph: PartitionedGraph) -> list[int]:
    """The places of tensors, where all that hold copies of one tile count as one place.

    One copy is made of a tile that a subgraph copies out several times, and all who read it read that copy.
    """
    roots: dict[int, int] = {}

    def root_of(place: int) -> int:
        while (above := roots.get(place, place)) != place:
            roots[place] = place = roots.get(above, above)
        return place

    first: dict[Hashable, int] = {}
    for operation, opcode in enumerate(graph.opcodes):
        if opcode in _ASSEMBLES and lowered_opcode(graph, operation) == "COPY_OUT":
            place = graph.places[graph.outputs[operation][0]]
            key = (graph.subgraphs[operation], *_copy_out_key(graph, operation, graph.inputs[operation][0]))
            roots[root_of(place)] = root_of(first.setdefault(key, place))
    return [root_of(place) for place in graph.places] if roots else list(graph.places)


def lower_subgraph(
    graph: PartitionedGraph, operations: Sequence[int], subgraph: int, boundary: Boundary, places: Sequence[int]
) -> LoweredSubgraph:
    """Lower the `operations` of a subgraph.

    Args:
        places: as `merged_places`.

    Notes:
        O(operations + operands).
    """
    return _Lowering(graph, subgraph, boundary, places).run(operations)


def _copy_out_key(graph: PartitionedGraph, operation: int, tile: int) -> tuple[Hashable, ...]:
    return tile, graph.attributes[operation], graph.shapes[graph.outputs[operation][0]]


class _Lowering:
    def __init__(self, graph: PartitionedGraph, subgraph: int, boundary: Boundary, places: Sequence[int]):
        self.graph, self.subgraph, self.boundary, self.places = graph, subgraph, boundary, places
        self.lowered = LoweredSubgraph()
        self.tile_of: dict[int, int] = {}
        self.known: dict[Hashable, tuple[int, ...]] = {}

    def run(self, operations: Sequence[int]) -> LoweredSubgraph:
        graph = self.graph
        self.last_writer = {tensor: operation for operation in operations for tensor in graph.outputs[operation]}
        for operation in operations:
            if not is_timed(graph.opcodes[operation]):
                continue
            opcode = lowered_opcode(graph, operation)
            if self._is_copy_in_from_others(operation):
                opcode = "COPY_IN"
                inputs: tuple[int, ...] = (self._global_copy(graph.inputs[operation][0]),)
            else:
                inputs = tuple([self._input(tensor) for tensor in graph.inputs[operation]])
            outputs = graph.outputs[operation]
            if self._is_copy_out_for_others(operation):
                self._copy_out(inputs[0], outputs[0])
                continue
            if self._is_view_off_chip(operation):
                self.tile_of[outputs[0]] = inputs[0]
                continue
            key = self._key(operation, opcode, inputs)
            known = None if key is None else self.known.get(key)
            if known is not None:
                for tensor, tile in zip(outputs, known, strict=True):
                    self.tile_of.setdefault(tensor, tile)
                continue
            tiles = tuple([self._tile(tensor) for tensor in outputs])
            if key is not None:
                self.known[key] = tiles
            self.lowered.add_operation(LeafOperation(opcode, inputs, tiles), operation)
            for tensor, tile in zip(outputs, tiles, strict=True):
                if (
                    self.last_writer[tensor] == operation
                    and graph.memories[tensor] not in OFF_CHIP
                    and self.boundary.is_read_outside(tensor, self.subgraph)
                ):
                    self._copy_out(tile, tensor)
        return self.lowered

    def _is_copy_in_from_others(self, operation: int) -> bool:
        """Whether an operation moves what another subgraph left on chip to another memory: it is itself the copy."""
        graph = self.graph
        if graph.opcodes[operation] not in _WINDOWED_OR_CONVERTING - _ASSEMBLES or not self._moves(operation):
            return False
        source, target = graph.inputs[operation][0], graph.outputs[operation][0]
        memories = graph.memories[source], graph.memories[target]
        return (
            memories[0] != memories[1]
            and not OFF_CHIP.intersection(memories)
            and self.boundary.is_made_outside(source, self.subgraph)
        )

    def _is_copy_out_for_others(self, operation: int) -> bool:
        """Whether an operation moves to another memory what only other subgraphs read there: it is itself the copy."""
        graph = self.graph
        if graph.opcodes[operation] not in _ASSEMBLES or not self._moves(operation):
            return False
        source, target = graph.inputs[operation][0], graph.outputs[operation][0]
        memories = graph.memories[source], graph.memories[target]
        readers = self.boundary.readers[target]
        return (
            memories[0] != memories[1]
            and not OFF_CHIP.intersection(memories)
            and bool(readers)
            and self.subgraph not in readers
        )

    def _moves(self, operation: int) -> bool:
        """Whether an operation has both ends; a graph may hold one that lacks an operand."""
        return bool(self.graph.inputs[operation] and self.graph.outputs[operation])

    def _is_view_off_chip(self, operation: int) -> bool:
        graph = self.graph
        if graph.opcodes[operation] not in _VIEWS or not self._moves(operation):
            return False
        tensors = graph.inputs[operation][0], graph.outputs[operation][0]
        return all(graph.memories[tensor] in OFF_CHIP for tensor in tensors)

    def _key(self, operation: int, opcode: str, inputs: tuple[int, ...]) -> Hashable:
        """What makes an operation a duplicate of another one of the same subgraph; None for one that never is."""
        graph = self.graph
        outputs = graph.outputs[operation]
        if opcode in _REPEATED or not outputs:
            return None
        if opcode == "COPY_IN" and graph.opcodes[operation] in _WINDOWED_OR_CONVERTING:
            source, target = graph.inputs[operation][0], outputs[0]
            return (
                opcode,
                self.places[source],
                graph.attributes[operation],
                graph.shapes[target],
                graph.memories[target],
            )
        if opcode == "COPY_OUT" and graph.opcodes[operation] in _WINDOWED_OR_CONVERTING:
            return opcode, *_copy_out_key(graph, operation, inputs[0])
        types = tuple([(graph.shapes[tensor], graph.elements[tensor], graph.memories[tensor]) for tensor in outputs])
        return opcode, inputs, graph.attributes[operation], types

    def _tile(self, tensor: int) -> int:
        tile = self.tile_of.get(tensor)
        if tile is None:
            graph = self.graph
            made = Tile(graph.shapes[tensor], graph.elements[tensor], graph.memories[tensor])
            tile = self.tile_of[tensor] = self.lowered.add_tile(made, tensor)
        return tile

    def _input(self, tensor: int) -> int:
        """The tile of an input; one that another subgraph left on chip is copied in before its first use."""
        if tensor in self.tile_of:
            return self.tile_of[tensor]
        tile = self._tile(tensor)
        if self.graph.memories[tensor] not in OFF_CHIP and self.boundary.is_made_outside(tensor, self.subgraph):
            self.lowered.add_operation(LeafOperation("COPY_IN", (self._global_copy(tensor),), (tile,)))
        return tile

    def _global_copy(self, tensor: int) -> int:
        """A tile in global memory for a tensor that subgraphs hand over on chip."""
        graph = self.graph
        return self.lowered.add_tile(Tile(graph.shapes[tensor], graph.elements[tensor], DDR))

    def _copy_out(self, tile: int, tensor: int) -> None:
        """Copy a tile out to where others find the `tensor`."""
        self.lowered.add_operation(LeafOperation("COPY_OUT", (tile,), (self._global_copy(tensor),)))
