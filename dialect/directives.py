"""The directives: ops without tensors that say which options and label hold from where they stand.

They stand in a module, a scope (`dialect.scopes`) or a function; `resolve-pass-options` acts on them and removes them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Self, cast

from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialect.compat import Compat
from dialect.pass_options import (
    OptionType,
    OptionValue,
    PassOptionError,
    check_semantic_label,
    find_option,
    option_from_attribute,
    options_from_dictionary,
    options_to_dictionary,
)
from dialect.text import dictionary_text, parse_optional_dictionary, parse_string_literal, quoted
from dialect.values import string_of


def rules_of(op: Operation) -> Compat:
    """The rules of the module that an op stands in; the published ones if it says none, or stands in no module."""
    top: Operation = op
    while (block := top.parent) is not None and (region := block.parent) is not None and region.parent is not None:
        top = region.parent
    named = string_of(top.attributes.get("tile.compat")) if isinstance(top, ModuleOp) else None
    return Compat.PYPTO if named == Compat.PYPTO else Compat.PUBLISHED


def verify_options(op: Operation, options: Attribute, *, mixed_keys: bool = False) -> None:
    """The checks that PyPTO makes when options are set.

    Raises:
        VerifyException: `options` is no dictionary of pass options with values that they take.
    """
    if not isinstance(options, DictionaryAttr):
        raise VerifyException(f"options are a dictionary, found {options}")
    try:
        options_from_dictionary(options.data, rules_of(op), mixed_keys=mixed_keys)
    except PassOptionError as error:
        raise VerifyException(str(error)) from error


def verify_carried_options(function: Operation, options: Mapping[str, Attribute]) -> None:
    """The checks of the options that a function carries; numbers are left to the pass that reads them.

    Raises:
        VerifyException: an unknown option, one that acts on ops, or a merge setting that is none.
    """
    try:
        for name, value in options.items():
            option = find_option(name)
            if option.on_operations:
                raise VerifyException(f"pass_options: {name} acts on ops and cannot be carried by a function")
            if option.type is OptionType.MERGE_SETTING:
                option_from_attribute(name, value, rules_of(function), mixed_keys=True)
    except PassOptionError as error:
        raise VerifyException(f"pass_options: {error}") from error


def options_attribute(options: Mapping[str, OptionValue] | DictionaryAttr) -> DictionaryAttr:
    """The dictionary of options that an op carries."""
    return options if isinstance(options, DictionaryAttr) else DictionaryAttr(options_to_dictionary(options))


def parse_options(parser: Parser) -> DictionaryAttr:
    """Parse the dictionary of options behind the name of an op."""
    position = parser.pos
    entries = parse_optional_dictionary(parser)
    if entries is None:
        parser.raise_error("expected options such as {vec_nbuffer_setting = {DEFAULT = 2}}", position)
    return DictionaryAttr(entries)


def parse_own_attributes(parser: Parser) -> dict[str, Attribute]:
    """Parse `attributes {…}` with attributes of the user's own, if it stands here."""
    if not parser.parse_optional_keyword("attributes"):
        return {}
    position = parser.pos
    entries = parse_optional_dictionary(parser) or {}
    for key in entries:
        if "." not in key:
            parser.raise_error(
                f"unknown attribute '{key}' (an attribute of your own needs a dot in its name)", position
            )
    return entries


def own_attributes_text(attributes: Mapping[str, Attribute]) -> str:
    """What `parse_own_attributes` reads back, beginning with a blank; nothing for no attributes."""
    return f" attributes {dictionary_text(attributes)}" if attributes else ""


class Directive(IRDLOperation, ABC):
    """The base of all directives."""

    @property
    @abstractmethod
    def text(self) -> str:
        """What stands behind the op's name, beginning with a blank if there is anything."""

    def print(self, printer: Printer) -> None:
        printer.print_string(self.text)


class _OptionsDirective(Directive):
    """A directive with a dictionary of options."""

    options = prop_def()

    def __init__(
        self, options: Mapping[str, OptionValue] | DictionaryAttr, attributes: Mapping[str, Attribute] | None = None
    ):
        super().__init__(properties={"options": options_attribute(options)}, attributes=dict(attributes or {}))

    @property
    def entries(self) -> Mapping[str, Attribute]:
        """The options as they are written."""
        return cast("DictionaryAttr", self.options).data

    @property
    def text(self) -> str:
        return f" {dictionary_text(self.entries)}{own_attributes_text(self.attributes)}"

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        return cls(parse_options(parser), parse_own_attributes(parser))


@irdl_op_definition
class SetPassOptionsOp(_OptionsDirective):
    """Sets pass options, from here to the end of the innermost scope.

    `sg_set_scope` acts on the ops that follow; any other option on each function that ends while it holds, as a whole.

    ```mlir
    tile.set_pass_options {vec_nbuffer_setting = {DEFAULT = 2, V1 = 1}, sg_set_scope = [1, true, false]}
    ```
    """

    name = "tile.set_pass_options"

    def verify_(self) -> None:
        verify_options(self, self.options)


@irdl_op_definition
class SetSemanticLabelOp(Directive):
    """Labels the ops that follow, up to the end of the innermost scope; the empty label ends labelling.

    ```mlir
    tile.set_semantic_label "V1"
    ```
    """

    name = "tile.set_semantic_label"

    label = prop_def()

    def __init__(self, label: str, attributes: Mapping[str, Attribute] | None = None):
        super().__init__(properties={"label": StringAttr(label)}, attributes=dict(attributes or {}))

    @property
    def label_text(self) -> str:
        """The label."""
        return string_of(self.label) or ""

    @property
    def text(self) -> str:
        return f" {quoted(self.label_text)}{own_attributes_text(self.attributes)}"

    def verify_(self) -> None:
        label = string_of(self.label)
        if label is None:
            raise VerifyException(f"a label is a string, found {self.label}")
        try:
            check_semantic_label(label, rules_of(self))
        except PassOptionError as error:
            raise VerifyException(str(error)) from error

    @classmethod
    def parse(cls, parser: Parser) -> SetSemanticLabelOp:
        return cls(parse_string_literal(parser), parse_own_attributes(parser))


@irdl_op_definition
class BeginOptionsOp(_OptionsDirective):
    """Opens an options block in the middle of a function; `tile.end_options` closes it and restores what held before.

    A function ends behind all its blocks, so that only `sg_set_scope` and the label have an effect in one.

    ```mlir
    tile.begin_options {sg_set_scope = 3}
    %1 = tile.exp %0 : !tile.tensor<64x64xf32, ub>
    tile.end_options
    ```
    """

    name = "tile.begin_options"

    def verify_(self) -> None:
        verify_options(self, self.options, mixed_keys=rules_of(self) is Compat.PYPTO)


class _BareDirective(Directive):
    """A directive that is only its name."""

    def __init__(self, attributes: Mapping[str, Attribute] | None = None):
        super().__init__(attributes=dict(attributes or {}))

    @property
    def text(self) -> str:
        return own_attributes_text(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        return cls(parse_own_attributes(parser))


@irdl_op_definition
class EndOptionsOp(_BareDirective):
    """Closes the options block that the last open `tile.begin_options` of the function opened."""

    name = "tile.end_options"


@irdl_op_definition
class ResetOptionsOp(_BareDirective):
    """Forgets what the innermost scope has set so far: what held where it begins holds again, and no label."""

    name = "tile.reset_options"
