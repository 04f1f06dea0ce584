"""Adds numbers of two types."""

from dialect import frontend as pypto


@pypto.jit
def k(x: pypto.tensor((64, 64), pypto.DT_FP32), h: pypto.tensor((64, 64), pypto.DT_FP16)):
    x + h


print(k.module)
