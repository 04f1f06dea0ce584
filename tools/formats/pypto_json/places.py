"""How messages name the places of a dump."""

from __future__ import annotations

from typing import NamedTuple

from tools.formats.pypto_json.errors import DumpError, shown
from tools.formats.pypto_json.schema import Operation


class FunctionPlace(NamedTuple):
    """A function of a file: its position there and its name."""

    position: int
    name: str

    def error(self, path: str, message: str) -> DumpError:
        """The error at a path below the function, such as `.tensors[3]`."""
        return DumpError(f"functions[{self.position}]{path} (function {shown(self.name)}): {message}")

    def operation_error(self, index: int, operation: Operation, path: str, message: str) -> DumpError:
        """The error at a path below the op at `index`."""
        return DumpError(
            f"functions[{self.position}].operations[{index}]{path} (function {shown(self.name)}, "
            f"opcode {shown(operation.opcode)}, opmagic {operation.opmagic}): {message}"
        )
