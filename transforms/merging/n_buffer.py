"""NBufferMerge: vector subgraphs that look alike are merged, so many at a time (merge passes, chapter 2)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from dialect.opcodes import OPCODE_BY_NAME, OPCODES, CoreType
from dialect.pass_options import MergeSetting
from transforms.classes import SubgraphClasses, number_classes, operation_hashes, subgraph_hashes
from transforms.graph_partition.node_graph import NodeGraph
from transforms.graph_partition.ordered_graph import OrderedGraph
from transforms.merging.guards import CycleGuard, MergeGuard, Merging, Refusal, groups_by_root, merge_runs
from transforms.merging.merge_counts import (
    AUTOMATIC_KEY,
    DEFAULT_INTEGER,
    Chosen,
    check_count,
    counts_by_label,
    counts_by_order,
    has_names,
    integers_ask_nothing,
    names_ask_nothing,
)
from transforms.subgraph_graph import describe_cycle, smallest_first_order, subgraph_graph

OPTION = "vec_nbuffer_setting"
WIDE_SWITCH = -2

_IS_AIC = tuple(opcode.core is CoreType.AIC for opcode in OPCODES)
_RESHAPE = OPCODE_BY_NAME["RESHAPE"].number

Grouping = Literal["narrow", "wide"]


class Mode(NamedTuple):
    """How classes are merged: whether numbers are looked up in the setting, and how classes are divided before."""

    manual: bool
    grouping: Grouping


@dataclass(frozen=True, slots=True)
class NBufferParameters:
    """Parameters of the merge.

    Attributes:
        setting: `vec_nbuffer_setting`.
        function_magic: the number in the names of this function's classes.
        parallel_lower_bound: the automatic number leaves at least so many subgraphs of a class.
        compat: the rules.
        grouping: overrides how classes are divided.
        stable_names: tells which classes the stable names of the setting mean.
    """

    setting: MergeSetting
    function_magic: int
    parallel_lower_bound: int
    compat: Compat
    grouping: Grouping | None = None
    stable_names: Callable[[SubgraphClasses], Mapping[str, Collection[int]]] = field(default=lambda classes: {})


@dataclass(frozen=True, slots=True)
class NBufferMerge:
    """What the merge decided.

    Attributes:
        subgraphs: per index, the new id; negative as before.
        count: the number of subgraphs.
        classes: the classes of vector subgraphs before the merge, by old ids.
        numbers: per class, how many were asked for; empty if the merge is skipped.
        groups: per class, its old ids by the subgraph that they end in, which comes first.
        mode: how classes were divided, None if the merge is skipped.
        refusals: the merges that a guard did not allow.
        labels_without_class: labels of the setting that stand on subgraphs for the cube core only.
    """

    subgraphs: Sequence[int]
    count: int
    classes: SubgraphClasses
    numbers: Sequence[Chosen]
    groups: Sequence[Sequence[Sequence[int]]]
    mode: Mode | None
    refusals: Sequence[Refusal] = ()
    labels_without_class: Sequence[str] = ()


def vector_mode(setting: MergeSetting) -> Mode | None:
    """How `setting` wants classes merged; None to skip the merge.

    Raises:
        PassFailedException: the key -2 has another value than 1, or stands alone with it.

    Notes:
        Source: merge passes, section 2.1.
    """
    if has_names(setting):
        return None if names_ask_nothing(setting) and not setting.by_label else Mode(True, "wide")
    integers = setting.by_integer
    if not integers:
        return Mode(False, "narrow")
    if integers_ask_nothing(setting) and not setting.by_label:
        return None
    if WIDE_SWITCH not in integers:
        return Mode(True, "narrow")
    switch = integers[WIDE_SWITCH].count
    if switch == 0 and len(integers) == 1:
        return Mode(False, "wide")
    if switch != 1:
        raise PassFailedException(
            f"{OPTION}: the value of -2 is {switch}; expected 1, or 0 with no other integer key, for wide grouping"
        )
    if len(integers) == 1:
        raise PassFailedException(
            f"{OPTION}: -2 with the value 1 needs another integer key, such as -1 for the default"
        )
    return Mode(True, "wide")


def automatic_number(members: int, parallel_lower_bound: int) -> int:
    """How many subgraphs of a class are merged at a time if nobody says so.

    As many as leave at least `parallel_lower_bound` of `members`. Source: merge passes, section 2.4.
    """
    if members <= parallel_lower_bound:
        return 1
    number = -(-members // parallel_lower_bound)
    return number if -(-members // number) >= parallel_lower_bound else max(1, number - 1)


def vector_classes(
    ordered: OrderedGraph, subgraphs: Sequence[int], count: int, marks: Sequence[Sequence[int]] | None = None
) -> SubgraphClasses:
    """The classes of the subgraphs without an operation for the cube core.

    Those that only hold RESHAPE have the hash 0. Source: merge passes, section 2.3.
    """
    is_cube = bytearray(count)
    has_other = bytearray(count)
    is_vector_operation: list[bool] = []
    for opcode, subgraph in zip(ordered.opcodes, subgraphs, strict=True):
        cube = _IS_AIC[opcode]
        is_vector_operation.append(not cube)
        if subgraph >= 0:
            if cube:
                is_cube[subgraph] = True
            if opcode != _RESHAPE:
                has_other[subgraph] = True
    hashes = subgraph_hashes(operation_hashes(ordered), subgraphs, count, is_vector_operation, marks)
    hashes = [value if has_other[subgraph] else 0 for subgraph, value in enumerate(hashes)]
    return number_classes(hashes, [subgraph for subgraph in range(count) if not is_cube[subgraph]])


def n_buffer_merge(
    ordered: OrderedGraph,
    subgraphs: Sequence[int],
    labelled: Mapping[str, Collection[int]],
    parameters: NBufferParameters,
    *,
    marks: Sequence[Sequence[int]] | None = None,
    make_guards: Callable[[], Sequence[MergeGuard]] = tuple,
) -> NBufferMerge:
    """Merge the vector subgraphs of each class, so many at a time.

    Args:
        ordered: the function.
        subgraphs: per index, its subgraph; ids count from 0 without gaps, negative for none.
        labelled: per label, the subgraphs with an operation that carries it.
        marks: per index, numbers that tell classes apart besides hashes.
        make_guards: makes what may refuse a merge. Cycles need no guard: with published rules one is added if the
            result would have a cycle.

    Raises:
        PassFailedException: a number out of range, or subgraphs that depend on one another in a cycle.

    Notes:
        O((operations + operands) log subgraphs).
    """
    count = max(subgraphs, default=-1) + 1
    mode = vector_mode(parameters.setting)
    classes = vector_classes(ordered, subgraphs, count, marks)
    if mode is None:
        groups = [[[member] for member in members] for members in classes.members]
        return NBufferMerge(subgraphs, count, classes, [], groups, None)
    if parameters.grouping is not None:
        mode = Mode(mode.manual, parameters.grouping)
    graph = subgraph_graph(ordered, subgraphs, count)
    order = smallest_first_order(graph)
    if len(order) < count:
        raise PassFailedException(
            f"subgraphs depend on one another in a cycle before the merge: {describe_cycle(graph)}"
        )
    numbers, without_class = _numbers(parameters, mode, classes, labelled)
    if mode.grouping == "wide":
        positions = _positions(order)
        lists = [[sorted(members, key=positions.__getitem__)] for members in classes.members]
    else:
        neighbours = _neighbours(graph)
        lists = [_narrow_lists(members, *neighbours) for members in classes.members]
    runs = [
        run
        for value, number, members in zip(classes.hashes, numbers, lists, strict=True)
        if value and number.count
        for listed in members
        for run in _cut(listed, number.count)
    ]
    merging = Merging(count, make_guards())
    merge_runs(merging, runs)
    new_ids = _renumber(ordered, subgraphs, merging.target_of, parameters.compat)
    if new_ids is None and parameters.compat is Compat.PUBLISHED:
        merging = Merging(count, [CycleGuard(graph), *make_guards()])
        merge_runs(merging, runs)
        new_ids = _renumber(ordered, subgraphs, merging.target_of, parameters.compat)
    if new_ids is None:
        cycle = describe_cycle(subgraph_graph(ordered, _moved(subgraphs, merging.target_of), count))
        raise PassFailedException(f"subgraphs depend on one another in a cycle after the merge: {cycle}")
    return NBufferMerge(
        new_ids,
        max(new_ids, default=-1) + 1,
        classes,
        numbers,
        [groups_by_root(members, merging.target_of) for members in classes.members],
        mode,
        merging.refusals,
        without_class,
    )


def _numbers(
    parameters: NBufferParameters, mode: Mode, classes: SubgraphClasses, labelled: Mapping[str, Collection[int]]
) -> tuple[list[Chosen], list[str]]:
    """The number of each class, and the labels that stand on subgraphs without a class."""
    setting = parameters.setting
    numbers = [
        Chosen(automatic_number(len(members), parameters.parallel_lower_bound) if value else 1, AUTOMATIC_KEY)
        for value, members in zip(classes.hashes, classes.members, strict=True)
    ]
    if mode.manual:
        _check_values(setting)
        stable_names = parameters.stable_names(classes)
        stated = counts_by_order(setting, parameters.function_magic, len(numbers), stable_names)
        numbers = [stated.of(order) or number for order, number in enumerate(numbers)]
    units = [order if order >= 0 and classes.hashes[order] else -1 for order in classes.order_of]
    for order, chosen in counts_by_label(setting, labelled, units).items():
        numbers[order] = chosen
    without_class = [
        label for label in sorted(setting.by_label) if any(units[subgraph] < 0 for subgraph in labelled.get(label, ()))
    ]
    return numbers, without_class


def _check_values(setting: MergeSetting) -> None:
    if has_names(setting):
        for key, value in (*setting.by_name.items(), *setting.by_stable_name.items()):
            check_count(OPTION, key, value.count)
        return
    for key, value in setting.by_integer.items():
        if key not in (DEFAULT_INTEGER, WIDE_SWITCH):
            check_count(OPTION, str(key), value.count)


def _positions(order: Sequence[int]) -> list[int]:
    positions = [0] * len(order)
    for position, subgraph in enumerate(order):
        positions[subgraph] = position
    return positions


def _neighbours(graph: NodeGraph) -> tuple[list[int], list[int]]:
    """Per subgraph, the smallest other subgraph that it reads from, and the smallest that reads from it; -1 for none.

    Source: merge passes, section 2.2.
    """
    smallest_in = [-1] * graph.node_count
    smallest_out = [-1] * graph.node_count
    for sources, targets in zip(graph.sources, graph.targets, strict=True):
        for ends, others, smallest in ((targets, sources, smallest_in), (sources, targets, smallest_out)):
            for node in ends:
                other = others[0]
                if other == node:
                    if len(others) == 1:
                        continue
                    other = others[1]
                if smallest[node] < 0 or other < smallest[node]:
                    smallest[node] = other
    return smallest_in, smallest_out


def _narrow_lists(members: Sequence[int], smallest_in: Sequence[int], smallest_out: Sequence[int]) -> list[list[int]]:
    """Divide a class into members that share an input or an output neighbour (merge passes, section 2.6)."""
    by_input, by_output = _by_neighbour(members, smallest_in), _by_neighbour(members, smallest_out)
    table = by_input if len(by_input) <= len(by_output) else by_output
    return [table[key] for key in sorted(table)]


def _by_neighbour(members: Sequence[int], neighbours: Sequence[int]) -> dict[int, list[int]]:
    table: dict[int, list[int]] = {}
    private = 0
    for member in members:
        key = neighbours[member]
        if key < 0:
            private -= 1
            key = private
        table.setdefault(key, []).append(member)
    return table


def _cut(members: Sequence[int], size: int) -> list[Sequence[int]]:
    return [members[start : start + size] for start in range(0, len(members), size)]


def _moved(subgraphs: Sequence[int], target_of: Sequence[int]) -> list[int]:
    return [subgraph if subgraph < 0 else target_of[subgraph] for subgraph in subgraphs]


def _renumber(
    ordered: OrderedGraph, subgraphs: Sequence[int], target_of: Sequence[int], compat: Compat
) -> list[int] | None:
    """Per index, its final id, in topological order; None if the merged subgraphs form a cycle.

    With pypto rules, a subgraph whose latencies sum up to 0 counts as absorbed, and its operations fall into the first
    one. Source: merge passes, section 2.8.
    """
    moved = _moved(subgraphs, target_of)
    if compat is Compat.PYPTO:
        latencies = [0] * len(target_of)
        for subgraph, latency in zip(moved, ordered.latencies, strict=True):
            if subgraph >= 0:
                latencies[subgraph] += latency
        living = [subgraph for subgraph, latency in enumerate(latencies) if latency]
    else:
        living = sorted({subgraph for subgraph in moved if subgraph >= 0})
    rank = dict(zip(living, range(len(living)), strict=True))
    compact = [subgraph if subgraph < 0 else rank.get(subgraph, 0) for subgraph in moved]
    count = max(len(living), max(compact, default=-1) + 1)
    order = smallest_first_order(subgraph_graph(ordered, compact, count))
    if len(order) < count:
        return None
    positions = _positions(order)
    return [subgraph if subgraph < 0 else positions[subgraph] for subgraph in compact]
