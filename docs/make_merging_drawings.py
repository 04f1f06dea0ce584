"""Makes the drawings of `docs/merging.md` with Graphviz: `python docs/make_merging_drawings.py`."""

from __future__ import annotations

import subprocess
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from tools.tile_opt import main as tile_opt

DOCS = Path(__file__).parent
EXAMPLES = DOCS.parent / "examples"

PARTITION = "resolve-pass-options,graph-partition"
DRAWINGS = {
    "vector-before": ("vector_tiles.mlir", PARTITION, "a2a3"),
    "vector-merged": ("vector_tiles.mlir", PARTITION + ',n-buffer-merge{vec-nbuffer-setting="DEFAULT=3"}', "a2a3"),
    "cube-before": ("cube_tiles.mlir", PARTITION, "a2a3"),
    "cube-l1-reuse": (
        "cube_tiles.mlir",
        PARTITION + ',l1-copy-in-reuse-merge{cube-l1-reuse-setting="DEFAULT=2"}',
        "a2a3",
    ),
    "cube-n-buffer": (
        "cube_tiles.mlir",
        PARTITION + ',l1-copy-in-reuse-merge{cube-l1-reuse-setting="DEFAULT=1" cube-nbuffer-setting="DEFAULT=2"}',
        "a2a3",
    ),
    "mixed-before": ("mixed_tiles.mlir", PARTITION, "a5"),
    "mixed-merged": ("mixed_tiles.mlir", PARTITION + ",reduce-copy-merge{auto-mix-partition=1}", "a5"),
}
"""By the name of the drawing: the example, the passes and the chip."""


def main() -> None:
    """Draw all."""
    for name, (example, passes, chip) in DRAWINGS.items():
        drawing = StringIO()
        with redirect_stdout(drawing):
            status = tile_opt([str(EXAMPLES / example), "-p", passes, "-t", "dot{level=ops}", f"--soc-version={chip}"])
        if status:
            raise SystemExit(status)
        target = DOCS / "drawings" / f"{name}.svg"
        subprocess.run(["dot", "-Tsvg", "-o", target], input=drawing.getvalue(), text=True, check=True)


if __name__ == "__main__":
    main()
