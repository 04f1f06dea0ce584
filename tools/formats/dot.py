"""The target `dot`: tile functions as drawings for Graphviz (`dot -Tsvg`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.target import Target

from dialect.opcodes import OPCODES
from dialect.operation import TileOperation
from dialect.ops import FuncOp, functions_of
from dialect.types import TensorType
from dialect.values import integers_of
from tools.driver.errors import UserError
from transforms.graph import TileGraph
from transforms.graph_of_function import FunctionGraph, function_graph
from transforms.hints import HashOrder, hash_orders_of, subgraph_hash_orders
from transforms.inline_subgraphs import inlined
from transforms.partition_check import check_ids

_MOST_OPS = 300
_MOST_SUBGRAPHS = 40
"""Functions of more ops are drawn by subgraphs, those of more subgraphs by classes, unless the user says otherwise."""

_COLOURS = (
    "#aec7e8",
    "#ffbb78",
    "#98df8a",
    "#ff9896",
    "#c5b0d5",
    "#c49c94",
    "#f7b6d2",
    "#dbdb8d",
    "#9edae5",
    "#c7c7c7",
)


@dataclass(frozen=True)
class DotTarget(Target):
    """Draws each function as a graph for Graphviz: a box for each subgraph, coloured where a merge made it.

    Merged subgraphs of one class have one colour. Render with `dot -Tsvg`.
    """

    name = "dot"

    level: Literal["ops", "subgraphs", "classes"] | None = None
    """What the nodes are: ops in boxes for subgraphs, subgraphs, or sets of subgraphs that look alike (default: ops
    up to 300 ops, else subgraphs up to 40, else classes)."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        lines = [
            "digraph tile {",
            '  graph [fontname="Helvetica", compound=true]',
            '  node [fontname="Helvetica", fontsize=10, shape=box]',
            '  edge [color="#555555"]',
        ]
        for number, function in enumerate(functions_of(inlined(module))):
            drawing = _Drawing(f"f{number}", function)
            lines.append(f"  subgraph cluster_f{number} {{")
            lines.append(f"    label={_quoted('@' + function.symbol)}")
            lines += [f"    {line}" for line in drawing.lines(self._level(drawing))]
            lines.append("  }")
        lines.append("}")
        output.write("\n".join(lines) + "\n")

    def _level(self, drawing: _Drawing) -> str:
        if self.level in ("subgraphs", "classes") and not drawing.has_subgraphs and drawing.graph.operation_count:
            raise UserError(f"cannot draw {self.level}: no op has a subgraph; run graph-partition first")
        if self.level is not None:
            return self.level
        if drawing.graph.operation_count <= _MOST_OPS or not drawing.has_subgraphs:
            return "ops"
        return "subgraphs" if drawing.subgraph_count <= _MOST_SUBGRAPHS else "classes"


class _Drawing:
    """One function."""

    def __init__(self, prefix: str, function: FuncOp) -> None:
        self._prefix = prefix
        self._function: FunctionGraph = function_graph(function)
        self.graph: TileGraph = self._function.graph
        ids = [op.subgraph for op in self._function.operations]
        self._subgraphs = [-1 if subgraph is None else subgraph for subgraph in ids]
        self.has_subgraphs = max(self._subgraphs, default=-1) >= 0
        if self.has_subgraphs and (violations := check_ids(self.graph, self._subgraphs)):
            raise PassFailedException(f"@{function.symbol}: {violations[0].message}")
        self._members: dict[int, list[int]] = {}
        for operation, subgraph in enumerate(self._subgraphs):
            self._members.setdefault(subgraph, []).append(operation)
        self._orders = {
            subgraph: subgraph_hash_orders(
                hash_orders_of(self._function.operations[operation].properties.get("hashorder"))
                for operation in operations
            )
            for subgraph, operations in self._members.items()
        }
        self._carriers = _carriers(self._orders.values())
        self._colours: dict[tuple[str, str], str] = {}

    def lines(self, level: str) -> Iterator[str]:
        """The statements that draw the function."""
        if level == "ops":
            yield from self._clusters()
            nodes: Sequence[str] = [f"{self._prefix}_o{number}" for number in range(self.graph.operation_count)]
        else:
            groups = self._classes() if level == "classes" else [[subgraph] for subgraph in sorted(self._members)]
            yield from self._group_nodes(groups)
            group_of = {subgraph: group[0] for group in groups for subgraph in group}
            nodes = [f"{self._prefix}_s{group_of[subgraph]}" for subgraph in self._subgraphs]
        yield from self._links(nodes)

    @property
    def subgraph_count(self) -> int:
        """The number of subgraphs."""
        return len(self._members)

    def _classes(self) -> list[list[int]]:
        """The subgraphs with the same names, opcodes and cycles, in the order of their ops."""
        classes: dict[object, list[int]] = {}
        for subgraph, operations in sorted(self._members.items()):
            looks = tuple((self.graph.opcodes[operation], self.graph.latencies[operation]) for operation in operations)
            names = tuple(sorted(self._orders[subgraph].items()))
            classes.setdefault((looks, names), []).append(subgraph)
        return list(classes.values())

    def _clusters(self) -> Iterator[str]:
        for subgraph, operations in sorted(self._members.items()):
            indent = ""
            if subgraph >= 0:
                yield f"subgraph cluster_{self._prefix}_s{subgraph} {{"
                yield f"  label={_quoted(self._title(subgraph))}"
                yield f'  style="rounded,filled"; color="#888888"; fillcolor="{self._colour(subgraph)}"'
                indent = "  "
            for operation in operations:
                text = _operation_text(self._function.operations[operation])
                yield f'{indent}{self._prefix}_o{operation} [label={_quoted(text)}, style=filled, fillcolor="#ffffff"]'
            if subgraph >= 0:
                yield "}"

    def _group_nodes(self, groups: Iterable[Sequence[int]]) -> Iterator[str]:
        for group in groups:
            subgraph, operations = group[0], self._members[group[0]]
            cores = {str(OPCODES[self.graph.opcodes[operation]].core) for operation in operations} - {"ANY"}
            cycles = sum(self.graph.latencies[operation] for operation in operations)
            text = (
                f"{self._title(subgraph)}\n{len(operations)} ops, {cycles} cycles, {'+'.join(sorted(cores)) or 'AIV'}"
            )
            if len(group) > 1:
                text = f"{len(group)} times: as {text}"
            yield (
                f"{self._prefix}_s{subgraph} [label={_quoted(text)}, "
                f'style="rounded,filled", fillcolor="{self._colour(subgraph)}"]'
            )

    def _title(self, subgraph: int) -> str:
        lines = [f"subgraph {subgraph}"]
        for merge, order in self._orders[subgraph].items():
            now = self._carriers[merge, order.name]
            merged = f", {order.member_count} merged to {now}" if now < order.member_count else ""
            lines.append(f"{merge} {order.name}{merged}")
        return "\n".join(lines)

    def _colour(self, subgraph: int) -> str:
        """White, or the colour of the class if fewer subgraphs carry its name than it had members."""
        for merge, order in self._orders[subgraph].items():
            if self._carriers[merge, order.name] < order.member_count:
                key = merge, order.name
                return self._colours.setdefault(key, _COLOURS[len(self._colours) % len(_COLOURS)])
        return "#ffffff"

    def _links(self, nodes: Sequence[str]) -> Iterator[str]:
        """Edges from writers to readers of each tensor; arguments and tensors of several writers are nodes."""
        writers: list[list[str]] = [[] for _ in range(self.graph.tensor_count)]
        readers: list[list[str]] = [[] for _ in range(self.graph.tensor_count)]
        for node, inputs, outputs in zip(nodes, self.graph.inputs, self.graph.outputs, strict=True):
            for tensor in inputs:
                readers[tensor].append(node)
            for tensor in outputs:
                writers[tensor].append(node)
        drawn: dict[str, None] = {}
        for tensor, value in enumerate(self._function.tensors):
            writing, reading = dict.fromkeys(writers[tensor]), dict.fromkeys(readers[tensor])
            if isinstance(value, BlockArgument):
                if not writing and not reading:
                    continue
                node = f"{self._prefix}_t{tensor}"
                yield f"{node} [label={_quoted(_argument_text(value))}, shape=ellipse]"
            elif len(writing) > 1 and len(reading) > 1:
                node = f"{self._prefix}_t{tensor}"
                yield f"{node} [label={_quoted(_type_text(value))}, shape=plain]"
            else:
                edges = ((source, target) for source in writing for target in reading if source != target)
                drawn.update({f"{source} -> {target}": None for source, target in edges})
                continue
            drawn.update({f"{source} -> {node}": None for source in writing})
            drawn.update({f"{node} -> {target}": None for target in reading})
        yield from drawn


def _carriers(orders: Iterable[Mapping[str, HashOrder]]) -> dict[tuple[str, str], int]:
    """Per merge and class name, the number of subgraphs that carry it."""
    carriers: dict[tuple[str, str], int] = {}
    for of_subgraph in orders:
        for merge, order in of_subgraph.items():
            carriers[merge, order.name] = carriers.get((merge, order.name), 0) + 1
    return carriers


def _operation_text(op: TileOperation) -> str:
    text = op.opcode.name
    offsets = integers_of(op.properties.get("offsets"))
    if offsets is not None:
        text += f" [{', '.join(map(str, offsets))}]"
    if op.semantic_label:
        text += f"\n{op.semantic_label}"
    return text if not op.results else f"{text}\n{_type_text(op.results[0])}"


def _argument_text(argument: BlockArgument) -> str:
    return f"%{argument.name_hint or argument.index}\n{_type_text(argument)}"


def _type_text(value: SSAValue) -> str:
    type = value.type
    assert isinstance(type, TensorType)
    shape = "x".join("?" if extent < 0 else str(extent) for extent in type.shape)
    return f"{shape}{'x' if shape else ''}{type.element_type} {type.memory}"


def _quoted(text: str) -> str:
    """A quoted string of the DOT language; control characters become blanks, which Graphviz cannot draw."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + "".join(character if character.isprintable() else " " for character in escaped) + '"'
