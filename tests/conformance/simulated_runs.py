"""End-to-end times that the shipped compiler's simulator gave for the runs of the corpus on A2/A3."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from merge_runs import MergeRun, merge_runs


@dataclass(frozen=True)
class SimulatedRun:
    """A run; `leaves` are (core kind, cycles, number of tasks), `utilisation` is in percent."""

    run: MergeRun
    iterations: int
    end_to_end_cycles: int
    end_to_end_us: float
    utilisation: float
    leaves: Sequence[tuple[str, int, int]]


def simulated_runs() -> list[SimulatedRun]:
    """All 61 of them."""
    runs = {run.name: run for run in merge_runs()}
    rows = json.loads(gzip.decompress(Path(__file__).with_name("simulated_runs.json.gz").read_bytes()))["runs"]
    return [
        SimulatedRun(
            runs[row["id"]],
            row["iterations"],
            row["end_to_end_cycles"],
            row["end_to_end_us"],
            row["utilisation_percent"],
            [(kind, cycles, tasks) for kind, cycles, tasks in row["leaves"]],
        )
        for row in rows
    ]
