"""Dumps of the shipped compiler are read, printed, parsed and written without a loss."""

from __future__ import annotations

import gzip
import json
from io import BytesIO, StringIO
from pathlib import Path

import pytest
from corpus import IsoPartition, graph_paths, iso_partitions
from tile_modules import context, parse_text, text_of
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64

from dialect.ops import functions_of
from tools.formats.pypto_json import PyptoJsonFrontend, PyptoJsonTarget


def by_name(case: Path | IsoPartition) -> str:
    return (case if isinstance(case, Path) else case.graph).name.removesuffix(".json.gz")


def read(path: Path) -> ModuleOp:
    module = PyptoJsonFrontend().parse(context(), BytesIO(path.read_bytes()), str(path))
    module.verify()
    return module


def write(module: ModuleOp) -> str:
    stream = StringIO()
    PyptoJsonTarget().emit(context(), module, stream)
    return stream.getvalue()


def test_corpus_is_complete() -> None:
    """16 graphs with 5112 ops, each with its partition."""
    paths = graph_paths()
    partitions = iso_partitions()
    assert len(paths) == 16
    assert sorted(partition.graph for partition in partitions) == paths
    assert sum(len(partition.subgraphs) for partition in partitions) == 5112


@pytest.mark.parametrize("path", graph_paths(), ids=by_name)
def test_round_trips(path: Path) -> None:
    """JSON -> text -> JSON gives the same bytes; text, also in the generic form, gives the same text."""
    source = gzip.decompress(path.read_bytes()).decode()
    module = read(path)
    text = text_of(module)
    parsed = parse_text(text)
    assert text_of(parsed) == text
    assert module.is_structurally_equivalent(parsed)
    assert text_of(parse_text(text_of(module, generic=True))) == text
    assert write(module) == write(parsed) == source


@pytest.mark.parametrize("path", graph_paths(), ids=by_name)
def test_what_the_compiler_writes_is_implied(path: Path) -> None:
    """Latencies are those of the table, raw tensors are not shared, and only a loop has dynamic offsets."""
    names = {name for function in functions_of(read(path)) for op in function.operations() for name in op.properties}
    assert "attr" not in names
    assert names.isdisjoint({"latency", "storage", "tobe", "dyn_offset", "is_cube", "hashorder"})
    assert ("dyn_offsets" in names) == (by_name(path) == "loop_add")


@pytest.mark.parametrize("partition", iso_partitions(), ids=by_name)
def test_partition_is_written(partition: IsoPartition) -> None:
    """The ids of a partition change `subgraphid` of each op and the count, and nothing else of the dump."""
    expected = json.loads(gzip.decompress(partition.graph.read_bytes()))
    module = read(partition.graph)
    ops = {op.magic: op for function in functions_of(module) for op in function.operations()}
    (function,) = expected["functions"]
    for operation, number in zip(function["operations"], partition.subgraphs, strict=True):
        ops[operation["opmagic"]].properties["subgraph"] = IntegerAttr(number, i64)
        operation["subgraphid"] = number
    function["_total_subgraph_count"] = partition.count
    assert write(parse_text(text_of(module))) == json.dumps(expected, indent=1, ensure_ascii=False)
