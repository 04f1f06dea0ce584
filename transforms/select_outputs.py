"""The pass `select-outputs`: keeps the chosen outcasts of functions, and only what they depend on.

Before (`outputs="y"`):

```mlir
tile.func @f ins(%x : !tile.tensor<64x64xf32, ddr>)
             outs(%y : !tile.tensor<64x64xf32, ddr>, %z : !tile.tensor<64x64xf32, ddr>) {
  %0 = tile.view %x[0, 0] : !tile.tensor<64x64xf32, ub>
  tile.assemble %0 into %y[0, 0]
  %1 = tile.exp %0 : !tile.tensor<64x64xf32, ub>
  tile.assemble %1 into %z[0, 0]
}
```

After:

```mlir
tile.func @f ins(%x : !tile.tensor<64x64xf32, ddr>) outs(%y : !tile.tensor<64x64xf32, ddr>) {
  %0 = tile.view %x[0, 0] : !tile.tensor<64x64xf32, ub>
  tile.assemble %0 into %y[0, 0]
}
```
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.utils.exceptions import PassFailedException

from dialect.collection import paused_collection
from dialect.compat import Compat
from dialect.ops import BufferOp, FuncOp
from transforms.eliminate_dead_operations import EliminateDeadOperations
from transforms.function_arguments import ArgumentPlace, find_arguments
from transforms.module_rules import compat_of, resolved_functions
from transforms.remarks import Remark, emit

_PASS_NAME = "select-outputs"


def select_outputs(places: Sequence[ArgumentPlace], compat: Compat) -> None:
    """Keep of each function that has a chosen outcast only the chosen ones, and what they depend on.

    Notes:
        O(operations log operations + operands) of these functions.
    """
    chosen: dict[FuncOp, set[int]] = {}
    for place in places:
        chosen.setdefault(place.function, set()).add(place.number)
    pattern = EliminateDeadOperations(compat)
    with paused_collection():
        for function, kept in chosen.items():
            outs = range(len(function.ins), len(function.arguments))
            dropped = [number for number in outs if number not in kept]
            if not dropped:
                continue
            shown = ", ".join(ArgumentPlace(function, number).name for number in dropped)
            emit(Remark(_PASS_NAME, "output", f"not chosen and removed: {shown}", function.symbol))
            _drop_outputs(function, dropped)
            pattern.match_and_rewrite(function, PatternRewriter(function))
            _remove_unused_buffers(function)


def _drop_outputs(function: FuncOp, numbers: Collection[int]) -> None:
    """Turn the outcasts with these argument numbers into buffers, which nobody outside reads."""
    block = function.body.block
    arguments, names = function.arguments, function.argument_names
    entries = function.properties_of_arguments()
    for number in sorted(numbers, reverse=True):
        argument = arguments[number]
        place = ArgumentPlace(function, number)
        buffer = BufferOp(place.type, entries[number])
        buffer.tensor.name_hint = argument.name_hint
        first = block.first_op
        if first is None:
            block.add_op(buffer)
        else:
            block.insert_op_before(buffer, first)
        argument.replace_all_uses_with(buffer.tensor)
        block.erase_arg(argument)
    kept = [index for index in range(len(names)) if index not in numbers]
    if any(entries):
        function.tensor_properties = ArrayAttr([DictionaryAttr(dict(entries[index])) for index in kept])
    function.argument_names = tuple(names[index] for index in kept)


def _remove_unused_buffers(function: FuncOp) -> None:
    for op in list(function.body.block.ops):
        if isinstance(op, BufferOp) and op.tensor.first_use is None:
            op.detach()
            op.erase()


@dataclass(frozen=True)
class SelectOutputsPass(ModulePass):
    """Keeps the chosen outcasts, in their order in the function, and removes what they do not depend on.

    Names are those of arguments, `#0` counts the outcasts, `@function/` before a name chooses a function. A function
    without a chosen outcast stays as it is.
    """

    name = _PASS_NAME

    outputs: str = ""
    """The outcasts to keep, such as "y,#2"; without any, all stay."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = resolved_functions(op)
        places: list[ArgumentPlace] = []
        for name in self.outputs.split(",") if self.outputs else ():
            if not name.strip():
                raise PassFailedException(f"outputs: '{self.outputs}' has an empty name")
            places += find_arguments(functions, name.strip(), outs=True)
        select_outputs(places, compat_of(op))
