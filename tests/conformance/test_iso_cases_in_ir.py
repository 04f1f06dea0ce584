"""The cases of the shipped compiler's partition, written as text and run through the pass `graph-partition`."""

from __future__ import annotations

import pytest
from iso_cases import IsoCase, load_iso_cases
from tile_modules import context, parse_text, text_of
from xdsl.utils.exceptions import PassFailedException

from dialect.elements import ELEMENTS
from dialect.opcodes import OPCODES
from dialect.ops import functions_of
from dialect.types import MEMORIES
from dialect.values import boolean_of
from transforms.graph_partition.graph_partition_pass import GraphPartitionPass


def written_as_text(case: IsoCase) -> str:
    """The case as a function; tensors that no op or several ops write are arguments, all of shape 16x16."""
    graph = case.graph
    types = [
        f"!tile.tensor<16x16x{ELEMENTS[element].type}, {MEMORIES[memory]}>"
        for element, memory in zip(graph.elements, graph.memories, strict=True)
    ]
    writers = [0] * len(types)
    for outputs in graph.outputs:
        for tensor in outputs:
            writers[tensor] += 1
    arguments = [tensor for tensor, count in enumerate(writers) if count != 1]
    soc = "a5" if case.mixed_cores else "a2a3"
    lines = [f'builtin.module attributes {{tile.compat = "pypto", tile.soc = "{soc}"}} {{']
    lines.append(f"tile.func @case ins({', '.join(f'%t{tensor}: {types[tensor]}' for tensor in arguments)}) {{")
    for index, magic in enumerate(graph.magics):
        opcode = OPCODES[graph.opcodes[index]]
        fresh = [tensor for tensor in graph.outputs[index] if writers[tensor] == 1]
        line = f"{', '.join(f'%t{tensor}' for tensor in fresh)} = " if fresh else ""
        inputs = [f"%t{tensor}" for tensor in graph.inputs[index]]
        targets = [f"%t{tensor}" if writers[tensor] != 1 else "_" for tensor in graph.outputs[index]]
        window = '[0, 0] dyn ["s", 0]' if graph.dynamic_windows[index] else ""
        if opcode.is_view_like or len(fresh) == len(targets):
            inputs[0] += window
        else:
            targets[0] += window
        line += f"tile.{opcode.mnemonic} {', '.join(inputs)}"
        if len(fresh) < len(targets):
            line += f" into {', '.join(targets)}"
        if opcode.name == "CONVERT":
            source, target = graph.conversions.get(index, (23, 23))
            line += f" from {MEMORIES[source]} to {MEMORIES[target]}"
        entries = [f"magic = {magic}", f"latency = {graph.latencies[index]}"]
        scope = graph.scopes[index]
        if scope.id != -1:
            entries.append(f"scope_id = {scope.id}")
            entries += ["allow_parallel_merge"] * scope.parallel + ["allow_cross_scope_merge"] * scope.cross
        line += f" {{{', '.join(entries)}}}"
        lines.append(line + (f" : {', '.join(types[tensor] for tensor in fresh)}" if fresh else ""))
    return "\n".join([*lines, "}", "}", ""])


@pytest.mark.parametrize("case", [case for case in load_iso_cases() if case.balanced], ids=lambda case: case.name)
def test_case(case: IsoCase) -> None:
    """Text is a fixed point of printing, also through the generic form; ids and cube marks are as expected."""
    module = parse_text(written_as_text(case))
    text = text_of(module)
    assert text_of(parse_text(text)) == text
    assert text_of(parse_text(text_of(module, generic=True))) == text
    partition = GraphPartitionPass(pg_parallel_lower_bound=case.parallel_lower_bound, pg_lower_bound=case.lower_bound)
    if case.expected is None:
        with pytest.raises(PassFailedException):
            partition.apply(context(), module)
        return
    partition.apply(context(), module)
    module.verify()
    (function,) = functions_of(module)
    found = {op.magic: (op.subgraph, boolean_of(op.properties["is_cube"])) for op in function.operations()}
    marks = zip(case.expected.subgraph, case.expected.is_cube, strict=True)
    assert found == dict(zip(case.expected.order, marks, strict=True))
