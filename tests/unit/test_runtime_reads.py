"""Tensors that ops read at run time are found wherever symbolic values stand (Iso partition, section 3)."""

from __future__ import annotations

import pytest
from tile_modules import parse_text

from dialect.ops import functions_of
from transforms.graph_of_function import graph_of

A, B, Y = 0, 1, 2


def reads_of_last(body: str) -> tuple[int, ...]:
    """The arguments, %a = 0, %b = 1, %y = 2, that the last op of a function reads at run time."""
    text = f"""
    tile.func @f ins(%a: !tile.tensor<8xf32, ddr>, %b: !tile.tensor<8xf32, ddr>)
                 outs(%y: !tile.tensor<8xf32, ddr> {{valid = ["RUNTIME_GetTensorData(0, 0, 0)"]}}) {{
      {body}
    }}
    """
    (function,) = functions_of(parse_text(text))
    graph, operations = graph_of(function)
    return graph.runtime_reads.get(len(operations) - 1, ())


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('%0 = tile.view %a[0] dyn ["RUNTIME_GetTensorDataInt32(7, 0, 1, 3)"] : !tile.tensor<8xf32, ub>', (B,)),
        ('%0 = tile.view %a[0] {valid = ["RUNTIME_GetTensorData(0, 1, 0)"]} : !tile.tensor<8xf32, ub>', (Y,)),
        ('%0 = tile.view %a[0] {tensor_valid = ["RUNTIME_GetTensorData(0, 0, 1)"]} : !tile.tensor<8xf32, ub>', (B,)),
        ("tile.view %a[0] into %y", (A,)),
        (
            '%0 = tile.exp %a {valid = ["1 + RUNTIME_GetTensorData(f(1, 2), 0, 1)"]} : !tile.tensor<8xf32, ub>\n'
            "tile.assemble %0 into %y[0]",
            (B,),
        ),
        ('%0 = tile.view %a[0] dyn ["RUNTIME_GetTensorData(0, 0, 2)"] : !tile.tensor<8xf32, ub>', ()),
        ('%0 = tile.view %a[0] dyn ["RUNTIME_GetTensorData(0, s, 1)"] : !tile.tensor<8xf32, ub>', ()),
        (
            '%0 = tile.copy_in %a {attr = [0, 0, 1, [2, 16, 4, 1, "RUNTIME_GetTensorData",'
            " 2, 3, 0, 1, 0, 2, 0, 1, 0, 0]]} : !tile.tensor<8xf32, ub>",
            (Y,),
        ),
        ('%0 = tile.copy_in %a {attr = [[2, 16, 4, 1, "RUNTIME_GetTensorData"]]} : !tile.tensor<8xf32, ub>', ()),
        (
            '%0 = tile.call %a {attr = [[2, 16, 4, 1, "RUNTIME_GetTensorData", 0, 1, 0, 0, 0, 1]]}'
            " : !tile.tensor<8xf32, ub>",
            (),
        ),
    ],
)
def test_where_reads_stand(body: str, expected: tuple[int, ...]) -> None:
    """Offsets and valid shapes of windows, of their tensors, and lists of copies; what is no constant is no read."""
    assert reads_of_last(body) == expected
