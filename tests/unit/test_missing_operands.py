"""Operand and output counts are not those of a table: ops that lack some are read, partitioned, merged and timed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.tile_opt import main

TENSOR = "!tile.tensor<64x64xf32, ub>"


@pytest.mark.parametrize("target", ["mlir", "summary", "swimlane", "report"])
@pytest.mark.parametrize(
    "operation",
    ["view", "assemble", "convert", "copy_in", "copy_out", "reshape", "exp", "a_mul_b", "index_add", "call"],
)
def test_no_internal_error(operation: str, target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With no, one or two inputs and outputs the result is a result, or an error that names the reason."""
    path = tmp_path / "input.mlir"
    for inputs in ("", " %b", " %x, %b"):
        for outputs in range(3):
            results = ", ".join(f"%r{number}" for number in range(outputs)) + " = " * bool(outputs)
            types = " : " * bool(outputs) + ", ".join([TENSOR] * outputs)
            path.write_text(
                f"tile.func @f ins(%x: {TENSOR.replace('ub', 'ddr')}) {{\n"
                f"  %b = tile.view %x[0, 0] : {TENSOR}\n  {results}tile.{operation}{inputs}{types}\n}}\n"
            )
            status = main([str(path), "-p", "block-graph" if target == "mlir" else "graph-partition", "-t", target])
            messages = capsys.readouterr().err
            assert "internal error" not in messages
            assert status == 0 or ": error: " in messages
