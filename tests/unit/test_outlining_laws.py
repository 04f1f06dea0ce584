"""Laws of outline-subgraphs and inline-subgraphs on random functions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from evaluable_functions import SYMBOLS, function_texts, parse
from hypothesis import given, settings
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from dialect.operation import TensorOperation, TileOperation
from dialect.ops import FuncOp, functions_of
from dialect.outlined import launches_in, leaves_of
from tools.evaluate.evaluator import evaluate
from tools.evaluate.number_formats import Array
from tools.evaluate.target import random_input
from transforms.inline_subgraphs import InlineSubgraphsPass
from transforms.outline_subgraphs import OutlineSubgraphsPass


def function_in(module: ModuleOp) -> FuncOp:
    (function,) = functions_of(module)
    return function


def outlined(text: str) -> ModuleOp:
    module = parse(text)
    OutlineSubgraphsPass().apply(Context(), module)
    module.verify()
    return module


def results_of(module: ModuleOp) -> list[Array]:
    function = function_in(module)
    inputs = [random_input(0, position, argument) for position, argument in enumerate(function.ins)]
    return evaluate(function, inputs, SYMBOLS, leaves_of(module))


def facts_by_magic(function: FuncOp) -> Mapping[int, object]:
    """Per op, all that it carries and where its operands come from; buffers are known by their writers."""
    names: dict[SSAValue, object] = {argument: ("argument", argument.index) for argument in function.arguments}
    operations = list(function.operations())
    for op in operations:
        for place, result in enumerate(op.results):
            names[result] = op.magic, place
    writers: dict[SSAValue, list[int]] = {}
    for op in operations:
        for value in op.destinations:
            if value not in names:
                writers.setdefault(value, []).append(op.magic or 0)
    names |= {value: ("buffer", tuple(sorted(magics))) for value, magics in writers.items()}
    return {
        op.magic or 0: (
            op.name,
            dict(op.properties),
            dict(op.attributes),
            [names[value] for value in op.operands],
            [result.type for result in op.results],
        )
        for op in operations
    }


@settings(max_examples=25, deadline=None)
@given(function_texts())
def test_inlining_undoes_outlining(text: str) -> None:
    """Every op comes back with its magic, all that it carries, its operands and its results."""
    module = outlined(text)
    InlineSubgraphsPass().apply(Context(), module)
    module.verify()
    assert not leaves_of(module)
    assert facts_by_magic(function_in(module)) == facts_by_magic(function_in(parse(text)))


@settings(max_examples=25, deadline=None)
@given(function_texts())
def test_all_forms_compute_the_same(text: str) -> None:
    """Op by op, subgraph by subgraph and launch by launch the outputs are equal, bit by bit."""
    by_subgraphs = parse(text)
    by_operations = parse(text)
    for op in function_in(by_operations).operations():
        del op.properties["subgraph"]
    expected = results_of(by_operations)
    for module in (by_subgraphs, outlined(text)):
        for found, value in zip(results_of(module), expected, strict=True):
            np.testing.assert_array_equal(found, value)


@settings(max_examples=15, deadline=None)
@given(function_texts())
def test_an_outlined_module_is_the_same_after_printing_and_parsing(text: str) -> None:
    """Leaves and launches keep everything in text."""
    printed = str(outlined(text))
    assert str(parse(printed)) == printed


@settings(max_examples=15, deadline=None)
@given(function_texts())
def test_launches_are_the_subgraphs_with_writers_first(text: str) -> None:
    """One launch for each subgraph; a launch that writes a tensor stands before all that read it."""
    module = outlined(text)
    launches = launches_in(function_in(module))
    subgraphs = {op.subgraph for op in function_in(parse(text)).operations()}
    assert sorted(launch.subgraph_id or 0 for launch in launches) == sorted(subgraph or 0 for subgraph in subgraphs)
    last_writer: dict[SSAValue, int] = {}
    for place, launch in enumerate(launches):
        for value in launch.outputs:
            last_writer[value] = place
    for place, launch in enumerate(launches):
        assert all(last_writer.get(value, -1) < place for value in launch.inputs)


@settings(max_examples=15, deadline=None)
@given(function_texts(largest=8))
def test_a_copy_of_a_function_launches_the_same_leaves(text: str) -> None:
    """A second function that differs in magics, names and order of independent ops needs no leaf of its own."""
    one = parse(text)
    OutlineSubgraphsPass().apply(Context(), one)
    copy = text.replace("@f magic(8)", "@g magic(9)").replace("magic = 1", "magic = 2")
    both = parse(text + copy)
    second = list(functions_of(both))[1]
    reverse_independent(second)
    both.verify()
    OutlineSubgraphsPass().apply(Context(), both)
    both.verify()
    assert len(leaves_of(both)) == len(leaves_of(one))


def reverse_independent(function: FuncOp) -> None:
    """Reorder the ops of a function as far as tensors allow: later ops first."""
    operations = list(function.body.block.ops)
    writers: dict[SSAValue, list[int]] = {}
    for place, op in enumerate(operations):
        written = op.outputs if isinstance(op, TensorOperation) else op.results
        for value in written:
            writers.setdefault(value, []).append(place)
    for op in operations:
        op.detach()
    done: set[int] = set()
    while len(done) < len(operations):
        for place in reversed(range(len(operations))):
            op = operations[place]
            needed = [*op.inputs, *op.destinations] if isinstance(op, TileOperation) else []
            before = {
                at
                for value in needed
                for at in writers.get(value, ())
                if value in op.inputs or not isinstance(operations[at], TensorOperation)
            }
            if place not in done and before <= done:
                function.body.block.add_op(op)
                done.add(place)
                break


def test_facts_are_told_apart() -> None:
    """The comparison of these tests sees a changed operand, property and attribute."""
    text = (
        "tile.func @f ins(%x : !tile.tensor<8xf32, ub>, %y : !tile.tensor<8xf32, ub>) {\n"
        "  %0 = tile.neg %x {my.mark = 1} : !tile.tensor<8xf32, ub>\n}\n"
    )
    facts = facts_by_magic(function_in(parse(text)))
    for old, new in (("neg %x", "neg %y"), ("my.mark = 1", "my.mark = 2"), ("my.mark", "latency = 3, my.mark")):
        assert facts_by_magic(function_in(parse(text.replace(old, new)))) != facts
