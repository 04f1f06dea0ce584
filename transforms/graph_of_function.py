"""Turns a tile function into arrays."""

from __future__ import annotations

import re
from typing import NamedTuple

from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import PassFailedException

from dialect.function import TileFunction
from dialect.operation import FIRST_MAGIC, INTO, TileOperation
from dialect.outlined import launches_in
from dialect.types import MEMORY_NUMBERS, Memory, MemoryAttr, TensorType
from dialect.values import integer_of, integers_of, items_of, string_of
from transforms.graph import NO_SCOPE, Scope, TileGraph

_RUNTIME_READ = re.compile(r"RUNTIME_GetTensorData\w*\(")
_UNKNOWN_MEMORY = MEMORY_NUMBERS[Memory.UNKNOWN]


class FunctionGraph(NamedTuple):
    """The graph of a function, and what its numbers stand for."""

    graph: TileGraph
    operations: list[TileOperation]
    tensors: list[SSAValue]
    """Per tensor, its value; the arguments come first."""


def refuse_outlined(function: TileFunction) -> None:
    """Raises PassFailedException if the function is outlined, so that its ops are in leaves."""
    if launches_in(function):
        raise PassFailedException(f"@{function.symbol} is outlined: run inline-subgraphs first")


def graph_of(function: TileFunction) -> tuple[TileGraph, list[TileOperation]]:
    """The graph of a verified function, and its operations in the graph's numbering.

    Raises:
        PassFailedException: the function is outlined, so its ops are in leaves.

    Notes:
        O(operations + operands).
    """
    graph, operations, _ = function_graph(function)
    return graph, operations


def function_graph(function: TileFunction) -> FunctionGraph:
    """The graph of a verified function with its operations and tensors.

    Raises:
        PassFailedException: the function is outlined, so its ops are in leaves.

    Notes:
        O(operations + operands).
    """
    refuse_outlined(function)
    operations: list[TileOperation] = []
    values: list[SSAValue] = []
    tensors: dict[int, int] = {}
    memories: list[int] = []
    elements: list[int] = []
    numbers_of_type: dict[int, tuple[int, int]] = {}
    magics: list[int] = []
    opcodes: list[int] = []
    latencies: list[int] = []
    inputs: list[tuple[int, ...]] = []
    outputs: list[tuple[int, ...]] = []
    # The formula's latency only depends on the opcode and the types.
    computed_latencies: dict[tuple[int, ...], int] = {}
    scopes: list[Scope] = []
    dynamic_windows: list[bool] = []
    conversions: dict[int, tuple[int, int]] = {}
    runtime_reads: dict[int, tuple[int, ...]] = {}
    kept_scopes: dict[Scope, Scope] = {NO_SCOPE: NO_SCOPE}

    def number_of(value: SSAValue, type: Attribute) -> int:
        number = tensors.get(id(value))
        if number is None:
            number = tensors[id(value)] = len(memories)
            values.append(value)
            numbers = numbers_of_type.get(id(type))
            if numbers is None:
                assert isinstance(type, TensorType)
                numbers = numbers_of_type[id(type)] = (MEMORY_NUMBERS[type.memory], type.element.number)
            memories.append(numbers[0])
            elements.append(numbers[1])
        return number

    arguments = [number_of(argument, argument.type) for argument in function.arguments]
    input_count = len(function.ins)
    for index, op in enumerate(function.operations()):
        operations.append(op)
        properties = op.properties
        plain = INTO not in properties
        magic = op.magic
        magics.append(FIRST_MAGIC + index if magic is None else magic)
        opcode = op.opcode
        opcodes.append(opcode.number)
        read = op.operands if plain else op.inputs
        written = op.results if plain else op.outputs
        latency = integer_of(properties.get("latency"))
        if latency is None:
            key = (opcode.number, *[id(value.type) for value in read], -1, *[id(value.type) for value in written])
            latency = computed_latencies.get(key)
            if latency is None:
                latency = computed_latencies[key] = op.latency
        latencies.append(latency)
        inputs.append(tuple([number_of(value, value.type) for value in read]))
        outputs.append(tuple([number_of(value, value.type) for value in written]))
        scope = NO_SCOPE
        if (scope_id := integer_of(properties.get("scope_id"))) not in (None, -1):
            assert scope_id is not None
            scope = Scope(scope_id, "allow_parallel_merge" in properties, "allow_cross_scope_merge" in properties)
            scope = kept_scopes.setdefault(scope, scope)
        scopes.append(scope)
        dynamic_windows.append("dyn_offsets" in properties and _is_dynamic(op))
        if opcode.name == "CONVERT":
            conversion = _conversion(op)
            if conversion != (_UNKNOWN_MEMORY, _UNKNOWN_MEMORY):
                conversions[index] = conversion
        if opcode.is_windowed and (reads := _runtime_reads(op)):
            places = [place + (input_count if kind else 0) for kind, place in reads]
            found = tuple(arguments[place] for place in places if place < len(arguments))
            if found:
                runtime_reads[index] = found
    graph = TileGraph(
        magics,
        opcodes,
        latencies,
        inputs,
        outputs,
        scopes,
        dynamic_windows,
        memories,
        elements,
        conversions,
        runtime_reads,
    )
    return FunctionGraph(graph, operations, values)


def _is_dynamic(op: TileOperation) -> bool:
    static = integers_of(op.properties.get("offsets")) or ()
    dynamic = items_of(op.properties.get("dyn_offsets")) or ()
    return bool(dynamic) and [integer_of(item) for item in dynamic] != list(static)


def _conversion(op: TileOperation) -> tuple[int, int]:
    memories: list[int] = []
    for name, values in (("from", op.inputs), ("to", op.outputs)):
        stated = op.properties.get(name)
        if isinstance(stated, MemoryAttr):
            memories.append(MEMORY_NUMBERS[stated.data])
        else:
            type = values[0].type if values else None
            memories.append(MEMORY_NUMBERS[type.memory] if isinstance(type, TensorType) else _UNKNOWN_MEMORY)
    return memories[0], memories[1]


def _runtime_reads(op: TileOperation) -> list[tuple[int, int]]:
    """The distinct (kind, index) of tensors read at run time, ascending; kind 0 = incast, 1 = outcast."""
    reads: set[tuple[int, int]] = set()
    for name in ("dyn_offsets", "valid", "tensor_valid"):
        for item in items_of(op.properties.get(name)) or ():
            text = string_of(item)
            if text is not None and "RUNTIME_GetTensorData" in text:
                for match in _RUNTIME_READ.finditer(text):
                    arguments = _call_arguments(text, match.end())
                    if len(arguments) >= 3 and arguments[1].isdecimal() and arguments[2].isdecimal():
                        reads.add((int(arguments[1]), int(arguments[2])))
    return sorted(reads)


def _call_arguments(text: str, start: int) -> list[str]:
    arguments: list[str] = []
    depth, begin = 0, start
    for position in range(start, len(text)):
        character = text[position]
        if character in ",)" and depth == 0:
            arguments.append(text[begin:position].strip())
            begin = position + 1
            if character == ")":
                break
        elif character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
    return arguments
