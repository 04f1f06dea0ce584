"""Leaves: how long operations take together, in which order they are emitted, what is spilled."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.simulate.leaves.emission_order import emission_order
from tools.simulate.leaves.latency_table import latency_tables
from tools.simulate.leaves.leaf import Leaf, LeafOperation, Tile, is_timed
from tools.simulate.leaves.pipes import Pipe
from tools.simulate.leaves.spilling import peak_bytes, spill, tile_bytes
from tools.simulate.leaves.timing import BufferDeadlockError, LeafTiming, time_leaf

F16, F32 = 6, 7
UB, L1, L0A, L0B, L0C, DDR = 0, 1, 2, 3, 4, 15
MEMORIES = {"ub": UB, "l1": L1, "l0a": L0A, "l0b": L0B, "l0c": L0C, "ddr": DDR}


def leaf(*lines: str, shape: tuple[int, ...] = (64, 64), element: int = F32) -> Leaf:
    """A leaf from lines `OPCODE inputs -> outputs`; a tile is named `memory.name`, one without memory is in UB."""
    tiles: list[Tile] = []
    numbers: dict[str, int] = {}

    def number_of(name: str) -> int:
        if name not in numbers:
            numbers[name] = len(tiles)
            tiles.append(Tile(shape, element, MEMORIES[name.split(".")[0] if "." in name else "ub"]))
        return numbers[name]

    operations: list[LeafOperation] = []
    for line in lines:
        opcode, *operands = line.split()
        arrow = operands.index("->")
        read, made = operands[:arrow], operands[arrow + 1 :]
        operations.append(LeafOperation(opcode, tuple(map(number_of, read)), tuple(map(number_of, made))))
    return Leaf(tiles, operations)


def timed(*lines: str, shape: tuple[int, ...] = (64, 64), element: int = F32) -> LeafTiming:
    return time_leaf(leaf(*lines, shape=shape, element=element), latency_tables()["A2A3"])


def test_worked_example() -> None:
    """The product of the cost model, section 2.4: 6742 cycles for FP16 tiles with FP32 result."""
    product = leaf(
        "COPY_IN ddr.a -> l1.a0",
        "L1_TO_L0A l1.a0 -> l0a.a0",
        "COPY_IN ddr.b -> l1.b0",
        "L1_TO_L0Bt l1.b0 -> l0b.b0",
        "A_MUL_B l0a.a0 l0b.b0 -> l0c.c0",
        "COPY_IN ddr.a -> l1.a1",
        "L1_TO_L0A l1.a1 -> l0a.a1",
        "COPY_IN ddr.b -> l1.b1",
        "L1_TO_L0Bt l1.b1 -> l0b.b1",
        "A_MULACC_B l0a.a1 l0b.b1 l0c.c0 -> l0c.c1",
        "COPY_OUT l0c.c1 -> ddr.c",
        element=F16,
    )
    tiles = [tile._replace(element=F32) if tile.memory == L0C else tile for tile in product.tiles]
    timing = time_leaf(Leaf(tiles, product.operations), latency_tables()["A2A3"])
    assert timing.cycles == 6742
    assert timing.busy == {Pipe.MTE_IN: 4 * 1491, Pipe.MTE1: 2 * (67 + 92), Pipe.CUBE: 150 + 149, Pipe.MTE_OUT: 520}


def test_first_operation_starts_after_its_allocation() -> None:
    """Four cycles after the leaf; the next one, dependent or on the same pipe, two cycles after its end."""
    timing = timed("COPY_IN ddr.x -> x", "EXP x -> y", "COPY_OUT y -> ddr.y")
    assert timing.starts[0] == 4
    assert [timing.starts[1] - timing.ends[0], timing.starts[2] - timing.ends[1]] == [2, 2]
    assert timing.cycles == timing.ends[2] + 1


def test_pipes_overlap() -> None:
    """Copies in run on while the vector pipe works; on one pipe nothing overlaps."""
    timing = timed("COPY_IN ddr.a -> a", "PAIRMAX a a -> x", "COPY_IN ddr.b -> b", "PAIRMAX b b -> y")
    assert timing.starts[2] < timing.ends[1]
    assert timing.starts[3] == timing.ends[2] + 2
    assert timing.starts[2] == timing.ends[0] + 2


def test_an_operation_that_writes_what_it_reads_does_not_wait_for_itself() -> None:
    """But it waits for the earlier writer of the tile."""
    timing = timed("COPY_IN ddr.a -> a", "EXP a -> a", "COPY_OUT a -> ddr.y")
    assert timing.starts[1] == timing.ends[0] + 2
    assert timing.starts[2] == timing.ends[1] + 2


def test_an_empty_leaf() -> None:
    """Takes one cycle, in which nothing happens."""
    timing = timed()
    assert (timing.cycles, timing.event_cycles(), timing.busy) == (1, [0], {})


def test_back_pressure_makes_tiles_wait() -> None:
    """A third tile is allocated when the last reader of the first has ended; without back pressure at once."""
    lines = ("COPY_IN ddr.a -> a", "COPY_OUT a -> ddr.a1", "COPY_IN ddr.b -> b", "COPY_OUT b -> ddr.b1")
    free = timed(*lines, shape=(128, 128))
    one_tile = time_leaf(leaf(*lines, shape=(128, 128)), latency_tables()["A2A3"], {Pipe.UB_ALLOCATION: 65536})
    assert free.starts[2] == free.ends[0] + 2
    assert one_tile.starts[2] > one_tile.ends[1]
    assert one_tile.cycles > free.cycles


def test_back_pressure_without_space_is_a_deadlock() -> None:
    """Two tiles that live together and do not fit."""
    with pytest.raises(BufferDeadlockError):
        time_leaf(leaf("COPY_IN ddr.a -> a", "EXP a -> b"), latency_tables()["A2A3"], {Pipe.UB_ALLOCATION: 16384})


def test_synchronisation_is_not_timed() -> None:
    """Nor are allocations; everything else is."""
    assert not any(map(is_timed, ("NOP", "UB_ALLOC", "PHASE1", "SYNC_SRC", "BAR.V", "CV_SYNC_DST")))
    assert all(map(is_timed, ("EXP", "COPY_IN", "VIEW", "SHMEM_SET")))


@st.composite
def random_leaves(draw: st.DrawFn) -> Leaf:
    """Operations on tiles of UB and global memory, each reading what earlier ones made."""
    tiles = [Tile((64, 64), F32, DDR)]
    operations: list[LeafOperation] = []
    for _ in range(draw(st.integers(1, 25))):
        read = tuple(draw(st.lists(st.integers(0, len(tiles) - 1), min_size=1, max_size=3)))
        opcode = draw(st.sampled_from(["COPY_IN", "ADD", "EXP", "PAIRSUM", "COPY_OUT"]))
        tiles.append(Tile((draw(st.sampled_from([8, 64, 100])), 64), F32, DDR if opcode == "COPY_OUT" else UB))
        operations.append(LeafOperation(opcode, read, (len(tiles) - 1,)))
    return Leaf(tiles, operations)


@given(random_leaves())
def test_laws_of_timing(random_leaf: Leaf) -> None:
    """Nothing starts before its inputs are written, no pipe does two things at once, and every operation runs."""
    timing = time_leaf(random_leaf, latency_tables()["A2A3"])
    written: dict[int, int] = {}
    by_pipe: dict[str, list[tuple[int, int]]] = {}
    for operation, start, end in zip(random_leaf.operations, timing.starts, timing.ends, strict=True):
        assert end > start > 0
        assert all(start > written.get(tile, 0) for tile in operation.inputs)
        written |= dict.fromkeys(operation.outputs, end)
        pipe = {"COPY_IN": "in", "COPY_OUT": "out"}.get(operation.opcode, "vector")
        by_pipe.setdefault(pipe, []).append((start, end))
    for spans in by_pipe.values():
        spans.sort()
        assert all(before[1] < after[0] for before, after in pairwise(spans))
    assert timing.cycles == max(timing.ends) + 1
    assert sum(timing.busy.values()) == sum(end - start for start, end in zip(timing.starts, timing.ends, strict=True))
    assert timing.event_cycles()[-1] == timing.cycles


@given(random_leaves())
def test_emission_order_is_topological(random_leaf: Leaf) -> None:
    """Each operation once, behind its producers."""
    order = emission_order(random_leaf.operations, len(random_leaf.tiles))
    assert sorted(order) == list(range(len(random_leaf.operations)))
    place = {number: place for place, number in enumerate(order)}
    maker = {tile: number for number, operation in enumerate(random_leaf.operations) for tile in operation.outputs}
    for number, operation in enumerate(random_leaf.operations):
        assert all(place[maker[tile]] < place[number] for tile in operation.inputs if tile in maker)


def emitted(*lines: str) -> list[int]:
    made = leaf(*lines)
    return emission_order(made.operations, len(made.tiles))


def test_sinks_come_in_reverse() -> None:
    """Of independent chains the last one of the graph is emitted first."""
    assert emitted("COPY_IN ddr.a -> a", "COPY_IN ddr.b -> b", "COPY_OUT a -> ddr.x", "COPY_OUT b -> ddr.y") == [
        1,
        3,
        0,
        2,
    ]


def test_the_deepest_producer_comes_first() -> None:
    """Of equally deep ones the first operand."""
    assert emitted("COPY_IN ddr.a -> a", "COPY_IN ddr.b -> b", "EXP b -> c", "ADD a c -> d") == [1, 2, 0, 3]
    assert emitted("COPY_IN ddr.a -> a", "COPY_IN ddr.b -> b", "ADD b a -> d") == [1, 0, 2]


def test_the_sink_with_the_fewest_open_producers_comes_next() -> None:
    """Behind the first chain, the sink that needs only one more copy goes before the one that needs two."""
    order = emitted(
        "COPY_IN ddr.a -> a",
        "COPY_IN ddr.b -> b",
        "COPY_IN ddr.c -> c",
        "ADD a b -> x",
        "ADD a c -> y",
        "COPY_IN ddr.d -> d",
        "EXP d -> e",
        "ADD a e -> z",
    )
    assert order == [5, 6, 0, 7, 2, 4, 1, 3]


def test_spilling() -> None:
    """The tile with the farthest next use leaves and comes back; what was copied in is not copied out."""
    made = leaf("COPY_IN ddr.a -> a", "COPY_IN ddr.b -> b", "EXP b -> c", "ADD a c -> d", shape=(128, 128))
    assert peak_bytes(made.operations, made.tiles, UB) == 3 * 65536
    operations, tiles, evictions = spill(made.operations, made.tiles, UB, 2 * 65536)
    assert [operation.opcode for operation in operations] == ["COPY_IN", "COPY_IN", "EXP", "COPY_IN", "ADD"]
    assert operations[4].inputs[0] == operations[3].outputs[0] == len(tiles) - 1
    assert evictions == 1


def test_spilling_copies_out_what_was_computed() -> None:
    """Once, and what was to be copied out later is copied out before it leaves."""
    lines = (
        "COPY_IN ddr.a -> a",
        "EXP a -> b",
        "COPY_IN ddr.c -> c",
        "EXP c -> d",
        "ADD b d -> e",
        "COPY_OUT b -> ddr.b",
    )
    made = leaf(*lines, shape=(128, 128))
    operations, _, evictions = spill(made.operations, made.tiles, UB, 2 * 65536)
    opcodes = [operation.opcode for operation in operations]
    assert opcodes == ["COPY_IN", "EXP", "COPY_IN", "COPY_OUT", "COPY_OUT", "EXP", "COPY_IN", "ADD"]
    assert evictions == 1


@given(random_leaves(), st.integers(3, 12))
def test_laws_of_spilling(random_leaf: Leaf, capacity_in_tiles: int) -> None:
    """Every operation is still there, each reads what was made before, and the leaf can still be timed."""
    capacity = capacity_in_tiles * 100 * 64 * 4
    operations, tiles, evictions = spill(random_leaf.operations, random_leaf.tiles, UB, capacity)
    kept = [operation.opcode for operation in random_leaf.operations]
    assert len(operations) >= len(kept)
    assert (evictions == 0) == (operations == list(random_leaf.operations))
    made: set[int] = {0}
    for operation in operations:
        assert made.issuperset(operation.inputs)
        made.update(operation.outputs)
    time_leaf(Leaf(tiles, operations), latency_tables()["A2A3"])


def test_sizes_of_tiles() -> None:
    """A dynamic extent counts as one."""
    shapes: Sequence[tuple[int, ...]] = [(64, 64), (-1, 64), ()]
    assert [tile_bytes(Tile(shape, F16, UB)) for shape in shapes] == [8192, 128, 2]
