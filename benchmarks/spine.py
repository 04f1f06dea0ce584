"""Prints how long reading, verifying, printing and partitioning take and how much memory, as ratios of the yardstick.

Run `python benchmarks/spine.py`; it takes about three minutes. `--profile` prints where the time of each row goes
instead. The graph is attention_512 of `examples/`, copied in one function that shares the incasts.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from io import BytesIO, StringIO
from pathlib import Path
from typing import NamedTuple

from scaled import scaled_dump, wide_dump
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.parser import Parser
from xdsl.printer import Printer
from yardstick import OPS, module, seconds

from dialect.tile import TILE
from tools.formats.pypto_json import PyptoJsonFrontend
from transforms.graph_partition.graph_partition_pass import GraphPartitionPass

SIZES = (10_000, 80_000)
WIDTH = 2_000
STARTS = 9
_BIN = Path(sys.executable).parent


class Row(NamedTuple):
    """A line of the table: what was measured, the ratio, and how large it may be."""

    what: str
    measured: str
    ratio: float
    unit: str
    bar: float


def context() -> Context:
    """A context that knows the dialect."""
    ctx = Context()
    ctx.load_dialect(Builtin)
    ctx.load_dialect(TILE)
    return ctx


def read(data: bytes) -> ModuleOp:
    """The verified module of a dump."""
    tile_module = PyptoJsonFrontend().parse(context(), BytesIO(data), "scaled.json")
    tile_module.verify()
    return tile_module


def text_of(tile_module: ModuleOp, *, generic: bool = False) -> str:
    """The module as text."""
    stream = StringIO()
    Printer(stream, print_generic_format=generic).print_op(tile_module)
    return stream.getvalue()


def steps(data: bytes) -> Mapping[str, Callable[[], object]]:
    """The measured steps on a dump, by name."""
    tile_module = read(data)
    text, ctx = text_of(tile_module), context()
    return {
        "JSON to verified module": lambda: read(data),
        "text to module": lambda: Parser(ctx, text).parse_module(),
        "module to text": lambda: text_of(tile_module),
        "graph-partition": lambda: GraphPartitionPass().apply(ctx, tile_module),
    }


def fastest_in_turns(one: Callable[[], object], other: Callable[[], object]) -> tuple[float, float]:
    """The shortest of three runs of each, in turns, so that a slow moment of the machine meets both."""
    runs = [(seconds(one, 1), seconds(other, 1)) for _ in range(3)]
    return min(run[0] for run in runs), min(run[1] for run in runs)


def ratio_rows() -> list[Row]:
    """Time per op of each step against the yardstick."""
    data = scaled_dump(OPS)
    tile_module = read(data)
    generic, ctx, plain = text_of(tile_module, generic=True), context(), module()
    yardsticks: dict[str, tuple[str, Callable[[], object], float]] = {
        "JSON to verified module": ("clone", plain.clone, 4.0),
        "text to module": ("generic parse", lambda: Parser(ctx, generic).parse_module(), 1 / 8),
        "module to text": ("generic print", lambda: text_of(tile_module, generic=True), 1.0),
        "graph-partition": ("verify", plain.verify, 3.0),
    }
    rows: list[Row] = []
    for what, step in steps(data).items():
        unit, yardstick, bar = yardsticks[what]
        found, base = fastest_in_turns(step, yardstick)
        rows.append(Row(what, f"{found / OPS * 1e6:.1f} us per op", found / base, unit, bar))
    return rows


def growth_rows() -> list[Row]:
    """How the time of each step grows with the graph."""
    small, large = (steps(scaled_dump(ops)) for ops in SIZES)
    rows: list[Row] = []
    for what, step in large.items():
        found, base = fastest_in_turns(step, small[what])
        rows.append(Row(f"{what}, {SIZES[1]:,} ops", f"{found:.2f} s", found / base, f"{SIZES[0]:,} ops", 10.0))
    return rows


def wide_row() -> Row:
    """The partition of a graph with 4 million pairs of producer and consumer, against the same ops without them."""
    wide, plain = (read(wide_dump(WIDTH, shared=shared)) for shared in (True, False))
    ctx, partition = context(), GraphPartitionPass()
    found, base = fastest_in_turns(lambda: partition.apply(ctx, wide), lambda: partition.apply(ctx, plain))
    what = f"graph-partition, {WIDTH:,} x {WIDTH:,} pairs"
    return Row(what, f"{found:.2f} s", found / base, "the same ops without", 1.5)


def peak_memory(command: list[str]) -> int:
    """The peak resident memory of a process, in bytes. A small one starts it: a child begins with its parent's."""
    program = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    result = subprocess.run([sys.executable, "-c", program, *command], capture_output=True, text=True, check=True)
    return int(result.stdout) << 10


def memory_row() -> Row:
    """Memory of `tile-opt`, JSON in to partition and summary, over that of a Python that does nothing."""
    with tempfile.TemporaryDirectory() as folder:
        dump = Path(folder) / "scaled.json"
        dump.write_bytes(scaled_dump(OPS))
        empty = peak_memory([sys.executable, "-c", "pass"])
        peak = peak_memory([str(_BIN / "tile-opt"), str(dump), "-p", "graph-partition", "-t", "summary"])
    return Row("peak memory, JSON in to partition", f"{peak >> 20} MiB", (peak - empty) / OPS / 1000, "KB per op", 10.0)


def start_rows() -> list[Row]:
    """Start-up against that of xDSL's own driver, measured in turns."""
    commands = {"tile-opt --help": "tile-opt", "tile-opt --version": "tile-opt", "xdsl-opt --help": "xdsl-opt"}
    best = dict.fromkeys(commands, float("inf"))
    for _ in range(STARTS):
        for name, program in commands.items():
            command = [str(_BIN / program), name.split()[1]]
            found = seconds(lambda command=command: subprocess.run(command, stdout=subprocess.DEVNULL, check=True), 1)
            best[name] = min(best[name], found)
    base = best.pop("xdsl-opt --help")
    return [Row(name, f"{found:.3f} s", found / base, "xdsl-opt --help", 1.3) for name, found in best.items()]


def print_table() -> None:
    """Measure all rows and print them."""
    plain = module()
    clone, verify = seconds(plain.clone) / OPS, seconds(plain.verify) / OPS
    print(f"yardstick: clone {clone * 1e6:.1f} us, verify {verify * 1e6:.1f} us per op; {OPS:,} ops if not said\n")
    del plain
    print("| what | measured | ratio | bar |")
    print("|---|---|---|---|")
    for row in (*ratio_rows(), *growth_rows(), wide_row(), memory_row(), *start_rows()):
        verdict = "" if row.ratio <= row.bar else " (missed)"
        print(f"| {row.what} | {row.measured} | {row.ratio:.2f} x {row.unit} | {row.bar:.3g}{verdict} |", flush=True)


def print_profiles() -> None:
    """Print the functions in which each step spends its time."""
    import cProfile
    import pstats

    for what, step in steps(scaled_dump(OPS)).items():
        print(f"--- {what}")
        profile = cProfile.Profile()
        profile.runcall(step)
        pstats.Stats(profile).sort_stats("tottime").print_stats(14)


if __name__ == "__main__":
    if sys.argv[1:] == ["--profile"]:
        print_profiles()
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        print_table()
