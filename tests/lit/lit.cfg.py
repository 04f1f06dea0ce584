"""Configuration of the FileCheck tests: the tools are those of the Python that runs lit."""
# ruff: noqa: F821 (lit defines `config`)

import os
import sys

import lit.formats
from lit.TestingConfig import TestingConfig

config: TestingConfig

config.name = "tile-opt"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "Output"]
config.test_source_root = os.path.dirname(__file__)

tools = os.path.dirname(sys.executable)
config.environment["PATH"] = os.pathsep.join([tools, os.environ.get("PATH", os.defpath)])
config.substitutions += [
    (r"\btile-opt(?= |$)", os.path.join(tools, "tile-opt")),
    (r"\btile-atc(?= |$)", os.path.join(tools, "tile-atc")),
    (r"\bfilecheck(?= |$)", os.path.join(tools, "filecheck")),
]
