"""The target `summary`: one table per function, one row per subgraph; readable in a terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from dialect.opcodes import OPCODES
from dialect.ops import FuncOp, functions_of
from tools.formats.markdown_table import markdown_table
from transforms.graph import TileGraph
from transforms.graph_of_function import graph_of
from transforms.inline_subgraphs import inlined
from transforms.module_rules import compat_of, target_of

_HEADINGS = ("subgraph", "core", "ops", "cycles", "class", "reads from", "read by")
_SHOWN_NEIGHBOURS = 6


@dataclass(slots=True)
class _Row:
    cores: set[str] = field(default_factory=set[str])
    ops: int = 0
    cycles: int = 0
    shape: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    producers: set[int] = field(default_factory=set[int])
    consumers: set[int] = field(default_factory=set[int])


@dataclass(frozen=True)
class SummaryTarget(Target):
    """Prints what each subgraph consists of and which subgraphs it exchanges tensors with.

    Subgraphs with the same opcodes and cycles, in the order of their ops, have the same letter as class.
    """

    name = "summary"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(f"rules: {compat_of(module)}, chip: {target_of(module).name}\n")
        functions = list(functions_of(inlined(module)))
        if not functions:
            output.write("no tile functions\n")
        for function in functions:
            output.write("\n" + _function_text(function))


def _function_text(function: FuncOp) -> str:
    graph, operations = graph_of(function)
    subgraphs = [op.subgraph for op in operations]
    ids = [-1 if subgraph is None else subgraph for subgraph in subgraphs]
    title = f"### @{function.symbol}\n\n"
    cycles = sum(graph.latencies)
    if None in subgraphs:
        missing = subgraphs.count(None)
        return f"{title}{len(ids)} ops, {cycles} cycles; {missing} ops without a subgraph (run graph-partition)\n"
    rows = _rows(graph, ids)
    total = f"{len(ids)} ops, {cycles} cycles, {len(rows)} subgraphs\n"
    if not rows:
        return title + total
    classes: dict[tuple[tuple[int, int], ...], str] = {}
    cells: list[Sequence[str]] = [_HEADINGS]
    for subgraph, row in sorted(rows.items()):
        name = classes.setdefault(tuple(row.shape), _letters(len(classes)))
        core = "+".join(sorted(row.cores)) or "AIV"
        cells.append(
            (
                str(subgraph),
                core,
                str(row.ops),
                str(row.cycles),
                name,
                _neighbours(row.producers - {subgraph}),
                _neighbours(row.consumers - {subgraph}),
            )
        )
    return f"{title}{total}\n{markdown_table(cells)}"


def _rows(graph: TileGraph, ids: Sequence[int]) -> dict[int, _Row]:
    rows: dict[int, _Row] = {}
    producers: dict[int, set[int]] = {}
    consumers: dict[int, set[int]] = {}
    for index, subgraph in enumerate(ids):
        row = rows.setdefault(subgraph, _Row())
        opcode = OPCODES[graph.opcodes[index]]
        if opcode.core != "ANY":
            row.cores.add(opcode.core)
        row.ops += 1
        row.cycles += graph.latencies[index]
        row.shape.append((opcode.number, graph.latencies[index]))
        for tensor in graph.outputs[index]:
            producers.setdefault(tensor, set()).add(subgraph)
        for tensor in graph.inputs[index]:
            consumers.setdefault(tensor, set()).add(subgraph)
    for tensor, writers in producers.items():
        readers = consumers.get(tensor, set[int]())
        for subgraph in writers:
            rows[subgraph].consumers |= readers
        for subgraph in readers:
            rows[subgraph].producers |= writers
    return rows


def _letters(number: int) -> str:
    name = ""
    while number >= 0:
        name = chr(ord("A") + number % 26) + name
        number = number // 26 - 1
    return name


def _neighbours(subgraphs: set[int]) -> str:
    shown = [str(subgraph) for subgraph in sorted(subgraphs)]
    if len(shown) > _SHOWN_NEIGHBOURS:
        return f"{', '.join(shown[:_SHOWN_NEIGHBOURS])}, … {len(shown) - _SHOWN_NEIGHBOURS} more"
    return ", ".join(shown) or "-"
