"""A parser that knows where each operation stands, for messages about operations that do not verify."""

from __future__ import annotations

import re
from collections.abc import Mapping

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.mlir_lexer import MLIRTokenKind

from tools.driver.text_frontend import TextParser

_OPERATION_NAME = re.compile(r"[a-z_]+\.[a-z_]")
_LINE_BREAK = re.compile(r"\n\s*(?=\S)")


class PlacingParser(TextParser):
    """Remembers where operations begin, and the lines that a fast path skipped over after reading them itself."""

    def __init__(self, ctx: Context, text: str, name: str):
        super().__init__(ctx, text, name)
        self._text = text
        self._starts: dict[Operation, int] = {}
        self._starts_of_skipped_lines: list[int] = []

    def places(self, module: ModuleOp) -> Mapping[Operation, int]:
        """Where the operations of the parsed module begin in the text; an unknown place is left out.

        A fast path reads one operation from each line, so that its operations and lines correspond in order.
        """
        skipped = [op for op in module.walk() if op not in self._starts and op is not module]
        if len(skipped) != len(self._starts_of_skipped_lines):
            return self._starts
        return self._starts | dict(zip(skipped, self._starts_of_skipped_lines, strict=True))

    def parse_operation(self) -> Operation:
        start = self.pos
        operation = super().parse_operation()
        self._starts[operation] = start
        return operation

    def _resume_from(self, pos: int | ParserState[MLIRTokenKind, str]) -> None:
        if isinstance(pos, int) and _OPERATION_NAME.search(self._text, self.pos, pos):
            breaks = _LINE_BREAK.finditer(self._text, self.pos, pos)
            self._starts_of_skipped_lines += [self.pos, *(line_break.end() for line_break in breaks)]
        super()._resume_from(pos)
