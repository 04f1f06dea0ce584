"""Where operands must live, and the ops that bring them there.

An op of the vector core reads and writes UB, one of the cube core L0; a tensor that lives elsewhere is loaded or stored
by view-like and assemble-like ops, as in dumps. They stand right before the op that needs them, and so have its scope
and label (published page: a view and its compute op belong into one scope).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from dialect.opcodes import OPCODE_BY_NAME
from dialect.python_api.errors import argument_error
from dialect.python_api.tensors import StorageTensor, Tensor
from dialect.python_api.trace import RecordedOperation, Trace
from dialect.types import Memory

_VIEW, _ASSEMBLE = OPCODE_BY_NAME["VIEW"], OPCODE_BY_NAME["ASSEMBLE"]

_MOVES_OF_ALL = (
    (Memory.DDR, Memory.UB, _VIEW),
    (Memory.DDR, Memory.L1, _VIEW),
    (Memory.L1, Memory.L0A, _VIEW),
    (Memory.L1, Memory.L0B, _VIEW),
    (Memory.L1, Memory.BT, _VIEW),
    (Memory.L1, Memory.FIX_QUANT_PRE, _VIEW),
    (Memory.UB, Memory.DDR, _ASSEMBLE),
    (Memory.L0C, Memory.DDR, _ASSEMBLE),
)
_MOVES_OF_MIXED_CORES = (
    (Memory.L0C, Memory.UB, _VIEW),
    (Memory.UB, Memory.L1, _ASSEMBLE),
)
"""The moves that need no copy in DDR where cube and vector cores share their memories (A5)."""


@cache
def _moves(has_mixed_cores: bool) -> Mapping[Memory, list[tuple[Memory, str]]]:
    moves: dict[Memory, list[tuple[Memory, str]]] = {}
    for source, target, opcode in (*(_MOVES_OF_MIXED_CORES if has_mixed_cores else ()), *_MOVES_OF_ALL):
        moves.setdefault(source, []).append((target, opcode.name))
    return moves


@cache
def route(source: Memory, target: Memory, has_mixed_cores: bool) -> tuple[tuple[Memory, str], ...] | None:
    """The fewest moves from one memory to another: for each its end and opcode. None if there is no way."""
    routes: dict[Memory, tuple[tuple[Memory, str], ...]] = {source: ()}
    queue = [source]
    for memory in queue:
        for end, opcode in _moves(has_mixed_cores).get(memory, ()):
            if end not in routes:
                routes[end] = (*routes[memory], (end, opcode))
                queue.append(end)
    return routes.get(target)


def placed(trace: Trace, function: str, argument: str, tensor: Tensor, target: Memory, location: str) -> Tensor:
    """`tensor`, or what is in `target` of it, for an op of the current segment.

    Raises:
        TypeError: the tensor belongs to no kernel or to another one, or no move leads to `target`.
        ValueError: nothing has written the tensor yet.
    """
    tensor = reachable(trace, function, argument, tensor, location)
    if tensor.memory not in (None, target) and trace.can_take_again(tensor):
        maker = trace.maker(tensor)
        tensor = _window_again(trace, function, maker, maker.inputs[0], location)
    if tensor.memory is None:
        tensor = _settled_window(trace, function, tensor, target, location)
    steps = _steps(trace, function, argument, tensor, target)
    for memory, opcode in steps:
        tensor = _moved(trace, function, tensor, memory, opcode, location)
    return tensor


def reachable(trace: Trace, function: str, argument: str, tensor: Tensor, location: str) -> Tensor:
    """The tensor, or a copy of it, that ops of the current segment can read.

    Raises: as `placed`.
    """
    if not trace.owns(tensor):
        raise argument_error(
            function, argument, "a tensor of this kernel (pass others as arguments of the kernel)", tensor
        )
    if isinstance(tensor, StorageTensor):
        if not trace.is_written(tensor):
            raise ValueError(f"{function}: argument '{argument}': {tensor!r} is read before anything has written it")
        if tensor.memory is not Memory.DDR and not trace.is_local(tensor):
            raise ValueError(
                f"{function}: argument '{argument}': {tensor!r} was written in another function; only tensors in ddr "
                "outlive the function that writes them"
            )
        return tensor
    if trace.is_here(tensor):
        return tensor
    if trace.can_take_again(tensor):
        maker = trace.maker(tensor)
        return _window_again(trace, function, maker, maker.inputs[0], location)
    settled(trace, tensor)
    return trace.stored(tensor)


def settled(trace: Trace, tensor: Tensor) -> Memory:
    """The memory of a tensor; a window of which no op has said where it needs it goes to UB, or stays where it is."""
    if tensor.memory is None:
        source = trace.maker(tensor).inputs[0]
        memory = settled(trace, source)
        tensor.settle(Memory.UB if memory is Memory.DDR else memory)
    assert tensor.memory is not None
    return tensor.memory


def _steps(
    trace: Trace, function: str, argument: str, tensor: Tensor, target: Memory
) -> tuple[tuple[Memory, str], ...]:
    assert tensor.memory is not None
    steps = route(tensor.memory, target, trace.target.has_mixed_cores)
    if steps is None:
        raise argument_error(function, argument, f"a tensor that can be brought to {target}", tensor)
    return steps


def _settled_window(trace: Trace, function: str, window: Tensor, target: Memory, location: str) -> Tensor:
    """A window whose memory is open, told where it goes: as near to `target` as one view brings it."""
    maker = trace.maker(window)
    source = maker.inputs[0]
    memory = settled(trace, source)
    if memory is target:
        window.settle(memory)
        return window
    steps = route(memory, target, trace.target.has_mixed_cores)
    if not steps:
        window.settle(Memory.UB if memory is Memory.DDR else memory)
        return window
    end, opcode = steps[0]
    if opcode == _VIEW.name:
        window.settle(end)
        return window
    moved = _moved(trace, function, source, end, opcode, location)
    again = _window_again(trace, function, maker, moved, location)
    return again if end is target else _settled_window(trace, function, again, target, location)


def _window_again(trace: Trace, function: str, maker: RecordedOperation, source: Tensor, location: str) -> Tensor:
    """The window that `maker` takes, taken of `source` in the current segment."""
    maker.is_superseded = True
    first = maker.outputs[0]
    window = Tensor(first.shape, first.dtype, None, first.name, first.valid_shape)
    trace.record(function, _VIEW, (source,), (window,), maker.properties, location, maker.offsets, maker.valid)
    return window


def _moved(trace: Trace, function: str, tensor: Tensor, memory: Memory, opcode: str, location: str) -> Tensor:
    result = Tensor(tensor.shape, tensor.dtype, memory, tensor.name, tensor.valid_shape)
    offsets = (0,) * tensor.ndim
    trace.record(function, OPCODE_BY_NAME[opcode], (tensor,), (result,), {}, location, offsets, tensor.valid_shape)
    return result
