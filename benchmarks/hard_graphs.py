"""Partitioned tile functions that are hard to merge, of any size."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp, StringAttr, i1, i64
from xdsl.ir import Attribute, Block, Region, SSAValue

from dialect.ops import OPERATION_BY_MNEMONIC, FuncOp
from dialect.types import MEMORY_NUMBERS, Memory, TensorType, tensor_type

_F32 = 7


def _type(memory: Memory) -> TensorType:
    return tensor_type((64, 64), _F32, MEMORY_NUMBERS[memory])


class Kernel:
    """A function under construction, whose subgraphs are either for the cube core or for vector cores."""

    def __init__(self) -> None:
        self._block = Block(arg_types=[_type(Memory.DDR)] * 2)
        self.source, self._target = self._block.args
        self._magics = count(10_000)
        self._subgraphs = count()

    def cube(self, left: SSAValue, right: SSAValue, offset: int = 0) -> SSAValue:
        """A subgraph of six ops that multiplies a tile of each of two tensors in global memory."""
        subgraph = next(self._subgraphs)
        left = self._op(subgraph, "view", [left], Memory.L1, True, offset)
        right = self._op(subgraph, "view", [right], Memory.L1, True, 0)
        left = self._op(subgraph, "view", [left], Memory.L0A, True, 0)
        right = self._op(subgraph, "view", [right], Memory.L0B, True, 0)
        product = self._op(subgraph, "a_mul_b", [left, right], Memory.L0C, True)
        return self._op(subgraph, "assemble", [product], Memory.DDR, True, 0)

    def vector(self, tensor: SSAValue, opcode: str = "exp", *, is_last: bool = False) -> SSAValue:
        """A subgraph of three ops that computes on a tensor in global memory."""
        subgraph = next(self._subgraphs)
        tile = self._op(subgraph, "view", [tensor], Memory.UB, False, 0)
        result = self._op(subgraph, opcode, [tile], Memory.UB, False)
        return self._op(subgraph, "assemble", [result], None if is_last else Memory.DDR, False, 0)

    def module(self, soc: str) -> ModuleOp:
        """The function, as a module for a chip; the kernel cannot be used any more."""
        return ModuleOp([FuncOp("kernel", Region(self._block), 1, magic=8)], {"tile.soc": StringAttr(soc)})

    def _op(
        self,
        subgraph: int,
        mnemonic: str,
        inputs: Sequence[SSAValue],
        memory: Memory | None,
        is_cube: bool,
        offset: int | None = None,
    ) -> SSAValue:
        """The fresh result of a new op; the function's outcast if there is no memory for a result."""
        properties: dict[str, Attribute] = {
            "magic": IntegerAttr(next(self._magics), i64),
            "subgraph": IntegerAttr(subgraph, i64),
            "is_cube": IntegerAttr(int(is_cube), i1),
        }
        if offset is not None:
            properties["offsets"] = DenseArrayBase.from_list(i64, [offset, 0])
        if memory is None:
            properties["into"] = DenseArrayBase.from_list(i1, [1])
        op = OPERATION_BY_MNEMONIC[mnemonic].create(
            operands=[*inputs, *([self._target] if memory is None else [])],
            result_types=[] if memory is None else [_type(memory)],
            properties=properties,
        )
        self._block.add_op(op)
        return op.results[0] if op.results else self._target


def one_class(ops: int, soc: str) -> ModuleOp:
    """Multiplications that all read the same tile of the right matrix, each with vector work behind it."""
    kernel = Kernel()
    for place in range(ops // 9):
        kernel.vector(kernel.cube(kernel.source, kernel.source, 64 * place), is_last=True)
    return kernel.module(soc)


def classes_of_one(ops: int, soc: str) -> ModuleOp:
    """A binary tree of subgraphs, each of whose paths to the root is another word of two opcodes."""
    kernel = Kernel()
    tensors: list[SSAValue] = [kernel.source]
    for place in range(1, ops // 9):
        product = kernel.cube(tensors[place // 2], kernel.source)
        tensors.append(kernel.vector(product, "exp" if place % 2 else "abs"))
    for tensor in tensors[len(tensors) // 2 :]:
        kernel.vector(tensor, is_last=True)
    return kernel.module(soc)


def chain(ops: int, soc: str) -> ModuleOp:
    """Cube and vector subgraphs, each of which reads what the one before it writes."""
    kernel = Kernel()
    tensor = kernel.source
    for place in range(ops // 9):
        tensor = kernel.vector(kernel.cube(tensor, kernel.source), is_last=place == ops // 9 - 1)
    return kernel.module(soc)


def fan(ops: int, soc: str) -> ModuleOp:
    """One product that all other subgraphs read, for the vector and for the cube core."""
    kernel = Kernel()
    product = kernel.cube(kernel.source, kernel.source)
    for place in range(ops // 12):
        kernel.vector(kernel.cube(product, kernel.source, 64 * place), is_last=True)
        kernel.vector(product, "abs", is_last=True)
    return kernel.module(soc)


HARD_GRAPHS = {"one class": one_class, "classes of one": classes_of_one, "chain": chain, "fan": fan}
"""Builders of modules by the name of their shape; they take the number of ops and the chip."""
