"""What the shipped compiler's merge passes made of the corpus, with the settings of each run."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from corpus import graph_paths
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, IntegerAttr, ModuleOp, StringAttr, i64

from dialect.compat import Compat
from dialect.ops import functions_of
from dialect.pass_options import option_from_json, setting_to_text
from dialect.pass_options.settings import MergeSetting
from dialect.tile import TILE
from tools.formats.pypto_json import PyptoJsonFrontend
from transforms.graph_partition.graph_partition_pass import GraphPartitionPass

_RUNS = Path(__file__).parent / "merge_runs.json.gz"


@dataclass(frozen=True)
class AfterPass:
    """What a pass left: the subgraph of each op in the file's order, None for an op that is gone.

    `hints` has, for each family and "name xcount", the subgraphs that carry it.
    """

    count: int
    subgraphs: Sequence[int | None]
    hints: Mapping[str, Mapping[str, Sequence[int]]]


@dataclass(frozen=True)
class MergeRun:
    """One kernel, compiled with one set of options."""

    name: str
    graph: Path
    magics: Sequence[int]
    soc: str
    algorithm: str
    settings: Mapping[str, Any]
    after: Mapping[str, AfterPass]

    def setting_text(self, option: str) -> str | None:
        """A merge setting as a pass takes it; None if the run does not set it."""
        if option not in self.settings:
            return None
        setting = option_from_json(option, self.settings[option], Compat.PYPTO)
        assert isinstance(setting, MergeSetting)
        return setting_to_text(setting)

    def partitioned(self, compat: Compat) -> ModuleOp:
        """The partitioned graph: by our partition where that is Iso, else with the ids that were recorded."""
        ctx = Context()
        ctx.load_dialect(Builtin)
        ctx.load_dialect(TILE)
        module = PyptoJsonFrontend().parse(ctx, BytesIO(self.graph.read_bytes()), str(self.graph))
        module.attributes["tile.soc"] = StringAttr(self.soc)
        module.attributes["tile.compat"] = StringAttr(compat)
        if self.algorithm == "Iso":
            GraphPartitionPass().apply(ctx, module)
            return module
        ids = dict(zip(self.magics, self.after["GraphPartition"].subgraphs, strict=True))
        (function,) = functions_of(module)
        for op in function.operations():
            assert op.magic is not None
            op.properties["subgraph"] = IntegerAttr(ids[op.magic] or 0, i64)
        return module

    def outcome(self, module: ModuleOp) -> AfterPass:
        """What stands in a module now, in the form in which it is recorded."""
        (function,) = functions_of(module)
        subgraph_of: dict[int, int] = {}
        hints: dict[str, dict[str, set[int]]] = {}
        for op in function.operations():
            assert op.magic is not None and op.subgraph is not None
            subgraph_of[op.magic] = op.subgraph
            for family, order in getattr(op.properties.get("hashorder"), "data", {}).items():
                name = f"{order.class_name.data} x{order.members.data}"
                hints.setdefault(family, {}).setdefault(name, set()).add(op.subgraph)
        return AfterPass(
            len(set(subgraph_of.values())),
            [subgraph_of.get(magic) for magic in self.magics],
            {family: {name: sorted(ids) for name, ids in names.items()} for family, names in hints.items()},
        )


def merge_runs() -> list[MergeRun]:
    """All runs."""
    by_name = {path.name: path for path in graph_paths()}
    magics: dict[str, Sequence[int]] = {}
    runs: list[MergeRun] = []
    for row in json.loads(gzip.decompress(_RUNS.read_bytes()))["runs"]:
        name = row["graph"]
        if name not in magics:
            (function,) = json.loads(gzip.decompress(by_name[name].read_bytes()))["functions"]
            magics[name] = [operation["opmagic"] for operation in function["operations"]]
        after = {
            name: AfterPass(entry["count"], entry["subgraph"], entry.get("hints", {}))
            for name, entry in row["after"].items()
        }
        runs.append(
            MergeRun(row["id"], by_name[name], magics[name], row["soc"], row["algorithm"], row["settings"], after)
        )
    return runs


def membership(subgraphs: Sequence[int | None]) -> list[int | None]:
    """Subgraphs renumbered by first appearance, so that equal lists mean that the same ops are together."""
    numbers: dict[int, int] = {}
    return [None if subgraph is None else numbers.setdefault(subgraph, len(numbers)) for subgraph in subgraphs]
