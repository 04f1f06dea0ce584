"""Nothing is lost: random dumps through the dialect and its text and back."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from json_dump_strategies import dumps
from json_dumps import Json, as_reference_text, read_file, write
from tile_modules import parse_text, text_of
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64

from dialect.ops import functions_of


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("dumps") / "dump.json"


few_large_examples = settings(max_examples=25)


@few_large_examples
@given(dumps())
def test_dump_survives_text(path: Path, value: Json) -> None:
    """JSON -> module -> text -> module -> JSON gives the same bytes, and text is a fixed point."""
    module = read_file(path, value)
    text = text_of(module)
    parsed = parse_text(text)
    assert text_of(parsed) == text
    assert write(module) == write(parsed) == as_reference_text(value)


@few_large_examples
@given(dumps(ordered=True), st.data())
def test_written_subgraphs(path: Path, value: Json, data: st.DataObject) -> None:
    """New subgraph ids change `subgraphid` and the count, and nothing else."""
    module = read_file(path, value)
    expected = copy.deepcopy(value)
    tile_graphs = [function for function in expected["functions"] if function["graphtype"] == 1]
    for function, tile_graph in zip(functions_of(module), tile_graphs, strict=True):
        changed = False
        ids: list[int] = []
        for op, operation in zip(function.operations(), tile_graph["operations"], strict=True):
            assert op.magic == operation["opmagic"]
            number = data.draw(st.integers(0, 9))
            op.properties["subgraph"] = IntegerAttr(number, i64)
            changed |= operation["subgraphid"] != number
            operation["subgraphid"] = number
            ids.append(number)
        if changed:
            tile_graph["_total_subgraph_count"] = max(ids) + 1
    assert write(module) == as_reference_text(expected)


@few_large_examples
@given(dumps(), st.sampled_from([None, 0, 3, "\t"]), st.booleans())
def test_any_layout_is_kept(path: Path, value: Json, indent: int | str | None, ascii_only: bool) -> None:
    """A dump that is set in another way comes back as it was."""
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert write(read_file(path, text)) == text


@few_large_examples
@given(dumps(), st.sampled_from([None, 0, 3, "\t"]))
def test_edits_keep_other_values(path: Path, value: Json, indent: int | str | None) -> None:
    """In any layout an edit leaves all other values equal."""
    module = read_file(path, json.dumps(value, indent=indent))
    expected = copy.deepcopy(value)
    _set_all_subgraphs(module, 7)
    for function in expected["functions"]:
        if function["graphtype"] == 1:
            if any(operation["subgraphid"] != 7 for operation in function["operations"]):
                function["_total_subgraph_count"] = 8
            for operation in function["operations"]:
                operation["subgraphid"] = 7
    assert json.loads(write(module)) == expected


def _set_all_subgraphs(module: ModuleOp, number: int) -> None:
    for function in functions_of(module):
        for op in function.operations():
            op.properties["subgraph"] = IntegerAttr(number, i64)


@few_large_examples
@given(dumps())
def test_resumable_dump_reads_the_same(path: Path, value: Json) -> None:
    """What resuming needs changes no graph: also where element types get other numbers."""
    module = read_file(path, value)
    resumable = read_file(path, write(module, resume=True))
    for one, other in zip(functions_of(module), functions_of(resumable), strict=True):
        assert text_of(one).splitlines()[1:] == text_of(other).splitlines()[1:]
