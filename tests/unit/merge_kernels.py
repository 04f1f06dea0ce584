"""Partitioned functions written down by hand, for tests of the merges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tile_modules import parse_text
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from dialect.ops import functions_of

TILE = "16x16xf32"


@dataclass
class Kernel:
    """A function under construction. Tensors are 16x16xf32 and named; those that several ops write are `outs`."""

    soc: str = "a2a3"
    compat: str = "pypto"
    ins: Sequence[str] = ("x",)
    outs: Sequence[str] = ("y",)
    magic: int = 8
    pass_options: str = ""
    lines: list[str] = field(default_factory=list[str])

    def op(self, mnemonic: str, inputs: str, output: str, subgraph: int | None = None, **more: str) -> None:
        """An op; `output` is `name memory`, or the name of an existing tensor.

        `more` are properties as text; of them, `at` is the offset of a window and `shape` that of the result.
        """
        shape, offset = more.pop("shape", TILE), more.pop("at", "0, 0")
        carried = dict(more)
        if subgraph is not None:
            carried = {"subgraph": str(subgraph), **carried}
        properties = ", ".join(f"{name} = {value}" for name, value in carried.items())
        suffix = f" {{{properties}}}" if properties else ""
        operands = ", ".join(f"%{name}" for name in inputs.split())
        name, _, memory = output.partition(" ")
        window = f"[{offset}]"
        if mnemonic in ("view", "slice"):
            operands += window
        if memory:
            target = f" into _{window}" if mnemonic in ("assemble", "contract") else ""
            self.lines.append(f"%{name} = tile.{mnemonic} {operands}{target}{suffix} : !tile.tensor<{shape}, {memory}>")
        else:
            target = window if mnemonic in ("assemble", "contract") else ""
            self.lines.append(f"tile.{mnemonic} {operands} into %{name}{target}{suffix}")

    def module(self) -> ModuleOp:
        """The verified module."""
        ins = ", ".join(f"%{name} : !tile.tensor<{TILE}, ddr>" for name in self.ins)
        outs = ", ".join(f"%{name} : !tile.tensor<{TILE}, ddr>" for name in self.outs)
        options = f" attributes {{pass_options = {{{self.pass_options}}}}}" if self.pass_options else ""
        body = "\n  ".join(self.lines)
        return parse_text(
            f'builtin.module attributes {{tile.soc = "{self.soc}", tile.compat = "{self.compat}"}} {{\n'
            f"tile.func @k magic({self.magic}) ins({ins}) outs({outs}){options} {{\n  {body}\n}}\n}}"
        )


def apply(module: ModuleOp, *passes: ModulePass) -> ModuleOp:
    """The module after the passes, verified after each."""
    for one in passes:
        one.apply(Context(), module)
        module.verify()
    return module


def subgraphs(module: ModuleOp) -> list[int | None]:
    """The subgraph of each op, in text order."""
    return [op.subgraph for function in functions_of(module) for op in function.operations()]


def subgraph_count(module: ModuleOp) -> int:
    """How many subgraphs there are."""
    return len(set(subgraphs(module)))


def members(module: ModuleOp) -> Mapping[int | None, list[str]]:
    """Per subgraph, its opcodes in text order."""
    found: dict[int | None, list[str]] = {}
    for function in functions_of(module):
        for op in function.operations():
            found.setdefault(op.subgraph, []).append(op.opcode.name)
    return found
