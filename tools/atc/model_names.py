"""The inputs and outputs of a tile graph that ATC options name (ATC options, e.6 and e.7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dialect.ops import FuncOp
from dialect.suggestions import did_you_mean
from tools.atc.messages import AtcError, failure
from tools.atc.output_selection import OutputNode
from transforms.function_arguments import ArgumentPlace, arguments_of


def find_inputs(functions: Sequence[FuncOp], name: str, parameter: str) -> Sequence[ArgumentPlace]:
    """The incasts of a name, one in each function that has it.

    Raises:
        AtcError: E10016, no value has the name; E10017, it is the name of another value.
    """
    places = [place for place in _places(functions, outs=False) if place.name == name]
    if places:
        return places
    hint = did_you_mean(name, [place.name for place in _places(functions, outs=False)])
    if any(name in _names_within(function) for function in functions):
        raise failure("E10017", name, parameter, hint)
    raise failure("E10016", name, parameter, hint)


def _places(functions: Sequence[FuncOp], *, outs: bool) -> Iterator[ArgumentPlace]:
    for function in functions:
        yield from arguments_of(function, outs=outs)


def _names_within(function: FuncOp) -> set[str | None]:
    outs = {place.name for place in arguments_of(function, outs=True)}
    return outs | {result.name_hint for op in function.body.block.ops for result in op.results}


def find_output(functions: Sequence[FuncOp], node: OutputNode, parameter: str) -> Sequence[ArgumentPlace]:
    """The outcasts that a node means.

    The node of `node:index` is an outcast, which has the one output 0, or a function, whose outputs are its outcasts.

    Raises:
        AtcError: E10016, there is no such node; E10003, it has fewer outputs.
    """
    places = [place for place in _places(functions, outs=True) if place.name == node.name]
    if places:
        if node.number:
            raise _too_high(node, 1, parameter)
        return places
    function = next((function for function in functions if function.symbol == node.name), None)
    if function is None or node.number is None:
        known = [place.name for place in _places(functions, outs=True)]
        hint = did_you_mean(node.name, [*known, *(function.symbol for function in functions)])
        raise failure("E10016", node.name, parameter, hint or f"; its outputs are {', '.join(known)}")
    outs = tuple(arguments_of(function, outs=True))
    if node.number >= len(outs):
        raise _too_high(node, len(outs), parameter)
    return [outs[node.number]]


def _too_high(node: OutputNode, count: int, parameter: str) -> AtcError:
    return failure("E10003", f"{node.name}:{node.number}", parameter, f"'{node.name}' has {count} outputs")
