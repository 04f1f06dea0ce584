"""L1CopyInReuseMerge: cube subgraphs are merged that copy the same tiles, then those that look alike.

Source: merge passes, chapter 3.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from dialect.opcodes import OPCODE_BY_NAME
from dialect.operation import TileOperation
from dialect.pass_options import MergeSetting, Side
from dialect.values import boolean_of
from transforms.classes import SubgraphClasses, class_name, number_classes, operation_hashes, subgraph_hashes
from transforms.graph_partition.ordered_graph import OrderedGraph
from transforms.merging.copy_ins import find_copy_ins
from transforms.merging.cube_groups import OPTION as CUBE_OPTION
from transforms.merging.cube_groups import cube_numbers, cube_runs
from transforms.merging.duplicate_copies import duplicate_copies
from transforms.merging.graph_reduction import (
    Reduction,
    without_common_operations,
    without_dead_operations,
)
from transforms.merging.guards import CycleGuard, MergeGuard, Merging, Refusal, merge_runs
from transforms.merging.l1_reuse import OPTION as REUSE_OPTION
from transforms.merging.l1_reuse import (
    Limit,
    ReuseFacts,
    ReuseReason,
    ReuseResult,
    latest_producers,
    reuse_limits,
    reuse_sides,
    reuse_step,
)
from transforms.merging.merge_counts import Chosen, integers_ask_nothing, names_ask_nothing
from transforms.merging.subgraph_ids import check_every_op_has_one
from transforms.subgraph_graph import describe_cycle, smallest_first_order, subgraph_graph
from transforms.tensor_facts import TensorFacts

MakeGuards = Callable[[OrderedGraph, Sequence[int], int, Sequence[Mapping[int, int]]], Sequence[MergeGuard]]
"""Makes guards for the operations, the old id of each, the number of old ids, and what each subgraph copies to L1."""


@dataclass(frozen=True, slots=True)
class L1Parameters:
    """Parameters of the merge.

    Attributes:
        reuse, cube: `cube_l1_reuse_setting` and `cube_nbuffer_setting`.
        function_magic: the number in the names of this function's classes.
        volume_bound: `mg_copyin_upper_bound`, bytes.
        aic_cores: the number of cube cores of the chip.
        compat: the rules.
        enable_slice: whether SLICE stands where VIEW stands otherwise.
    """

    reuse: MergeSetting
    cube: MergeSetting
    function_magic: int
    volume_bound: int
    aic_cores: int
    compat: Compat
    enable_slice: bool = False


@dataclass(slots=True)
class Steps:
    """What the steps of the merge found; subgraphs by their *old id*, the rank of their id before the pass.

    Attributes:
        ordered: the operations that the steps see: without those that are computed twice.
        subgraphs: per index of `ordered`, the old id.
        count: the number of old ids.
        reuse_classes: the classes before the L1 step; None where the shipped compiler names none.
        limits: per subgraph, the limit of the L1 step; empty if it did not run.
        sides: per subgraph, the matrix side that alone counted; empty if the L1 step did not run.
        reasons: per subgraph that joined no other for a common tile, why.
        reuse_roots: per subgraph, where it is after the L1 step.
        volumes: per subgraph, the bytes of its copies before the merge.
        copies: per subgraph, the bytes of each tile that it copies; tiles are numbers, equal for equal places.
        cube_classes: the classes before the cube step; None if neither step ran and no names are wanted.
        names_cube_classes: whether ops get the names of these classes, which the shipped compiler only gives if the L1
            step ran.
        numbers: per class of the cube step, what was asked for; empty if it did not run.
        cube_volumes: per class of the cube step, the bytes that the member copies that is taken first; as `numbers`.
        roots: per subgraph, where it is in the end.
        refusals: the merges that a guard did not allow.
    """

    ordered: OrderedGraph
    subgraphs: Sequence[int]
    count: int
    reuse_classes: SubgraphClasses | None = None
    limits: Sequence[Limit] = ()
    sides: Sequence[Side | None] = ()
    reasons: Mapping[int, ReuseReason] = field(default_factory=dict[int, ReuseReason])
    reuse_roots: Sequence[int] = ()
    volumes: Sequence[int] = ()
    copies: Sequence[Mapping[int, int]] = ()
    cube_classes: SubgraphClasses | None = None
    names_cube_classes: bool = False
    numbers: Sequence[Chosen] = ()
    cube_volumes: Sequence[int] = ()
    roots: Sequence[int] = ()
    refusals: Sequence[Refusal] = ()

    def reuse_root(self, subgraph: int) -> int:
        """Where a subgraph is after the L1 step."""
        return self.reuse_roots[subgraph] if self.reuse_roots else subgraph

    def units_after_reuse(self) -> list[int]:
        """Per index of `ordered`, the subgraph that the op is in after the L1 step."""
        return [self.reuse_root(subgraph) for subgraph in self.subgraphs]


StableNames = Callable[[str, Steps, SubgraphClasses], Mapping[str, Collection[int]]]
"""Tells which classes the stable names of an option's setting mean, when the steps have come so far."""


def no_stable_names(option: str, steps: Steps, classes: SubgraphClasses) -> Mapping[str, Collection[int]]:
    """What settings without stable names mean."""
    return {}


@dataclass(frozen=True, slots=True)
class L1Merge:
    """What the merge decided.

    Attributes:
        ordered: the operations that are left, reading what they read now.
        old_subgraphs, subgraphs: per index of `ordered`, the old and the new id.
        count: the number of subgraphs.
        common, dead, duplicates: the operations of the graph that are gone, by the reason.
        moved_windows: per operation that is a view of a replaced tensor, what is taken from its offsets.
        steps: how it came to that.
    """

    ordered: OrderedGraph
    old_subgraphs: Sequence[int]
    subgraphs: Sequence[int]
    count: int
    common: Sequence[int]
    dead: Sequence[int]
    duplicates: Sequence[int]
    moved_windows: Mapping[int, tuple[int, ...]]
    steps: Steps


def l1_copy_in_reuse_merge(
    ordered: OrderedGraph,
    operations: Sequence[TileOperation],
    tensors: TensorFacts,
    subgraphs: Sequence[int],
    labels: Sequence[str | None],
    outcasts: frozenset[int],
    parameters: L1Parameters,
    *,
    stable_names: StableNames = no_stable_names,
    marks: Sequence[Sequence[int]] | None = None,
    make_guards: MakeGuards | None = None,
) -> L1Merge:
    """Merge cube subgraphs, and leave out what is copied or computed twice within one.

    Args:
        operations: per operation of the graph, not per index, its IR.
        subgraphs, labels: per index, the id and the semantic label; ids may have gaps.
        outcasts: the tensors that the function returns.
        marks: per index, numbers that tell classes apart besides hashes.
        make_guards: makes what may refuse a merge.

    Raises:
        PassFailedException: an operation without a subgraph, a number out of range, a copy to L1 that is none of the
            known ones, subgraphs that depend on one another in a cycle, or what the reference cannot do.

    Notes:
        O((operations + operands) log subgraphs), besides the guards.
    """
    common = without_common_operations(ordered, operations, tensors, subgraphs, outcasts, parameters.compat)
    place_of = dict(zip(ordered.order, range(ordered.operation_count), strict=True))
    places = [place_of[operation] for operation in common.ordered.order]
    merger = _L1Merger(
        common,
        operations,
        tensors,
        [subgraphs[place] for place in places],
        [labels[place] for place in places],
        outcasts,
        parameters,
        stable_names,
        None if marks is None else [marks[place] for place in places],
        make_guards,
    )
    return merger.run()


class _L1Merger:
    def __init__(
        self,
        common: Reduction,
        operations: Sequence[TileOperation],
        tensors: TensorFacts,
        given: Sequence[int],
        labels: Sequence[str | None],
        outcasts: frozenset[int],
        parameters: L1Parameters,
        stable_names: StableNames,
        marks: Sequence[Sequence[int]] | None,
        make_guards: MakeGuards | None,
    ) -> None:
        self._common = common
        self._ordered = common.ordered
        self._operations = operations
        self._tensors = tensors
        self._labels = labels
        self._outcasts = outcasts
        self._parameters = parameters
        self._stable_names = stable_names
        self._marks = marks
        self._make_guards = make_guards
        self._before = sorted(set(given))
        rank = {subgraph: place for place, subgraph in enumerate(self._before)}
        self._subgraphs = [rank[subgraph] for subgraph in given]
        self._count = len(self._before)

    def run(self) -> L1Merge:
        parameters = self._parameters
        has_labels = bool(parameters.reuse.by_label or parameters.cube.by_label)
        skips = _asks_nothing(parameters.reuse) and _asks_nothing(parameters.cube) and not has_labels
        if skips and parameters.compat is Compat.PYPTO:
            return self._finish(Merging(self._count, ()), self._new_steps())
        check_every_op_has_one(self._ordered, [self._before[subgraph] for subgraph in self._subgraphs])
        facts = self._facts()
        result = self._merge(facts, skips, guarded=False)
        cycle = self._cycle(result)
        if cycle is None:
            return result
        if parameters.compat is Compat.PYPTO:
            raise PassFailedException(f"subgraphs depend on one another in a cycle after the merge: {cycle}")
        return self._merge(facts, skips, guarded=True)

    def _facts(self) -> ReuseFacts:
        ordered, subgraphs, count = self._ordered, self._subgraphs, self._count
        view_opcode = OPCODE_BY_NAME["SLICE" if self._parameters.enable_slice else "VIEW"].number
        self._copy_ins = find_copy_ins(ordered, self._operations, self._tensors, view_opcode)
        copies: list[list[int]] = [[] for _ in range(count)]
        volumes = [0] * count
        for index, volume in self._copy_ins.volumes.items():
            copies[subgraphs[index]].append(index)
            volumes[subgraphs[index]] += volume
        first_not_cube = [-1] * count
        for index in range(ordered.operation_count - 1, -1, -1):
            if boolean_of(self._operations[ordered.order[index]].properties.get("is_cube")) is False:
                first_not_cube[subgraphs[index]] = index
        hashes = subgraph_hashes(operation_hashes(ordered), subgraphs, count, None, self._marks)
        classes = number_classes(hashes, [subgraph for subgraph in range(count) if copies[subgraph]])
        latest = latest_producers(ordered, subgraphs, count)
        return ReuseFacts(classes, hashes, copies, volumes, first_not_cube, latest)

    def _merge(self, facts: ReuseFacts, skips: bool, *, guarded: bool) -> L1Merge:
        parameters, ordered = self._parameters, self._ordered
        guards: list[MergeGuard] = []
        copies = self._copies(facts)
        if guarded:
            graph = subgraph_graph(ordered, self._subgraphs, self._count)
            if len(smallest_first_order(graph)) < self._count:
                raise PassFailedException(
                    f"subgraphs depend on one another in a cycle before the merge: {describe_cycle(graph)}"
                )
            guards.append(CycleGuard(graph))
        if self._make_guards is not None:
            guards.extend(self._make_guards(ordered, self._subgraphs, self._count, copies))
        merging = Merging(self._count, guards)
        steps = self._new_steps()
        steps.reuse_classes, steps.volumes, steps.copies = facts.classes, facts.volumes, copies
        lists: Sequence[Sequence[int]] = facts.classes.members
        classes, volumes = facts.classes, facts.volumes
        wants_reuse = bool(parameters.reuse.by_label) or not _counts_nothing(parameters.reuse)
        reuses = not skips and wants_reuse and bool(classes.members)
        if reuses:
            reused = self._reuse_step(facts, merging, steps)
            classes, lists, volumes, steps.reasons = reused.classes, reused.lists, reused.volumes, reused.reasons
            steps.reuse_roots = list(merging.target_of)
        steps.cube_classes = classes
        steps.names_cube_classes = reuses or parameters.compat is Compat.PUBLISHED
        if not skips:
            self._cube_step(classes, lists, volumes, merging, steps)
        return self._finish(merging, steps)

    def _new_steps(self) -> Steps:
        return Steps(self._ordered, self._subgraphs, self._count)

    def _copies(self, facts: ReuseFacts) -> list[dict[int, int]]:
        features, volumes = self._copy_ins.features, self._copy_ins.volumes
        return [{features[index]: max(0, volumes[index]) for index in copies} for copies in facts.copies]

    def _reuse_step(self, facts: ReuseFacts, merging: Merging, steps: Steps) -> ReuseResult:
        parameters, classes = self._parameters, facts.classes
        labelled = self._labelled(range(self._count))
        named = self._stable_names(REUSE_OPTION, steps, classes)
        steps.limits = reuse_limits(
            parameters.reuse,
            parameters.function_magic,
            classes,
            labelled,
            named,
            aic_cores=parameters.aic_cores,
            others=self._before[-1] + 1 - self._count,
            compat=parameters.compat,
        )
        steps.sides = reuse_sides(parameters.reuse, parameters.function_magic, classes, labelled, named)
        bound = parameters.volume_bound
        return reuse_step(facts, self._copy_ins, steps.limits, steps.sides, bound, merging, parameters.compat)

    def _cube_step(
        self,
        classes: SubgraphClasses,
        lists: Sequence[Sequence[int]],
        volumes: Sequence[int],
        merging: Merging,
        steps: Steps,
    ) -> None:
        parameters = self._parameters
        labelled = self._labelled(merging.target_of)
        named = self._stable_names(CUBE_OPTION, steps, classes)
        steps.cube_volumes = [volumes[members[0]] for members in lists]
        steps.numbers = cube_numbers(
            parameters.cube, parameters.function_magic, classes, labelled, named, parameters.compat
        )
        names = [class_name(parameters.function_magic, order) for order in range(len(lists))]
        runs = cube_runs(
            lists, steps.numbers, volumes, parameters.volume_bound, parameters.aic_cores, names, parameters.compat
        )
        merge_runs(merging, [run for runs_of_class in runs for run in runs_of_class])

    def _labelled(self, unit_of: Sequence[int]) -> dict[str, set[int]]:
        """Per label, where the subgraphs are now that hold it; `unit_of` per subgraph."""
        labelled: dict[str, set[int]] = {}
        for label, subgraph in zip(self._labels, self._subgraphs, strict=True):
            if label:
                labelled.setdefault(label, set()).add(unit_of[subgraph])
        return labelled

    def _finish(self, merging: Merging, steps: Steps) -> L1Merge:
        ordered, parameters = self._ordered, self._parameters
        steps.roots, steps.refusals = merging.roots(), merging.refusals
        old_of = dict(zip(ordered.order, self._subgraphs, strict=True))
        duplicates: list[int] = []
        inputs: dict[int, tuple[int, ...]] = {}
        if steps.reuse_roots:
            merged = [steps.reuse_roots[subgraph] for subgraph in self._subgraphs]
            found = duplicate_copies(ordered, self._tensors, merged, self._copy_ins, parameters.compat)
            duplicates = [ordered.order[index] for index in found.kept]
            inputs = {ordered.order[index]: read for index, read in found.inputs.items()}
        rest = without_dead_operations(
            ordered, self._operations, self._outcasts, parameters.compat, inputs=inputs, deleted=duplicates
        )
        old_subgraphs = [old_of[operation] for operation in rest.ordered.order]
        living = sorted({steps.roots[subgraph] for subgraph in old_subgraphs if self._before[subgraph] >= 0})
        new_id = {subgraph: rank for rank, subgraph in enumerate(living)}
        return L1Merge(
            rest.ordered,
            old_subgraphs,
            [new_id.get(steps.roots[subgraph], -1) for subgraph in old_subgraphs],
            len(living),
            self._common.common,
            [*self._common.dead, *rest.dead],
            duplicates,
            self._common.moved_windows,
            steps,
        )

    def _cycle(self, result: L1Merge) -> str | None:
        graph = subgraph_graph(result.ordered, result.subgraphs, result.count)
        return None if len(smallest_first_order(graph)) == result.count else describe_cycle(graph)


def _asks_nothing(setting: MergeSetting) -> bool:
    return names_ask_nothing(setting) or integers_ask_nothing(setting)


def _counts_nothing(setting: MergeSetting) -> bool:
    """As `_asks_nothing`, but of numbers alone: a side does not make the L1 step run (merge passes, section 3.3)."""
    return names_ask_nothing(setting, whatever_side=True) or integers_ask_nothing(setting, whatever_side=True)
