"""How numpy holds the element types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dialect.elements import ELEMENTS, Element

Array = NDArray[Any]

_BF16 = 8
_I4 = 0
_FORMATS: Mapping[int, type[np.generic]] = {
    0: np.int8,
    1: np.int8,
    2: np.int16,
    3: np.int32,
    4: np.int64,
    6: np.float16,
    7: np.float32,
    8: np.float32,
    11: np.uint8,
    12: np.uint16,
    13: np.uint32,
    14: np.uint64,
    15: np.bool_,
    16: np.float64,
}
"""Per element number of the dump format, the type that holds it.

bf16 is held as f32 and rounded after every op, i4 as i8 and wrapped. The 8-bit and 4-bit floats are not covered."""


def covered_elements() -> list[Element]:
    """The element types that can be evaluated."""
    return [ELEMENTS[number] for number in _FORMATS]


def number_format(element: Element) -> type[np.generic] | None:
    """The numpy type that holds an element type; None if it is not covered."""
    return _FORMATS.get(element.number)


def converted(array: Array, element: Element) -> Array:
    """The array in an element type: floats are rounded to nearest even, integers wrap.

    A float that becomes an integer is rounded to nearest even and saturates, NaN becomes 0.
    """
    target = np.dtype(_FORMATS[element.number])
    if target.kind in "iu" and array.dtype.kind == "f":
        bits = 4 if element.number == _I4 else 8 * target.itemsize
        low, high = (0, 2**bits - 1) if target.kind == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        whole = np.rint(np.nan_to_num(array.astype(np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf))
        inside = np.clip(whole, low, high)
        # The largest 64-bit integers have no float64; they are put in by hand.
        result = np.where(whole >= high, 0, inside).astype(target)
        return np.where(whole >= high, target.type(high), result)
    result = array.astype(target)
    if element.number == _BF16:
        return _rounded_to_bf16(result)
    if element.number == _I4:
        return (((result.astype(np.int16) + 8) & 15) - 8).astype(np.int8)
    return result


def _rounded_to_bf16(array: Array) -> Array:
    bits = np.ascontiguousarray(array).view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(array), array, rounded.view(np.float32))
