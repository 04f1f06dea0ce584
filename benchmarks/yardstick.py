"""The yardstick: what plain xDSL takes for a module of 20,000 `test.op`, so that bars are ratios of this machine.

`test.op` declares three properties; the other two of the five values of each op are attributes.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import perf_counter

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, f32, i64
from xdsl.dialects.test import TestOp
from xdsl.ir import Block, Region

OPS = 20_000


def module() -> ModuleOp:
    """20,000 `test.op` with two operands, one result and five values each."""
    first = [TestOp(result_types=[f32]) for _ in range(2)]
    block = Block(first)
    values = [op.results[0] for op in first]
    for index in range(OPS):
        op = TestOp(
            operands=values[-2:],
            result_types=[f32],
            properties={f"prop{number}": IntegerAttr(index * number % 97, i64) for number in (1, 2, 3)},
            attributes={f"attr{number}": IntegerAttr(index + number, i64) for number in (1, 2)},
        )
        block.add_op(op)
        values.append(op.results[0])
    return ModuleOp(Region(block))


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """The shortest of a few runs, the garbage of earlier ones collected."""
    best = float("inf")
    for _ in range(repeats):
        gc.collect()
        begin = perf_counter()
        work()
        best = min(best, perf_counter() - begin)
    return best
