"""Prints how long reading, verifying, printing and partitioning take, as ratios of the yardstick.

Run `python benchmarks/spine.py`. The graph is attention_512 of `examples/`, copied in one function that shares the
incasts.
"""

from __future__ import annotations

import gzip
import json
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.parser import Parser
from xdsl.printer import Printer
from yardstick import OPS, module, seconds

from dialect.tile import TILE
from tools.formats.pypto_json import PyptoJsonFrontend
from transforms.graph_partition.graph_partition_pass import GraphPartitionPass

EXAMPLE = Path(__file__).parents[1] / "examples" / "attention_512.json.gz"


def scaled_dump(ops: int) -> bytes:
    """The example's dump, copied until it has `ops` ops."""
    dump = json.loads(gzip.decompress(EXAMPLE.read_bytes()))
    (function,) = dump["functions"]
    shared = {magic for magic, _ in function["incasts"]}
    parts: dict[str, list[Any]] = {"operations": [], "tensors": [], "rawtensors": [], "outcasts": []}
    for copy in range(ops // len(function["operations"])):
        step = copy * 1_000_000
        moved = {
            tensor["magic"]: tensor["magic"] + (0 if tensor["magic"] in shared else step)
            for tensor in function["tensors"]
        }
        for tensor in function["tensors"]:
            if copy and tensor["magic"] in shared:
                continue
            parts["tensors"].append(
                {**tensor, "magic": moved[tensor["magic"]], "rawtensor": tensor["rawtensor"] + step}
            )
        parts["rawtensors"] += [{**raw, "rawmagic": raw["rawmagic"] + step} for raw in function["rawtensors"]]
        parts["outcasts"] += [[moved[magic], slots] for magic, slots in function["outcasts"]]
        for op in function["operations"]:
            operands = {key: [moved[magic] for magic in op[key]] for key in ("ioperands", "ooperands")}
            parts["operations"].append({**op, **operands, "opmagic": op["opmagic"] + step})
    dump["functions"] = [{**function, **parts}]
    return json.dumps(dump).encode()


def context() -> Context:
    """A context that knows the dialect."""
    ctx = Context()
    ctx.load_dialect(Builtin)
    ctx.load_dialect(TILE)
    return ctx


def text_of(tile_module: ModuleOp, *, generic: bool = False) -> str:
    """The module as text."""
    stream = StringIO()
    Printer(stream, print_generic_format=generic).print_op(tile_module)
    return stream.getvalue()


def main() -> None:
    """Measure and print."""
    plain = module()
    clone, verify = seconds(plain.clone) / OPS, seconds(plain.verify) / OPS
    print(f"yardstick: clone {clone * 1e6:.1f} us, verify {verify * 1e6:.1f} us per op\n")
    times: dict[int, dict[str, float]] = {}
    ctx = context()
    for ops in (10_000, 20_000, 80_000):
        data = scaled_dump(ops)

        def read(data: bytes = data) -> ModuleOp:
            result = PyptoJsonFrontend().parse(ctx, BytesIO(data), "scaled.json")
            result.verify()
            return result

        tile_module = read()
        text = text_of(tile_module)
        times[ops] = {
            "JSON to verified module": seconds(read),
            "text to module": seconds(lambda text=text: Parser(ctx, text).parse_module()),
            "module to text": seconds(lambda tile_module=tile_module: text_of(tile_module)),
            "graph-partition": seconds(lambda tile_module=tile_module: GraphPartitionPass().apply(ctx, tile_module)),
        }
        if ops == OPS:
            generic = text_of(tile_module, generic=True)
            generic_parse = seconds(lambda generic=generic: Parser(ctx, generic).parse_module(), 1)
            generic_print = seconds(lambda tile_module=tile_module: text_of(tile_module, generic=True), 1)
    bars = {
        "JSON to verified module": ("clone", clone * OPS, 4.0),
        "text to module": ("generic parse", generic_parse, 1 / 8),
        "module to text": ("generic print", generic_print, 1.0),
        "graph-partition": ("verify", verify * OPS, 3.0),
    }
    print("| what (20,000 ops) | us per op | ratio | bar | growth 10,000 to 80,000 |")
    print("|---|---|---|---|---|")
    for what, (unit, base, bar) in bars.items():
        taken = times[OPS][what]
        growth = times[80_000][what] / times[10_000][what]
        print(f"| {what} | {taken / OPS * 1e6:.1f} | {taken / base:.2f} x {unit} | {bar:.3g} | {growth:.1f} x |")


if __name__ == "__main__":
    main()
