"""Tensors that programs make, windows of tensors, and ops that move elements without computing with them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import EllipsisType
from typing import TypeAlias, cast

from dialect.opcodes import OPCODE_BY_NAME
from dialect.python_api.data_types import DataType, data_type_of
from dialect.python_api.errors import argument_error, value_error
from dialect.python_api.placement import placed, reachable
from dialect.python_api.recording import (
    dimension_argument,
    extents_argument,
    integer_argument,
    list_argument,
    location,
    record,
    scalar_attribute,
    shape_argument,
    string_argument,
    tensor_argument,
    tracing,
)
from dialect.python_api.symbols import Extent, SymbolicScalar, extent_text
from dialect.python_api.tensors import StorageTensor, Tensor
from dialect.python_api.trace import current_trace
from dialect.shown import shown
from dialect.suggestions import did_you_mean
from dialect.types import DYNAMIC, Memory

WindowPart: TypeAlias = "slice | EllipsisType"
Window: TypeAlias = "WindowPart | tuple[WindowPart, ...]"
"""What stands in the brackets behind a tensor: a slice per dimension, `...` for all dimensions that are left."""


def tensor(shape: Sequence[int], dtype: DataType | object, *, name: str | None = None, memory: str = "ddr") -> Tensor:
    """A tensor of a shape and an element type.

    Outside a kernel it declares an argument: as annotation of a parameter, or as an example when the kernel is called.
    In a kernel it is a new tensor without content, to be filled by `assemble`, `x[...] = …`; functions after loops and
    in loops share it if it lives in `ddr`.

    Parameters:
        shape: the extent of each dimension; -1 is one that is not known before the kernel runs.
        dtype: a `DT_…` constant, or the dtype of an array.
        name: how the graph and messages call it.
        memory: where a kernel's tensor lives: `ddr`, `l1`, `ub`, …

    Raises:
        TypeError, ValueError: a shape, type or memory that is none.
    """
    checked = shape_argument("tensor", "shape", shape)
    place = memory_argument("tensor", "memory", memory)
    if name is not None:
        string_argument("tensor", "name", name)
    made = StorageTensor(checked, data_type_of(dtype, "tensor", "dtype"), place, name)
    trace = current_trace()
    return made if trace is None else trace.add_storage(made)


def view(
    input: Tensor,
    shape: Sequence[int],
    offsets: Sequence[Extent],
    *,
    valid_shape: Sequence[Extent] | None = None,
) -> Tensor:
    """The window of `input` of a shape, beginning at `offsets`: the op VIEW.

    A window of a tensor in DDR is loaded into the memory that the op which reads it needs, UB or L1.

    Parameters:
        shape: the window's shape; it has as many dimensions as `input`.
        offsets: where it begins in each dimension; expressions of loop indices are allowed.
        valid_shape: how much of the window holds data, if not all (then it may stick out of `input`).

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: the window sticks out of `input`, or numbers of dimensions differ.
    """
    function = "view"
    trace = tracing(function)
    source = tensor_argument(function, "input", input)
    extents = shape_argument(function, "shape", shape)
    if len(extents) != source.ndim:
        raise value_error(function, "shape", f"{source.ndim} extents, one for each dimension of {source!r}", extents)
    if DYNAMIC in extents:
        raise value_error(function, "shape", "extents that are known when tracing", extents)
    begins = extents_argument(function, "offsets", offsets, source.ndim)
    valid = None if valid_shape is None else extents_argument(function, "valid_shape", valid_shape, source.ndim)
    if valid is None:
        _check_inside(function, "offsets", source, extents, begins)
    here = location()
    window = Tensor(extents, source.dtype, None, valid_shape=valid)
    readable = reachable(trace, function, "input", source, here)
    trace.record(function, OPCODE_BY_NAME["VIEW"], (readable,), (window,), {}, here, begins, valid)
    return window


def assemble(input: Tensor, offsets: Sequence[Extent], out: Tensor) -> None:
    """Write `input` into `out`, beginning at `offsets`: the op ASSEMBLE.

    Parameters:
        out: an argument of the kernel, or a tensor that `tensor(…)` made in it.

    Raises:
        TypeError: an argument of the wrong type, or `out` is the result of an op.
        ValueError: `input` sticks out of `out`, its element type or number of dimensions differs, or `out` has been
            read after it was written in the same function.
    """
    function = "assemble"
    trace = tracing(function)
    value = tensor_argument(function, "input", input)
    target = tensor_argument(function, "out", out)
    if not isinstance(target, StorageTensor):
        raise argument_error(
            function, "out", "an argument of the kernel or a tensor made by tensor(…); results of ops are fixed", target
        )
    if not trace.owns(target):
        raise argument_error(function, "out", "a tensor of this kernel", target)
    if value.ndim != target.ndim:
        raise value_error(function, "input", f"{target.ndim} dimensions, as 'out' has", value)
    if value.dtype != target.dtype:
        raise value_error(function, "input", f"elements of {target.dtype}, as 'out' has; see cast", value)
    begins = extents_argument(function, "offsets", offsets, target.ndim)
    if value.valid_shape is None:
        _check_inside(function, "offsets", target, value.shape, begins)
    here = location()
    value = reachable(trace, function, "input", value, here)
    if isinstance(value, StorageTensor) and value.memory is Memory.DDR:
        value = placed(trace, function, "input", value, Memory.UB, here)
    trace.record(function, OPCODE_BY_NAME["ASSEMBLE"], (value,), (target,), {}, here, begins, value.valid_shape)


def _check_inside(function: str, argument: str, outer: Tensor, shape: Sequence[int], offsets: Sequence[Extent]) -> None:
    for dimension, (extent, whole, begin) in enumerate(zip(shape, outer.shape, offsets, strict=True)):
        known_begin = begin if isinstance(begin, int) else 0
        if DYNAMIC not in (whole, extent) and known_begin + extent > whole:
            raise ValueError(
                f"{function}: argument '{argument}': the window {extent_text(begin)} + {extent} sticks out of "
                f"dimension {dimension} of {outer!r}, which has extent {whole}"
            )


def window_of(outer: Tensor, window: Window) -> Tensor:
    """The meaning of `x[window]`: a view."""
    offsets, shape = _window(outer, window)
    return view(outer, shape, offsets)


def assign_window(outer: Tensor, window: Window, value: Tensor) -> None:
    """The meaning of `x[window] = value`: an assemble of a value of the window's shape."""
    function = "assemble"
    offsets, shape = _window(outer, window)
    value = tensor_argument(function, "value", value)
    if value.shape != shape:
        raise value_error(function, "value", f"a tensor of the window's shape {list(shape)}", value)
    assemble(value, offsets, outer)


def _window(outer: Tensor, window: Window) -> tuple[tuple[Extent, ...], tuple[int, ...]]:
    parts = window if isinstance(window, tuple) else (window,)
    if sum(part is ... for part in parts) > 1:
        raise IndexError(f"a window of {outer!r} has more than one '...'")
    missing = outer.ndim - sum(part is not ... for part in parts)
    if missing < 0:
        raise IndexError(f"{len(parts)} slices for {outer!r}, which has {outer.ndim} dimensions")
    everything = slice(None)
    if ... in parts:
        place = parts.index(...)
        slices = (*parts[:place], *[everything] * missing, *parts[place + 1 :])
    else:
        slices = (*parts, *[everything] * missing)
    offsets: list[Extent] = []
    shape: list[int] = []
    for dimension, part in enumerate(slices):
        begin, extent = _slice(outer, dimension, part)
        offsets.append(begin)
        shape.append(extent)
    return tuple(offsets), tuple(shape)


def _slice(outer: Tensor, dimension: int, part: object) -> tuple[Extent, int]:
    where = f"dimension {dimension} of {outer!r}"
    if not isinstance(part, slice):
        raise TypeError(f"{where}: expected a slice such as 0:32, found {shown(part)}; windows keep all dimensions")
    bounds = cast("slice[object, object, object]", part)
    first, last, step = bounds.start, bounds.stop, bounds.step
    if step not in (None, 1):
        raise ValueError(f"{where}: expected a slice without step, found step {shown(step)}")
    whole = outer.shape[dimension]
    begin = _bound(where, first, 0, whole)
    end = _bound(where, last, whole, whole)
    extent = end - begin
    if isinstance(end, int) and end == DYNAMIC:
        if begin == 0:
            return 0, DYNAMIC
        raise ValueError(f"{where}: the extent of this dimension is not known; give the end of the slice")
    if isinstance(extent, SymbolicScalar):
        raise ValueError(f"{where}: the length {extent.text} of the slice is not known when tracing")
    if extent < 0:
        raise ValueError(f"{where}: the slice {extent_text(begin)}:{extent_text(end)} ends before it begins")
    return begin, extent


def _bound(where: str, value: object, default: int, whole: int) -> Extent:
    if value is None:
        return default
    if isinstance(value, SymbolicScalar):
        return value
    number = integer_argument(where, "slice", value)
    if number < 0 and whole != DYNAMIC:
        number += whole
    if number < 0:
        raise ValueError(f"{where}: {value} lies before its beginning")
    return number


def reshape(input: Tensor, shape: Sequence[int]) -> Tensor:
    """The elements of `input`, in the same order, in another shape: the op RESHAPE.

    Parameters:
        shape: the new shape; one extent may be -1 and is then what the number of elements leaves.

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: the number of elements differs.
    """
    function = "reshape"
    source = tensor_argument(function, "input", input)
    extents = list(shape_argument(function, "shape", shape))
    count = math.prod(source.shape)
    if DYNAMIC in source.shape:
        raise value_error(function, "input", "a tensor whose shape is known when tracing", source)
    if extents.count(DYNAMIC) == 1:
        known = math.prod(extent for extent in extents if extent != DYNAMIC)
        if known and count % known == 0:
            extents[extents.index(DYNAMIC)] = count // known
    if DYNAMIC in extents or math.prod(extents) != count:
        raise value_error(function, "shape", f"a shape of {count} elements, as {source!r} has", list(shape))
    trace = tracing(function)
    here = location()
    settled_source = placed(trace, function, "input", source, Memory.UB, here)
    result = Tensor(tuple(extents), source.dtype, Memory.UB)
    trace.record(function, OPCODE_BY_NAME["RESHAPE"], (settled_source,), (result,), {}, here)
    return result


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """`input` with two dimensions exchanged: the op TRANSPOSE_VNCHWCONV for the last two, else PERMUTE.

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: there is no such dimension.
    """
    function = "transpose"
    source = tensor_argument(function, "input", input)
    first = dimension_argument(function, "dim0", dim0, source.ndim)
    second = dimension_argument(function, "dim1", dim1, source.ndim)
    shape = list(source.shape)
    shape[first], shape[second] = shape[second], shape[first]
    results = [(tuple(shape), source.dtype)]
    if sorted((first, second)) == [source.ndim - 2, source.ndim - 1]:
        return record(function, "TRANSPOSE_VNCHWCONV", [("input", source)], results)[0]
    order = list(range(source.ndim))
    order[first], order[second] = second, first
    return record(function, "PERMUTE", [("input", source)], results, {"perm": order})[0]


def expand(input: Tensor, shape: Sequence[int]) -> Tensor:
    """`input` repeated along dimensions of extent 1: the op EXPAND.

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: a dimension changes that does not have extent 1.
    """
    function = "expand"
    source = tensor_argument(function, "input", input)
    extents = shape_argument(function, "shape", shape)
    if len(extents) != source.ndim or any(old not in (1, new) for old, new in zip(source.shape, extents, strict=False)):
        raise value_error(
            function, "shape", f"a shape that repeats dimensions of extent 1 of {source!r}", list(extents)
        )
    dimensions = [place for place, (old, new) in enumerate(zip(source.shape, extents, strict=True)) if old != new]
    parameters = {"op_attr_expand_dims": dimensions}
    return record(function, "EXPAND", [("input", source)], [(extents, source.dtype)], parameters)[0]


def concat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """The tensors one behind the other along `dim`, written side by side into a tensor in UB by ops ASSEMBLE.

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: there is no tensor, or another dimension or the element types differ.
    """
    function = "concat"
    items = list_argument(function, "tensors", "a list of tensors", tensors)
    parts = [tensor_argument(function, f"tensors[{place}]", part) for place, part in enumerate(items)]
    if not parts:
        raise value_error(function, "tensors", "at least one tensor", parts)
    first = parts[0]
    along = dimension_argument(function, "dim", dim, first.ndim)
    for place, part in enumerate(parts):
        fits = part.ndim == first.ndim and all(
            extent == other or dimension == along
            for dimension, (extent, other) in enumerate(zip(part.shape, first.shape, strict=True))
        )
        if not fits or part.dtype != first.dtype:
            raise value_error(
                function, f"tensors[{place}]", f"shape and type of {first!r} outside dimension {along}", part
            )
    shape = list(first.shape)
    shape[along] = sum(part.shape[along] for part in parts)
    trace = tracing(function)
    whole = trace.add_storage(StorageTensor(tuple(shape), first.dtype, Memory.UB))
    offsets = [0] * first.ndim
    here = location()
    for place, part in enumerate(parts):
        value = placed(trace, function, f"tensors[{place}]", part, Memory.UB, here)
        trace.record(
            function, OPCODE_BY_NAME["ASSEMBLE"], (value,), (whole,), {}, here, tuple(offsets), part.valid_shape
        )
        offsets[along] += part.shape[along]
    return whole


def full(shape: Sequence[int], value: float, dtype: DataType | object) -> Tensor:
    """A tensor all of whose elements are `value`: the op VEC_DUP.

    Raises:
        TypeError, ValueError: a shape, type or number that is none.
    """
    function = "full"
    extents = shape_argument(function, "shape", shape)
    element = data_type_of(dtype, function, "dtype")
    scalar = scalar_attribute(function, "value", value, element)
    return record(function, "VEC_DUP", [], [(extents, element)], {"SCALAR": scalar, "op_attr_shape": list(extents)})[0]


def zeros(shape: Sequence[int], dtype: DataType | object) -> Tensor:
    """A tensor of zeros; see `full`."""
    return full(shape, 0, dtype)


def ones(shape: Sequence[int], dtype: DataType | object) -> Tensor:
    """A tensor of ones; see `full`."""
    return full(shape, 1, dtype)


def arange(start: int, end: int, step: int, dtype: DataType | object) -> Tensor:
    """The numbers from `start` up to and without `end`, `step` apart: the op RANGE.

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: `step` is 0, or there are no numbers.
    """
    function = "arange"
    bounds = [
        integer_argument(function, name, value) for name, value in (("start", start), ("end", end), ("step", step))
    ]
    if bounds[2] == 0:
        raise value_error(function, "step", "a number other than 0", 0)
    count = len(range(*bounds))
    if count == 0:
        raise value_error(function, "end", "an end behind the start", end)
    element = data_type_of(dtype, function, "dtype")
    parameters = {
        "op_attr_START": scalar_attribute(function, "start", bounds[0], element),
        "op_attr_STEP": scalar_attribute(function, "step", bounds[2], element),
    }
    return record(function, "RANGE", [], [((count,), element)], parameters)[0]


def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Per element of `index`, the element of `input` at that place of `dim`: the op GATHER_ELEMENT.

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: `index` does not hold integers, or numbers of dimensions differ.
    """
    function = "gather"
    source, places = tensor_argument(function, "input", input), _index_argument(function, index)
    axis = dimension_argument(function, "dim", dim, source.ndim)
    if places.ndim != source.ndim:
        raise value_error(function, "index", f"{source.ndim} dimensions, as 'input' has", places)
    operands = [("input", source), ("index", places)]
    return record(function, "GATHER_ELEMENT", operands, [(places.shape, source.dtype)], {"op_attr_axis": axis})[0]


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices of `input` along `dim` that `index` names, read from DDR: the op GATHER.

    The shape of `index` stands in the result in the place of dimension `dim`.

    Raises: as `gather`.
    """
    function = "index_select"
    source, places = tensor_argument(function, "input", input), _index_argument(function, index)
    axis = dimension_argument(function, "dim", dim, source.ndim)
    shape = (*source.shape[:axis], *places.shape, *source.shape[axis + 1 :])
    operands = [("input", source), ("index", places)]
    return record(function, "GATHER", operands, [(shape, source.dtype)], {"op_attr_axis": axis})[0]


def scatter(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """`input` with the elements of `src` at the places of `dim` that `index` names: the op SCATTER.

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: `index` does not hold integers, `src` has another type, or `index` and `src` differ in shape.
    """
    function = "scatter"
    target, places = tensor_argument(function, "input", input), _index_argument(function, index)
    source = tensor_argument(function, "src", src)
    axis = dimension_argument(function, "dim", dim, target.ndim)
    if source.dtype != target.dtype or source.shape != places.shape:
        raise value_error(function, "src", f"a tensor of {target.dtype} and the shape of 'index'", source)
    operands = [("input", target), ("index", places), ("src", source)]
    return record(function, "SCATTER", operands, [(target.shape, target.dtype)], {"op_attr_axis": axis})[0]


def _index_argument(function: str, index: object) -> Tensor:
    places = tensor_argument(function, "index", index)
    if places.dtype.is_float or places.dtype.is_bool:
        raise value_error(function, "index", "a tensor of integers", places)
    return places


def memory_argument(function: str, argument: str, value: object) -> Memory:
    """The argument, which must be the name of a memory.

    Raises:
        TypeError: it is no string.
        ValueError: there is no such memory; the message names the nearest ones.
    """
    name = string_argument(function, argument, value)
    if name not in tuple(Memory):
        raise value_error(
            function, argument, "a memory such as 'ddr', 'l1' or 'ub'", name, did_you_mean(name, tuple(Memory))
        )
    return Memory(name)
