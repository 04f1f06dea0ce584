"""What a subgraph looks like from inside: equal descriptions are the same leaf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dialect.types import TensorType
from transforms.outlining.outlined_graph import EXTERNAL, OutlinedGraph


class Argument(NamedTuple):
    """A tensor that a leaf is given, or the window of one.

    Attributes:
        tensor: the tensor outside.
        operation: the first op whose window it is, -1 if it is the whole tensor.
    """

    tensor: int
    operation: int


class _Arguments:
    """The arguments met so far; windows of one tensor at one place are one argument."""

    def __init__(self) -> None:
        self.listed: list[Argument] = []
        self._numbers: dict[tuple[int, int], int] = {}

    def number_of(self, tensor: int, operation: int, place: int) -> int:
        number = self._numbers.setdefault((tensor, place), len(self.listed))
        if number == len(self.listed):
            self.listed.append(Argument(tensor, operation))
        return number


@dataclass(frozen=True, slots=True)
class Description:
    """A subgraph, with its ops in a given order.

    Attributes:
        signature: equal for two subgraphs if and only if they are one leaf, their ops taken in this order.
        references: per op in this order, a code for each input and then for each output: a tensor inside by the number
            >= 0 of its first appearance, an argument i of `ins` as -1 - 2i, of `outs` as -2 - 2i.
        ins, outs: the arguments, in order of first use.
        buffers: the tensors of the buffers inside, in order of first use.
        symbols: the symbolic values, each once, in order of first use.
        storages: the numbers of the raw tensors of results, each once, in order of first use.
    """

    signature: tuple[object, ...]
    references: Sequence[Sequence[int]]
    ins: Sequence[Argument]
    outs: Sequence[Argument]
    buffers: Sequence[int]
    symbols: Sequence[str]
    storages: Sequence[int]


def describe(outlined: OutlinedGraph, sequence: Sequence[int]) -> Description:
    """Describe the subgraph that consists of the ops of `sequence`, writers before readers.

    Where a view-like op reads an external tensor, or an assemble-like op writes into one, the argument is the window;
    ops with the same window share it. Any other use of an external tensor shares the one argument that is this tensor.
    A tensor that the subgraph writes and reads is one argument of `outs`, whatever uses it.

    Notes:
        O(ops + operands).
    """
    graph, homes, facts = outlined.graph, outlined.homes, outlined.facts
    inside: dict[int, int] = {}
    symbols: dict[str, int] = {}
    storages: dict[int, int] = {}
    buffers: list[int] = []
    ins, outs = _Arguments(), _Arguments()
    written = {tensor for op in sequence for tensor in graph.outputs[op] if homes[tensor] == EXTERNAL}
    signature: list[object] = []
    references: list[list[int]] = []
    for op in sequence:
        structure, texts, window, raws = facts[op]
        windowed, place = (-1, -1) if window is None else (window.tensor, window.place)
        codes: list[int] = []
        for position, tensor in enumerate(graph.inputs[op]):
            if homes[tensor] != EXTERNAL:
                code = inside.get(tensor)
                if code is None:
                    code = inside[tensor] = len(inside)
                    buffers.append(tensor)
            elif tensor in written:
                code = -2 - 2 * outs.number_of(tensor, -1, -1)
            elif position == 0 and tensor == windowed:
                code = -1 - 2 * ins.number_of(tensor, op, place)
            else:
                code = -1 - 2 * ins.number_of(tensor, -1, -1)
            codes.append(code)
        for position, tensor in enumerate(graph.outputs[op]):
            if homes[tensor] != EXTERNAL:
                code = inside.get(tensor)
                if code is None:
                    code = inside[tensor] = len(inside)
                    if tensor in outlined.buffers:
                        buffers.append(tensor)
            elif position == 0 and tensor == windowed:
                code = -2 - 2 * outs.number_of(tensor, op, place)
            else:
                code = -2 - 2 * outs.number_of(tensor, -1, -1)
            codes.append(code)
        signature.append(structure)
        signature += codes
        references.append(codes)
        if texts:
            signature += [symbols.setdefault(text, len(symbols)) for text in texts]
        if raws:
            signature += [storages.setdefault(raw, len(storages)) for raw in raws]
    for tensor in buffers:
        structure, texts, raws = outlined.buffers[tensor]
        signature += (inside[tensor], structure)
        signature += [symbols.setdefault(text, len(symbols)) for text in texts]
        signature += [storages.setdefault(raw, len(storages)) for raw in raws]
    for arguments in (ins, outs):
        signature.append("arguments")
        for argument in arguments.listed:
            signature += (outlined.borders[argument.tensor], _shape(outlined, argument))
    return Description(tuple(signature), references, ins.listed, outs.listed, buffers, list(symbols), list(storages))


def _shape(outlined: OutlinedGraph, argument: Argument) -> tuple[int, ...]:
    if argument.operation < 0:
        type = outlined.values[argument.tensor].type
        assert isinstance(type, TensorType)
        return type.shape
    window = outlined.facts[argument.operation].window
    assert window is not None
    return window.extents
