"""Turns a tile function into arrays."""

from __future__ import annotations

from typing import NamedTuple

from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import PassFailedException

from dialect.function import TileFunction
from dialect.operation import FIRST_MAGIC, INTO, TileOperation
from dialect.outlined import launches_in
from dialect.types import MEMORY_NUMBERS, Memory, MemoryAttr, TensorType
from dialect.values import integer_of, integers_of, items_of
from transforms.graph import NO_SCOPE, Scope, TileGraph
from transforms.runtime_reads import runtime_reads

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
    read_at_run_time: dict[int, tuple[int, ...]] = {}
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

    for argument in function.arguments:
        number_of(argument, argument.type)
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
        if (opcode.is_windowed or "attr" in properties) and (reads := runtime_reads(function, op)):
            read_at_run_time[index] = tuple([number_of(value, value.type) for value in reads])
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
        read_at_run_time,
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
