"""How op functions record their op: checks of their arguments, placement of their operands, the place of the call."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from operator import index
from os.path import basename
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    FloatData,
    IntAttr,
    IntegerAttr,
    StringAttr,
    f64,
    i64,
)
from xdsl.ir import Attribute

from dialect.attributes import ScalarAttr
from dialect.opcodes import OPCODE_BY_NAME
from dialect.python_api.data_types import DataType
from dialect.python_api.errors import argument_error, value_error
from dialect.python_api.placement import placed
from dialect.python_api.symbols import Extent, SymbolicScalar
from dialect.python_api.tensors import Tensor
from dialect.python_api.trace import Trace, current_trace
from dialect.text import integer_range
from dialect.types import LARGEST_EXTENT, Memory

DEEPEST_PARAMETER = 8
"""How deep lists in the parameters of an op may nest."""

_OWN_MODULES = ("dialect.python_api", "dialect.frontend")

MEMORY_OF_TABLE: Mapping[str, Memory] = {
    "DEVICE_DDR": Memory.DDR,
    **{memory.name: memory for memory in Memory if memory is not Memory.DDR},
}
"""The memories as the table of opcodes spells them."""


def tracing(function: str) -> Trace:
    """The kernel that is being traced.

    Raises:
        RuntimeError: none is.
    """
    trace = current_trace()
    if trace is None:
        raise RuntimeError(f"{function}: no kernel is being traced; call it inside a function decorated with jit")
    return trace


def location() -> str:
    """`file:line` of the program's call, without the folder, so that the graph does not depend on where it was made."""
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_OWN_MODULES):
        frame = frame.f_back
    return f"{basename(frame.f_code.co_filename)}:{frame.f_lineno}"


def tensor_argument(function: str, argument: str, value: object) -> Tensor:
    """The argument, which must be a tensor; raises TypeError."""
    if not isinstance(value, Tensor):
        raise argument_error(function, argument, "a tensor", value)
    return value


def string_argument(function: str, argument: str, value: object) -> str:
    """The argument, which must be a string; raises TypeError."""
    if not isinstance(value, str):
        raise argument_error(function, argument, "a string", value)
    return value


def list_argument(function: str, argument: str, expected: str, value: object) -> Sequence[object]:
    """The argument, which must be a list or a tuple; raises TypeError, saying what was `expected`."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise argument_error(function, argument, expected, value)
    return cast("Sequence[object]", value)


def integer_argument(function: str, argument: str, value: object) -> int:
    """The argument, which must be an integer and not a bool; raises TypeError."""
    if not isinstance(value, bool):
        try:
            return index(value)  # pyright: ignore[reportArgumentType]  # a TypeError is the question
        except TypeError:
            pass
    raise argument_error(function, argument, "an integer", value)


def flag_argument(function: str, argument: str, value: object) -> bool:
    """The argument, which must be True or False; raises TypeError."""
    if not isinstance(value, bool):
        raise argument_error(function, argument, "True or False", value)
    return value


def shape_argument(function: str, argument: str, value: object) -> tuple[int, ...]:
    """The argument, which must be a list of extents; -1 is one that is not known yet.

    Raises:
        TypeError: it is no list of integers.
        ValueError: an extent is below -1 or above 2^63-1, or there is none.
    """
    extents = list_argument(function, argument, "a list of integers", value)
    shape = tuple([integer_argument(function, argument, extent) for extent in extents])
    if not shape:
        raise value_error(function, argument, "at least one extent", list(shape))
    if any(not -1 <= extent <= LARGEST_EXTENT for extent in shape):
        raise value_error(function, argument, f"extents in the range 0..{LARGEST_EXTENT}, or -1", list(shape))
    return shape


def extents_argument(function: str, argument: str, value: object, count: int) -> tuple[Extent, ...]:
    """The argument, which must be a list of `count` integers or expressions of loop indices.

    Raises:
        TypeError: it is no such list.
        ValueError: it has another length, or a number in it is negative.
    """
    items = list_argument(function, argument, "a list of integers and loop indices", value)
    extents = tuple(
        [item if isinstance(item, SymbolicScalar) else integer_argument(function, argument, item) for item in items]
    )
    if len(extents) != count:
        raise value_error(function, argument, f"{count} numbers, one for each dimension", list(extents))
    if any(isinstance(extent, int) and not 0 <= extent <= LARGEST_EXTENT for extent in extents):
        raise value_error(function, argument, f"numbers in the range 0..{LARGEST_EXTENT}", list(extents))
    return extents


def dimension_argument(function: str, argument: str, value: object, rank: int) -> int:
    """The argument, which must be a dimension of a tensor of `rank`; a negative one counts from the last.

    Raises:
        TypeError: it is no integer.
        ValueError: there is no such dimension.
    """
    dimension = integer_argument(function, argument, value)
    if not -rank <= dimension < rank:
        raise value_error(function, argument, f"a dimension in the range {-rank}..{rank - 1}", dimension)
    return dimension % rank


def scalar_attribute(function: str, argument: str, value: object, dtype: DataType) -> ScalarAttr:
    """A number as the typed scalar of an op on tensors of `dtype`.

    Raises:
        TypeError: it is no number that is known when tracing.
        ValueError: it is not finite, or no number of `dtype`.
    """
    if isinstance(value, SymbolicScalar):
        raise argument_error(function, argument, "a tensor or a number that is known when tracing", value)
    try:
        integer = index(value)  # pyright: ignore[reportArgumentType]  # a TypeError is the question
    except TypeError:
        integer = None
    if dtype.is_float:
        try:
            number = float(value)  # pyright: ignore[reportArgumentType]  # likewise
        except (TypeError, ValueError):
            raise argument_error(function, argument, "a tensor or a number", value) from None
        except OverflowError:
            raise value_error(function, argument, f"a number of {dtype}", value) from None
        if isinstance(value, str):
            raise argument_error(function, argument, "a tensor or a number", value)
        if not -float("inf") < number < float("inf"):
            raise value_error(function, argument, "a finite number", value)
        return ScalarAttr(dtype.element.type, FloatData(number))
    if integer is None:
        if isinstance(value, float):
            raise value_error(function, argument, f"a number of {dtype}, the element type of the tensor", value)
        raise argument_error(function, argument, "a tensor or a number", value)
    low, high = (0, 1) if dtype.is_bool else integer_range(dtype.element.type)  # pyright: ignore[reportArgumentType]  # not a float
    if not low <= integer <= high:
        raise value_error(function, argument, f"a number of {dtype}, in the range {low}..{high}", value)
    return ScalarAttr(dtype.element.type, IntAttr(integer))


def parameter_attribute(function: str, argument: str, value: object, depth: int = 0) -> Attribute:
    """A value of `params` as an attribute: a bool, an integer, a float, a string, or a list of these.

    Raises:
        TypeError: anything else.
        ValueError: an integer out of the range of 64 bits, a float that is not finite, or lists that nest too deep.
    """
    if isinstance(value, bool):
        return IntegerAttr(int(value), 1)
    if isinstance(value, str):
        return StringAttr(value)
    if isinstance(value, float):
        if not -float("inf") < value < float("inf"):
            raise value_error(function, argument, "a finite number", value)
        return FloatAttr(value, f64)
    if isinstance(value, (list, tuple)):
        items = cast("Sequence[object]", value)
        if depth == DEEPEST_PARAMETER:
            raise value_error(function, argument, f"lists that nest at most {DEEPEST_PARAMETER} deep", items)
        return ArrayAttr([parameter_attribute(function, argument, item, depth + 1) for item in items])
    if isinstance(value, Attribute):
        return value
    number = integer_argument(function, argument, value)
    if not -(2**63) <= number < 2**63:
        raise value_error(function, argument, "an integer of 64 bits", number)
    return IntegerAttr(number, i64)


def record(
    function: str,
    opcode_name: str,
    operands: Sequence[tuple[str, Tensor]],
    results: Sequence[tuple[tuple[int, ...], DataType]],
    parameters: Mapping[str, object] | None = None,
    valid_shape: tuple[Extent, ...] | None = None,
    memories: Sequence[Memory] | None = None,
) -> tuple[Tensor, ...]:
    """Record an op whose operands are brought where the table of opcodes wants them.

    Parameters:
        operands: per operand its argument's name and the tensor.
        results: per result its shape and element type.
        parameters: the op's parameters, under the names of dumps.
        valid_shape: how much of the first result holds data, if not all.
        memories: where the results live, if not where the table says.

    Raises:
        RuntimeError, TypeError, ValueError: as `tracing` and `placed`.
    """
    trace = tracing(function)
    opcode = OPCODE_BY_NAME[opcode_name]
    here = location()
    inputs: list[Tensor] = []
    for place, (argument, tensor) in enumerate(operands):
        needed = opcode.input_memories[place] if place < len(opcode.input_memories) else "UB"
        already = next((inputs[other] for other in range(place) if operands[other][1] is tensor), None)
        memory = MEMORY_OF_TABLE[needed]
        if already is not None and already.memory is memory:
            inputs.append(already)
        else:
            inputs.append(placed(trace, function, argument, tensor, memory, here))
    outputs: list[Tensor] = []
    for place, (shape, dtype) in enumerate(results):
        if memories is not None:
            memory = memories[place]
        else:
            memory = MEMORY_OF_TABLE[opcode.output_memories[place] if place < len(opcode.output_memories) else "UB"]
        outputs.append(Tensor(shape, dtype, memory, valid_shape=None if place else valid_shape))
    properties: dict[str, Attribute] = {}
    if parameters:
        properties["params"] = DictionaryAttr(
            {name: parameter_attribute(function, name, value) for name, value in parameters.items()}
        )
    trace.record(function, opcode, inputs, outputs, properties, here)
    return tuple(outputs)
