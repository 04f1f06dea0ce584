"""The fast path of the parser: ops in the printer's own line form.

One compiled regular expression recognises a whole line; types and attribute values are parsed once for each distinct
text. A line that differs from the printer's form in any way, or that is wrong, is left to the ordinary parser, which
gives the same result or the error at its place. About twenty times as fast as token by token.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, UnitAttr, i1, i64
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from dialect.operation import INTO, TileOperation
from dialect.properties import LARGEST_I64
from dialect.text import parse_value
from dialect.types import MEMORY_ATTR_BY_NAME

_VALUE = r"%(?:[0-9]+|[A-Za-z$._-][A-Za-z0-9$._-]*)"
_STRING = r'"[^"\\\n]*"'
_INTEGERS = r"\[(?:-?[0-9]+(?:, -?[0-9]+)*)?\]"
_SYMBOLIC = rf"(?:-?[0-9]+|{_STRING})"
_WINDOW = rf"{_INTEGERS}(?: dyn \[(?:{_SYMBOLIC}(?:, {_SYMBOLIC})*)?\])?"
_FLAT = rf'[^"{{}}\[\]\n]*(?:{_STRING}[^"{{}}\[\]\n]*)*'
"""Text without brackets, except inside strings."""
_LIST = rf"\[{_FLAT}\]"
_ENTRY_VALUE = (
    rf"(?:-?[0-9]+|true|false|{_STRING}|{_LIST}|\{{{_FLAT}(?:{_LIST}{_FLAT})*\}}"
    r"|#tile\.[a-z]+<[^<>{}\n\"]*>|#tile<[a-z0-9_ ]+>)"
)
_ENTRY = rf"[A-Za-z_][A-Za-z0-9_$.]*(?: = {_ENTRY_VALUE})?"
_TYPE = r"!tile\.tensor<[^<>\n]*(?:<[^<>\n]*>[^<>\n]*)?>"
_RESULTS = rf"{_VALUE}(?:, {_VALUE})* = "

_LINE = re.compile(
    rf"\s*(?P<results>{_RESULTS})?"
    r"tile\.(?P<mnemonic>[a-z0-9_]+)"
    rf"(?P<inputs>(?: {_VALUE}(?P<window>{_WINDOW})?(?:, {_VALUE})*)?)"
    rf"(?: into (?P<targets>(?:_|{_VALUE})(?P<target_window>{_WINDOW})?(?:, (?:_|{_VALUE}))*))?"
    r"(?: from (?P<source>[a-z0-9_]+) to (?P<target>[a-z0-9_]+))?"
    rf"(?: \{{(?P<entries>{_ENTRY}(?:, {_ENTRY})*)\}})?"
    rf"(?: : (?P<types>{_TYPE}(?:, {_TYPE})*))?"
    rf"(?=[ \t\r]*\n\s*(?:{_RESULTS}|tile\.|\}}|\"))",
    re.ASCII,
)
"""One op, and behind its line something that cannot belong to it."""
_ENTRY_PARTS = re.compile(rf"(?P<key>[A-Za-z_][A-Za-z0-9_$.]*)(?: = (?P<value>{_ENTRY_VALUE}))?(?:, )?")
_TYPE_PARTS = re.compile(_TYPE)
_UNIT = UnitAttr()


class _NotOurFormError(Exception):
    """The line is left to the ordinary parser."""


class LineParser:
    """Parses ops of one function body from text.

    Attributes and types are interned by their text for the life of the object.
    """

    def __init__(self, parser: Parser, operation_classes: Mapping[str, type[TileOperation]]):
        self._parser = parser
        self._operation_classes = operation_classes
        self._text = parser.lexer.input.content
        self._attributes: dict[str, Attribute] = {}
        self._types: dict[str, Attribute] = {}
        self._windows: dict[str, tuple[Attribute, Attribute | None]] = {}
        self._into: dict[str, Attribute] = {}

    def parse_lines(self, position: int, block: Block) -> int:
        """Append the ops of all lines in our form that begin at `position` to `block`.

        Returns the position behind the last such line; `position` itself if there is none.
        """
        if self._parser.forward_ssa_references:
            return position
        while (match := _LINE.match(self._text, position)) is not None:
            try:
                op, names = self._operation(match)
            except _NotOurFormError:
                return position
            values = self._parser.ssa_values
            for name, result in zip(names, op.results, strict=True):
                values[name] = (result,)
                if not name[0].isdigit() and SSAValue.is_valid_name(name):
                    result.name_hint = name
            block.add_op(op)
            position = match.end()
        return position

    def _operation(self, match: re.Match[str]) -> tuple[TileOperation, list[str]]:
        (results, mnemonic, inputs, window, targets, target_window, source, target, entries, types) = match.groups()
        operation_class = self._operation_classes.get(mnemonic)
        if operation_class is None:
            raise _NotOurFormError
        opcode = operation_class.opcode
        properties: dict[str, Attribute] = {}
        operands: list[SSAValue] = []
        if window is not None:
            if not opcode.is_windowed or target_window is not None:
                raise _NotOurFormError
            self._add_window(window, properties)
            inputs = inputs.replace(window, "", 1)
        if inputs:
            self._add_values(inputs, operands)
        if targets is not None:
            if target_window is not None:
                if not opcode.is_assemble_like:
                    raise _NotOurFormError
                self._add_window(target_window, properties)
                targets = targets.replace(target_window, "", 1)
            into = self._add_targets(targets, operands)
            if not operands:
                raise _NotOurFormError
            properties[INTO] = into
        if source is not None:
            if opcode.name != "CONVERT" or source not in MEMORY_ATTR_BY_NAME or target not in MEMORY_ATTR_BY_NAME:
                raise _NotOurFormError
            properties["from"] = MEMORY_ATTR_BY_NAME[source]
            properties["to"] = MEMORY_ATTR_BY_NAME[target]
        attributes: dict[str, Attribute] = {}
        if entries is not None:
            self._add_entries(entries, operation_class, properties, attributes)
        result_types = [] if types is None else [self._type(text) for text in _TYPE_PARTS.findall(types)]
        names = [] if results is None else [name[1:] for name in results[: -len(" = ")].split(", ")]
        known = self._parser.ssa_values
        if len(names) != len(result_types) or len(set(names)) != len(names) or any(name in known for name in names):
            raise _NotOurFormError
        op = operation_class.create(
            operands=operands, result_types=result_types, properties=properties, attributes=attributes
        )
        return op, names

    def _add_values(self, text: str, operands: list[SSAValue]) -> None:
        known = self._parser.ssa_values
        for name in text[1:].split(", "):
            values = known.get(name[1:])
            if values is None:
                raise _NotOurFormError
            operands.append(values[0])

    def _add_targets(self, text: str, operands: list[SSAValue]) -> Attribute:
        kinds: list[int] = []
        known = self._parser.ssa_values
        for name in text.split(", "):
            if name == "_":
                kinds.append(0)
                continue
            values = known.get(name[1:])
            if values is None:
                raise _NotOurFormError
            operands.append(values[0])
            kinds.append(1)
        key = "".join(map(str, kinds))
        into = self._into.get(key)
        if into is None:
            into = self._into[key] = DenseArrayBase.from_list(i1, kinds)
        return into

    def _add_window(self, text: str, properties: dict[str, Attribute]) -> None:
        window = self._windows.get(text)
        if window is None:
            static, separator, dynamic = text.partition(" dyn ")
            numbers = [int(number) for number in static[1:-1].split(", ") if number]
            if any(not -LARGEST_I64 - 1 <= number <= LARGEST_I64 for number in numbers):
                raise _NotOurFormError
            window = (DenseArrayBase.from_list(i64, numbers), self._attribute(dynamic) if separator else None)
            self._windows[text] = window
        properties["offsets"] = window[0]
        if window[1] is not None:
            properties["dyn_offsets"] = window[1]

    def _add_entries(
        self,
        text: str,
        operation_class: type[TileOperation],
        properties: dict[str, Attribute],
        attributes: dict[str, Attribute],
    ) -> None:
        own = operation_class.dictionary_properties
        count = 0
        for key, value in _ENTRY_PARTS.findall(text):
            attribute = self._attribute(value) if value else _UNIT
            if key in own:
                properties[key] = attribute
            elif "." in key:
                attributes[key] = attribute
            else:
                raise _NotOurFormError
            count += 1
        if count != len(attributes) + sum(key in own for key in properties):
            raise _NotOurFormError

    def _attribute(self, text: str) -> Attribute:
        attribute = self._attributes.get(text)
        if attribute is None:
            attribute = self._attributes[text] = self._parse_attribute(text)
        return attribute

    def _parse_attribute(self, text: str) -> Attribute:
        if len(text) < 19 and text.isdecimal():
            return IntegerAttr(int(text), i64)
        parser = Parser(self._parser.ctx, text)
        try:
            attribute = parse_value(parser)
        except (ParseError, VerifyException) as error:
            raise _NotOurFormError from error
        if parser.pos != len(text):
            raise _NotOurFormError
        return attribute

    def _type(self, text: str) -> Attribute:
        type = self._types.get(text)
        if type is None:
            parser = Parser(self._parser.ctx, text)
            try:
                type = self._types[text] = parser.parse_type()
            except (ParseError, VerifyException) as error:
                raise _NotOurFormError from error
            if parser.pos != len(text):
                raise _NotOurFormError
        return type
