"""From a function of a dump to a function of the dialect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from xdsl.ir import Attribute, Block, Region, SSAValue

from dialect.ops import BufferOp, FuncOp
from tools.formats.pypto_json.decoders import Decoders
from tools.formats.pypto_json.interned import Interned
from tools.formats.pypto_json.operations import OperationBuilder
from tools.formats.pypto_json.places import FunctionPlace
from tools.formats.pypto_json.schema import PASS_OPTIONS, Cast, Function
from tools.formats.pypto_json.tensors import TensorTable
from tools.formats.pypto_json.topological_order import CycleError, stable_order

_SHOWN_OF_CYCLE = 16


def build_function(position: int, function: Function, decoders: Decoders) -> FuncOp:
    """The tile function for `function`, which stands at `position` in its file.

    Ops keep the order of the file unless a reader stands before a writer of its tensor; then the order is the nearest
    one in which none does. A tensor that is incast and outcast at once is an `ins` argument only, as the dump itself
    lets incast win (JSON format, section 5); one that stands twice in a list is one argument.

    Raises:
        DumpError: repeated or dangling magics, unknown opcodes, attributes of the wrong form, a cycle.

    Notes:
        Linear in ops and operands where the file's order can be kept.
    """
    place = FunctionPlace(position, function.func_magicname)
    tensors = TensorTable(function, place, decoders)
    _check_operations(function, place, tensors)
    incasts = _cast_magics(function.incasts, place, "incasts", tensors)
    outcasts = _cast_magics(function.outcasts, place, "outcasts", tensors)
    arguments = list(dict.fromkeys([*incasts, *outcasts]))
    order = _order(function, place)

    block = Block(arg_types=[tensors[magic].type for magic in arguments])
    values: dict[int, SSAValue] = dict(zip(arguments, block.args, strict=True))
    for magic, argument in values.items():
        argument.name_hint = _name_hint(tensors[magic].name)
    for magic in _buffered_tensors(function, order, values):
        buffer = BufferOp(tensors[magic].type, tensors.own_properties(magic))
        values[magic] = buffer.tensor
        block.add_op(buffer)
    builder = OperationBuilder(place, tensors, values, decoders)
    block.add_ops([builder.build(index, function.operations[index]) for index in order])
    read = FuncOp(
        function.func_magicname,
        Region(block),
        len(incasts),
        magic=function.funcmagic,
        tensor_properties=[tensors.own_properties(magic) for magic in arguments],
        pass_options=_pass_options(function, decoders.interned),
    )
    read.argument_names = tuple(tensors[magic].name for magic in arguments)
    return read


def _name_hint(name: str | None) -> str | None:
    """`name` as a value name, if it can be one, without a suffix like `_1`: the printer adds them to repeated names."""
    while name and name.isascii() and SSAValue.is_valid_name(name):
        stem = SSAValue.extract_valid_name(name)
        if stem == name:
            return name
        name = stem
    return None


def _check_operations(function: Function, place: FunctionPlace, tensors: TensorTable) -> None:
    """Every op has a magic of its own, and every operand is a tensor of the function."""
    known = tensors.magics
    seen: dict[int, int] = {}
    for index, operation in enumerate(function.operations):
        first = seen.setdefault(operation.opmagic, index)
        if first != index:
            raise place.operation_error(
                index, operation, ".opmagic", f"operations[{first}] has this magic too; expected unique magics"
            )
        if known.issuperset(operation.ioperands) and known.issuperset(operation.ooperands):
            continue
        for key, magics in (("ioperands", operation.ioperands), ("ooperands", operation.ooperands)):
            for position, magic in enumerate(magics):
                if magic not in known:
                    raise place.operation_error(index, operation, f".{key}[{position}]", _dangling(magic))


def _dangling(magic: int) -> str:
    return f"there is no tensor {magic}; expected the magic of an entry of 'tensors'"


def _cast_magics(casts: Sequence[Cast], place: FunctionPlace, key: str, tensors: TensorTable) -> list[int]:
    """The magics of incasts or outcasts in order, each once."""
    for index, (magic, _) in enumerate(casts):
        if magic not in tensors.magics:
            raise place.error(f".{key}[{index}][0]", _dangling(magic))
    return list(dict.fromkeys([magic for magic, _ in casts]))


def _order(function: Function, place: FunctionPlace) -> Sequence[int]:
    operations = function.operations
    try:
        return stable_order(
            [operation.ioperands for operation in operations], [operation.ooperands for operation in operations]
        )
    except CycleError as error:
        cycle = [operations[index] for index in reversed(error.operations)]
        names = [f"{operation.opcode} {operation.opmagic}" for operation in cycle[:_SHOWN_OF_CYCLE]]
        if len(cycle) > _SHOWN_OF_CYCLE:
            names.append(f"… {len(cycle) - _SHOWN_OF_CYCLE} more")
        raise place.error(
            ".operations", f"the ops form a cycle, each writes what the next reads: {' -> '.join([*names, names[0]])}"
        ) from None


def _buffered_tensors(function: Function, order: Iterable[int], arguments: Iterable[int]) -> Iterable[int]:
    """The tensors that are neither argument nor written exactly once, in order of first use."""
    writers = Counter([magic for operation in function.operations for magic in operation.ooperands])
    excluded = {magic for magic, count in writers.items() if count == 1}.union(arguments)
    buffered: dict[int, None] = {}
    for index in order:
        operation = function.operations[index]
        for magics in (operation.ioperands, operation.ooperands):
            if not excluded.issuperset(magics):
                buffered |= dict.fromkeys([magic for magic in magics if magic not in excluded])
    return buffered


def _pass_options(function: Function, interned: Interned) -> dict[str, Attribute]:
    values = {name: getattr(function, name) for name in PASS_OPTIONS}
    return {
        name: interned.string(value) if isinstance(value, str) else interned.integer(value)
        for name, value in values.items()
        if value is not None
    }
