"""Prints how long the partitions take and how good they are; the tables of `docs/partitioning.md` come from here.

`python benchmarks/partitions.py speed` measures attention_512, copied, against the yardstick; `quality` measures the
graphs of the corpus by all algorithms; `hdag FILE...` partitions DAGs in OneStopParallel's format, work times 100.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from time import process_time

from scaled import scaled_dump
from spine import context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from yardstick import OPS, module, seconds

from dialect.ops import functions_of
from dialect.targets import find_target
from tools.formats.markdown_table import markdown_table
from tools.formats.pypto_json import PyptoJsonFrontend
from transforms.graph_of_function import function_graph
from transforms.graph_partition.graph_partition_pass import GraphPartitionPass
from transforms.graph_partition.osp.bsp import bsp_partition
from transforms.graph_partition.osp.dag import Dag, dag_of_edges, quotient
from transforms.graph_partition.osp.dag_paths import longest_path
from transforms.graph_partition.osp.part_metrics import makespan, volume
from transforms.graph_partition.osp.sarkar import sarkar_partition
from transforms.partition_metrics import Objective, PartitionMetrics, measure_partition
from transforms.tensor_facts import tensor_facts
from transforms.tensor_sizes import tensor_bytes

ROOT = Path(__file__).parents[1]
ALGORITHMS = ("iso", "osp-sarkar", "osp-bsp", "best")


def read(data: bytes) -> ModuleOp:
    """The module of a dump, with published rules."""
    tile_module = PyptoJsonFrontend().parse(context(), BytesIO(data), "graph.json")
    tile_module.attributes["tile.compat"] = StringAttr("published")
    return tile_module


def speed() -> None:
    """Seconds of each algorithm at three sizes, as ratios."""
    plain = module()
    verify = seconds(plain.verify)
    print(f"verify of {OPS} ops: {verify:.2f} s\n")
    taken: dict[str, dict[int, float]] = {name: {} for name in ALGORITHMS}
    for ops in (10_000, OPS, 80_000):
        graph = read(scaled_dump(ops))
        for name in ALGORITHMS:
            options = GraphPartitionPass(algorithm=name)  # pyright: ignore[reportArgumentType]
            taken[name][ops] = seconds(lambda options=options, graph=graph: options.apply(context(), graph), 1)
    rows: list[Sequence[str]] = [["algorithm", f"s at {OPS} ops", "x verify", "growth 10,000 to 80,000"]]
    for name, times in taken.items():
        ratio, growth = times[OPS] / verify, times[80_000] / times[10_000]
        rows.append([name, f"{times[OPS]:.2f}", f"{ratio:.1f}", f"{growth:.1f}"])
    print(markdown_table(rows))


def measured(path: Path, algorithm: str, objective: str | None = None) -> PartitionMetrics:
    """What an algorithm makes of a graph of the corpus, by published rules."""
    soc = "a5" if path.name.removesuffix(".json.gz").endswith("_a5") else "a2a3"
    tile_module = read(path.read_bytes())
    tile_module.attributes["tile.soc"] = StringAttr(soc)
    GraphPartitionPass(algorithm=algorithm, objective=objective).apply(context(), tile_module)  # pyright: ignore
    (function,) = functions_of(tile_module)
    found = function_graph(function)
    subgraphs = [-1 if op.subgraph is None else op.subgraph for op in found.operations]
    sizes = tensor_bytes(tensor_facts(function, found), found.graph.elements)
    return measure_partition(found.graph, subgraphs, sizes, find_target(soc))


def quality() -> None:
    """Per graph, what each algorithm makes of it, and what the best is by each objective."""
    folder = ROOT / "tests" / "conformance" / "corpus"
    graphs = [path for path in sorted(folder.glob("*.json.gz")) if not path.name.endswith("_partitions.json.gz")]
    graphs.append(ROOT / "examples" / "attention_512.json.gz")
    rows: list[Sequence[str]] = [["graph", *ALGORITHMS[:3], *[f"best {objective}" for objective in Objective]]]
    for path in graphs:
        cells = [path.name.removesuffix(".json.gz")]
        for name in ALGORITHMS[:3]:
            metrics = measured(path, name)
            path_length, cost = metrics.value(Objective.CRITICAL_PATH), metrics.bsp.cost
            numbers = (metrics.subgraph_count, path_length, metrics.makespan, metrics.cut_bytes // 1024, cost)
            cells.append(" · ".join(map(str, numbers)))
        for objective in Objective:
            value = measured(path, "best", objective).value(objective)
            cells.append(str(value // 1024 if objective is Objective.CUT else value))
        rows.append(cells)
    print("subgraphs · longest path with 1000 cycles for each edge · makespan · cut in KiB · BSP cost\n")
    print(markdown_table(rows))


def read_hdag(path: Path) -> Dag:
    """A DAG in OneStopParallel's format: hyperedges, vertices, pins; the first pin of a hyperedge is its source."""
    lines = [line.split() for line in path.read_text().splitlines() if line and not line.startswith("%")]
    edge_count, vertex_count, pin_count = map(int, lines[0])
    costs = {int(line[0]): int(line[1]) for line in lines[1 : 1 + edge_count]}
    work = [int(line[1]) for line in lines[1 + edge_count : 1 + edge_count + vertex_count]]
    communication = [0] * vertex_count
    sources: dict[int, int] = {}
    edges: list[tuple[int, int]] = []
    for line in lines[1 + edge_count + vertex_count :][:pin_count]:
        edge, vertex = map(int, line)
        source = sources.setdefault(edge, vertex)
        if source == vertex:
            communication[vertex] = costs[edge]
        else:
            edges.append((source, vertex))
    return dag_of_edges([100 * cycles for cycles in work], edges, communication=communication)


def hdag(paths: Sequence[str]) -> None:
    """OspSarkar and OspBsp of DAGs, with CPU seconds."""
    rows: list[Sequence[str]] = [["graph", "algorithm", "parts", "path +100", "volume", "makespan", "CPU s"]]
    for name in paths:
        dag = read_hdag(Path(name))
        for algorithm in ("osp-sarkar", "osp-bsp"):
            gc.collect()
            gc.disable()
            begin = process_time()
            if algorithm == "osp-sarkar":
                parts = sarkar_partition(dag, 512)
            else:
                parts = list(bsp_partition(dag, [0] * dag.vertex_count, (24, 48, 6)).part_of)
            taken = process_time() - begin
            gc.enable()
            coarse = quotient(dag, parts, 1 + max(parts))
            numbers = (coarse.vertex_count, longest_path(coarse, 100), volume(dag, parts), makespan(coarse, (24,), 200))
            rows.append([Path(name).stem, algorithm, *map(str, numbers), f"{taken:.2f}"])
    print(markdown_table(rows))


def main(arguments: Sequence[str]) -> None:
    """Run one of the three."""
    match arguments:
        case ["speed"]:
            speed()
        case ["quality"]:
            quality()
        case ["hdag", *paths] if paths:
            hdag(paths)
        case _:
            print(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
