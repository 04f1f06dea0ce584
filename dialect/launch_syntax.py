"""The custom syntax of launches.

```
launch  ::= (results `=`)? `tile.launch` @leaf `(` operands? `)` (`into` target (`,` target)*)? dictionary? (`:` types)?
operand ::= value window?
target  ::= value window? | `_`          `_` is the place of a fresh result
```
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, SymbolRefAttr, UnitAttr, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.parser import Parser

from dialect.operation import INTO
from dialect.properties import LAUNCH_DICTIONARY, LAUNCH_WINDOWS
from dialect.suggestions import did_you_mean
from dialect.syntax import AttributeTexts, parse_optional_window, parse_value_use, printing_rank, window_text
from dialect.text import dictionary_text, parse_optional_dictionary
from dialect.values import items_of


@dataclass(frozen=True, slots=True)
class LaunchParts:
    """What the text of a launch says."""

    operands: Sequence[SSAValue]
    result_types: Sequence[Attribute]
    properties: Mapping[str, Attribute]
    attributes: Mapping[str, Attribute]


def parse_launch(parser: Parser) -> LaunchParts:
    """Parse a launch behind its name."""
    properties: dict[str, Attribute] = {"callee": SymbolRefAttr(parser.parse_symbol_name().data)}
    operands: list[SSAValue] = []
    windows: list[Mapping[str, Attribute]] = []

    def parse_operand() -> None:
        operands.append(parse_value_use(parser))
        window: dict[str, Attribute] = {}
        parse_optional_window(parser, window)
        windows.append(window)

    parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_operand)
    if parser.parse_optional_keyword("into"):
        kinds: list[int] = []
        while True:
            fresh = parser.parse_optional_keyword("_") is not None
            kinds.append(0 if fresh else 1)
            if not fresh:
                parse_operand()
            if not parser.parse_optional_punctuation(","):
                break
        properties[INTO] = DenseArrayBase.from_list(i1, kinds)
    for name in LAUNCH_WINDOWS:
        if any(name in window for window in windows):
            properties[name] = ArrayAttr([window.get(name, UnitAttr()) for window in windows])
    position = parser.pos
    attributes: dict[str, Attribute] = {}
    for key, value in (parse_optional_dictionary(parser) or {}).items():
        if key in LAUNCH_DICTIONARY:
            properties[key] = value
        elif "." in key:
            attributes[key] = value
        else:
            hint = did_you_mean(key, LAUNCH_DICTIONARY) or " (an attribute of your own needs a dot in its name)"
            parser.raise_error(f"unknown property '{key}' of tile.launch{hint}", position)
    result_types: list[Attribute] = []
    if parser.parse_optional_punctuation(":"):
        result_types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    return LaunchParts(operands, result_types, properties, attributes)


def launch_text(parts: LaunchParts, operand_names: Sequence[str]) -> str:
    """What stands behind the name of a launch, beginning with a blank.

    Parameters:
        operand_names: the name of each operand, with `%`.
    """
    properties, text_of = parts.properties, AttributeTexts()
    operands = list(operand_names)
    for index, window in enumerate(windows_of(properties, len(operands))):
        operands[index] += window_text(window, text_of)
    kinds = properties.get(INTO)
    targets = [bool(flag) for flag in kinds.get_values()] if isinstance(kinds, DenseArrayBase) else []
    input_count = len(operands) - sum(targets)
    text = f" {properties['callee']}({', '.join(operands[:input_count])})"
    if targets:
        destinations = iter(operands[input_count:])
        text += " into " + ", ".join(next(destinations) if into else "_" for into in targets)
    entries = [(name, value) for name, value in properties.items() if name in LAUNCH_DICTIONARY]
    entries.sort(key=printing_rank)
    if entries or parts.attributes:
        text += " " + dictionary_text({**dict(entries), **parts.attributes})
    if parts.result_types:
        text += f" : {', '.join(text_of(type) for type in parts.result_types)}"
    return text


def windows_of(properties: Mapping[str, Attribute], operand_count: int) -> list[dict[str, Attribute]]:
    """Per operand, its `offsets` and `dyn_offsets`, where it has them."""
    windows: list[dict[str, Attribute]] = [{} for _ in range(operand_count)]
    for name in LAUNCH_WINDOWS:
        for window, value in zip(windows, items_of(properties.get(name)) or (), strict=False):
            if not isinstance(value, UnitAttr):
                window[name] = value
    return windows
