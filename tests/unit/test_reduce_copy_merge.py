"""ReduceCopyMerge: the shipped compiler's own tests as facts (merge passes, 7.3), exclusions, and refusals."""

from __future__ import annotations

import pytest
from merge_kernels import Kernel, apply, subgraph_count, subgraphs
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from dialect.ops import functions_of
from dialect.values import integer_of
from transforms.graph_partition.node_graph import NodeGraph
from transforms.merging.boundary_tensors import BoundaryTensor
from transforms.merging.mixing import MixingReason, mix_subgraphs
from transforms.merging.mixing_candidates import Candidate
from transforms.reduce_copy_merge import ReduceCopyMergePass
from transforms.remarks import collect_remarks

CUBE = {"is_cube": "true", "latency": "50"}
VECTOR = {"is_cube": "false", "latency": "50"}


class MixKernel(Kernel):
    """A kernel for A5 whose ops take 50 cycles each."""

    def __init__(self, outs: int, compat: str = "pypto") -> None:
        super().__init__(soc="a5", compat=compat, ins=("a", "b"), outs=tuple(f"y{place}" for place in range(outs)))

    def cube(
        self, number: int, inputs: str, result: str, marks: dict[str, str] | None = None, latency: int = 50
    ) -> None:
        """A product of two tensors in DDR, converted into `result`."""
        marks = CUBE if marks is None else marks
        left, _, right = inputs.partition(" ")
        self.op("view", left, f"l1a{number} l1", number, **marks)
        self.op("view", right or "b", f"l1b{number} l1", number, **marks)
        self.op("l1_to_l0a", f"l1a{number}", f"l0a{number} l0a", number, **marks)
        self.op("l1_to_l0b", f"l1b{number}", f"l0b{number} l0b", number, **marks)
        self.op("a_mul_b", f"l0a{number} l0b{number}", f"c{number} l0c", number, **{**marks, "latency": str(latency)})
        self.op("convert", f"c{number}", result, number, **marks)

    def vector(self, number: int, inputs: str, result: str, **more: str) -> None:
        """Two additions into `result`."""
        opcode = "add" if " " in inputs else "adds"
        self.op(opcode, inputs, f"v{number} ub", number, **VECTOR, **more)
        self.op("adds", f"v{number}", f"w{number} ub", number, **VECTOR, **more)
        self.op("assemble", f"w{number}", result, number, **VECTOR, **more)


def two_copies() -> ModuleOp:
    kernel = MixKernel(4)
    for copy in range(2):
        kernel.cube(3 * copy, "a b", f"p{copy} ub")
        for vector in (1, 2):
            kernel.vector(3 * copy + vector, f"p{copy}", f"y{2 * copy + vector - 1}")
    return kernel.module()


def unmarked(fuse: bool = False, latency: int = 50, result: str = "p ub") -> ModuleOp:
    """Cube 0 feeds subgraph 1, whose ops have no cube mark; vector 2 feeds vector 3."""
    kernel = MixKernel(2)
    kernel.cube(0, "a b", result, latency=latency)
    kernel.cube(1, "p b", "q ub", marks={"latency": "50"})
    kernel.op("assemble", "q", "y0", 1, latency="50")
    more = {"cv_fuse_id": "0"} if fuse else {}
    kernel.vector(2, "a", "r ddr", **more)
    kernel.vector(3, "r", "y1", **more)
    return kernel.module()


def protected_sink() -> ModuleOp:
    """Two chains of cube, vector, cube feed one sink."""
    kernel = MixKernel(1)
    for chain in range(2):
        kernel.cube(3 * chain, "a b", f"p{chain} ub")
        kernel.vector(3 * chain + 1, f"p{chain}", f"q{chain} ddr")
        kernel.cube(3 * chain + 2, f"q{chain} b", f"r{chain} ub")
    kernel.vector(6, "r0 r1", "y0")
    return kernel.module()


def collapsing_producers() -> ModuleOp:
    """One cube feeds two vectors, which feed one sink."""
    kernel = MixKernel(1)
    kernel.cube(0, "a b", "p ub")
    kernel.vector(1, "p", "q ddr")
    kernel.vector(2, "p", "r ddr")
    kernel.vector(3, "q r", "y0")
    return kernel.module()


def all_sinks() -> ModuleOp:
    """Two cubes each feed both of two sinks."""
    kernel = MixKernel(2)
    kernel.cube(0, "a b", "p ub")
    kernel.cube(1, "b a", "q ub")
    kernel.vector(2, "p q", "y0")
    kernel.vector(3, "p q", "y1")
    return kernel.module()


@pytest.mark.parametrize(
    ("module", "before", "after"),
    [
        (two_copies(), 6, 2),
        (unmarked(), 4, 3),
        (unmarked(fuse=True), 4, 2),
        (unmarked(latency=20_000_000), 4, 4),
        (protected_sink(), 7, 3),
        (collapsing_producers(), 4, 1),
        (all_sinks(), 4, 1),
    ],
    ids=["two-copies", "unmarked", "forced", "too-long", "protected-sink", "collapsing-producers", "all-sinks"],
)
def test_facts(module: ModuleOp, before: int, after: int) -> None:
    """The counts of subgraphs that the shipped compiler's tests expect."""
    assert subgraph_count(module) == before
    assert subgraph_count(apply(module.clone(), ReduceCopyMergePass(auto_mix_partition=1))) == after


def test_forced_merges_alone() -> None:
    """Without auto_mix_partition only what a scope of cube and vector ops holds together is joined."""
    module = apply(unmarked(fuse=True), ReduceCopyMergePass())
    assert subgraph_count(module) == 3


def test_vector_ops_keep_their_former_id() -> None:
    """Every op whose cube mark is false carries the id that it had, others do not."""
    before = two_copies()
    former = subgraphs(before)
    (function,) = functions_of(apply(before, ReduceCopyMergePass(auto_mix_partition=1)))
    for old, op in zip(former, function.operations(), strict=True):
        kept = integer_of(getattr(op.properties.get("params"), "data", {}).get("reduce_copy_pre_subgraph_id"))
        assert kept == (None if "true" in str(op.properties["is_cube"]) else old)


def test_other_chips_are_left_alone() -> None:
    """Nothing happens on A2/A3."""
    kernel = MixKernel(1)
    kernel.soc = "a2a3"
    kernel.cube(0, "a b", "p ub")
    kernel.vector(1, "p", "y0")
    before = kernel.module()
    assert before.is_structurally_equivalent(apply(before.clone(), ReduceCopyMergePass(auto_mix_partition=1)))


def refusals(module: ModuleOp) -> set[object]:
    with collect_remarks() as remarks:
        apply(module, ReduceCopyMergePass(auto_mix_partition=1))
    return {remark.details["reason"] for remark in remarks if remark.kind == "refused-merge"}


def test_reasons() -> None:
    """A remark for each candidate that stays apart says why."""
    assert "too-long" in refusals(unmarked(latency=20_000_000))
    assert "not-mixed" in refusals(unmarked())
    assert "sink" in refusals(protected_sink())
    kernel = MixKernel(3)
    kernel.cube(0, "a b", "p ddr")
    for number in (1, 2):
        kernel.vector(number, "p", f"y{number}")
    # A tensor in global memory that goes to three subgraphs merges as a whole, not in part.
    assert subgraph_count(apply(kernel.module(), ReduceCopyMergePass(auto_mix_partition=1))) == 1


def test_subgraphs_for_aicpu_are_never_mixed() -> None:
    """Not even by force."""
    kernel = MixKernel(2)
    more = {"cv_fuse_id": "0"}
    kernel.op("exp", "a", "p ddr", 0, **CUBE, **more)
    kernel.op("aicpu_call_aic", "p", "q ddr", 1, **VECTOR, **more)
    kernel.op("exp", "q", "y0", 2, **VECTOR, **more)
    before = subgraph_count(kernel.module())
    opcodes = {op.opcode.name: op.opcode.core for op in next(iter(functions_of(kernel.module()))).operations()}
    after = subgraph_count(apply(kernel.module(), ReduceCopyMergePass()))
    assert (after == before) == (opcodes["AICPU_CALL_AIC"] == "AICPU")


def test_reshape_at_a_border() -> None:
    """A reshape that is read inside and outside its subgraph keeps it from merging, unless a scope asks for it."""
    for more, count in (({}, 2), ({"cv_fuse_id": "0"}, 1)):
        kernel = MixKernel(2)
        kernel.op("exp", "a", "p ub", 0, **CUBE, **more)
        kernel.op("reshape", "p", "q ub", 0, **CUBE, **more)
        kernel.op("exp", "q", "y0", 0, **CUBE, **more)
        kernel.op("abs", "q", "y1", 1, **VECTOR, **more)
        assert subgraph_count(apply(kernel.module(), ReduceCopyMergePass(auto_mix_partition=1))) == count


def test_negative_cycles() -> None:
    """Row M15: a negative sum of latencies is an error with pypto rules and counts as 0 with published ones."""
    for compat in ("pypto", "published"):
        kernel = MixKernel(1, compat)
        kernel.op("exp", "a", "p ub", 0, is_cube="true", latency="-50")
        kernel.op("abs", "p", "y0", 1, **VECTOR)
        if compat == "pypto":
            with pytest.raises(PassFailedException, match="latencies of subgraph 0 sum up to -50 cycles"):
                apply(kernel.module(), ReduceCopyMergePass(auto_mix_partition=1))
        else:
            assert subgraph_count(apply(kernel.module(), ReduceCopyMergePass(auto_mix_partition=1))) == 2


@pytest.mark.parametrize("compat", ["pypto", "published"])
def test_bad_input(compat: str) -> None:
    """A missing id and a cyclic quotient graph are errors that name the op and the cycle."""
    kernel = MixKernel(1, compat)
    kernel.op("exp", "a", "p ub", 0, **CUBE)
    kernel.op("abs", "p", "y0", **VECTOR)
    with pytest.raises(PassFailedException, match=r"@k: ABS \(magic 10001\) has no subgraph"):
        apply(kernel.module(), ReduceCopyMergePass())
    kernel = MixKernel(1, compat)
    kernel.op("exp", "a", "p ub", 0, **CUBE)
    kernel.op("abs", "p", "q ub", 1, **VECTOR)
    kernel.op("exp", "q", "y0", 0, **CUBE)
    with pytest.raises(PassFailedException, match="in a cycle before the merge: 0 -> 1 -> 0"):
        apply(kernel.module(), ReduceCopyMergePass())


def quotient(edges: list[tuple[int, int]], count: int) -> NodeGraph:
    incoming: list[list[int]] = [[] for _ in range(count)]
    outgoing: list[list[int]] = [[] for _ in range(count)]
    for link, (source, target) in enumerate(edges):
        outgoing[source].append(link)
        incoming[target].append(link)
    return NodeGraph([[source] for source, _ in edges], [[target] for _, target in edges], incoming, outgoing)


def forced(*groups: tuple[int, ...]) -> list[Candidate]:
    return [Candidate(group, 0, forced=True, automatic=True) for group in groups]


def test_merger_alone() -> None:
    """The two facts about forced groups: independent ones merge; one that closes a cycle waits for the next round."""
    nothing: list[BoundaryTensor] = []
    mixing = mix_subgraphs(
        quotient([(0, 1), (2, 3)], 4), nothing, forced((0, 1), (2, 3)), [0] * 4, [1] * 4, automatic=False
    )
    assert len(set(mixing.roots)) == 2
    graph = quotient([(0, 1), (1, 2), (0, 3)], 4)
    mixing = mix_subgraphs(graph, nothing, forced((0, 2), (0, 1)), [0] * 4, [1] * 4, automatic=False)
    assert len(set(mixing.roots)) == 2
    assert mixing.roots[0] == mixing.roots[1] == mixing.roots[2] != mixing.roots[3]
    graph = quotient([(0, 1), (1, 2)], 3)
    mixing = mix_subgraphs(graph, nothing, forced((0, 2)), [0] * 3, [1] * 3, automatic=False)
    assert [reason for _, reason in mixing.refused] == [MixingReason.CYCLE]
