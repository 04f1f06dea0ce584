"""The corpus: graphs of small kernels that PyPTO dumped, and how its partitions numbered their ops.

`corpus/*.json.gz` are tile graphs before the partition; attention_512 is shipped in `examples/`. The op key `scope` was
added, PyPTO does not dump it. `corpus/iso_partitions.json.gz` has a row for each graph; settings of the merges do not
matter to the partition, and all graphs were partitioned with the options that they carry.
`corpus/osp_partitions.json.gz` has ten rows of the algorithms OspSarkar and OspBsp.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).parent / "corpus"
_EXAMPLES = Path(__file__).parents[2] / "examples"
_PARTITIONS = _FOLDER / "iso_partitions.json.gz"
_OSP_PARTITIONS = _FOLDER / "osp_partitions.json.gz"


@dataclass(frozen=True)
class IsoPartition:
    """What the shipped compiler made of a graph: the number of subgraphs, and the id of each op in the file's order."""

    kernel: str
    graph: Path
    soc: str
    count: int
    subgraphs: tuple[int, ...]


def graph_paths() -> list[Path]:
    """The dumps of the corpus."""
    return sorted({*_FOLDER.glob("*.json.gz"), _EXAMPLES / "attention_512.json.gz"} - {_PARTITIONS, _OSP_PARTITIONS})


def iso_partitions() -> list[IsoPartition]:
    """The partition of each graph."""
    by_name = {path.name: path for path in graph_paths()}
    rows = json.loads(gzip.decompress(_PARTITIONS.read_bytes()))["partitions"]
    return [
        IsoPartition(row["kernel"], by_name[row["graph"]], row["soc"], row["count"], tuple(row["subgraph"]))
        for row in rows
    ]


@dataclass(frozen=True)
class OspPartition:
    """What the shipped compiler made of a graph with OspSarkar or OspBsp; see `IsoPartition`."""

    kernel: str
    graph: Path
    algorithm: str
    count: int
    subgraphs: tuple[int, ...]


def osp_partitions() -> list[OspPartition]:
    """The partitions of OspSarkar and OspBsp, by its name in dumps."""
    by_name = {path.name: path for path in graph_paths()}
    rows = json.loads(gzip.decompress(_OSP_PARTITIONS.read_bytes()))["partitions"]
    return [
        OspPartition(row["kernel"], by_name[row["graph"]], row["algorithm"], row["count"], tuple(row["subgraph"]))
        for row in rows
    ]
