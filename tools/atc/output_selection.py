"""Texts that choose outputs and their types (ATC options, e.7)."""

from __future__ import annotations

import re
from typing import NamedTuple

from tools.atc.entry_checks import CAFFE, ONNX, TENSORFLOW, UNSET_FRAMEWORK
from tools.atc.flag_values import FlagValues
from tools.atc.messages import failure
from tools.atc.shapes import parse_leading_integer

OUTPUT_TYPES = ("FP32", "FP16", "UINT8", "INT8", "HIF8", "HIF4", "FP8E5M2", "FP8E4M3FN")
"""The types that ATC takes; its manual lists others, which it refuses."""

_LARGEST_INT32 = 2**31 - 1


class OutputNode(NamedTuple):
    """An output that the user chose: a node and the number of its output; no number is the name of an output."""

    name: str
    number: int | None


class OutputTypes(NamedTuple):
    """The element type of all outputs, if one is given, else of single ones."""

    common: str | None
    of_node: tuple[tuple[OutputNode, str], ...]


def check_outputs(flags: FlagValues, *, needs_framework: bool) -> None:
    """Raise `AtcError` for malformed output options, if the framework is one whose parser looks at them.

    Without `needs_framework` an absent framework counts as one of these.
    """
    looking = (CAFFE, TENSORFLOW, ONNX) if needs_framework else (CAFFE, TENSORFLOW, ONNX, UNSET_FRAMEWORK)
    if flags["framework"] not in looking:
        return
    nodes = parse_output_nodes(flags["out_nodes"], allow_names=flags["framework"] != TENSORFLOW)
    parse_output_types(flags["output_type"], nodes)
    for name in ("is_input_adjust_hw_layout", "is_output_adjust_hw_layout"):
        words = flags[name].split(",") if flags[name] else ()
        for word in words:
            if word.strip() not in ("true", "false"):
                raise failure("E10005", flags[name], f"--{name}")


def parse_output_nodes(text: str, *, allow_names: bool) -> tuple[OutputNode, ...]:
    """The outputs of `node:index;node:index`, or with `allow_names` of `name;name`.

    Raises:
        AtcError: E10001, E10013 or E10014, the text is malformed.
    """
    nodes: list[OutputNode] = []
    for piece in text.split(";") if text else ():
        match piece.split(":"):
            case [name, index]:
                nodes.append(OutputNode(name, _parse_index(index, "--out_nodes")))
            case [name] if allow_names:
                nodes.append(OutputNode(name, None))
            case _:
                form = "node:index, or a name" if allow_names else "node:index"
                raise failure("E10001", text, "--out_nodes", f"'{piece}' is not of the form {form}")
    if len({node.number is None for node in nodes}) > 1:
        raise failure("E10001", text, "--out_nodes", "names and node:index cannot be mixed")
    return tuple(nodes)


def parse_output_types(text: str, nodes: tuple[OutputNode, ...]) -> OutputTypes:
    """The types of outputs: one type, or `node:index:type;…` for some of the chosen `nodes`.

    Raises:
        AtcError: E10001, E10013 or E10014, the text is malformed, or names an output that is not chosen.
    """
    if not text:
        return OutputTypes(None, ())
    if ":" not in text:
        return OutputTypes(_check_type(text, text), ())
    types: list[tuple[OutputNode, str]] = []
    for piece in text.split(";"):
        parts = [part.strip() for part in piece.split(":")]
        if len(parts) != 3:
            raise failure("E10001", text, "--output_type", f"'{piece}' is not of the form node:index:type")
        node = OutputNode(parts[0], _parse_index(parts[1], "--output_type"))
        type = _check_type(parts[2], text)
        if node not in nodes:
            raise failure("E10001", text, "--output_type", f"{parts[0]}:{parts[1]} is not among --out_nodes")
        types.append((node, type))
    return OutputTypes(None, tuple(types))


def _check_type(type: str, text: str) -> str:
    if type not in OUTPUT_TYPES:
        raise failure("E10001", text, "--output_type", f"'{type}' is none of {', '.join(OUTPUT_TYPES)}")
    return type


def _parse_index(text: str, parameter: str) -> int:
    if not text:
        raise failure("E10014", text, parameter)
    if not re.fullmatch(r"[0-9]+", text):
        raise failure("E10001", text, parameter, "an index has digits only")
    index = parse_leading_integer(text, parameter)
    if index > _LARGEST_INT32:
        raise failure("E10013", text, parameter)
    return index
