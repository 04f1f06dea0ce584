"""Values in messages: short, on one line, with their type where it matters."""

from __future__ import annotations

import numpy as np
import pytest

from dialect import frontend as pypto
from dialect.shown import shown


class Broken:
    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        ("a\nb", "'a\\nb'"),
        (1.5, "1.5"),
        ([1, "a"], "[1, 'a']"),
        (np.zeros((2, 2), np.int32), "array([[0, 0], [0, 0]], dtype=int32) (ndarray)"),
        (pypto.tensor((2, 2), pypto.DT_FP32), "Tensor([2, 2], DT_FP32, ddr)"),
        (pypto.DT_FP32, "DT_FP32 (DataType)"),
        ("a" * 200, f"'{'a' * 76}..."),
        pytest.param(10**5000, "an integer of 16610 bits", id="huge"),
        (Broken(), "a value of type Broken"),
        (Broken, f"{Broken!r} (type)"),
    ],
)
def test_shown(value: object, text: str) -> None:
    """The text is at most about a line long and never fails."""
    assert shown(value) == text
