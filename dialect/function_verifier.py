"""The checks that concern the ops of a function together."""

from __future__ import annotations

from xdsl.ir import Block, BlockArgument, SSAValue
from xdsl.utils.exceptions import VerifyException

from dialect.directives import BeginOptionsOp, Directive, EndOptionsOp
from dialect.operation import FIRST_MAGIC, INTO, TensorOperation, TileOperation


def verify_body(block: Block) -> list[TensorOperation]:
    """Check the body of a tile function; linear in ops and operands.

    Returns:
        the launches in it, which are to be checked against their leaves.

    Raises:
        VerifyException: an op that is not of the dialect; a value used before its definition; a destination that is
            neither an argument nor a buffer; a tensor written after it has been read; two ops with one magic; an
            options block that is not opened or not closed.
    """
    defined: dict[int, bool] = {id(argument): True for argument in block.args}
    shared = set(defined)
    """Tensors that several ops may write."""
    reader_of: dict[int, TensorOperation] = {}
    owner_of_magic: dict[int, TileOperation] = {}
    position = 0
    open_options = 0
    launches: list[TensorOperation] = []
    for op in block.ops:
        if not isinstance(op, TensorOperation):
            if isinstance(op, Directive):
                open_options += isinstance(op, BeginOptionsOp) - isinstance(op, EndOptionsOp)
                if open_options < 0:
                    raise VerifyException("tile.end_options stands where no tile.begin_options is open")
                continue
            if op.name != "tile.buffer":
                raise VerifyException(
                    f"a tile function holds tile ops, buffers, launches and directives, found {op.name}"
                )
            for result in op.results:
                defined[id(result)] = True
                shared.add(id(result))
            continue
        operands = op.operands
        for operand in operands:
            if id(operand) not in defined:
                raise VerifyException(f"{op.display_name} uses {_name(operand)} before its definition")
        if INTO in op.properties:
            for tensor in op.inputs:
                reader_of.setdefault(id(tensor), op)
            for tensor in op.destinations:
                if id(tensor) not in shared:
                    raise VerifyException(
                        f"{op.display_name} writes into {_name(tensor)}, which is neither an argument nor a tile.buffer"
                    )
                reader = reader_of.get(id(tensor))
                if reader is op:
                    raise VerifyException(f"{op.display_name} writes into {_name(tensor)}, which it reads itself")
                if reader is not None:
                    raise VerifyException(
                        f"{op.display_name} writes into {_name(tensor)} after {reader.display_name} has read it: "
                        "all writers of a tensor stand before all its readers"
                    )
        else:
            for operand in operands:
                reader_of.setdefault(id(operand), op)
        for result in op.results:
            defined[id(result)] = True
        if not isinstance(op, TileOperation):
            launches.append(op)
            continue
        stated = op.magic
        magic = FIRST_MAGIC + position if stated is None else stated
        other = owner_of_magic.setdefault(magic, op)
        if other is not op:
            raise VerifyException(
                f"{op.opcode.name} and {other.opcode.name} have the same magic {magic}: magics are unique in a function"
            )
        position += 1
    if open_options:
        raise VerifyException(f"{open_options} of the function's tile.begin_options without a tile.end_options")
    return launches


def _name(value: SSAValue) -> str:
    if value.name_hint:
        return f"%{value.name_hint}"
    if isinstance(value, BlockArgument):
        return f"argument {value.index}"
    owner = value.owner
    return f"the result of {owner.display_name}" if isinstance(owner, TensorOperation) else "a tensor"
