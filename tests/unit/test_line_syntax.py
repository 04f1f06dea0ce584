"""The fast path for the printer's own lines says what the ordinary parser says."""

from __future__ import annotations

from random import Random
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from module_strategies import modules
from text_mutations import mutated
from tile_modules import context, parse_text, text_of
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.utils.exceptions import ParseError, VerifyException

from dialect.line_syntax import LineParser
from dialect.ops import functions_of
from tools.driver.text_frontend import TextParser

Outcome = tuple[object, ...]


def outcome(text: str) -> Outcome:
    """The module in both forms, or the error and its place."""
    try:
        module = TextParser(context(), text).parse_module()
    except ParseError as error:
        return ParseError, error.msg, error.span.start, error.span.end
    except (VerifyException, ValueError, OverflowError, RecursionError) as error:
        return type(error), str(error)
    return text_of(module), text_of(module, generic=True)


def ordinary_outcome(text: str) -> Outcome:
    """The same without the fast path."""

    def parse_no_lines(self: LineParser, position: int, block: Block) -> int:
        return position

    with patch.object(LineParser, "parse_lines", parse_no_lines):
        return outcome(text)


@settings(max_examples=30)
@given(modules(), st.lists(st.integers(0, 2**32), max_size=5))
def test_both_paths_agree(module: ModuleOp, seeds: list[int]) -> None:
    """Same module or same message at the same place, for what the printer writes and for changes of it."""
    text = text_of(module)
    assert outcome(text) == ordinary_outcome(text)
    for seed in seeds:
        changed = mutated(text, Random(seed))
        assert outcome(changed) == ordinary_outcome(changed), changed


@pytest.mark.parametrize(
    "body",
    [
        "tile.assemble %0\n into %y[0]",
        "tile.assemble %0 into %y[0]\n {scope_id = 1}",
        "tile.assemble %0 into %y[0] {scope_id = 1}\n // a comment\n",
        "%1 = tile.exp %0 : !tile.tensor<4xf32, ub>\n, !tile.tensor<4xf32, ub>",
        "%1, %2 = tile.exp %0 : !tile.tensor<4xf32, ub>\n, !tile.tensor<4xf32, ub>",
        "%1 = tile.exp\n %0 : !tile.tensor<4xf32, ub>",
        "tile.nop\n%1 = tile.exp %0 : !tile.tensor<4xf32, ub>",
        "tile.nop\r\n%1 = tile.exp %0 : !tile.tensor<4xf32, ub>\r\ntile.nop\r\n",
        "tile.nop // behind it:\n %1 // one\n , %2 = tile.exp %0 : !tile.tensor<4xf32, ub>, !tile.tensor<4xf32, ub>",
        "tile.nop %0\n%1:2 = tile.exp %0 : !tile.tensor<4xf32, ub>, !tile.tensor<4xf32, ub>\ntile.nop %1#1",
        'tile.nop\n"tile.nop"() : () -> ()',
        "tile.nop loc(unknown)\nloc(unknown)",
        "%y = tile.exp %0 : !tile.tensor<4xf32, ub>",
        "%1, %1 = tile.exp %0 : !tile.tensor<4xf32, ub>, !tile.tensor<4xf32, ub>",
        "tile.exp %0 {magic = 1, magic = 2}",
        "tile.exp %0 {magic = 99999999999999999999}",
        "tile.exp %0 {magics = 1}",
        "tile.expp %0",
        "tile.view %0[99999999999999999999]",
        "tile.exp %0[0]",
        "tile.convert %0 from ub to l7",
        'tile.exp %0 {semantic_label = "a // b", attr = [1, 2 // ]\n], magic = 3}',
    ],
)
def test_lines_that_only_look_complete(body: str) -> None:
    """An op goes on where the next line cannot begin another one; what is not the printer's form is not guessed."""
    text = f"tile.func @f ins(%0: !tile.tensor<4xf32, ub>) outs(%y: !tile.tensor<4xf32, ddr>) {{\n{body}\n}}\n"
    assert outcome(text) == ordinary_outcome(text)


def test_operands_on_the_next_line() -> None:
    """A line that ends before its op is read with the rest of the op; an op without operands ends before `%1 =`."""
    module = parse_text(
        """
        tile.func @f ins(%0: !tile.tensor<4xf32, ub>) outs(%y: !tile.tensor<4xf32, ddr>) {
          tile.nop
          %1, %2 = tile.exp
            %0 : !tile.tensor<4xf32, ub>,
            !tile.tensor<4xf32, ub>
          tile.assemble %1
            into %y[0]
            {scope_id = 1}
        }
        """
    )
    (function,) = functions_of(module)
    assert [(op.name, len(op.inputs), len(op.outputs), len(op.properties)) for op in function.operations()] == [
        ("tile.nop", 0, 0, 1),
        ("tile.exp", 1, 2, 1),
        ("tile.assemble", 1, 1, 4),
    ]


@pytest.mark.parametrize("text", ['"' + "a" * 100_000, '@"' + "a" * 100_000, "!tile.tensor<" + "a" * 100_000])
def test_hopeless_lines_are_refused_in_linear_time(text: str) -> None:
    """No regular expression tries all ways to read a long line in which a quote or a bracket is missing."""
    body = f"tile.func @f outs(%y: !tile.tensor<4xf32, ub>) {{\n%1 = tile.exp %y {{semantic_label = {text}\n}}"
    assert outcome(body)[0] is ParseError
    assert outcome(f"tile.func @f outs(%y: !tile.tensor<4xf32, ub>) {{\n%1 = tile.exp %y : {text}\n}}")[0] is ParseError
