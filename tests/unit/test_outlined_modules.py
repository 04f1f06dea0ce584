"""What passes and formats make of an outlined module, and details of leaves that the laws do not reach."""

from __future__ import annotations

from io import StringIO

import pytest
from evaluable_functions import parse
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import PassPipeline
from xdsl.utils.exceptions import PassFailedException

from dialect.ops import functions_of
from dialect.outlined import launches_in, leaves_of
from tools.driver.pipeline import parse_passes
from tools.formats.dot import DotTarget
from tools.formats.summary import SummaryTarget
from transforms import get_all_passes
from transforms.inline_subgraphs import InlineSubgraphsPass
from transforms.outline_subgraphs import OutlineSubgraphsPass

TWO_TILES = """
tile.func @f magic(8) ins(%x : !tile.tensor<?x64xf32, ddr>) outs(%y : !tile.tensor<?x64xf32, ddr>) {
  %0 = tile.view %x[0, 0] {subgraph = 0, is_cube = false} : !tile.tensor<64x64xf32, ub>
  tile.assemble %0 into %y[0, 0] {subgraph = 0, is_cube = false}
  %1 = tile.view %x[64, 0] {subgraph = 1, is_cube = false} : !tile.tensor<64x64xf32, ub>
  tile.assemble %1 into %y[64, 0] {subgraph = 1, is_cube = false}
}
"""

OPTIONS = {
    "cast-boundaries": 'cast-boundaries{inputs="x=f16"}',
    "select-outputs": 'select-outputs{outputs="y"}',
    "set-input-shapes": 'set-input-shapes{shapes="x=128x64"}',
}
"""Options with which a pass has something to do."""

HARMLESS = {"inline-subgraphs", "resolve-pass-options"}
"""Passes that work on an outlined module."""


def outlined(text: str) -> ModuleOp:
    module = parse(text)
    OutlineSubgraphsPass().apply(Context(), module)
    module.verify()
    return module


@pytest.mark.parametrize("name", sorted(get_all_passes()))
def test_passes_refuse_an_outlined_module_and_say_what_to_do(name: str) -> None:
    """No pass overlooks that the ops are in leaves; only those work that do not look at ops."""
    module = outlined(TWO_TILES)
    module.attributes |= parse('builtin.module attributes {tile.soc = "a5"} {}').attributes
    pipeline = PassPipeline(tuple(parse_passes(get_all_passes(), OPTIONS.get(name, name))))
    if name in HARMLESS:
        pipeline.apply(Context(), module)
        module.verify()
        return
    with pytest.raises(PassFailedException, match="@f is outlined: run inline-subgraphs first"):
        pipeline.apply(Context(), module)


def test_formats_show_the_ops_of_an_outlined_module() -> None:
    """Summary and drawing are those of the module before outlining, and leave the module as it is."""
    for target in (SummaryTarget(), DotTarget()):
        before, after = StringIO(), StringIO()
        module = outlined(TWO_TILES)
        target.emit(Context(), parse(TWO_TILES), before)
        target.emit(Context(), module, after)
        assert after.getvalue() == before.getvalue()
        assert leaves_of(module)


def test_names_of_leaves_are_free_names() -> None:
    """A function that is called like a leaf keeps its name."""
    module = outlined(TWO_TILES.replace("@f", "@leaf_0"))
    assert list(leaves_of(module)) == ["leaf_1"]


@pytest.mark.parametrize(
    ("old", "new", "leaf_count"),
    [
        ("%x[64, 0]", "%x[3, 5]", 1),
        ("subgraph = 1", 'subgraph = 1, semantic_label = "L"', 1),
        ("subgraph = 1", "subgraph = 1, params = {reduce_copy_pre_subgraph_id = 3}", 1),
        ("subgraph = 1, is_cube = false", "subgraph = 1, is_cube = true", 2),
        ("subgraph = 1, is_cube", "subgraph = 1, latency = 3, is_cube", 2),
        ("subgraph = 1, is_cube", "subgraph = 1, params = {SCALAR = 1}, is_cube", 2),
        (
            "{subgraph = 1, is_cube = false} : !tile.tensor<64x64",
            "{subgraph = 1, is_cube = false} : !tile.tensor<32x64",
            2,
        ),
        ("64x64xf32, ub>\n  tile.assemble %1", "64x64xf32, l1>\n  tile.assemble %1", 2),
        ("%1 = tile.view", "%1 = tile.slice", 2),
    ],
)
def test_when_two_subgraphs_share_a_leaf(old: str, new: str, leaf_count: int) -> None:
    """Places, names and what a merge noted do not matter; shapes, memories, opcodes and attributes do."""
    assert old in TWO_TILES
    module = outlined(TWO_TILES.replace(old, new))
    assert len(leaves_of(module)) == leaf_count
    (function,) = functions_of(module)
    assert [launch.subgraph_id for launch in launches_in(function)] == [0, 1]


@pytest.mark.parametrize(("number", "layout", "leaf_count"), [(8, "[0, 0]", 1), (9, "[0, 0]", 2), (8, "[32, 0]", 2)])
def test_tensors_that_share_storage_inside(number: int, layout: str, leaf_count: int) -> None:
    """Numbers of raw tensors do not matter, but which tensors share one and where they lie in it."""

    type = "!tile.tensor<8x8xf32, ub>"

    def tile(subgraph: int, first: str, second: str) -> str:
        value, both = 2 * subgraph, f"subgraph = {subgraph}, storage = #tile.storage"
        return (
            f"  %{value} = tile.exp %x {{{both}<{first}>}} : {type}\n"
            f"  %{value + 1} = tile.exp %{value} {{{both}<{second}>}} : {type}\n"
        )

    text = (
        "tile.func @f ins(%x : !tile.tensor<8x8xf32, ub>) {\n"
        + tile(0, "1, 64x8xf32, [0, 0]", "1, 64x8xf32, [0, 0]")
        + tile(1, "8, 64x8xf32, [0, 0]", f"{number}, 64x8xf32, {layout}")
        + "}\n"
    )
    module = outlined(text)
    assert len(leaves_of(module)) == leaf_count
    InlineSubgraphsPass().apply(Context(), module)
    assert str(module) == str(parse(text))


def test_the_order_of_runtime_reads_is_kept() -> None:
    """An offset that reads a tensor at run time waits for the writer of the tensor."""
    module = outlined(
        """
        tile.func @f ins(%i : !tile.tensor<8xi32, ddr>, %n : !tile.tensor<8xi32, ub>, %x : !tile.tensor<64xf32, ddr>) {
          tile.assemble %n into %i[0] {subgraph = 1}
          %0 = tile.view %x[0] dyn ["RUNTIME_GetTensorDataInt32(0, 0, 0, 1)"] {subgraph = 0} : !tile.tensor<8xf32, ub>
        }
        """
    )
    (function,) = functions_of(module)
    assert [launch.subgraph_id for launch in launches_in(function)] == [1, 0]
