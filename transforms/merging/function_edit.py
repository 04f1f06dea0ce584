"""Writes changes of a graph back into its function: readers that read another tensor, operations that are gone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from dialect.operation import TileOperation
from dialect.ops import BufferOp, FuncOp
from dialect.values import integers_of
from transforms.graph_of_function import FunctionGraph
from transforms.stated_magics import state_magics


def edit_function(
    function: FuncOp,
    function_graph: FunctionGraph,
    inputs: Mapping[int, Sequence[int]],
    deleted: Collection[int],
    moved_windows: Mapping[int, Sequence[int]],
) -> None:
    """Change `function`, whose operations and tensors `function_graph` numbers.

    Magics stay as they are, also those that no text states. Operations keep their place, except that a writer moves
    before the first operation that reads what it writes.

    Args:
        inputs: per changed operation, the tensors that it reads now.
        deleted: operations that nobody needs.
        moved_windows: per view, what is taken from its offsets.

    Raises:
        PassFailedException: the operations form a cycle now.

    Notes:
        O(operations + operands).
    """
    _, operations, values = function_graph
    if deleted:
        state_magics(function)
    for operation, tensors in inputs.items():
        op = operations[operation]
        op.operands = [*(values[tensor] for tensor in tensors), *op.destinations]
    for operation, shift in moved_windows.items():
        op = operations[operation]
        offsets = integers_of(op.properties.get("offsets"))
        if offsets is not None:
            moved = [offset - step for offset, step in zip(offsets, shift, strict=True)]
            op.properties["offsets"] = DenseArrayBase.from_list(i64, moved)
    block = function.body.block
    buffers = {value.owner for operation in deleted for value in operations[operation].destinations}
    for operation in deleted:
        operations[operation].detach()
        operations[operation].drop_all_references()
    for op in buffers:
        if isinstance(op, BufferOp) and op.tensor.first_use is None:
            op.detach()
    if inputs:
        _move_writers_before_readers(block)


def _move_writers_before_readers(block: Block) -> None:
    order = list(block.ops)
    writers: dict[int, list[Operation]] = {}
    for op in order:
        for tensor in _written(op):
            writers.setdefault(id(tensor), []).append(op)
    before = [[writer for tensor in _read(op) for writer in writers.get(id(tensor), ())] for op in order]
    for needed, op in zip(before, order, strict=True):
        needed += [value.owner for value in _destinations(op) if isinstance(value.owner, BufferOp)]
    position = {id(op): place for place, op in enumerate(order)}
    if all(position[id(writer)] < place for place, needed in enumerate(before) for writer in needed):
        return
    emitted: list[Operation] = []
    state = bytearray(len(order))
    for start in range(len(order)):
        stack = [start]
        while stack:
            place = stack[-1]
            waiting = [position[id(writer)] for writer in before[place] if state[position[id(writer)]] != 2]
            if state[place] == 0 and waiting:
                state[place] = 1
                if any(state[other] == 1 for other in waiting):
                    raise PassFailedException("operations depend on one another in a cycle after the elimination")
                stack.extend(reversed(waiting))
                continue
            stack.pop()
            if state[place] != 2:
                state[place] = 2
                emitted.append(order[place])
    for op in order:
        op.detach()
    block.add_ops(emitted)


def _read(op: Operation) -> Sequence[SSAValue]:
    return op.inputs if isinstance(op, TileOperation) else ()


def _destinations(op: Operation) -> Sequence[SSAValue]:
    return op.destinations if isinstance(op, TileOperation) else ()


def _written(op: Operation) -> Sequence[SSAValue]:
    return op.outputs if isinstance(op, TileOperation) else op.results
