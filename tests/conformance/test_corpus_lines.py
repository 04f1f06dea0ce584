"""The fast path of the parser knows all that real graphs carry."""

from __future__ import annotations

from io import BytesIO
from unittest.mock import patch

import pytest
from corpus import IsoPartition, iso_partitions
from tile_modules import context, parse_text, text_of
from xdsl.dialects.builtin import StringAttr

from dialect.operation import TileOperation
from tools.formats.pypto_json import PyptoJsonFrontend
from transforms.graph_partition.graph_partition_pass import GraphPartitionPass


@pytest.mark.parametrize("case", iso_partitions(), ids=lambda case: f"{case.kernel}-{case.soc}")
def test_no_op_takes_the_slow_path(case: IsoPartition) -> None:
    """Every op, before and after the partition, is in the form of the fast path."""
    module = PyptoJsonFrontend().parse(context(), BytesIO(case.graph.read_bytes()), str(case.graph))
    module.attributes["tile.soc"] = StringAttr(case.soc)
    texts = [text_of(module)]
    GraphPartitionPass().apply(context(), module)
    texts.append(text_of(module))
    with patch.object(TileOperation, "parse", side_effect=AssertionError("not in the known form")):
        assert [text_of(parse_text(text)) for text in texts] == texts
