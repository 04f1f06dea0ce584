"""The place of an operation that does not verify."""

import pytest
from xdsl.context import Context
from xdsl.dialects import test
from xdsl.dialects.builtin import Builtin, StringAttr
from xdsl.ir import Region
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from dialect.tile import TILE
from tools.driver.verification import describe_operation, place_failure

TENSOR = "!tile.tensor<8x8xf32, ub>"
ARGUMENTS = "ins(%x : !tile.tensor<8x8xf32, ddr>) outs(%y : !tile.tensor<8x8xf32, ddr>)"
BODY = f"""{ARGUMENTS} {{
  %0 = tile.view %x[0, 0] : {TENSOR}
  // a comment

  %1 = tile.exp   %0 : {TENSOR}

  %2 = tile.exp %0 : {TENSOR}
  tile.assemble %2 into %y[0, 0]
}}
"""


def place_of(text: str) -> tuple[int, int]:
    """Line and column of the operation of `text` that does not verify."""
    context = Context()
    for dialect in (Builtin, test.Test, TILE):
        context.load_dialect(dialect)
    with pytest.raises(VerifyException) as caught:
        Parser(context, text).parse_module().verify()
    placed = place_failure(context, text.encode(), 100, "f.mlir", str(caught.value))
    assert placed is not None
    location = placed.span.get_location()
    return location.line - 100, location.col


@pytest.mark.parametrize("line", [2, 5, 7])
def test_place_in_a_tile_function(line: int) -> None:
    """The line is right behind comments, blank lines, and functions that are fine."""
    lines = (f"tile.func @a {BODY}tile.func @b {BODY}").splitlines()
    wrong = line - 1 + len(BODY.splitlines())
    lines[wrong] = lines[wrong].replace(f" : {TENSOR}", f' {{scope_id = "é"}} : {TENSOR}')
    assert place_of("\n".join(lines)) == (wrong + 1, 3)


def test_place_of_a_nested_operation() -> None:
    """An operation inside another one is found, not the outer one."""
    text = '"test.op"() ({\n  %0 = "test.op"() : () -> i32\n    "builtin.module"() : () -> ()\n}) : () -> ()'
    assert place_of(text) == (3, 5)


def test_description_is_short() -> None:
    """An operation is one line of limited length, and one with regions is a name."""
    assert describe_operation(test.TestOp()) == '"test.op"() : () -> ()'
    assert describe_operation(test.TestOp(regions=[Region()])) == "test.op"
    long = test.TestOp(attributes={"text": StringAttr("x" * 1000)})
    assert describe_operation(long).startswith('"test.op"() {text = "xxx')
    assert len(describe_operation(long)) == 200
