"""Writes `docs/dialect.md` from the op classes: `python docs/make_dialect_page.py`; `--check` only compares."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from generated_page import write_or_check

from dialect.attributes import HashOrderAttr, ScalarAttr, StorageAttr
from dialect.directives import BeginOptionsOp, EndOptionsOp, ResetOptionsOp, SetPassOptionsOp, SetSemanticLabelOp
from dialect.elements import ELEMENTS, FloatType
from dialect.ops import OPERATION_CLASSES, BufferOp, FuncOp
from dialect.outlined import LaunchOp, LeafOp
from dialect.properties import CONVERT_PROPERTIES, OPERATION_PROPERTIES, TENSOR_PROPERTIES, WINDOW_PROPERTIES
from dialect.scopes import KernelOp, LoopOp, OptionsOp
from dialect.types import MEMORIES, TensorType

SCOPES = (KernelOp, LoopOp, OptionsOp)
DIRECTIVES = (SetPassOptionsOp, SetSemanticLabelOp, BeginOptionsOp, EndOptionsOp, ResetOptionsOp)

PAGE = Path(__file__).parent / "dialect.md"

SYNTAX = """```
op     ::= (results `=`)? `tile.`mnemonic (operand (`,` operand)*)? (`into` target (`,` target)*)?
           (`from` memory `to` memory)? dictionary? (`:` type (`,` type)*)?
operand, target ::= value window?        a target may be `_`, the place of a fresh result
window ::= `[` integers `]` (`dyn` `[` integers and quoted expressions `]`)?
launch ::= (results `=`)? `tile.launch` @leaf `(` operands? `)` (`into` target (`,` target)*)? dictionary? (`:` types)?
```"""


def _names(names: Iterable[object]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def page() -> Iterator[str]:
    """The lines of the page."""
    yield "# The dialect `tile`"
    yield ""
    yield "Made from the op classes by `docs/make_dialect_page.py`."
    yield ""
    yield "## Types and attributes"
    for attribute in (TensorType, FloatType, StorageAttr, HashOrderAttr, ScalarAttr):
        yield ""
        yield f"**{attribute.name}**: {' '.join((attribute.__doc__ or '').split())}"
    yield ""
    yield f"Memories: {_names(MEMORIES)}."
    yield f"Element types: {_names(str(element.type) for element in ELEMENTS)}."
    yield ""
    yield "## Syntax of ops"
    yield ""
    yield SYNTAX
    yield ""
    yield f"Properties of every op: {_names(OPERATION_PROPERTIES)}; of each tensor: {_names(TENSOR_PROPERTIES)};"
    yield f"of view-like and assemble-like ops: {_names(WINDOW_PROPERTIES)}; of CONVERT: {_names(CONVERT_PROPERTIES)}."
    for operation in (FuncOp, BufferOp, LeafOp, LaunchOp, *SCOPES, *DIRECTIVES):
        yield ""
        yield f"## {operation.name}"
        yield ""
        yield from (line.removeprefix("    ") for line in (operation.__doc__ or "").strip().splitlines())
    yield ""
    yield "## Opcodes"
    yield ""
    yield "| op | opcode | core | calculation | input memories | output memories |"
    yield "|---|---|---|---|---|---|"
    for operation in OPERATION_CLASSES:
        opcode = operation.opcode
        inputs, outputs = " ".join(opcode.input_memories), " ".join(opcode.output_memories)
        yield f"| `{operation.name}` | `{opcode.name}` | {opcode.core} | {opcode.calc} | {inputs} | {outputs} |"


if __name__ == "__main__":
    sys.exit(write_or_check(PAGE, page()))
