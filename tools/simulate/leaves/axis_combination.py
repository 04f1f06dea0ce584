"""Columns of one element per row, and the padding of tiles (cost model, section 6.1, step 4).

A column is a tile in the unified buffer whose last extent is 1, such as the maxima of rows. Where all that make and
read it allow it, its axis is *combined* with the one before, so that it is not padded to 32 bytes a row.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import Enum

from dialect.elements import ELEMENTS
from dialect.opcodes import OPCODE_BY_NAME, CalcType
from tools.simulate.leaves.leaf import LeafOperation, Tile
from tools.simulate.leaves.lowering import LoweredSubgraph
from tools.simulate.leaves.partitioned_graph import L0A, L0B, L0C, L1, UB

_ALIGNMENT_BYTES = 32
_FRACTAL_EXTENT = 16
_FRACTAL_MEMORIES = frozenset({L1, L0A, L0B, L0C})

_COPIES_IN = frozenset({"VIEW", "SLICE", "COPY_IN"})
_COPIES_OUT = frozenset({"ASSEMBLE", "CONTRACT", "COPY_OUT"})
_UNDECIDED = frozenset({"RESHAPE", "VEC_DUP"})
_ELEMENTWISE = frozenset({CalcType.ELMWISE, CalcType.BROADCAST, CalcType.CAST})
_BROADCASTING = frozenset({"ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "EXPANDEXPDIF"})
"""Operations before which a column is spread to the rows of the other input."""


class _State(Enum):
    """Whether an axis is combined."""

    OPEN = 0
    YES = 1
    NO = 2


def combined_columns(lowered: LoweredSubgraph, axes: Mapping[int, int], splits_rows: Collection[int]) -> frozenset[int]:
    """The tiles that are combined columns.

    Args:
        axes: per operation of the graph that states one, its axis.
        splits_rows: the tensors whose rows are parts of the rows of their raw tensors.

    Notes:
        O(operations + operands).
    """
    return _Combination(lowered, axes, splits_rows).run()


class _Combination:
    def __init__(self, lowered: LoweredSubgraph, axes: Mapping[int, int], splits_rows: Collection[int]):
        self.lowered, self.axes, self.splits_rows = lowered, axes, splits_rows
        self.tiles = lowered.tiles
        self.states = [_State.OPEN] * len(lowered.tiles)
        self.is_read = [False] * len(lowered.tiles)
        for operation in lowered.operations:
            for tile in operation.inputs:
                self.is_read[tile] = True
        self.roots = list(range(len(lowered.tiles)))

    def run(self) -> frozenset[int]:
        for operation, origin in zip(self.lowered.operations, self.lowered.origins, strict=True):
            if any(map(self._is_column, (*operation.inputs, *operation.outputs))):
                self._decide(operation, self.axes.get(origin))
        states_of_group: dict[int, set[_State]] = {}
        columns = [tile for tile in range(len(self.tiles)) if self._is_column(tile)]
        for tile in columns:
            states_of_group.setdefault(self._root(tile), set()).add(self.states[tile])
        combined = {
            root for root, states in states_of_group.items() if _State.NO not in states and _State.YES in states
        }
        return frozenset(tile for tile in columns if self.tiles[tile].memory == UB and self._root(tile) in combined)

    def _is_column(self, tile: int) -> bool:
        return _is_column(self.tiles[tile])

    def _last_extent(self, tile: int) -> int:
        shape = self.tiles[tile].shape
        return shape[-1] if shape else 1

    def _decide(self, operation: LeafOperation, axis: int | None) -> None:
        opcode, inputs, outputs = operation
        calc = OPCODE_BY_NAME[opcode].calc
        if opcode in _COPIES_IN and inputs and outputs:
            self._decide_copy_in(inputs[0], outputs[0])
        elif opcode in _COPIES_OUT and inputs and outputs:
            self._decide_copy_out(inputs[0], outputs[0])
        elif opcode == "EXPAND" and inputs and outputs:
            self._decide_expand(inputs[0], outputs[0])
            self._link(operation)
        elif calc is CalcType.REDUCE and inputs:
            self._decide_reduction(inputs[0], outputs, axis)
            self._link(operation)
        elif opcode in _UNDECIDED:
            pass
        elif calc in _ELEMENTWISE:
            self._decide_elementwise(operation)
            self._link(operation)
        else:
            for tile in (*inputs, *outputs):
                if self._is_column(tile):
                    self.states[tile] = _State.NO
        for tile in outputs:
            if self.lowered.tensors[tile] in self.splits_rows:
                self.states[tile] = _State.NO

    def _decide_copy_in(self, source: int, target: int) -> None:
        states = self.states
        if self._last_extent(source) != self._last_extent(target):
            states[target] = _State.NO
            return
        if self._is_column(target):
            if states[source] is _State.OPEN:
                states[source] = _State.YES
            states[target] = states[source]
        self._union(source, target)

    def _decide_copy_out(self, source: int, target: int) -> None:
        states = self.states
        keeps_rows = self._last_extent(source) == self._last_extent(target)
        if states[source] is not _State.YES:
            states[target] = _State.NO
        elif keeps_rows:
            states[target] = _State.YES
        else:
            states[source] = states[target] = _State.NO
        if keeps_rows:
            self._union(source, target)

    def _decide_expand(self, source: int, target: int) -> None:
        states = self.states
        if states[source] is not _State.YES:
            states[target] = _State.NO if self._is_column(target) else _State.OPEN
        elif self._last_extent(source) != self._last_extent(target):
            states[source], states[target] = _State.NO, _State.OPEN
        else:
            states[target] = _State.YES

    def _decide_reduction(self, source: int, targets: Sequence[int], axis: int | None) -> None:
        rank = len(self.tiles[source].shape)
        from_last = 0 if axis is None else (-1 - axis if axis < 0 else rank - 1 - axis)
        for target in targets:
            if not self.is_read[target]:
                self.states[target] = _State.OPEN
            elif from_last >= 2:
                self.states[target] = self.states[source]
            elif from_last == 1 or self._last_extent(source) == self._last_extent(target):
                self.states[source] = self.states[target] = _State.NO
            else:
                self.states[target] = _State.YES

    def _decide_elementwise(self, operation: LeafOperation) -> None:
        opcode, inputs, outputs = operation
        states = self.states
        if len(outputs) == 1:
            for tile in inputs:
                if states[tile] is _State.OPEN and self._is_column(tile):
                    states[tile] = _State.YES
            others = [tile for tile in inputs if states[tile] is not _State.YES]
            if others and opcode not in _BROADCASTING:
                state = states[others[-1]]
                for tile in inputs:
                    if states[tile] is _State.YES:
                        states[tile] = state
        for tile in outputs:
            if len(outputs) > 1 or any(states[source] is _State.NO for source in inputs):
                states[tile] = _State.NO
            else:
                states[tile] = _State.YES if self._is_column(tile) else _State.OPEN

    def _link(self, operation: LeafOperation) -> None:
        columns = [tile for tile in (*operation.inputs, *operation.outputs) if self._is_column(tile)]
        for tile in columns[1:]:
            self._union(columns[0], tile)

    def _root(self, tile: int) -> int:
        while self.roots[tile] != tile:
            self.roots[tile] = tile = self.roots[self.roots[tile]]
        return tile

    def _union(self, one: int, other: int) -> None:
        if self._is_column(one) and self._is_column(other):
            self.roots[self._root(one)] = self._root(other)


def pad_tiles(tiles: Sequence[Tile], combined: Collection[int]) -> list[Tile]:
    """The tiles with the extents that they have in their buffers."""
    return [_padded(tile, number in combined) for number, tile in enumerate(tiles)]


def _padded(tile: Tile, is_combined: bool) -> Tile:
    shape = list(tile.shape)
    if not shape:
        return tile
    if tile.memory == UB:
        place = -2 if is_combined else -1
        if len(shape) >= -place:
            shape[place] = _rounded(shape[place], _row_elements(tile))
    elif tile.memory in _FRACTAL_MEMORIES:
        shape[-2:] = [_rounded(extent, _FRACTAL_EXTENT) for extent in shape[-2:]]
    return tile._replace(shape=tuple(shape))


def _row_elements(tile: Tile) -> int:
    return _ALIGNMENT_BYTES // ELEMENTS[tile.element].bytes


def _rounded(extent: int, multiple: int) -> int:
    return extent if extent < 0 else -(-extent // multiple) * multiple


def spread_columns(
    lowered: LoweredSubgraph, padded: list[Tile], combined: Collection[int], *, broadcasts_columns: bool
) -> list[LeafOperation]:
    """The operations with one more before each reader of a column beside a wider input, which spreads the column.

    Args:
        padded: the padded tiles; those that are spread are appended.
        broadcasts_columns: whether the core reads combined columns as they are, as those of A5 do.
    """
    spread: list[LeafOperation] = []
    for operation in lowered.operations:
        opcode, inputs, outputs = operation
        if opcode in _BROADCASTING and len(inputs) == 2:
            is_column = [_is_column(lowered.tiles[tile]) and padded[tile].memory == UB for tile in inputs]
            if is_column[0] != is_column[1]:
                place = is_column.index(True)
                column, other = inputs[place], inputs[1 - place]
                if column not in combined or not broadcasts_columns:
                    tile = padded[column]
                    width = _row_elements(tile) if column in combined else padded[other].shape[-1]
                    padded.append(tile._replace(shape=(*tile.shape[:-1], width)))
                    maker = "BRCB" if column in combined else "EXPAND"
                    spread.append(LeafOperation(maker, (column,), (len(padded) - 1,)))
                    inputs = tuple([len(padded) - 1 if number == place else tile for number, tile in enumerate(inputs)])
        spread.append(LeafOperation(opcode, inputs, outputs))
    return spread


def _is_column(tile: Tile) -> bool:
    return bool(tile.shape) and tile.shape[-1] == 1
