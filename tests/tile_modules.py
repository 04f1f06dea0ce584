"""The ways between text and module, for all tests."""

from __future__ import annotations

from io import StringIO

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.ir import Operation
from xdsl.printer import Printer

from dialect.tile import TILE
from tools.driver.text_frontend import TextParser


def context() -> Context:
    """A context that knows the dialect."""
    ctx = Context()
    ctx.load_dialect(Builtin)
    ctx.load_dialect(TILE)
    return ctx


def parse_text(text: str) -> ModuleOp:
    """The verified module of a text in any form."""
    module = TextParser(context(), text).parse_module()
    module.verify()
    return module


def text_of(op: Operation, *, generic: bool = False) -> str:
    """The custom or the generic form, with a final newline."""
    stream = StringIO()
    Printer(stream, print_generic_format=generic).print_op(op)
    return stream.getvalue() + "\n"
