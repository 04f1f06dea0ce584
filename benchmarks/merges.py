"""Prints how long the merge passes take, as ratios of the yardstick's `verify()`, and how that grows.

Run `python benchmarks/merges.py`. The first graph is attention_512 of `examples/`, copied in one function and
partitioned; the others are those of `hard_graphs.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

from hard_graphs import HARD_GRAPHS
from spine import context, scaled_dump
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass
from yardstick import OPS, module, seconds

from tools.formats.pypto_json import PyptoJsonFrontend
from transforms.eliminate_common_operations import EliminateCommonOperationsPass
from transforms.eliminate_dead_operations import EliminateDeadOperationsPass
from transforms.graph_partition.graph_partition_pass import GraphPartitionPass
from transforms.l1_copy_in_reuse_merge import L1CopyInReuseMergePass
from transforms.n_buffer_merge import NBufferMergePass
from transforms.reduce_copy_merge import ReduceCopyMergePass

PASSES: dict[str, ModulePass] = {
    "n-buffer-merge": NBufferMergePass(vec_nbuffer_setting="DEFAULT=4"),
    "l1-copy-in-reuse-merge": L1CopyInReuseMergePass(
        cube_l1_reuse_setting="DEFAULT=4", cube_nbuffer_setting="DEFAULT=2"
    ),
    "reduce-copy-merge": ReduceCopyMergePass(auto_mix_partition=1),
    "eliminate-common-operations": EliminateCommonOperationsPass(),
    "eliminate-dead-operations": EliminateDeadOperationsPass(),
}
SMALL, LARGE = 10_000, 80_000
CTX = context()


def attention(ops: int, soc: str) -> ModuleOp:
    """The example, copied and partitioned."""
    result = PyptoJsonFrontend().parse(CTX, BytesIO(scaled_dump(ops)), "scaled.json")
    GraphPartitionPass().apply(CTX, result)
    result.attributes["tile.soc"] = StringAttr(soc)
    result.attributes["tile.compat"] = StringAttr("published")
    return result


def time_of(merge: ModulePass, partitioned: ModuleOp, repeats: int) -> float:
    """The shortest of a few runs, each on a module of its own."""
    best = float("inf")
    for _ in range(repeats):
        copy = partitioned.clone()
        best = min(best, seconds(lambda copy=copy: merge.apply(CTX, copy), 1))
    return best


def main() -> None:
    """Measure and print."""
    plain = module()
    verify = seconds(plain.verify) / OPS
    print(f"yardstick: verify {verify * 1e6:.1f} us per op\n")
    print("| graph | pass | us per op (20,000 ops) | x verify (bar 2) | growth 10,000 to 80,000 (bar 10 x) |")
    print("|---|---|---|---|---|")
    builders: dict[str, Callable[[int, str], ModuleOp]] = {"attention_512": attention, **HARD_GRAPHS}
    for shape, build in builders.items():
        # Only A5 mixes; the other passes do not depend on the chip but for its number of cores.
        graphs = {ops: build(ops, "a5") for ops in (SMALL, OPS, LARGE)}
        for name, merge in PASSES.items():
            taken = {ops: time_of(merge, graph, 3 if ops < LARGE else 2) for ops, graph in graphs.items()}
            ratio, growth = taken[OPS] / OPS / verify, taken[LARGE] / taken[SMALL]
            print(f"| {shape} | {name} | {taken[OPS] / OPS * 1e6:.1f} | {ratio:.2f} | {growth:.1f} x |", flush=True)


if __name__ == "__main__":
    main()
