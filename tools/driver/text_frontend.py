"""MLIR text as input: xDSL's frontend, which also takes an empty file and knows the place of every mistake."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.frontend.mlir import MLIRFrontend
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind, StringLiteral

from dialect.suggestions import did_you_mean
from tools.driver.errors import PlacedVerifyException

_WHAT_THE_PARSER_LETS_THROUGH = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)
"""Errors of Python that xDSL's parser does not turn into its own, such as that of an integer of 5,000 digits."""


class TextLexer(MLIRLexer):
    """A lexer that finds the end of a string in linear time, also where a quote is missing.

    xDSL's expression takes exponential time for a line of thirty characters behind an unclosed quote.
    """

    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*"')


class TextParser(Parser):
    """A parser that shows where an unknown operation stands and which names are near, and reads all of its own texts.

    xDSL's printer escapes the keys of a dictionary that are not ASCII, and its parser takes no escaped keys.
    """

    def __init__(self, ctx: Context, text: str, name: str = "<unknown>"):
        super().__init__(ctx, "", name)
        self._parser_state = ParserState(TextLexer(Input(text, name)))

    def parse_optional_str_literal(self) -> str | None:
        text = super().parse_optional_str_literal()
        if text is not None or self._current_token.kind is not MLIRTokenKind.BYTES_LIT:
            return text
        try:
            text = StringLiteral.from_span(self._current_token.span).string_contents
        except UnicodeDecodeError:
            return None
        self._consume_token()
        return text

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
        if not self.no_implicit_module and TextLexer(Input(text, input_name)).lex().kind is MLIRTokenKind.EOF:
            return ModuleOp([])
        parser = TextParser(ctx, text, input_name)
        try:
            return parser.parse_module(not self.no_implicit_module)
        except VerifyException as error:
            raise PlacedVerifyException(str(error), Span(parser.pos, parser.pos, Input(text, input_name))) from error
        except _WHAT_THE_PARSER_LETS_THROUGH as error:
            message = f"cannot read this ({type(error).__name__}: {error})"
            raise ParseError(Span(parser.pos, parser.pos, Input(text, input_name)), message) from error


def decode(data: bytes, name: str) -> str:
    """Text from UTF-8 bytes; raises `ParseError` at the first byte that is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        start = len(data[: error.start].decode("utf-8"))
        span = Span(start, start + 1, Input(data.decode("utf-8", "replace"), name))
        raise ParseError(span, f"byte 0x{data[error.start]:02x} is not UTF-8") from None
