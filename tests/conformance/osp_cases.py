"""Cases of the shipped compiler's OspSarkar and OspBsp partitions, as fixtures: DAGs and what became of them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transforms.graph_partition.osp.dag import Dag, dag_of_edges


@dataclass(frozen=True, slots=True)
class SarkarCase:
    """A DAG and its parts; of the large ones only their number and the hash of their text are known."""

    name: str
    dag: Dag
    small_work: int
    parts: list[int] | None
    part_count: int
    sha256: str | None


@dataclass(frozen=True, slots=True)
class OrbitCase:
    """A DAG with its orbits in the order that the compiler had them in, and what OspBsp made of them."""

    name: str
    dag: Dag
    labels: list[int]
    mixes_types: bool
    processor_counts: list[int]
    orbits: list[list[int]]
    groups: list[list[list[int]]]
    trimmed: list[list[list[int]]]
    shares: list[list[int]]
    end: float
    parts: list[int]


def _cases(name: str) -> list[dict[str, Any]]:
    return json.loads(gzip.decompress(Path(__file__).with_name(name).read_bytes()))["cases"]


def _dag(case: dict[str, Any]) -> Dag:
    edges = [(source, target) for source, target in case["edges"]]
    return dag_of_edges(case["work"], edges, types=case["types"], communication=case.get("communication"))


def sarkar_cases() -> list[SarkarCase]:
    """All cases of OspSarkar, in file order."""
    cases: list[SarkarCase] = []
    for case in _cases("osp_sarkar_cases.json.gz"):
        if "family" in case:
            family, *sizes = case["family"]
            dag, parts, count, sha256 = FAMILIES[family](*sizes), None, case["part_count"], case["sha256"]
        else:
            dag, parts, count, sha256 = _dag(case), case["parts"], 1 + max(case["parts"]), None
        cases.append(SarkarCase(case["name"], dag, case["small_work"], parts, count, sha256))
    return cases


def orbit_cases() -> list[OrbitCase]:
    """All cases of OspBsp's groups, in file order."""
    names = ("labels", "mixes_types", "processor_counts", "orbits", "groups", "trimmed", "shares", "end", "parts")
    return [
        OrbitCase(case["name"], _dag(case), *[case[name] for name in names])
        for case in _cases("osp_orbit_cases.json.gz")
    ]


class _Builder:
    """Cube vertices have the type 0, vector vertices the type 1; every vertex sends 100."""

    def __init__(self) -> None:
        self.work: list[int] = []
        self.types: list[int] = []
        self.edges: list[tuple[int, int]] = []

    def add(self, work: int, type: int, *parents: int) -> int:
        vertex = len(self.work)
        self.work.append(work)
        self.types.append(type)
        self.edges += [(parent, vertex) for parent in parents]
        return vertex

    def dag(self) -> Dag:
        return dag_of_edges(self.work, self.edges, types=self.types, communication=[100] * len(self.work))


def attention(query_blocks: int, key_blocks: int) -> Dag:
    """Per query block a row of multiply, softmax, multiply, update; each waits for the block before it."""
    builder = _Builder()
    for _ in range(query_blocks):
        before: tuple[int, ...] = ()
        updated: tuple[int, ...] = ()
        for _ in range(key_blocks):
            scores = builder.add(1500, 0)
            softmax = builder.add(900, 1, scores, *before)
            values = builder.add(1500, 0, softmax)
            before, updated = (softmax,), (builder.add(500, 1, values, *updated),)
    return builder.dag()


def epilogue(rows: int, columns: int) -> Dag:
    """Per row so many multiplies with two vector ops each, and a reduction tree."""
    builder = _Builder()
    for _ in range(rows):
        level = [builder.add(300, 1, builder.add(300, 1, builder.add(2000, 0))) for _ in range(columns)]
        while len(level) > 1:
            pairs = [builder.add(100, 1, *level[i : i + 2]) for i in range(0, len(level) - 1, 2)]
            level = pairs + level[len(pairs) * 2 :]
        builder.add(200, 1, *level)
    return builder.dag()


def chains(count: int, length: int, work: int) -> Dag:
    """Independent chains of vector vertices."""
    builder = _Builder()
    for _ in range(count):
        above: tuple[int, ...] = ()
        for _ in range(length):
            above = (builder.add(work, 1, *above),)
    return builder.dag()


def diamonds(count: int, width: int, work: int) -> Dag:
    """Independent diamonds: a source, so many vertices side by side, a sink."""
    builder = _Builder()
    for _ in range(count):
        source = builder.add(work, 1)
        builder.add(work, 1, *[builder.add(work, 1, source) for _ in range(width)])
    return builder.dag()


FAMILIES: dict[str, Callable[..., Dag]] = {"attn": attention, "epi": epilogue, "chains": chains, "diam": diamonds}
