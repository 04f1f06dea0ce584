"""The values of tensors, and windows in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tools.evaluate.errors import EvaluationError
from tools.evaluate.number_formats import Array


@dataclass
class Cells:
    """The elements of a tensor and which of them ops have written so far."""

    data: Array
    written: Array


@dataclass(frozen=True)
class Tensor:
    """A tensor, or the window of one: what is at [0, …] of it is at `origin` of the cells.

    `valid` are the extents of the part that holds data; what is read beyond it, or beyond the cells, is 0.
    """

    cells: Cells
    origin: tuple[int, ...]
    shape: tuple[int, ...]
    valid: tuple[int, ...]

    def read(self, offsets: Sequence[int] | None = None, shape: Sequence[int] | None = None) -> Array:
        """The elements of a window, 0 where there are none."""
        offsets = (0,) * len(self.shape) if offsets is None else offsets
        shape = self.shape if shape is None else shape
        result = np.zeros(shape, self.cells.data.dtype)
        inner, outer = self._overlap(offsets, shape)
        result[inner] = self.cells.data[outer]
        return result

    def write(self, values: Array, extents: Sequence[int], offsets: Sequence[int], by: str) -> None:
        """Put `values`, of which `extents` count, at `offsets`; what falls outside is dropped.

        Raises:
            EvaluationError: an element that was written before gets another value, so that the order of ops matters.
        """
        inner, outer = self._overlap(offsets, extents)
        part = values[inner]
        written, data = self.cells.written[outer], self.cells.data[outer]
        if written.any() and not np.array_equal(data[written], part[written], equal_nan=data.dtype.kind == "f"):
            raise EvaluationError(f"{by} overwrites elements with other values: the result depends on the order of ops")
        self.cells.data[outer] = part
        self.cells.written[outer] = True

    def _overlap(self, offsets: Sequence[int], extents: Sequence[int]) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
        """Where a window and the cells overlap, as slices of the window and of the cells."""
        inner: list[slice] = []
        outer: list[slice] = []
        for begin, offset, extent, size in zip(self.origin, offsets, extents, self.cells.data.shape, strict=True):
            first = max(begin + offset, 0)
            last = max(min(begin + offset + extent, size), first)
            inner.append(slice(first - begin - offset, last - begin - offset))
            outer.append(slice(first, last))
        return tuple(inner), tuple(outer)

    def window(self, offsets: Sequence[int], shape: tuple[int, ...]) -> Tensor:
        """The window at `offsets`, which shares the cells."""
        return Tensor(self.cells, tuple(a + b for a, b in zip(self.origin, offsets, strict=True)), shape, shape)


def new_tensor(shape: tuple[int, ...], dtype: np.dtype[np.generic] | type[np.generic]) -> Tensor:
    """A tensor of zeros of which nothing is written."""
    return tensor_of(np.zeros(shape, dtype))


def tensor_of(data: Array) -> Tensor:
    """A tensor that holds `data`."""
    shape = tuple(data.shape)
    return Tensor(Cells(data, np.zeros(shape, np.bool_)), (0,) * len(shape), shape, shape)
