"""The work of `tile-atc` on tile graphs, done by the driver of `tile-opt`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from dialect.ops import functions_of
from tools.atc.model_json import model_as_json
from tools.atc.pipeline_effects import COMPILE_PIPELINE
from tools.atc.resolution import Resolution
from tools.driver.whole_files import written_whole
from tools.tile_opt import TileOptMain


class _Run(TileOptMain):
    """A run of the driver for `tile-atc`: with options that are resolved already."""

    is_complete: ClassVar[bool] = True

    def __init__(self, resolution: Resolution | None, arguments: Sequence[str]):
        self.resolution = resolution
        super().__init__(arguments)

    def read(self) -> ModuleOp:
        """The verified module of the input file, with all that options do to it before the passes."""
        stream, frontend = self.get_input_stream()
        module = self.parse_chunk(stream, frontend)
        if module is None:
            return ModuleOp([])
        self.apply_passes(module)
        return module


def compile_model(resolution: Resolution, output: str) -> None:
    """Read the model of the options, run the passes, and write the result at `output`."""
    command_line = resolution.flags.explicit
    arguments = [f"--output-file={output}", f"--passes={COMPILE_PIPELINE}"]
    if compat := command_line.value("compat"):
        arguments.append(f"--compat={compat}")
    if command_line.is_true("explain"):
        arguments.append("--explain")
    _Run(resolution, [*arguments, *_input(resolution.flags["model"])]).run()


def check_model(resolution: Resolution) -> Sequence[str]:
    """Read the model, let the options change it as a compilation would, and return the names of its functions."""
    module = _Run(resolution, _input(resolution.flags["model"])).read()
    return [function.symbol for function in functions_of(module)]


def display(path: str) -> None:
    """Print what the functions of a file consist of."""
    _Run(None, ["--target=summary", *_input(path)]).run()


def convert(path: str, output: str, *, with_shapes: bool) -> None:
    """Write the functions of a file as JSON."""
    module = _Run(None, _input(path)).read()
    with written_whole(output) as stream:
        json.dump(model_as_json(module, with_shapes=with_shapes), stream, indent=1, ensure_ascii=False)
        stream.write("\n")


def _input(path: str) -> Sequence[str]:
    """The arguments for an input file; a dumped text is MLIR."""
    frontend = ["--frontend=mlir"] if path.lower().endswith(".txt") else []
    return [*frontend, "--", path]
