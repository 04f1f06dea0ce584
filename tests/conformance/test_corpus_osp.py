"""OspSarkar and OspBsp over the corpus, as the pass runs them."""

from __future__ import annotations

from io import BytesIO

import pytest
from corpus import OspPartition, osp_partitions
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp, StringAttr

from dialect.ops import functions_of
from dialect.tile import TILE
from tools.formats.pypto_json import PyptoJsonFrontend
from transforms.graph_partition.graph_partition_pass import GraphPartitionPass

PARTITIONS = osp_partitions()


def partitioned(case: OspPartition, compat: str) -> ModuleOp:
    ctx = Context()
    ctx.load_dialect(Builtin)
    ctx.load_dialect(TILE)
    module = PyptoJsonFrontend().parse(ctx, BytesIO(case.graph.read_bytes()), str(case.graph))
    module.attributes["tile.compat"] = StringAttr(compat)
    algorithm = "osp-sarkar" if case.algorithm == "OspSarkar" else "osp-bsp"
    GraphPartitionPass(algorithm=algorithm).apply(ctx, module)
    module.verify()
    return module


def ids(module: ModuleOp) -> tuple[int | None, ...]:
    (function,) = functions_of(module)
    return tuple(op.subgraph for op in function.operations())


@pytest.mark.parametrize(
    "case", [case for case in PARTITIONS if case.algorithm == "OspSarkar"], ids=lambda case: case.kernel
)
def test_sarkar_ids_equal_the_shipped_compiler(case: OspPartition) -> None:
    """The id of every op; the kernel with scopes, which that compiler ignores, is another one under published rules."""
    assert ids(partitioned(case, "pypto")) == case.subgraphs
    assert (ids(partitioned(case, "published")) == case.subgraphs) is (case.kernel != "scopes")


@pytest.mark.parametrize(
    "case", [case for case in PARTITIONS if case.algorithm == "OspBsp"], ids=lambda case: case.kernel
)
def test_bsp_is_no_worse_than_the_shipped_compiler(case: OspPartition) -> None:
    """As many subgraphs; one kernel has five instead of nine, as none of its rows is split any more."""
    found = ids(partitioned(case, "pypto"))
    assert len(set(found)) == (5 if case.kernel == "rmsnorm_tail" else case.count)
    if case.kernel not in ("rmsnorm_tail", "matmul_grid"):
        assert len(set(zip(found, case.subgraphs, strict=True))) == case.count
