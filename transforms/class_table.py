"""The class table of `--explain`: what each class of a function is, what was asked of it, and what came out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from dialect.opcodes import OPCODES, CoreType
from dialect.types import MEMORY_NUMBERS, Memory
from transforms.classes import SubgraphClasses, class_name
from transforms.graph_partition.node_graph import NodeGraph
from transforms.graph_partition.ordered_graph import OrderedGraph
from transforms.merging.merge_counts import Chosen
from transforms.remarks import Remark, RemarkValue, emit
from transforms.stable_names import StableNames

_DDR = MEMORY_NUMBERS[Memory.DDR]
_SHOWN_SHAPES = 4
_SHOWN_NEIGHBOURS = 6


class Step(StrEnum):
    """The steps that number classes, each for itself."""

    VECTOR = "vector"
    L1_REUSE = "L1 reuse"
    CUBE = "cube"


@dataclass(frozen=True, slots=True)
class ClassedFunction:
    """A function and the classes that one step of a pass numbers in it.

    Attributes:
        function: its symbol name.
        ordered: the ops that the step sees.
        step: which step numbers them.
        magic: the number in the names of classes.
        classes: the classes.
        names: their stable names.
        unit_of: per index, the subgraph of `classes` that the op is in; negative for none.
        graph: how these subgraphs depend on one another.
        asked: per class, what was asked for; empty if the step is skipped.
        groups: per class, its members by the subgraph that they end in.
        shapes: per tensor, its extents.
        shared_bytes: per class, the bytes that its members copy to L1 more than once; empty where nothing is copied.
    """

    function: str
    ordered: OrderedGraph
    step: Step
    magic: int
    classes: SubgraphClasses
    names: StableNames
    unit_of: Sequence[int]
    graph: NodeGraph
    asked: Sequence[Chosen]
    groups: Sequence[Sequence[Sequence[int]]]
    shapes: Sequence[Sequence[int]]
    shared_bytes: Sequence[int] = ()


@dataclass(slots=True)
class _Row:
    ops: int = 0
    fewest_cycles: int = 0
    most_cycles: int = 0
    cores: str = ""
    shapes: Sequence[str] = ()
    reads: Sequence[str] = ()
    read_by: Sequence[str] = ()


def emit_class_table(pass_name: str, classed: ClassedFunction) -> None:
    """Emit one remark for each class. O(operations + operands)."""
    if not classed.classes.members:
        message = f"{classed.step}: no classes"
        emit(Remark(pass_name, "class-table", message, classed.function, {"step": str(classed.step)}))
        return
    for order, row in enumerate(_rows(classed)):
        emit(_remark(pass_name, classed, order, row))


def _remark(pass_name: str, classed: ClassedFunction, order: int, row: _Row) -> Remark:
    members = classed.classes.members[order]
    names = [class_name(classed.magic, order), *classed.names.of(order)]
    groups = classed.groups[order]
    largest = max(map(len, groups))
    asked = classed.asked[order] if classed.asked else None
    cycles = str(row.most_cycles)
    if row.fewest_cycles != row.most_cycles:
        cycles = f"{row.fewest_cycles}..{row.most_cycles}"
    lines = [
        f"{classed.step} class {', '.join(names)}",
        f"  {_count(len(members), 'subgraph')} of {_count(row.ops, 'op')}, {cycles} cycles, {row.cores}, "
        f"tiles {_shown(row.shapes, _SHOWN_SHAPES)}",
        f"  reads {_shown(row.reads, _SHOWN_NEIGHBOURS)}; read by {_shown(row.read_by, _SHOWN_NEIGHBOURS)}",
        f"  asked for: {_asked_text(asked)}; {_count(len(groups), 'group')}, the largest of {largest}",
    ]
    shared = classed.shared_bytes[order] if classed.shared_bytes else 0
    if shared:
        lines[1] += f", {shared} bytes copied to L1 more than once"
    details: dict[str, RemarkValue] = {
        "step": str(classed.step),
        "order": order,
        "names": tuple(names),
        "members": tuple(members),
        "ops": row.ops,
        "cycles": (row.fewest_cycles, row.most_cycles),
        "core": row.cores,
        "tile_shapes": tuple(row.shapes),
        "shared_bytes": shared,
        "reads": tuple(row.reads),
        "read_by": tuple(row.read_by),
        "asked": None if asked is None else asked.count,
        "key": None if asked is None else asked.key,
        "groups": len(groups),
        "largest_group": largest,
    }
    return Remark(pass_name, "class", "\n".join(lines), classed.function, details)


def _asked_text(asked: Chosen | None) -> str:
    if asked is None:
        return "nothing, the step is skipped"
    number = "by the number of cores" if asked.count < 0 else str(asked.count)
    return f"{number} ({asked.key})"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def _shown(texts: Sequence[str], limit: int) -> str:
    more = f", … {len(texts) - limit} more" if len(texts) > limit else ""
    return (", ".join(texts[:limit]) + more) or "nothing"


def _rows(classed: ClassedFunction) -> list[_Row]:
    ordered, classes = classed.ordered, classed.classes
    orders = [classes.order_of[unit] if unit >= 0 else -1 for unit in classed.unit_of]
    ops = [0] * len(classes.order_of)
    cycles = [0] * len(classes.order_of)
    cores: list[set[CoreType]] = [set() for _ in classes.members]
    shapes: list[dict[str, None]] = [{} for _ in classes.members]
    text_of: dict[Sequence[int], str] = {}
    memories = ordered.graph.memories
    for index, (unit, order) in enumerate(zip(classed.unit_of, orders, strict=True)):
        if order < 0:
            continue
        ops[unit] += 1
        cycles[unit] += ordered.latencies[index]
        cores[order].add(OPCODES[ordered.opcodes[index]].core)
        for tensor in ordered.outputs[index]:
            if memories[tensor] == _DDR:
                continue
            shape = classed.shapes[tensor]
            text = text_of.get(shape)
            if text is None:
                text = text_of[shape] = "x".join("?" if extent < 0 else str(extent) for extent in shape) or "scalar"
            shapes[order][text] = None
    reads, read_by = _neighbours(classed)
    return [
        _Row(
            max(ops[member] for member in members),
            min(cycles[member] for member in members),
            max(cycles[member] for member in members),
            "+".join(sorted(cores[order] & {CoreType.AIC, CoreType.AIV})) or "any core",
            list(shapes[order]),
            reads[order],
            read_by[order],
        )
        for order, members in enumerate(classes.members)
    ]


def _neighbours(classed: ClassedFunction) -> tuple[list[list[str]], list[list[str]]]:
    """Per class, the classes that it reads from and that read from it; subgraphs in no class count as one more."""
    classes = classed.classes
    reads: list[set[int]] = [set() for _ in classes.members]
    read_by: list[set[int]] = [set() for _ in classes.members]
    for sources, targets in zip(classed.graph.sources, classed.graph.targets, strict=True):
        from_orders = {classes.order_of[node] for node in sources}
        to_orders = {classes.order_of[node] for node in targets}
        for order in to_orders - {-1}:
            reads[order] |= from_orders
        for order in from_orders - {-1}:
            read_by[order] |= to_orders
    return _named(classed, reads), _named(classed, read_by)


def _named(classed: ClassedFunction, neighbours: Sequence[set[int]]) -> list[list[str]]:
    return [
        [class_name(classed.magic, order) for order in sorted(orders - {-1})] + ["others"] * (-1 in orders)
        for orders in neighbours
    ]


def shared_bytes(classes: SubgraphClasses, copies: Sequence[Mapping[int, int]]) -> list[int]:
    """Per class, the bytes that its members copy although another member copies the same tile.

    Args:
        copies: per subgraph, the bytes of each tile that it copies.
    """
    totals: list[int] = []
    for members in classes.members:
        distinct: dict[int, int] = {}
        total = 0
        for member in members:
            total += sum(copies[member].values())
            distinct.update(copies[member])
        totals.append(total - sum(distinct.values()))
    return totals
