"""The custom syntax of functions, buffers and ops.

```
op     ::= (results `=`)? `tile.`mnemonic (operand (`,` operand)*)? (`into` target (`,` target)*)?
           (`from` memory `to` memory)? dictionary? (`:` type (`,` type)*)?
operand, target ::= value window?        a target may be `_`, the place of a fresh result; only `_` with a window says
                                         where the window is if there is no operand
window ::= `[` integers `]` (`dyn` `[` integers and quoted expressions `]`)?
```

An op of the printer's own line form is recognised by one regular expression (`dialect.line_syntax`); anything else
goes through the parser here, with the same result.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr, IntegerAttr, UnitAttr, i1, i64
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer

from dialect.collection import paused_collection
from dialect.directives import Directive
from dialect.line_syntax import LineParser
from dialect.operation import FIRST_MAGIC, INTO, TensorOperation, TileOperation
from dialect.properties import HAS_PLACE_OF_ITS_OWN, LARGEST_I64, PRINTING_ORDER, TENSOR_PROPERTIES
from dialect.suggestions import did_you_mean
from dialect.text import (
    dictionary_text,
    key_text,
    parse_optional_dictionary,
    parse_value,
    value_text,
)
from dialect.types import MemoryAttr, TensorType, parse_memory
from dialect.values import integers_of

_BLANK = r"(?:\s|//[^\n]*\n)*"
_RESULT = rf"%[A-Za-z0-9$._-]+{_BLANK}(?::{_BLANK}[0-9]+{_BLANK})?"
_RESULTS = re.compile(rf"{_RESULT}(?:,{_BLANK}{_RESULT})*=", re.ASCII)


@dataclass(frozen=True, slots=True)
class FunctionParts:
    """What the text of a function says."""

    name: str
    magic: int | None
    region: Region
    input_count: int
    tensor_properties: Sequence[Mapping[str, Attribute]]
    pass_options: Mapping[str, Attribute]
    attributes: Mapping[str, Attribute]
    argument_names: Sequence[str] = ()


def parse_operation(parser: Parser, operation_class: type[TileOperation]) -> TileOperation:
    """Parse an op behind its name."""
    opcode = operation_class.opcode
    properties: dict[str, Attribute] = {}
    operands: list[SSAValue] = []
    if (first := _parse_optional_first_operand(parser)) is not None:
        operands.append(first)
        position = parser.pos
        parse_optional_window(parser, properties)
        if properties and not opcode.is_windowed:
            parser.raise_error(f"{opcode.name} has no offsets: only view-like and assemble-like ops do", position)
        while parser.parse_optional_punctuation(","):
            operands.append(parse_value_use(parser))
    if parser.parse_optional_keyword("into"):
        kinds: list[int] = []
        while True:
            if parser.parse_optional_keyword("_"):
                kinds.append(0)
            else:
                operands.append(parse_value_use(parser))
                kinds.append(1)
            if opcode.is_assemble_like and len(kinds) == 1 and "offsets" not in properties:
                parse_optional_window(parser, properties)
            if not parser.parse_optional_punctuation(","):
                break
        if operands or "offsets" not in properties:
            properties[INTO] = DenseArrayBase.from_list(i1, kinds)
    if opcode.name == "CONVERT" and parser.parse_optional_keyword("from"):
        properties["from"] = parse_memory(parser)
        parser.parse_keyword("to")
        properties["to"] = parse_memory(parser)
    attributes: dict[str, Attribute] = {}
    _parse_operation_dictionary(parser, operation_class, properties, attributes)
    result_types: list[Attribute] = []
    if parser.parse_optional_punctuation(":"):
        result_types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    return operation_class.create(
        operands=operands, result_types=result_types, properties=properties, attributes=attributes
    )


def _parse_optional_first_operand(parser: Parser) -> SSAValue | None:
    """The operand that stands here; what stands here may also be the results of the op behind one without operands."""
    if _RESULTS.match(parser.lexer.input.content, parser.pos):
        return None
    return _parse_optional_value(parser)


def _parse_optional_value(parser: Parser) -> SSAValue | None:
    use = parser.parse_optional_unresolved_operand()
    if use is None:
        return None
    values = parser.ssa_values.get(use.operand_name)
    if values is None:
        parser.raise_error(f"value %{use.operand_name} is used before its definition", use.span)
    if use.index >= len(values):
        parser.raise_error(f"%{use.operand_name} has {len(values)} values, found index {use.index}", use.span)
    return values[use.index]


def parse_value_use(parser: Parser) -> SSAValue:
    """Parse the name of a tensor that is known already."""
    return parser.expect(lambda: _parse_optional_value(parser), "expected a tensor such as %0")


def parse_optional_window(parser: Parser, properties: dict[str, Attribute]) -> None:
    """Parse `[64, 0] dyn ["s0", 0]` if a bracket stands here, and set `offsets` and `dyn_offsets`."""

    def parse_offset() -> int:
        position = parser.pos
        offset = parser.parse_integer(allow_boolean=False, allow_negative=True, context_msg=" as an offset")
        if not -LARGEST_I64 - 1 <= offset <= LARGEST_I64:
            parser.raise_error(f"offset {offset} does not fit 64 bits", position, parser.pos)
        return offset

    offsets = parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, parse_offset)
    if offsets is None:
        return
    properties["offsets"] = DenseArrayBase.from_list(i64, offsets)
    if parser.parse_optional_keyword("dyn"):
        properties["dyn_offsets"] = ArrayAttr(
            parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: parse_value(parser))
        )


def _parse_operation_dictionary(
    parser: Parser,
    operation_class: type[TileOperation],
    properties: dict[str, Attribute],
    attributes: dict[str, Attribute],
) -> None:
    position = parser.pos
    for key, value in (parse_optional_dictionary(parser) or {}).items():
        if key in operation_class.dictionary_properties:
            properties[key] = value
        elif "." in key:
            attributes[key] = value
        else:
            hint = did_you_mean(key, operation_class.dictionary_properties)
            hint = hint or " (an attribute of your own needs a dot in its name)"
            parser.raise_error(f"unknown property '{key}' of {operation_class.name}{hint}", position)


class AttributeTexts:
    """The custom syntax of attributes, kept for those that many ops share."""

    def __init__(self) -> None:
        self._texts: dict[int, tuple[Attribute, str]] = {}

    def __call__(self, attribute: Attribute) -> str:
        known = self._texts.get(id(attribute))
        if known is None:
            text = str(attribute) if isinstance(attribute, TensorType) else value_text(attribute)
            known = self._texts[id(attribute)] = (attribute, text)
        return known[1]


def operation_text(
    op: TileOperation, operand_names: Sequence[str], text_of: AttributeTexts, *, hide_magic: bool = False
) -> str:
    """What stands behind the name of an op, beginning with a blank.

    Parameters:
        operand_names: the name of each operand, with `%`.
    """
    properties = op.properties
    window = window_text(properties, text_of)
    kinds = op.output_kinds if INTO in properties else ()
    input_count = len(operand_names) - sum(kinds)
    parts: list[str] = [""]
    if input_count:
        inputs = ", ".join(operand_names[:input_count])
        if window and (op.opcode.is_view_like or not kinds):
            inputs = operand_names[0] + window + inputs[len(operand_names[0]) :]
        parts.append(inputs)
    if kinds:
        destinations = iter(operand_names[input_count:])
        targets = [next(destinations) if into else "_" for into in kinds]
        if window and op.opcode.is_assemble_like:
            targets[0] += window
        parts.append("into " + ", ".join(targets))
    elif window and not operand_names:
        parts.append(f"into _{window}")
    if "from" in properties:
        parts.append(f"from {_memory_name(properties['from'])} to {_memory_name(properties['to'])}")
    entries = [
        (name, value)
        for name, value in properties.items()
        if name not in HAS_PLACE_OF_ITS_OWN and not (hide_magic and name == "magic")
    ]
    if len(entries) > 1:
        entries.sort(key=printing_rank)
    if op.attributes:
        entries += op.attributes.items()
    if entries:
        texts = [
            key_text(name) if isinstance(value, UnitAttr) else f"{key_text(name)} = {text_of(value)}"
            for name, value in entries
        ]
        parts.append("{" + ", ".join(texts) + "}")
    if op.results:
        parts.append(": " + ", ".join([text_of(result.type) for result in op.results]))
    return " ".join(parts)


def printing_rank(entry: tuple[str, Attribute]) -> int:
    """The rank of an entry in a printed dictionary."""
    return PRINTING_ORDER.get(entry[0], len(PRINTING_ORDER))


def window_text(properties: Mapping[str, Attribute], text_of: AttributeTexts) -> str:
    """The offsets of a window as they are written, or nothing."""
    offsets = integers_of(properties.get("offsets"))
    if offsets is None:
        return ""
    text = "[" + ", ".join(map(str, offsets)) + "]"
    dynamic = properties.get("dyn_offsets")
    return text if dynamic is None else f"{text} dyn {text_of(dynamic)}"


def _memory_name(memory: Attribute | None) -> str:
    return memory.data if isinstance(memory, MemoryAttr) else "unknown"


def parse_buffer(parser: Parser) -> tuple[TensorType, dict[str, Attribute], dict[str, Attribute]]:
    """Parse a buffer behind its name: its type, its properties, and attributes of the user's own."""
    position = parser.pos
    properties, attributes = _split_tensor_dictionary(parser, parse_optional_dictionary(parser) or {}, position)
    parser.parse_punctuation(":", " before the type of a buffer")
    return _parse_tensor_type(parser), properties, attributes


def buffer_text(type: Attribute, properties: Mapping[str, Attribute], attributes: Mapping[str, Attribute]) -> str:
    """What stands behind the name of a buffer, beginning with a blank."""
    entries = {**properties, **attributes}
    return f" {dictionary_text(entries)} : {type}" if entries else f" : {type}"


def _split_tensor_dictionary(
    parser: Parser, entries: Mapping[str, Attribute], position: int
) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    properties = {key: value for key, value in entries.items() if key in TENSOR_PROPERTIES}
    attributes = {key: value for key, value in entries.items() if key not in TENSOR_PROPERTIES}
    for key in attributes:
        if "." not in key:
            parser.raise_error(f"unknown property '{key}' of a tensor{did_you_mean(key, TENSOR_PROPERTIES)}", position)
    return properties, attributes


def _parse_tensor_type(parser: Parser) -> TensorType:
    position = parser.pos
    type = parser.parse_type()
    if not isinstance(type, TensorType):
        parser.raise_error(f"expected a type !tile.tensor<…>, found {type}", position, parser.pos)
    return type


def parse_function(parser: Parser, operation_classes: Mapping[str, type[TileOperation]]) -> FunctionParts:
    """Parse a function behind its name.

    Every op gets a magic: the one written, else 10000 + its position.
    """
    name = parser.parse_symbol_name().data
    magic: int | None = None
    if parser.parse_optional_keyword("magic"):
        with parser.in_parens():
            position = parser.pos
            magic = parser.parse_integer(allow_boolean=False, allow_negative=True, context_msg=" as a magic")
            if not 0 <= magic <= LARGEST_I64:
                parser.raise_error(f"magic {magic} is not in the range 0..{LARGEST_I64}", position, parser.pos)
    block = Block()
    tensor_properties: list[Mapping[str, Attribute]] = []
    values = dict[str, tuple[SSAValue, ...]]()
    if parser.parse_optional_keyword("ins"):
        _parse_arguments(parser, block, values, tensor_properties)
    input_count = len(block.args)
    if parser.parse_optional_keyword("outs"):
        _parse_arguments(parser, block, values, tensor_properties)
    names = tuple(values)
    attributes: dict[str, Attribute] = {}
    pass_options: dict[str, Attribute] = {}
    if parser.parse_optional_keyword("attributes"):
        position = parser.pos
        attributes = parse_optional_dictionary(parser) or {}
        options = attributes.pop("pass_options", None)
        if isinstance(options, DictionaryAttr):
            pass_options = dict(options.data)
        elif options is not None:
            parser.raise_error(f"pass_options is a dictionary, found {value_text(options)}", position)
    with paused_collection():
        _parse_body(parser, block, values, operation_classes)
    return FunctionParts(name, magic, Region(block), input_count, tensor_properties, pass_options, attributes, names)


def _parse_arguments(
    parser: Parser,
    block: Block,
    values: dict[str, tuple[SSAValue, ...]],
    tensor_properties: list[Mapping[str, Attribute]],
) -> None:
    def parse_one() -> None:
        position = parser.pos
        argument = parser.parse_argument()
        name = argument.name.text[1:]
        if name in values:
            parser.raise_error(f"argument %{name} is given twice", position, parser.pos)
        if not isinstance(argument.type, TensorType):
            parser.raise_error(f"expected a type !tile.tensor<…>, found {argument.type}", position, parser.pos)
        value = block.insert_arg(argument.type, len(block.args))
        if SSAValue.is_valid_name(name):
            value.name_hint = name
        values[name] = (value,)
        position = parser.pos
        properties, attributes = _split_tensor_dictionary(parser, parse_optional_dictionary(parser) or {}, position)
        tensor_properties.append({**properties, **attributes})

    parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_one)


def _parse_body(
    parser: Parser,
    block: Block,
    values: dict[str, tuple[SSAValue, ...]],
    operation_classes: Mapping[str, type[TileOperation]],
) -> None:
    outer_values = parser.ssa_values
    parser.ssa_values = values
    lines = LineParser(parser, operation_classes)
    parser.parse_punctuation("{", " before the body of a function")
    while True:
        behind = lines.parse_lines(parser.pos, block)
        if behind != parser.pos:
            parser._resume_from(behind)  # pyright: ignore[reportPrivateUsage]  # xDSL has no public way to skip text
        if parser.parse_optional_punctuation("}") is not None:
            break
        op = parser.parse_optional_operation()
        if op is None:
            parser.raise_error("expected an op or '}'")
        block.add_op(op)
    parser.ssa_values = outer_values
    _state_magics(block)


def _state_magics(block: Block) -> None:
    position = 0
    for op in block.ops:
        if isinstance(op, TileOperation):
            if "magic" not in op.properties:
                op.properties["magic"] = IntegerAttr(FIRST_MAGIC + position, i64)
            position += 1


def print_function(printer: Printer, function: FunctionParts) -> None:
    """Print what stands behind the name of a function."""
    block = function.region.block
    printer.print_string(" ")
    printer.print_symbol_name(function.name)
    if function.magic is not None:
        printer.print_string(f" magic({function.magic})")
    for keyword, first, last in (
        ("ins", 0, function.input_count),
        ("outs", function.input_count, len(block.args)),
    ):
        if first < last:
            printer.print_string(f" {keyword}(")
            for index in range(first, last):
                if index > first:
                    printer.print_string(", ")
                printer.print_block_argument(block.args[index])
                if index < len(function.tensor_properties) and (entries := function.tensor_properties[index]):
                    printer.print_string(f" {dictionary_text(entries)}")
            printer.print_string(")")
    attributes = dict(function.attributes)
    if function.pass_options:
        attributes["pass_options"] = DictionaryAttr(dict(function.pass_options))
    if attributes:
        printer.print_string(f" attributes {dictionary_text(attributes)}")
    printer.print_string(" {")
    with printer.indented():
        if printer.print_debuginfo or printer.diagnostic.op_messages:
            for op in block.ops:
                printer.print_string("\n")
                printer.print_op(op)
        else:
            printer.print_string("".join([f"\n{line}" for line in _body_lines(printer, block)]))
    printer.print_string("\n}")


def _body_lines(printer: Printer, block: Block) -> list[str]:
    """The text of each op of a body; the printer names the values as they appear."""
    text_of = AttributeTexts()
    hide_magics = _are_all_magics_implied(block)
    lines: list[str] = []
    with _names_only(printer):
        names = {id(argument): f"%{printer.print_ssa_value(argument)}" for argument in block.args}
        for op in block.ops:
            results: list[str] = []
            for result in op.results:
                names[id(result)] = name = f"%{printer.print_ssa_value(result)}"
                results.append(name)
            prefix = f"{', '.join(results)} = {op.name}" if results else op.name
            if isinstance(op, TensorOperation):
                operands = [names.get(id(operand)) or f"%{printer.print_ssa_value(operand)}" for operand in op.operands]
                if isinstance(op, TileOperation):
                    lines.append(prefix + operation_text(op, operands, text_of, hide_magic=hide_magics))
                else:
                    lines.append(prefix + op.text(operands))
            elif isinstance(op, Directive):
                lines.append(op.name + op.text)
            else:
                lines.append(prefix + buffer_text(op.results[0].type, op.properties, op.attributes))
    return lines


@contextmanager
def _names_only(printer: Printer) -> Generator[None]:
    """Within the block, the printer gives names to values but prints nothing."""
    stream = printer.stream
    printer.stream = StringIO()
    try:
        yield
    finally:
        printer.stream = stream


def value_names(printer: Printer, values: Iterable[SSAValue]) -> list[str]:
    """The names, with `%`, that the printer gives to values."""
    with _names_only(printer):
        return [f"%{printer.print_ssa_value(value)}" for value in values]


def _are_all_magics_implied(block: Block) -> bool:
    """Whether every op's magic is what the parser would give it: 10000 + position."""
    position = 0
    for op in block.ops:
        if isinstance(op, TileOperation):
            if op.magic not in (None, FIRST_MAGIC + position):
                return False
            position += 1
    return True
