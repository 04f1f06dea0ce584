"""The scopes: kernels, loops and options blocks, which hold functions, directives and each other.

What a directive sets in a scope ends with the scope; what held where a scope begins holds in it too (pass options,
sections 2 to 4). `resolve-pass-options` acts on scopes and removes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self, cast

from xdsl.dialects.builtin import DictionaryAttr, StringAttr
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, region_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator, SymbolOpInterface, SymbolTable
from xdsl.utils.exceptions import VerifyException

from dialect.compat import Compat
from dialect.directives import (
    BeginOptionsOp,
    Directive,
    EndOptionsOp,
    options_attribute,
    own_attributes_text,
    parse_options,
    parse_own_attributes,
    rules_of,
    verify_options,
)
from dialect.ops import FuncOp
from dialect.pass_options import OptionValue
from dialect.text import dictionary_text


class ScopeOp(IRDLOperation):
    """The base of all scopes."""

    body = region_def("single_block")

    traits = traits_def(NoTerminator(), SymbolTable())

    def verify_(self) -> None:
        for op in self.body.block.ops:
            if isinstance(op, (BeginOptionsOp, EndOptionsOp)):
                raise VerifyException(
                    f"{op.name} stands in functions only; around functions use tile.options {{…}} {{ … }}"
                )
            if not isinstance(op, (FuncOp, ScopeOp, Directive)):
                raise VerifyException(f"a scope holds functions, directives and scopes, found {op.name}")
        if self.body.block.args:
            raise VerifyException(f"a scope has no arguments, found {len(self.body.block.args)}")


class _NamedScopeOp(ScopeOp):
    """A scope with a symbol."""

    sym_name = prop_def(StringAttr)

    def __init__(
        self, name: str, body: Sequence[Operation] | Region, attributes: Mapping[str, Attribute] | None = None
    ):
        super().__init__(
            regions=[_region(body)], properties={"sym_name": StringAttr(name)}, attributes=dict(attributes or {})
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(f"{own_attributes_text(self.attributes)} ")
        printer.print_region(self.body, print_empty_block=False)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parser.parse_symbol_name().data
        attributes = parse_own_attributes(parser)
        return cls(name, _parse_body(parser), attributes)


@irdl_op_definition
class KernelOp(_NamedScopeOp):
    """A kernel: the scope that one compilation of a jit function opens.

    ```mlir
    tile.kernel @softmax {
      tile.set_pass_options {vec_nbuffer_setting = {DEFAULT = 2}}
      tile.func @softmax_rows { … }
    }
    ```
    """

    name = "tile.kernel"

    traits = traits_def(NoTerminator(), SymbolTable(), SymbolOpInterface())


@irdl_op_definition
class LoopOp(_NamedScopeOp):
    """The body of a loop of a kernel.

    ```mlir
    tile.loop @rows {
      tile.func @rows_body { … }
    }
    ```
    """

    name = "tile.loop"

    traits = traits_def(NoTerminator(), SymbolTable(), SymbolOpInterface())


@irdl_op_definition
class OptionsOp(ScopeOp):
    """An options block around functions and scopes; in the middle of a function stands `tile.begin_options` instead.

    ```mlir
    tile.options {cube_l1_reuse_setting = {DEFAULT = [4, "left"]}} {
      tile.func @scores { … }
    }
    ```
    """

    name = "tile.options"

    options = prop_def()

    def __init__(
        self,
        options: Mapping[str, OptionValue] | DictionaryAttr,
        body: Sequence[Operation] | Region,
        attributes: Mapping[str, Attribute] | None = None,
    ):
        super().__init__(
            regions=[_region(body)],
            properties={"options": options_attribute(options)},
            attributes=dict(attributes or {}),
        )

    @property
    def entries(self) -> Mapping[str, Attribute]:
        """The options as they are written."""
        return cast("DictionaryAttr", self.options).data

    def verify_(self) -> None:
        super().verify_()
        verify_options(self, self.options, mixed_keys=rules_of(self) is Compat.PYPTO)

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {dictionary_text(self.entries)}{own_attributes_text(self.attributes)} ")
        printer.print_region(self.body, print_empty_block=False)

    @classmethod
    def parse(cls, parser: Parser) -> OptionsOp:
        options = parse_options(parser)
        attributes = parse_own_attributes(parser)
        return cls(options, _parse_body(parser), attributes)


def _region(body: Sequence[Operation] | Region) -> Region:
    return body if isinstance(body, Region) else Region(Block(body))


def _parse_body(parser: Parser) -> Region:
    region = parser.parse_region()
    if not region.blocks:
        region.add_block(Block())
    return region
