"""Hashes, hash orders and names of classes; the numbers are the golden values of merge passes, chapter 8."""

from __future__ import annotations

import pytest
from tile_graphs import Op, tile_graph

from transforms.canonical_order import canonical_order
from transforms.classes import (
    class_name,
    number_classes,
    opcode_name_hash,
    operation_hashes,
    shape_marks,
    subgraph_hashes,
)
from transforms.graph_partition.ordered_graph import OrderedGraph, order_graph


def ordered(*operations: Op) -> OrderedGraph:
    graph = tile_graph(*operations)
    return order_graph(graph, canonical_order(graph))


def hashes_by_magic(graph: OrderedGraph) -> dict[int, int]:
    hashes = operation_hashes(graph)
    return {graph.graph.magics[operation]: value for operation, value in zip(graph.order, hashes, strict=True)}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("VIEW", 4458735),
        ("SLICE", 159507476),
        ("EXP", 97797),
        ("ADDS", 3388136),
        ("ABS", 91510),
        ("MUL", 108634),
        ("COPY_IN", 177536415837),
        ("A_MUL_B", 173508616027),
        ("ASSEMBLE", 6389416164648),
    ],
)
def test_hash_of_a_name(name: str, value: int) -> None:
    """An opcode's hash comes from its name in dumps."""
    assert opcode_name_hash(name) == value


def test_chain() -> None:
    """Every op of a chain hashes all that is before it, and a subgraph hashes its ops in their order."""
    graph = ordered(
        Op("COPY_IN", "ddr.x", "a"),
        Op("ABS", "a", "b"),
        Op("EXP", "b", "c"),
        Op("ADDS", "c", "d"),
        Op("ASSEMBLE", "d", "ddr.y"),
    )
    hashes = operation_hashes(graph)
    assert hashes == [177536415837, 177301526579, 177536632068, 177363431172, 236585995112516]
    assert subgraph_hashes(hashes, [0, 1, 1, 1, 1], 2) == [177298140709, 2494473604153897]


def test_tensor_with_two_producers() -> None:
    """A tensor contributes all its producers by magic; a tensor from outside contributes nothing."""
    graph = ordered(
        Op("EXP", "x", "p"),
        Op("ABS", "x", "q"),
        Op("ASSEMBLE", "p", "t"),
        Op("ASSEMBLE", "q", "t"),
        Op("MUL", "t p", "r"),
        Op("MUL", "outside p", "s"),
    )
    assert hashes_by_magic(graph) == {
        10000: 97797,
        10001: 91510,
        10002: 236408703565637,
        10003: 236408703568342,
        10004: 3627544049359827,
        10005: 309493119,
    }


def test_order_of_producers_is_that_of_magics() -> None:
    """Exchanged magics of the two writers exchange their places in the hash of the reader."""
    first = ordered(Op("EXP", "x", "t", magic=1), Op("ABS", "x", "t", magic=2), Op("SQRT", "t", "y", magic=3))
    second = ordered(Op("EXP", "x", "t", magic=2), Op("ABS", "x", "t", magic=1), Op("SQRT", "t", "y", magic=3))
    assert hashes_by_magic(first)[3] != hashes_by_magic(second)[3]
    assert hashes_by_magic(first)[1] == hashes_by_magic(second)[2]


def test_many_producers_wrap_at_64_bits() -> None:
    """The product with the power of a tensor with three producers leaves 64 bits, and wraps before the modulo."""
    writers = [Op("ASSEMBLE", f"x{place}", "t") for place in range(3)]
    graph = ordered(*writers, Op("TRANSPOSE_MOVEOUT", "t t t", "y"))
    modulus, word, seed = 2**52 - 1, 2**64 - 1, 0x12345678
    assemble = opcode_name_hash("ASSEMBLE")
    power, total = 37**3 % modulus, 0
    for _ in range(3):
        total = (total * 37 + (assemble ^ seed)) % modulus
    expected = opcode_name_hash("TRANSPOSE_MOVEOUT")
    for _ in range(3):
        expected = ((expected * power + total) & word) % modulus
    assert operation_hashes(graph)[-1] == expected
    assert opcode_name_hash("TRANSPOSE_MOVEOUT") * power > word


def test_classes_are_numbered_by_smallest_member() -> None:
    """The first subgraph of a hash gives its class the next number; subgraphs that are left out have none."""
    classes = number_classes([5, 7, 5, 9, 7], [0, 1, 2, 4])
    assert list(classes.order_of) == [0, 1, 0, -1, 1]
    assert classes.members == [[0, 2], [1, 4]]
    assert classes.hashes == [5, 7]
    assert class_name(8, 1) == "func8_1"


def test_marks_tell_shapes_apart() -> None:
    """With the extents of their tiles as marks, subgraphs of other shapes have other hashes, also dynamic ones."""
    graph = ordered(Op("EXP", "a", "b"), Op("EXP", "c", "d"), Op("EXP", "e", "f"))
    shapes: list[tuple[int, ...]] = [(64, 64), (64, 64), (32, 64), (32, 64), (-1, 64), (-1, 64)]
    hashes = operation_hashes(graph)
    assert len(set(subgraph_hashes(hashes, [0, 1, 2], 3))) == 1
    assert len(set(subgraph_hashes(hashes, [0, 1, 2], 3, None, shape_marks(graph, shapes)))) == 3
