"""The pass `graph-partition` gives every op of the corpus the id that the shipped compiler gave it."""

from __future__ import annotations

from io import BytesIO

import pytest
from corpus import IsoPartition, iso_partitions
from tile_modules import context
from xdsl.dialects.builtin import ModuleOp, StringAttr

from dialect.ops import functions_of
from tools.formats.pypto_json import PyptoJsonFrontend
from transforms.check_partition import CheckPartitionPass
from transforms.graph_partition.graph_partition_pass import GraphPartitionPass


def partitioned(case: IsoPartition, compat: str) -> ModuleOp:
    ctx = context()
    module = PyptoJsonFrontend().parse(ctx, BytesIO(case.graph.read_bytes()), str(case.graph))
    module.attributes["tile.soc"] = StringAttr(case.soc)
    module.attributes["tile.compat"] = StringAttr(compat)
    GraphPartitionPass().apply(ctx, module)
    CheckPartitionPass().apply(ctx, module)
    module.verify()
    return module


@pytest.mark.parametrize("compat", ["pypto", "published"])
@pytest.mark.parametrize("case", iso_partitions(), ids=lambda case: f"{case.kernel}-{case.soc}")
def test_ids_equal_the_shipped_compiler(case: IsoPartition, compat: str) -> None:
    """Same ids under both rule sets: no graph of the corpus meets a row where they differ."""
    (function,) = functions_of(partitioned(case, compat))
    subgraphs = tuple(op.subgraph for op in function.operations())
    assert subgraphs == case.subgraphs
    assert len(set(subgraphs)) == case.count
