"""Tracing of kernels from Python, as ratios to the yardstick's `module.verify()`: `python benchmarks/python_api.py`."""

from __future__ import annotations

import yardstick
from xdsl.dialects.builtin import ModuleOp

from dialect import frontend as pypto

TILE = pypto.tensor((64, 64), pypto.DT_FP32)


def traced(operations: int, loops: int) -> ModuleOp:
    """The module of a kernel with so many ops, shared among so many loops, each with options of its own."""

    def kernel(x: pypto.Tensor, y: pypto.Tensor) -> None:
        for number in range(loops):
            for _ in pypto.loop(4):
                pypto.set_pass_options(sg_set_scope=number + 1, vec_nbuffer_setting={"DEFAULT": number + 1})
                value = x
                for _ in range(operations // loops - 2):
                    value = pypto.exp(value)
                y[:] = value

    return pypto.jit(kernel)(TILE, TILE)


def main() -> None:
    """Print one line per kernel; every figure contains tracing, building and verifying the module."""
    verify = yardstick.seconds(yardstick.module().verify)
    print(f"yardstick: verify of {yardstick.OPS} test.op {verify:.2f} s")
    for operations, loops in ((5_000, 10), (10_000, 10), (20_000, 10), (20_000, 1_000)):
        time = yardstick.seconds(lambda: traced(operations, loops))  # noqa: B023
        print(f"{operations} ops in {loops} loops: {time / verify:.2f} x verify")


if __name__ == "__main__":
    main()
