"""The checker finds what is wrong with a partition, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tile_graphs import Op, tile_graph

from dialect.compat import Compat
from transforms.graph import NO_SCOPE, Scope, TileGraph
from transforms.partition_check import Violation, ViolationKind, check_partition

PUBLISHED, PYPTO = Compat.PUBLISHED, Compat.PYPTO
CHAIN = (Op("EXP", "a", "b"), Op("ABS", "b", "c"), Op("SQRT", "c", "d"))
ALONE, CROSS, PARALLEL = Scope(1, False, False), Scope(2, False, True), Scope(3, True, False)


def found(
    ops: tuple[Op, ...], subgraphs: list[int], compat: Compat = PUBLISHED, mixed_cores: bool = False
) -> list[Violation]:
    return check_partition(tile_graph(*ops), subgraphs, compat, mixed_cores)


def kinds(violations: list[Violation]) -> list[ViolationKind]:
    return [violation.kind for violation in violations]


class TestIds:
    """Every operation has an id, ids count from 0, and each is used."""

    def test_empty_function(self) -> None:
        """Nothing is wrong with nothing."""
        assert found((), []) == []

    def test_missing_id(self) -> None:
        """The operation is named."""
        (violation,) = found(CHAIN, [0, -1, 0])
        assert violation.kind is ViolationKind.NO_SUBGRAPH
        assert violation.operations == (1,)
        assert violation.message == "ABS (magic 10001) has no subgraph"

    @pytest.mark.parametrize(("ids", "message"), [([0, 2, 2], "id 1, although 2"), ([4, 4, 4], "id 0..3, although 4")])
    def test_gap(self, ids: list[int], message: str) -> None:
        """The missing ids are named."""
        (violation,) = found(CHAIN, ids)
        assert violation.kind is ViolationKind.UNUSED_ID
        assert message in violation.message


class TestCycles:
    """Subgraphs must not depend on one another in a cycle."""

    def test_cycle_of_two(self) -> None:
        """The first and the last of a chain cannot be together without the middle."""
        (violation,) = found(CHAIN, [0, 1, 0])
        assert violation.kind is ViolationKind.SUBGRAPH_CYCLE
        assert sorted(violation.subgraphs) == [0, 1]

    def test_cycle_is_named_in_its_direction(self) -> None:
        """Three subgraphs in a ring, and two that are not on it."""
        ops = (
            *(Op("EXP", f"a{k}", f"b{k}") for k in range(3)),
            *(Op("ABS", f"b{k}", f"c{k}") for k in range(3)),
            Op("SQRT", "c0", "d"),
            Op("LN", "e", "a0"),
        )
        (violation,) = found(ops, [0, 1, 2, 1, 2, 0, 3, 4])
        assert violation.message in (
            "subgraphs depend on one another in a cycle: 0 -> 1 -> 2 -> 0",
            "subgraphs depend on one another in a cycle: 1 -> 2 -> 0 -> 1",
            "subgraphs depend on one another in a cycle: 2 -> 0 -> 1 -> 2",
        )

    def test_tensor_of_several_writers(self) -> None:
        """Two subgraphs that both write and both read one tensor depend on each other."""
        ops = (
            Op("ASSEMBLE", "a", "ddr.w"),
            Op("ASSEMBLE", "b", "ddr.w"),
            Op("VIEW", "ddr.w", "c"),
            Op("VIEW", "ddr.w", "d"),
        )
        assert kinds(found(ops, [0, 1, 0, 1])) == [ViolationKind.SUBGRAPH_CYCLE]
        assert found(ops, [0, 1, 0, 2]) == []
        assert found(ops, [0, 1, 2, 2]) == []

    def test_long_ring_gives_a_short_message(self) -> None:
        """1,000 subgraphs in a ring."""
        ops = tuple(Op("EXP", f"t{k}", f"t{k + 1}") for k in range(1_001))
        (violation,) = found(ops, [*range(1_000), 0])
        assert len(violation.subgraphs) == 1_000
        assert violation.message.count("->") == 9 and "… 992 more" in violation.message

    @given(st.data())
    def test_against_reachability(self, data: st.DataObject) -> None:
        """Any graph, any ids: a cycle is reported exactly if a subgraph reaches itself through another."""
        count = data.draw(st.integers(1, 8))
        ops: list[Op] = []
        for place in range(count):
            read = data.draw(st.sets(st.integers(0, place), max_size=2))
            ops.append(Op("VIEW", " ".join(f"t{k}" for k in sorted(read)), f"t{data.draw(st.integers(place, 8)) + 1}"))
        graph = tile_graph(*ops)
        ids = data.draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
        ids = [sorted(set(ids)).index(number) for number in ids]
        violations = check_partition(graph, ids, PUBLISHED)
        reach = successors_of_subgraphs(graph, ids)
        for _ in reach:
            reach = [near.union(*(reach[number] for number in near)) for near in reach]
        assert bool(violations) == any(number in near for number, near in enumerate(reach))
        for violation in violations:
            ring = violation.subgraphs
            direct = successors_of_subgraphs(graph, ids)
            assert all(after in direct[one] for one, after in zip(ring, (*ring[1:], ring[0]), strict=True))


def successors_of_subgraphs(graph: TileGraph, ids: list[int]) -> list[set[int]]:
    successors: list[set[int]] = [set() for _ in range(max(ids) + 1)]
    for writer, outputs in enumerate(graph.outputs):
        for reader, inputs in enumerate(graph.inputs):
            if set(outputs) & set(inputs) and ids[writer] != ids[reader]:
                successors[ids[writer]].add(ids[reader])
    return successors


class TestCores:
    """No subgraph holds AIC and AIV operations."""

    OPS = (Op("A_MUL_B", "l0a.a l0b.b", "l0c.c"), Op("EXP", "d", "e"), Op("RESHAPE", "e", "f"))

    @pytest.mark.parametrize("compat", list(Compat))
    def test_mixed(self, compat: Compat) -> None:
        """Both operations are named."""
        (violation,) = found(self.OPS, [0, 0, 0], compat)
        assert violation.kind is ViolationKind.MIXED_CORES
        assert violation.operations == (0, 1)

    def test_any_goes_with_both(self) -> None:
        """An operation that runs anywhere disturbs nobody."""
        assert found(self.OPS, [0, 1, 0]) == []

    def test_pypto_lets_inseparable_operations_mix(self) -> None:
        """A store ties both sides; published rules do not."""
        ops = (*self.OPS[:2], Op("INDEX_PUT", "l0c.c e", "ddr.f"))
        assert found(ops, [0, 0, 0], PYPTO) == []
        assert kinds(found(ops, [0, 0, 0], PUBLISHED)) == [ViolationKind.MIXED_CORES]


def scoped(ops: tuple[Op, ...], *scopes: Scope) -> tuple[Op, ...]:
    return tuple(op._replace(scope=scope) for op, scope in zip(ops, scopes, strict=True))


class TestSharedSubgraphs:
    """What may share a subgraph with a scope."""

    @pytest.mark.parametrize("compat", list(Compat))
    def test_isolated_scope_and_unscoped_operation(self, compat: Compat) -> None:
        """A scope without cross flag shares with nobody."""
        ops = scoped(CHAIN, ALONE, NO_SCOPE, NO_SCOPE)
        (violation,) = found(ops, [0, 0, 0], compat)
        assert violation.kind is ViolationKind.BROKEN_ISOLATION
        assert violation.operations == (0, 1)
        assert violation.message == (
            "subgraph 0 holds EXP (magic 10000) of scope 1 and ABS (magic 10001) outside any scope"
        )
        assert found(ops, [0, 1, 1], compat) == []

    @pytest.mark.parametrize("compat", list(Compat))
    def test_cross_scope_and_unscoped_operation(self, compat: Compat) -> None:
        """A scope with cross flag may share with unscoped operations."""
        assert found(scoped(CHAIN, CROSS, NO_SCOPE, NO_SCOPE), [0, 0, 0], compat) == []

    def test_two_cross_scopes(self) -> None:
        """Published rules keep them apart; the shipped compiler does not."""
        ops = scoped(CHAIN, CROSS, NO_SCOPE, CROSS._replace(id=7))
        assert kinds(found(ops, [0, 0, 0], PUBLISHED)) == [ViolationKind.MIXED_SCOPES]
        assert found(ops, [0, 0, 0], PYPTO) == []
        assert found(ops, [0, 0, 1], PUBLISHED) == []

    def test_windows_are_neutral(self) -> None:
        """Views and assembles carry no scope of their own."""
        ops = (Op("VIEW", "ddr.x", "a", scope=CROSS), Op("EXP", "a", "b", scope=ALONE), Op("ASSEMBLE", "b", "ddr.c"))
        assert found(ops, [0, 0, 0]) == []

    def test_inseparable_operations_may_share(self) -> None:
        """A store outside the scope that cannot be separated from its producer is no violation; another op is."""
        ops = (Op("EXP", "a", "b", scope=ALONE), Op("COPY_OUT", "b", "ddr.c"), Op("ABS", "d", "e"))
        assert found(ops, [0, 0, 1]) == []
        assert kinds(found(ops, [0, 0, 0])) == [ViolationKind.BROKEN_ISOLATION]

    def test_operation_between_two_of_a_scope_may_share(self) -> None:
        """What a parallel scope pulls in is inseparable from it."""
        assert found(scoped(CHAIN, PARALLEL, NO_SCOPE, PARALLEL), [0, 0, 0]) == []

    def test_nothing_is_promised_to_two_scopes_in_one_inseparable_set(self) -> None:
        """A store of another scope decides for the set; what the first scope asked for is lost in both rule sets."""
        ops = (
            Op("EXP", "a", "b", scope=ALONE),
            Op("COPY_OUT", "b", "ddr.c", scope=CROSS),
            Op("ABS", "d", "e"),
        )
        assert found(ops, [0, 0, 0]) == []


class TestTornScopes:
    """What a scope holds together."""

    def test_parallel_scope(self) -> None:
        """All operations are in one subgraph, linked or not."""
        ops = (Op("EXP", "a", "b", scope=PARALLEL), Op("ABS", "c", "d", scope=PARALLEL))
        (violation,) = found(ops, [0, 1])
        assert violation.kind is ViolationKind.TORN_SCOPE
        assert violation.operations == (0, 1) and violation.subgraphs == (0, 1)
        assert found(ops, [0, 0]) == []

    def test_neighbours_of_one_scope(self) -> None:
        """Direct neighbours are together; parts without a link need not be."""
        ops = scoped(CHAIN, ALONE, ALONE, NO_SCOPE)
        assert kinds(found(ops, [0, 1, 2])) == [ViolationKind.TORN_SCOPE]
        assert found((*ops, Op("EXP", "x", "y", scope=ALONE)), [0, 0, 1, 2]) == []

    def test_not_checked_on_mixed_cores(self) -> None:
        """There a scope may hold both sides, and is not joined then."""
        ops = (Op("A_MUL_B", "l0a.a l0b.b", "l0c.c", scope=PARALLEL), Op("EXP", "c", "d", scope=PARALLEL))
        assert found(ops, [0, 1], mixed_cores=True) == []
