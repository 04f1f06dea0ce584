"""The tensors that a kernel computes with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from dialect.python_api.data_types import DataType
from dialect.python_api.symbols import Extent
from dialect.types import Memory

if TYPE_CHECKING:
    from dialect.python_api.operators import Operand, Window

Shape: TypeAlias = "tuple[int, ...]"
"""The extent of each dimension; -1 is one that is not known before the kernel runs."""


class Tensor:
    """A tensor: an argument of a kernel, a tensor that a kernel fills window by window, or the result of an op.

    Programs get tensors from `tensor(…)`, from the arguments of their kernel and from ops, never from this class.

    Attributes:
        shape: the extent of each dimension, -1 where it is not known before the kernel runs.
        dtype: the element type.
        name: how messages and the graph call it, if it has a name.
        valid_shape: how much of the shape holds data, where that is not all of it.
    """

    __slots__ = ("_memory", "dtype", "name", "shape", "valid_shape")

    __array_ufunc__ = None
    """Tells numpy to leave operators with its numbers on the left to this class."""

    def __init__(
        self,
        shape: Shape,
        dtype: DataType,
        memory: Memory | None,
        name: str | None = None,
        valid_shape: tuple[Extent, ...] | None = None,
    ):
        self.shape = shape
        self.dtype = dtype
        self.name = name
        self.valid_shape = valid_shape
        self._memory = memory

    @property
    def memory(self) -> Memory | None:
        """Where the tensor lives; None for a window of which no op has said yet where it needs it."""
        return self._memory

    def settle(self, memory: Memory) -> None:
        """Say where a window lives; only the code that places operands does so."""
        assert self._memory in (None, memory)
        self._memory = memory

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def __repr__(self) -> str:
        name = f"'{self.name}', " if self.name else ""
        memory = f", {self._memory}" if self._memory is not None else ""
        return f"Tensor({name}{list(self.shape)}, {self.dtype}{memory})"

    def __bool__(self) -> bool:
        raise TypeError(f"whether {self!r} is true is known only when the kernel runs; see where(condition, …)")

    def __iter__(self) -> None:
        raise TypeError(f"{self!r} cannot be iterated over; take windows of it: x[0:32]")

    def __getitem__(self, window: Window) -> Tensor:
        return _operators().window_of(self, window)

    def __setitem__(self, window: Window, value: Tensor) -> None:
        _operators().assign_window(self, window, value)

    def move(self, value: Tensor) -> None:
        """Write all of this tensor."""
        _operators().assign_window(self, ..., value)

    def view(self, shape: Sequence[int], offsets: Sequence[Extent]) -> Tensor:
        """A window of this tensor; see `view`."""
        return _operators().view(self, shape, offsets)

    def reshape(self, shape: Sequence[int]) -> Tensor:
        """The same elements in another shape; see `reshape`."""
        return _operators().reshape(self, shape)

    def __add__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("add", self, other)

    def __radd__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("add", other, self)

    def __sub__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("sub", self, other)

    def __rsub__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("sub", other, self)

    def __mul__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("mul", self, other)

    def __rmul__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("mul", other, self)

    def __truediv__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("div", self, other)

    def __rtruediv__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("div", other, self)

    def __floordiv__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("floor_div", self, other)

    def __rfloordiv__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("floor_div", other, self)

    def __mod__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("remainder", self, other)

    def __rmod__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("remainder", other, self)

    def __pow__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("pow", self, other)

    def __rpow__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("pow", other, self)

    def __and__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("bitwise_and", self, other)

    def __rand__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("bitwise_and", other, self)

    def __or__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("bitwise_or", self, other)

    def __ror__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("bitwise_or", other, self)

    def __xor__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("bitwise_xor", self, other)

    def __rxor__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("bitwise_xor", other, self)

    def __lshift__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("bitwise_left_shift", self, other)

    def __rlshift__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("bitwise_left_shift", other, self)

    def __rshift__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("bitwise_right_shift", self, other)

    def __rrshift__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("bitwise_right_shift", other, self)

    def __lt__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("lt", self, other)

    def __le__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("le", self, other)

    def __gt__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("gt", self, other)

    def __ge__(self, other: Operand) -> Tensor:
        return _operators().binary_operator("ge", self, other)

    def __neg__(self) -> Tensor:
        return _operators().unary_operator("neg", self)

    def __invert__(self) -> Tensor:
        return _operators().unary_operator("bitwise_not", self)

    def __abs__(self) -> Tensor:
        return _operators().unary_operator("abs", self)

    def __matmul__(self, other: Tensor) -> Tensor:
        return _operators().matrix_product(self, other)


class StorageTensor(Tensor):
    """A tensor that ops write window by window: an argument of a kernel, or one that `tensor(…)` made.

    Attributes:
        number: its place among the tensors of its kernel; the arguments come first. -1 outside a kernel.
        is_argument: whether it is an argument of its kernel.
    """

    __slots__ = ("is_argument", "number")

    def __init__(
        self,
        shape: Shape,
        dtype: DataType,
        memory: Memory = Memory.DDR,
        name: str | None = None,
        number: int = -1,
        is_argument: bool = False,
    ):
        super().__init__(shape, dtype, memory, name)
        self.number = number
        self.is_argument = is_argument


def _operators():  # the module that is imported late because it needs this class
    from dialect.python_api import operators

    return operators
