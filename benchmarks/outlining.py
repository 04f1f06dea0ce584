"""Prints how long outlining and inlining take, as ratios of the yardstick's `verify()`, and how that grows.

Run `python benchmarks/outlining.py`. The first graph is attention_512 of `examples/`, copied in one function and
partitioned; the others are those of `hard_graphs.py`.
"""

from __future__ import annotations

from hard_graphs import HARD_GRAPHS
from merges import CTX, LARGE, SMALL, attention, time_of
from xdsl.dialects.builtin import ModuleOp
from yardstick import OPS, module, seconds

from dialect.outlined import leaves_of
from transforms.inline_subgraphs import InlineSubgraphsPass
from transforms.outline_subgraphs import OutlineSubgraphsPass


def main() -> None:
    """Measure and print."""
    plain = module()
    verify = seconds(plain.verify) / OPS
    print(f"yardstick: verify {verify * 1e6:.1f} us per op\n")
    print("| graph | leaves | pass | us per op (20,000 ops) | x verify | growth 10,000 to 80,000 |")
    print("|---|---|---|---|---|---|")
    for shape, build in {"attention_512": attention, **HARD_GRAPHS}.items():
        graphs = {ops: build(ops, "a5") for ops in (SMALL, OPS, LARGE)}
        outlined: dict[int, ModuleOp] = {}
        for ops, graph in graphs.items():
            outlined[ops] = graph.clone()
            OutlineSubgraphsPass().apply(CTX, outlined[ops])
        for tile_pass, inputs in ((OutlineSubgraphsPass(), graphs), (InlineSubgraphsPass(), outlined)):
            taken = {ops: time_of(tile_pass, graph, 2) for ops, graph in inputs.items()}
            ratio, growth = taken[OPS] / OPS / verify, taken[LARGE] / taken[SMALL]
            print(
                f"| {shape} | {len(leaves_of(outlined[OPS]))} | {tile_pass.name} | {taken[OPS] / OPS * 1e6:.1f} "
                f"| {ratio:.2f} | {growth:.1f} x |",
                flush=True,
            )


if __name__ == "__main__":
    main()
