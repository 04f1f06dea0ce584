"""Canonical order: topological, decided by magics and operand order, runtime reads counted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tile_graphs import Op, tile_graph
from xdsl.utils.exceptions import PassFailedException

from transforms.canonical_order import canonical_order
from transforms.graph import TileGraph


def magics_in_order(*operations: Op) -> list[int]:
    graph = tile_graph(*operations)
    return [graph.magics[operation] for operation in canonical_order(graph)]


def test_sinks_of_small_magic_come_last() -> None:
    """Three operations without links stand in descending magic."""
    assert magics_in_order(Op("EXP", "a", "b"), Op("EXP", "c", "d"), Op("EXP", "e", "f")) == [10002, 10001, 10000]


def test_breadth_first_from_the_sinks() -> None:
    """A chain of two and a chain of three end with their sinks; the longer one begins first."""
    order = magics_in_order(
        Op("EXP", "a", "b"),
        Op("ABS", "b", "c"),
        Op("EXP", "d", "e"),
        Op("ABS", "e", "f"),
        Op("ABS", "f", "g"),
    )
    assert order == [10002, 10003, 10000, 10004, 10001]


def test_producers_of_one_tensor_are_released_by_magic() -> None:
    """The writers of a shared tensor leave the queue in ascending magic, so they stand in descending magic."""
    order = magics_in_order(
        Op("ASSEMBLE", "a", "ddr.w", magic=7),
        Op("ASSEMBLE", "b", "ddr.w", magic=3),
        Op("ASSEMBLE", "c", "ddr.w", magic=5),
        Op("VIEW", "ddr.w", "d", magic=1),
    )
    assert order == [7, 5, 3, 1]


def test_operand_order_decides() -> None:
    """Of two producers of one consumer, that of the later operand comes first; swapped operands swap them."""
    producers = Op("EXP", "a", "b"), Op("EXP", "c", "d")
    assert magics_in_order(*producers, Op("ADD", "b d", "e")) == [10001, 10000, 10002]
    assert magics_in_order(*producers, Op("ADD", "d b", "e")) == [10000, 10001, 10002]


def test_repeated_operand_counts_once_per_use() -> None:
    """An operation that reads a tensor twice releases its producer after the second use."""
    assert magics_in_order(Op("EXP", "a", "b"), Op("ADD", "b b", "c")) == [10000, 10001]


def test_runtime_read_orders_like_an_operand() -> None:
    """An operation whose offset reads a tensor at run time follows the producer of that tensor."""
    reader = Op("VIEW", "ddr.x", "y", magic=9)
    producer = Op("EXP", "a", "b", magic=1)
    assert magics_in_order(reader, producer) == [9, 1]
    assert magics_in_order(reader._replace(runtime_reads="b"), producer) == [1, 9]


def test_empty_graph() -> None:
    """No operations have an empty order."""
    assert canonical_order(tile_graph()) == []


def test_cycle_is_named() -> None:
    """The message names the operations of the cycle in their direction, and no other."""
    with pytest.raises(PassFailedException) as failure:
        canonical_order(
            tile_graph(
                Op("EXP", "s", "a"),
                Op("ADD", "a d", "b"),
                Op("ABS", "b", "c"),
                Op("SQRT", "c", "d"),
                Op("COPY_OUT", "c", "ddr.e"),
            )
        )
    message = str(failure.value)
    assert "cycle" in message
    assert "ADD (magic 10001)" in message and "ABS (magic 10002)" in message and "SQRT (magic 10003)" in message
    assert message.index("ADD") < message.index("ABS") or message.index("SQRT") < message.index("ADD")
    assert "COPY_OUT" not in message and "EXP" not in message


def test_self_loop_is_a_cycle() -> None:
    """An operation that reads what it writes is named alone."""
    with pytest.raises(PassFailedException, match=r"ADD \(magic 10000\) -> ADD \(magic 10000\)$"):
        canonical_order(tile_graph(Op("ADD", "a b", "b")))


def test_cycle_through_a_runtime_read_is_found() -> None:
    """A runtime read closes a cycle as an operand does."""
    with pytest.raises(PassFailedException, match="cycle"):
        canonical_order(tile_graph(Op("VIEW", "ddr.x", "a", runtime_reads="b"), Op("EXP", "a", "b")))


def test_long_chain_and_long_cycle_do_not_recurse() -> None:
    """20,000 operations in a chain are sorted; closed to a ring they give one short message."""
    chain = [Op("EXP", f"t{i}", f"t{i + 1}") for i in range(20_000)]
    assert canonical_order(tile_graph(*chain)) == list(range(20_000))
    with pytest.raises(PassFailedException) as failure:
        canonical_order(tile_graph(*chain, Op("EXP", "t20000", "t0")))
    assert len(str(failure.value)) < 500


@st.composite
def layered_graphs(draw: st.DrawFn) -> TileGraph:
    count = draw(st.integers(1, 25))
    magics = draw(st.permutations(range(count)))
    operations: list[Op] = []
    for place in range(count):
        earlier = draw(st.lists(st.integers(0, place), max_size=3))
        operations.append(Op("ADD", " ".join(f"t{number}" for number in earlier), f"t{place + 1}", magic=magics[place]))
    return tile_graph(*operations)


@given(layered_graphs(), st.randoms(use_true_random=False))
def test_order_is_topological_and_independent_of_text(graph: TileGraph, random) -> None:
    """Producers precede consumers, and the order of the operation list has no influence."""
    order = canonical_order(graph)
    place = {operation: position for position, operation in enumerate(order)}
    assert sorted(order) == list(range(graph.operation_count))
    writer = {tensor: operation for operation, outputs in enumerate(graph.outputs) for tensor in outputs}
    for operation, inputs in enumerate(graph.inputs):
        assert all(place[writer[tensor]] < place[operation] for tensor in inputs if tensor in writer)
    shuffled = random.sample(range(graph.operation_count), graph.operation_count)
    other = TileGraph(
        magics=[graph.magics[operation] for operation in shuffled],
        opcodes=[graph.opcodes[operation] for operation in shuffled],
        latencies=[graph.latencies[operation] for operation in shuffled],
        inputs=[graph.inputs[operation] for operation in shuffled],
        outputs=[graph.outputs[operation] for operation in shuffled],
        scopes=[graph.scopes[operation] for operation in shuffled],
        dynamic_windows=[False] * len(shuffled),
        memories=graph.memories,
        elements=graph.elements,
    )
    assert [other.magics[operation] for operation in canonical_order(other)] == [graph.magics[op] for op in order]
