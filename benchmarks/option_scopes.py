"""Prints how long `resolve-pass-options` takes, as ratios of the yardstick's verify of 20,000 ops.

Run `python benchmarks/option_scopes.py`. The modules have 1,000 scopes with 20,000 ops in all: one behind the other,
one in the other, and as directives of one function. Growth is from 10,000 to 80,000 ops; 8 is linear.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from time import perf_counter

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, f32, i64
from xdsl.ir import Block, Operation, Region
from yardstick import OPS, module, seconds

from dialect.directives import BeginOptionsOp, EndOptionsOp, SetPassOptionsOp, SetSemanticLabelOp
from dialect.ops import OPERATION_BY_MNEMONIC, FuncOp
from dialect.pass_options import MergeCount, MergeSetting, ScopeSetting
from dialect.scopes import KernelOp, LoopOp
from dialect.types import MEMORY_ATTR_BY_NAME, TensorType, shape_attr
from transforms.resolve_pass_options.resolve_pass_options_pass import ResolvePassOptionsPass

SCOPES = 1_000
TILE = TensorType(shape_attr((64, 64)), f32, MEMORY_ATTR_BY_NAME["ub"])


def directives(number: int) -> list[Operation]:
    """A scope, a setting and a label that no other number has."""
    setting = MergeSetting(by_name={"DEFAULT": MergeCount(number + 1)}, by_label={f"V{number}": MergeCount(2)})
    return [
        SetPassOptionsOp({"vec_nbuffer_setting": setting, "sg_set_scope": ScopeSetting(number, True)}),
        SetSemanticLabelOp(f"V{number}"),
    ]


def function(name: str, bodies: Sequence[Sequence[Operation]], ops: int) -> FuncOp:
    """A chain of `ops` ops, cut into as many parts as there are bodies, each behind one of them."""
    block = Block(arg_types=[TILE])
    value = block.args[0]
    exp = OPERATION_BY_MNEMONIC["exp"]
    position = 0
    for body in bodies:
        block.add_ops(body)
        for _ in range(ops // len(bodies)):
            op = exp.create(
                operands=[value], result_types=[TILE], properties={"magic": IntegerAttr(10000 + position, i64)}
            )
            block.add_op(op)
            value = op.results[0]
            position += 1
    return FuncOp(name, Region(block), 1)


def sequential(ops: int) -> ModuleOp:
    """A kernel with loops one behind the other."""
    loops = [
        LoopOp(f"l{number}", [*directives(number), function(f"f{number}", [()], ops // SCOPES)])
        for number in range(SCOPES)
    ]
    return ModuleOp([KernelOp("k", loops)])


def nested(ops: int) -> ModuleOp:
    """Loops one in the other."""
    inner: list[Operation] = []
    for number in range(SCOPES):
        body = [*directives(number), function(f"f{number}", [()], ops // SCOPES), *inner]
        inner = [LoopOp(f"l{number}", body)]
    return ModuleOp(inner)


def in_one_function(ops: int) -> ModuleOp:
    """Directives in the middle of a function."""
    return ModuleOp([function("f", [directives(number) for number in range(SCOPES)], ops)])


def blocks_in_one_function(ops: int) -> ModuleOp:
    """Options blocks, one in the other, in the middle of a function."""
    begins = [[BeginOptionsOp({"sg_set_scope": ScopeSetting(number)})] for number in range(SCOPES)]
    ends = [[EndOptionsOp()] for _ in range(SCOPES)]
    return ModuleOp([function("f", [*begins, *ends], ops)])


def time_of_pass(make: Callable[[int], ModuleOp], ops: int, repeats: int = 3) -> float:
    """The shortest time of the pass on a new module."""
    best = float("inf")
    for _ in range(repeats):
        tile_module = make(ops)
        gc.collect()
        begin = perf_counter()
        ResolvePassOptionsPass().apply(Context(), tile_module)
        best = min(best, perf_counter() - begin)
    tile_module.verify()
    return best


def main() -> None:
    """Measure and print."""
    sys.setrecursionlimit(10_000)
    verify = seconds(module().verify)
    print(f"yardstick: verify of {OPS} ops {verify * 1e3:.0f} ms\n")
    for make in (sequential, nested, in_one_function, blocks_in_one_function):
        small, bar, large = (time_of_pass(make, ops) for ops in (OPS // 2, OPS, 4 * OPS))
        own = make(OPS)
        print(
            f"{make.__name__}: {bar / verify:.2f} verify (bar 1.0); growth {large / small:.1f} for 8 times the ops; "
            f"verify of the module itself {seconds(own.verify, 1) / verify:.2f}"
        )


if __name__ == "__main__":
    main()
