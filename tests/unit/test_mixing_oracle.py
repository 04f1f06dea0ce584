"""Mixing gives what the rules say, written down naively, on random graphs of subgraphs."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from mixing_oracle import Op as OracleOp
from mixing_oracle import Tensor, mixed

from dialect.opcodes import OPCODE_BY_NAME
from transforms.graph import NO_SCOPE, TileGraph
from transforms.graph_partition.ordered_graph import order_graph
from transforms.merging.boundary_tensors import boundary_tensors
from transforms.merging.mixing import mix_subgraphs
from transforms.merging.mixing_candidates import mixing_candidates
from transforms.subgraph_graph import subgraph_graph
from transforms.tensor_facts import TensorFacts

DDR, UB, FP32 = 15, 0, 7
OPCODES = {"plain": "EXP", "reshape": "RESHAPE", "assemble": "ASSEMBLE", "aicpu": "AICPU_CALL_AIC"}
SIZES = ((8,), (16,), (8,), (64,))


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[OracleOp], list[Tensor]]:
    """Subgraphs of one to three ops, which only read what earlier ops write; tensors may have several writers."""
    count = draw(st.integers(2, 7))
    ops: list[OracleOp] = []
    for subgraph in range(count):
        cube = draw(st.booleans())
        for _ in range(draw(st.integers(1, 3))):
            kind = draw(st.sampled_from(["plain"] * 8 + ["reshape", "assemble", "assemble"]))
            fusion = draw(st.sampled_from([-1, -1, -1, 0, 1]))
            ops.append(OracleOp(subgraph, draw(st.sampled_from([0, 50, 50, 900, 6_000_000])), cube, fusion, kind))
    tensors: list[Tensor] = []
    for _ in range(draw(st.integers(1, 9))):
        split = draw(st.integers(1, len(ops) - 1))
        producers = draw(st.lists(st.integers(0, split - 1), min_size=1, max_size=2, unique=True))
        consumers = draw(st.lists(st.integers(split, len(ops) - 1), min_size=1, max_size=4, unique=True))
        shape = draw(st.sampled_from(SIZES))
        tensors.append(Tensor(tuple(sorted(producers)), tuple(sorted(consumers)), 4 * shape[0], draw(st.booleans())))
    return ops, tensors


def found(ops: list[OracleOp], tensors: list[Tensor], automatic: bool) -> list[frozenset[int]]:
    inputs: list[list[int]] = [[] for _ in ops]
    outputs: list[list[int]] = [[] for _ in ops]
    for number, tensor in enumerate(tensors):
        for op in tensor.producers:
            outputs[op].append(number)
        for op in tensor.consumers:
            inputs[op].append(number)
    count, size = len(ops), len(tensors)
    graph = TileGraph(
        magics=range(count),
        opcodes=[OPCODE_BY_NAME[OPCODES[op.kind]].number for op in ops],
        latencies=[op.cycles for op in ops],
        inputs=[tuple(numbers) for numbers in inputs],
        outputs=[tuple(numbers) for numbers in outputs],
        scopes=[NO_SCOPE] * count,
        dynamic_windows=[False] * count,
        memories=[DDR if tensor.in_memory else UB for tensor in tensors],
        elements=[FP32] * size,
    )
    facts = TensorFacts(
        shapes=[(tensor.bytes // 4,) for tensor in tensors],
        storages=range(size),
        storage_bytes=[tensor.bytes for tensor in tensors],
        offsets=[()] * size,
        dynamic_offsets=[None] * size,
        valid_shapes=[None] * size,
        target_memories=graph.memories,
    )
    ordered = order_graph(graph, list(range(count)))
    subgraphs = [op.subgraph for op in ops]
    number = max(subgraphs) + 1
    border = boundary_tensors(ordered, facts, subgraphs, [op.fusion for op in ops])
    cube = [sum(op.cycles for op in ops if op.subgraph == one and op.cube) for one in range(number)]
    vector = [sum(op.cycles for op in ops if op.subgraph == one and not op.cube) for one in range(number)]
    mixing = mix_subgraphs(
        subgraph_graph(ordered, subgraphs, number),
        border,
        mixing_candidates(ordered, subgraphs, number, border),
        cube,
        vector,
        automatic=automatic,
    )
    together: dict[int, set[int]] = {}
    for subgraph, root in enumerate(mixing.roots):
        together.setdefault(root, set()).add(subgraph)
    return sorted(map(frozenset, together.values()), key=min)


@settings(max_examples=200)
@given(graphs(), st.booleans())
def test_same_as_the_rules_say(case: tuple[list[OracleOp], list[Tensor]], automatic: bool) -> None:
    """Forced and automatic merges, with reshapes, forks, several writers, and tensors in and out of global memory."""
    ops, tensors = case
    assert found(ops, tensors, automatic) == mixed(ops, tensors, automatic)
