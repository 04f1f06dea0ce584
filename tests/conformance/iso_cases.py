"""Cases of the shipped compiler's Iso partition, as fixtures: tile graphs and what that compiler does with them."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from pathlib import Path

from dialect.compat import Compat
from dialect.opcodes import OPCODE_BY_NAME
from transforms.graph import Scope, TileGraph
from transforms.graph_partition.partition_result import IsoParameters

MIXED_CORES_ARCHITECTURE = 3510


@dataclass(frozen=True, slots=True)
class ExpectedPartition:
    """Magics in canonical order, the number of subgraphs, and per operation in that order what it gets."""

    order: list[int]
    total: int
    subgraph: list[int]
    is_cube: list[bool]
    scope: list[int]
    cv_fuse: list[int]


@dataclass(frozen=True, slots=True)
class IsoCase:
    """A graph, the parameters, and the expected partition or why there is none."""

    name: str
    graph: TileGraph
    mixed_cores: bool
    parallel_lower_bound: int
    lower_bound: int
    balanced: bool
    expected: ExpectedPartition | None
    failure: str | None

    def parameters(self, compat: Compat) -> IsoParameters:
        return IsoParameters(
            parallel_lower_bound=self.parallel_lower_bound,
            lower_bound=self.lower_bound,
            compat=compat,
            mixed_cores=self.mixed_cores,
            balanced=self.balanced,
        )


def load_iso_cases() -> list[IsoCase]:
    """All cases, in file order."""
    with gzip.open(Path(__file__).with_name("iso_cases.jsonl.gz"), "rt", encoding="utf-8") as lines:
        next(lines)
        return [_read_case(json.loads(line)) for line in lines]


def _read_case(case: dict) -> IsoCase:
    expected = case["expected"]
    failure = expected.get("failure")
    return IsoCase(
        name=case["name"],
        graph=_read_graph(case["tensors"], case["operations"]),
        mixed_cores=case["arch"] == MIXED_CORES_ARCHITECTURE,
        parallel_lower_bound=case["parallel_lower_bound"],
        lower_bound=case["lower_bound"],
        balanced=case["balanced"],
        expected=None if failure else ExpectedPartition(**expected),
        failure=failure,
    )


def _read_graph(tensors: list, operations: list) -> TileGraph:
    extras = [operation[6] if len(operation) > 6 else None for operation in operations]
    return TileGraph(
        magics=[operation[0] for operation in operations],
        opcodes=[OPCODE_BY_NAME[operation[1]].number for operation in operations],
        latencies=[operation[2] for operation in operations],
        inputs=[tuple(operation[4]) for operation in operations],
        outputs=[tuple(operation[5]) for operation in operations],
        scopes=[Scope(*operation[3]) for operation in operations],
        dynamic_windows=[extra is True for extra in extras],
        memories=[memory for memory, _ in tensors],
        elements=[element for _, element in tensors],
        conversions={place: tuple(extra) for place, extra in enumerate(extras) if isinstance(extra, list)},
    )
