"""Tensors that an op reads at run time, through a call in one of its symbolic values (Iso partition, section 3).

They are no operands, and only the canonical order counts them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import DictionaryAttr
from xdsl.ir import Attribute, BlockArgument, OpResult, SSAValue

from dialect.function import TileFunction
from dialect.operation import TileOperation
from dialect.values import integer_of, items_of, string_of

_CALLEE = "RUNTIME_GetTensorData"
_CALL_IN_TEXT = re.compile(rf"{_CALLEE}\w*\(")

_LEAF_KINDS = (0, 1)
_CALL = 16
_COUNTED_OPERATORS = (_CALL, 17, 18)
_UNARY_OPERATORS = (0, 1, 2)
"""Numbers of the flat prefix lists of dumps (JSON format, section 7.1)."""


def runtime_reads(function: TileFunction, op: TileOperation) -> list[SSAValue]:
    """The arguments of the function that `op` reads at run time: incasts ascending, then outcasts.

    Symbolic values are the dynamic offsets and valid shape of a window, the valid shape of its tile, and those
    in the uninterpreted `attr` of copies and other ops. A call of a function reads nothing.
    """
    if op.opcode.name == "CALL":
        return []
    reads: set[tuple[int, int]] = set()
    for values in _symbolic_lists(function, op):
        for item in values:
            if (text := string_of(item)) is not None:
                if _CALLEE in text:
                    reads.update(_reads_in_text(text))
            elif (entries := items_of(item)) is not None:
                reads.update(_reads_in_prefix_list(entries))
    casts = (function.ins, function.outs) if reads else ()
    return [casts[kind][index] for kind, index in sorted(reads) if index < len(casts[kind])]


def _symbolic_lists(function: TileFunction, op: TileOperation) -> Iterator[Sequence[Attribute]]:
    names = ("dyn_offsets", "valid") if op.opcode.is_windowed else ("attr",)
    for name in names:
        if name in op.properties:
            yield items_of(op.properties[name]) or ()
    if op.opcode.is_windowed:
        tensors = op.outputs if op.opcode.is_view_like else op.inputs
        if tensors:
            yield items_of(_valid_shape(function, tensors[0])) or ()


def _valid_shape(function: TileFunction, tensor: SSAValue) -> Attribute | None:
    if isinstance(tensor, BlockArgument):
        carried = function.tensor_properties
        entry = None if carried is None else carried.data[tensor.index]
        return entry.data.get("valid") if isinstance(entry, DictionaryAttr) else None
    if not isinstance(tensor, OpResult):
        return None
    owner = tensor.op
    is_windowed = isinstance(owner, TileOperation) and owner.opcode.is_windowed
    value = owner.properties.get("tensor_valid" if is_windowed else "valid")
    if value is None or len(owner.results) == 1:
        return value
    return (items_of(value) or ())[tensor.index]


def _reads_in_text(text: str) -> Iterator[tuple[int, int]]:
    for match in _CALL_IN_TEXT.finditer(text):
        arguments = _call_arguments(text, match.end())
        if len(arguments) >= 3 and arguments[1] in ("0", "1") and arguments[2].isdecimal():
            yield int(arguments[1]), int(arguments[2])


def _call_arguments(text: str, start: int) -> list[str]:
    arguments: list[str] = []
    depth, begin = 0, start
    for position in range(start, len(text)):
        character = text[position]
        if character in ",)" and depth == 0:
            arguments.append(text[begin:position].strip())
            begin = position + 1
            if character == ")":
                break
        elif character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
    return arguments


def _reads_in_prefix_list(entries: Sequence[Attribute]) -> Iterator[tuple[int, int]]:
    """The reads in a symbolic value that is kept as the flat list that the dump has."""
    texts = [string_of(entry) for entry in entries]
    if not any(text is not None and text.startswith(_CALLEE) for text in texts):
        return
    numbers = [integer_of(entry) for entry in entries]
    for place, text in enumerate(texts):
        if text is not None and text.startswith(_CALLEE) and place >= 4 and numbers[place - 3] == _CALL:
            behind_first = _behind(numbers, place + 1)
            kind, index = _immediate(numbers, behind_first), _immediate(numbers, _behind(numbers, behind_first))
            if kind in (0, 1) and index is not None and index >= 0:
                yield kind, index


def _immediate(numbers: Sequence[int | None], place: int) -> int | None:
    """The constant at `place`; None if another value, or the end of the list, is there."""
    return numbers[place + 1] if place + 1 < len(numbers) and numbers[place] == 0 else None


def _behind(numbers: Sequence[int | None], place: int) -> int:
    """The place behind the value that begins at `place`; the end of the list if it is cut off."""
    pending = 1
    while pending and place + 1 < len(numbers):
        if numbers[place] in _LEAF_KINDS:
            pending -= 1
            place += 2
        elif numbers[place + 1] in _COUNTED_OPERATORS:
            count = numbers[place + 2] if place + 2 < len(numbers) else None
            pending += (count or 0) - 1
            place += 3
        else:
            pending += 0 if numbers[place + 1] in _UNARY_OPERATORS else 1
            place += 2
    return min(place, len(numbers))
