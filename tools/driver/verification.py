"""Which operation does not verify, and where it stands."""

from __future__ import annotations

from io import StringIO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.lexer import Input, Span

from tools.driver.errors import PlacedVerifyException
from tools.driver.placing_parser import PlacingParser
from tools.driver.text_frontend import decode

_SHOWN_WIDTH = 200


def failing_operation(module: ModuleOp, message: str) -> Operation | None:
    """The first operation whose own verification gives `message`, or None if only a block or region does."""
    for operation in module.walk():
        try:
            operation.verify(verify_nested_ops=False)
        except VerifyException as error:
            if str(error) == message:
                return operation
    return None


def describe_failure(module: ModuleOp, message: str) -> str:
    """What to say of a module that does not verify: the one operation that is wrong, and `message`."""
    operation = failing_operation(module, message)
    if operation is None:
        return f"the module does not verify: {message}"
    return f"'{operation.name}' does not verify: {message}\n  {describe_operation(operation)}"


def place_failure(
    ctx: Context, source: bytes, line_offset: int, name: str, message: str
) -> PlacedVerifyException | None:
    """The error, with its place, for MLIR text that parses and does not verify; None if no operation is to blame.

    The text is parsed again to learn the places, so that they cost nothing as long as modules verify.
    """
    text = decode(source, name)
    parser = PlacingParser(ctx, text, name)
    module = parser.parse_module()
    operation = failing_operation(module, message)
    start = None if operation is None else parser.places(module).get(operation)
    if operation is None or start is None:
        return None
    span = Span(start, start + 1, Input(text, name), line_offset)
    return PlacedVerifyException(f"'{operation.name}' does not verify: {message}", span)


def describe_operation(operation: Operation) -> str:
    """One line for an operation: its text, or its name and symbol if it has regions, which may be long."""
    if operation.regions:
        symbol = operation.get_attr_or_prop("sym_name")
        return f"{operation.name} @{symbol.data}" if isinstance(symbol, StringAttr) else operation.name
    stream = StringIO()
    Printer(stream, print_generic_format=True).print_op(operation)
    text = stream.getvalue().split("\n", 1)[0]
    return text if len(text) <= _SHOWN_WIDTH else text[: _SHOWN_WIDTH - 3] + "..."
