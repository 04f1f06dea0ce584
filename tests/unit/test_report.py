"""The data of the report: the drawing of graphs, aggregation above the limit, text that cannot leave its element."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tile_modules import parse_text

from tools.driver.errors import UserError
from tools.formats.report import data as report_data
from tools.formats.report.layout import Place, layered
from tools.formats.report.page_text import report_text
from tools.formats.report.results import NamedModule, results_of
from transforms.graph_partition.node_graph import NodeGraph

ELEMENTWISE = """
builtin.module attributes {tile.soc = "a2a3"} {
  tile.func @rows magic(8) ins(%x : !tile.tensor<128x64xf32, ddr>) outs(%y : !tile.tensor<128x64xf32, ddr>) {
    %0 = tile.view %x[0, 0] {subgraph = 0} : !tile.tensor<64x64xf32, ub>
    %1 = tile.exp %0 {subgraph = 0, semantic_label = "</script>", hashorder = ORDER} : !tile.tensor<64x64xf32, ub>
    tile.assemble %1 into %y[0, 0] {subgraph = 0}
    %2 = tile.view %x[64, 0] {subgraph = 1} : !tile.tensor<64x64xf32, ub>
    %3 = tile.exp %2 {subgraph = 1, hashorder = ORDER} : !tile.tensor<64x64xf32, ub>
    tile.assemble %3 into %y[64, 0] {subgraph = 1}
  }
}
""".replace("ORDER", '{vec_merge = #tile.hashorder<"func8_0", 2>}')


def graph_of_edges(count: int, edges: list[tuple[int, int]]) -> NodeGraph:
    """A graph with a link for each edge."""
    incoming: list[list[int]] = [[] for _ in range(count)]
    outgoing: list[list[int]] = [[] for _ in range(count)]
    for link, (source, target) in enumerate(edges):
        outgoing[source].append(link)
        incoming[target].append(link)
    return NodeGraph([[source] for source, _ in edges], [[target] for _, target in edges], incoming, outgoing)


def test_layout_of_a_diamond() -> None:
    """The middle nodes share a column; the last node stands behind both."""
    places = layered(graph_of_edges(4, [(0, 1), (0, 2), (1, 3), (2, 3)]), 4)
    assert places == [Place(0, 0), Place(1, 0), Place(1, 1), Place(2, 0)]


@st.composite
def acyclic_graphs(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    count = draw(st.integers(0, 12))
    pairs = [(source, target) for target in range(count) for source in range(target)]
    return count, draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []


@given(acyclic_graphs())
def test_layout_runs_from_left_to_right(graph: tuple[int, list[tuple[int, int]]]) -> None:
    """Every edge leads to a column further right, and no two nodes share a place."""
    count, edges = graph
    places = layered(graph_of_edges(count, edges), count)
    assert len(set(places)) == count
    assert all(places[source].column < places[target].column for source, target in edges)


def test_result_of_two_equal_subgraphs() -> None:
    """One class with its hint, its label and a call; one bar for each task."""
    (function,) = results_of([NamedModule("rows", parse_text(ELEMENTWISE))])
    (result,) = function["results"]
    (row,) = result["classes"]
    assert function["name"] == "rows"
    assert row["name"] == "vector func8_0"
    assert row["members"] == 2
    assert row["labels"] == "</script>"
    assert row["hints"] == ["vecMergeInfo hashOrder: func8_0, subGraphCount: 2"]
    assert row["calls"] == ['pypto.set_pass_options(vec_nbuffer_setting={"func8_0": 2})']
    assert sorted(result["task_columns"]["subgraph"]) == [0, 1]
    assert result["graph"]["edges"] == []
    assert result["remarks"] == []


def test_tasks_above_the_limit_are_drawn_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each bar stands for tasks of one core; the report says so, and no task is lost."""
    monkeypatch.setattr(report_data, "LARGEST_TASK_COUNT", 60)
    subgraphs = "".join(
        f"%{index} = tile.exp %x {{subgraph = {index}}} : !tile.tensor<128x64xf32, ub>\n" for index in range(200)
    )
    text = "tile.func @many ins(%x : !tile.tensor<128x64xf32, ddr>) outs() {\n" + subgraphs + "}"
    (function,) = results_of([NamedModule("many", parse_text(text))])
    (result,) = function["results"]
    columns = result["task_columns"]
    assert sum(columns["count"]) == 200
    assert len(columns["count"]) < 200
    assert result["remarks"][0].startswith("200 tasks are more than the 60 that are drawn one by one")


def test_data_cannot_end_its_element() -> None:
    """A label that looks like the end of the script stands in the page as an escape, and reads back as it was."""
    page = report_text("<title>", results_of([NamedModule("rows", parse_text(ELEMENTWISE))]))
    match = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert match is not None
    (function,) = json.loads(match[1])["functions"]
    assert function["results"][0]["classes"][0]["labels"] == "</script>"
    assert "<title>&lt;title&gt;</title>" in page


def test_nothing_to_report() -> None:
    with pytest.raises(UserError, match="no tile functions to report"):
        results_of([NamedModule("empty", parse_text("builtin.module {}"))])


def test_nothing_in_common() -> None:
    """The message names the functions of both sides."""
    other = ELEMENTWISE.replace("@rows", "@columns")
    with pytest.raises(UserError, match="no function of the same name: @rows against @columns"):
        results_of([NamedModule("a", parse_text(ELEMENTWISE)), NamedModule("b", parse_text(other))])


def test_a_huge_subgraph_id_is_an_error_not_a_hang() -> None:
    """Tables per id are not made for a stray id."""
    module = parse_text(ELEMENTWISE.replace("subgraph = 1", "subgraph = 999999999").replace(", hashorder = ORDER", ""))
    with pytest.raises(UserError, match="the subgraph id 999999999 is too high"):
        results_of([NamedModule("huge", module)])
