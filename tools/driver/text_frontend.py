"""MLIR text as input: xDSL's frontend, which also takes an empty file and knows the place of every mistake."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.frontend.mlir import MLIRFrontend
from xdsl.ir import Operation
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from dialect.suggestions import did_you_mean
from tools.driver.errors import PlacedVerifyException
from tools.driver.utf8_parser import Utf8Parser


class TextParser(Utf8Parser):
    """A parser that shows where an unknown operation stands and which names are near."""

    def _get_op_by_name(self, name: str) -> type[Operation]:
        try:
            return super()._get_op_by_name(name)
        except ParseError as error:
            start = self.lexer.input.content.rfind(name, 0, self.pos)
            raise ParseError(
                Span(start, start + len(name), self.lexer.input), error.msg + self._nearest(name)
            ) from None

    def _nearest(self, operation: str) -> str:
        dialect = operation.split(".")[0]
        if dialect not in self.ctx.registered_dialect_names:
            return did_you_mean(dialect, self.ctx.registered_dialect_names)
        return did_you_mean(operation, (known.name for known in self.ctx.loaded_ops))


@dataclass(frozen=True)
class TextFrontend(MLIRFrontend):
    """Reads a module of MLIR text; text without operations is an empty module."""

    def parse(self, ctx: Context, input: IO[bytes], input_name: str = "input") -> ModuleOp:
        """The module. Raises `ParseError` or `PlacedVerifyException`, which know their place in the text."""
        text = decode(input.read(), input_name)
        if not self.no_implicit_module and MLIRLexer(Input(text, input_name)).lex().kind is MLIRTokenKind.EOF:
            return ModuleOp([])
        parser = TextParser(ctx, text, input_name)
        try:
            return parser.parse_module(not self.no_implicit_module)
        except VerifyException as error:
            raise PlacedVerifyException(str(error), Span(parser.pos, parser.pos, Input(text, input_name))) from error


def decode(data: bytes, name: str) -> str:
    """Text from UTF-8 bytes; raises `ParseError` at the first byte that is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        start = len(data[: error.start].decode("utf-8"))
        span = Span(start, start + 1, Input(data.decode("utf-8", "replace"), name))
        raise ParseError(span, f"byte 0x{data[error.start]:02x} is not UTF-8") from None
