"""What --list-passes and --help-pass print."""

from dataclasses import dataclass, field
from typing import Literal

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.universe import XDSL_UNIVERSE

from tools.driver.pass_help import describe_pass, list_passes, summary
from tools.driver.pipeline import parse_passes
from tools.universe import TILE_UNIVERSE

ALL_PASSES = XDSL_UNIVERSE.all_passes | TILE_UNIVERSE.all_passes


@dataclass(frozen=True)
class Documented(ModulePass):
    """Splits a graph
    into subgraphs. Each subgraph is small.

    Before: one. After: many.
    """

    name = "n-buffer-merge"

    required: int
    algorithm: Literal["iso", "osp-sarkar"] = "iso"
    """How the graph is split:
    by shape or by cost."""
    setting: str | None = field(default=None, metadata={"example": "DEFAULT=2"})
    limit: int | None = None
    counts: tuple[int, ...] = (2, 3)
    label: str = "V 1"

    def apply(self, ctx: Context, op: ModuleOp) -> None: ...


@dataclass(frozen=True)
class Plain(ModulePass):
    name = "plain"

    def apply(self, ctx: Context, op: ModuleOp) -> None: ...


def test_summary_is_the_first_sentence() -> None:
    """The first sentence is one line; a class without docstring has no summary, not that of its base class."""
    assert summary(Documented) == "Splits a graph into subgraphs"
    assert summary(Plain) == ""


def test_list_shows_own_passes_first() -> None:
    """Our passes come first, each list in alphabetical order, all summaries in one column."""
    available = {"plain": lambda: Plain, "n-buffer-merge": lambda: Documented, "another": lambda: Documented}
    assert list_passes(available, {"plain": lambda: Plain, "n-buffer-merge": lambda: Documented}) == (
        "Passes of tile-opt:\n"
        "  n-buffer-merge  Splits a graph into subgraphs\n"
        "  plain\n"
        "\n"
        "Passes of xDSL:\n"
        "  another         Splits a graph into subgraphs"
    )


def test_page_of_a_pass() -> None:
    """The page has aliases, documentation, and options with type, default and explanation."""
    assert describe_pass("n-buffer-merge", Documented) == (
        "n-buffer-merge (also: NBufferMerge)\n"
        "\n"
        "Splits a graph\n"
        "into subgraphs. Each subgraph is small.\n"
        "\n"
        "Before: one. After: many.\n"
        "\n"
        "Options:\n"
        "  required: an integer, required\n"
        '  algorithm: iso | osp-sarkar, default "iso"\n'
        "      How the graph is split:\n"
        "      by shape or by cost.\n"
        "  setting: a string, no default\n"
        "  limit: an integer, no default\n"
        "  counts: a list (an integer each), default 2,3\n"
        '  label: a string, default "V 1"\n'
        "\n"
        "Example:\n"
        "  tile-opt -p 'n-buffer-merge{"
        'required=1 algorithm="iso" setting="DEFAULT=2" counts=2,3 label="V 1"'
        "}' input.mlir"
    )


def test_page_of_a_plain_pass() -> None:
    """Without documentation and options little is left."""
    assert describe_pass("plain", Plain) == "plain\n\nOptions:\n  none\n\nExample:\n  tile-opt -p 'plain' input.mlir"


@pytest.mark.parametrize("name", sorted(set(ALL_PASSES) - {"mlir-opt", "test-deprecation"}))
def test_example_can_be_run(name: str) -> None:
    """The example of every pass parses; one pass of xDSL needs another program, and one warns."""
    example = describe_pass(name, ALL_PASSES[name]()).rsplit("tile-opt -p '", 1)[1].removesuffix("' input.mlir")
    assert parse_passes(ALL_PASSES, example)[0].name == name
