"""Super nodes: the rules that tie operations, core-type checks, hulls, scopes, and what a node knows of itself."""

from __future__ import annotations

import pytest
from tile_graphs import MEMORIES, Op, tile_graph
from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from dialect.opcodes import OPCODES, CoreType
from transforms.canonical_order import canonical_order
from transforms.graph import NO_SCOPE, Scope, TileGraph
from transforms.graph_partition.ordered_graph import OrderedGraph, order_graph
from transforms.graph_partition.scope_propagation import propagate_scopes
from transforms.graph_partition.super_node_builder import SuperNodeRules, build_super_nodes
from transforms.graph_partition.super_nodes import SuperNodes

UB, L1 = MEMORIES["ub"], MEMORIES["l1"]


def built(*operations: Op, compat: Compat = Compat.PYPTO, mixed_cores: bool = False) -> tuple[OrderedGraph, SuperNodes]:
    graph = tile_graph(*operations)
    ordered = order_graph(graph, canonical_order(graph))
    return ordered, build_super_nodes(ordered, SuperNodeRules(compat, mixed_cores))


def nodes_of(*operations: Op, compat: Compat = Compat.PYPTO, mixed_cores: bool = False) -> list[set[int]]:
    """The super nodes as sets of positions in `operations`, in node order."""
    ordered, nodes = built(*operations, compat=compat, mixed_cores=mixed_cores)
    return [{ordered.order[index] for index in indices} for indices in nodes.nodes]


def together(*operations: Op) -> set[frozenset[int]]:
    """The super nodes of more than one operation."""
    return {frozenset(node) for node in nodes_of(*operations) if len(node) > 1}


class TestRules:
    """The first rule that applies decides which operations share a node (section 5.2)."""

    def test_load_joins_its_first_consumer_only(self) -> None:
        """R6: a load that two operations read belongs to the one that comes first."""
        loads = Op("VIEW", "ddr.x", "a"), Op("EXP", "a", "b", magic=5), Op("ABS", "a", "c", magic=6)
        # Canonical order is VIEW, ABS, EXP: of two sinks the one of smaller magic comes last.
        assert together(*loads) == {frozenset({0, 2})}

    def test_load_into_l1_joins_all_consumers(self) -> None:
        """R3: all readers of an L1 tile stay with the load."""
        ops = (
            Op("VIEW", "ddr.x", "l1.a"),
            Op("L1_TO_L0A", "l1.a", "l0a.b"),
            Op("L1_TO_L0A", "l1.a", "l0a.c"),
        )
        assert together(*ops) == {frozenset({0, 1, 2})}

    def test_store_joins_all_producers(self) -> None:
        """R5: a store stays with everything it reads."""
        ops = Op("EXP", "a", "b"), Op("ABS", "c", "d"), Op("INDEX_PUT", "b d", "ddr.e")
        assert together(*ops) == {frozenset({0, 1, 2})}

    def test_assemble_to_ddr_joins_all_producers_of_its_input(self) -> None:
        """R4, copy-out case."""
        ops = Op("EXP", "a", "c"), Op("ABS", "b", "c"), Op("ASSEMBLE", "c", "ddr.d")
        assert together(*ops) == {frozenset({0, 1, 2})}

    def test_assemble_within_ub_joins_the_first_producer(self) -> None:
        """R4, otherwise: only the producer of smallest index."""
        ops = Op("EXP", "a", "c", magic=1), Op("ABS", "b", "c", magic=2), Op("ASSEMBLE", "c", "d", magic=3)
        # Canonical order is ABS, EXP, ASSEMBLE.
        assert together(*ops) == {frozenset({1, 2})}

    @pytest.mark.parametrize("opcode", ["TRANSPOSE_MOVEOUT", "INDEX_OUTCAST"])
    def test_assemble_after_an_operation_that_writes_out_itself(self, opcode: str) -> None:
        """R4: after such a first producer the assemble is not the copy-out of the others."""
        ops = Op("ABS", "b", "c", magic=9), Op(opcode, "a", "c", magic=1), Op("ASSEMBLE", "c", "ddr.d", magic=10)
        # Canonical order is ABS, the other, ASSEMBLE.
        assert together(*ops) == {frozenset({0, 2})}

    def test_product_moved_to_l1_stays_with_multiply_and_users(self) -> None:
        """R2: a view of a product into L1 joins its producer and all consumers."""
        ops = (
            Op("A_MUL_B", "l0a.a l0b.b", "l0c.c"),
            Op("VIEW", "l0c.c", "l1.d"),
            Op("L1_TO_L0A", "l1.d", "l0a.e"),
        )
        assert together(*ops) == {frozenset({0, 1, 2})}

    def test_assembled_product_leaves_cube_loads_alone(self) -> None:
        """R2: an assemble of a product into L1 does not join consumers that write L0A."""
        ops = (
            Op("A_MUL_B", "l0a.a l0b.b", "l0c.c"),
            Op("ASSEMBLE", "l0c.c", "l1.d"),
            Op("L1_TO_L0A", "l1.d", "l0a.e"),
        )
        assert together(*ops) == {frozenset({0, 1})}

    def test_accumulating_multiplies_stay_together(self) -> None:
        """R7: a multiply joins the one that produces its accumulator, but not one that feeds another operand."""
        ops = (
            Op("A_MUL_B", "l0a.a l0b.b", "l0c.c"),
            Op("A_MULACC_B", "l0a.d l0b.e l0c.c", "l0c.f"),
            Op("A_MUL_B", "l0c.f l0b.g", "l0c.h"),
        )
        assert together(*ops) == {frozenset({0, 1})}

    def test_multiply_stays_with_all_views_of_its_product(self) -> None:
        """R7, case U28: both L0C views of a product are with the multiply; a view into DDR is not."""
        ops = (
            Op("A_MUL_B", "l0a.a l0b.b", "l0c.c"),
            Op("VIEW", "l0c.c", "l0c.d"),
            Op("VIEW", "l0c.c", "l0c.e"),
            Op("VIEW", "l0c.c", "ddr.f"),
        )
        assert together(*ops) == {frozenset({0, 1, 2})}

    def test_conversion_joins_both_sides(self) -> None:
        """R1: a conversion within the vector side is with its producers and consumers."""
        ops = Op("EXP", "a", "b"), Op("CONVERT", "b", "c", conversion=(UB, UB)), Op("ABS", "c", "d")
        assert together(*ops) == {frozenset({0, 1, 2})}

    def test_conversion_between_the_sides_joins_its_producers(self) -> None:
        """R1, case U26: a conversion from UB to L1 leaves its consumers to the other side."""
        ops = (
            Op("MULS", "a", "b"),
            Op("CONVERT", "b", "l1.c", conversion=(UB, L1)),
            Op("L1_TO_L0A", "l1.c", "l0a.d"),
        )
        assert together(*ops) == {frozenset({0, 1})}

    def test_conversion_that_does_not_say_what_ties_nothing(self) -> None:
        """R1: without its memories a CONVERT stays alone, even where another rule would apply."""
        assert together(Op("EXP", "a", "b"), Op("CONVERT", "b", "l1.c"), Op("L1_TO_L0A", "l1.c", "l0a.d")) == set()


class TestCoreTypes:
    """Unions check the core types of two operations and their roots (section 5.3)."""

    def test_conflict_names_the_four_operations(self) -> None:
        """A store on the cube core cannot join a vector producer."""
        with pytest.raises(PassFailedException) as failure:
            nodes_of(Op("EXP", "a", "l0c.b"), Op("L0C_COPY_OUT", "l0c.b", "ddr.c"))
        message = str(failure.value)
        assert message.count("EXP (magic 10000) on AIV") == 2
        assert message.count("L0C_COPY_OUT (magic 10001) on AIC") == 2

    def test_assemble_may_join_an_aicpu_operation(self) -> None:
        """AICPU operations meet view-like and assemble-like ones, and nothing else."""
        aicpu = an_opcode_on(CoreType.AICPU)
        assert together(Op(aicpu, "a", "b"), Op("ASSEMBLE", "b", "ddr.c")) == {frozenset({0, 1})}
        with pytest.raises(PassFailedException, match="core types"):
            nodes_of(Op(aicpu, "a", "b"), Op("COPY_OUT", "b", "ddr.c"))

    def test_assemble_may_join_a_hub(self) -> None:
        """HUB operations likewise."""
        hub = an_opcode_on(CoreType.HUB)
        assert together(Op(hub, "a", "b"), Op("ASSEMBLE", "b", "ddr.c")) == {frozenset({0, 1})}
        with pytest.raises(PassFailedException, match="core types"):
            nodes_of(Op(hub, "a", "b"), Op("COPY_OUT", "b", "ddr.c"))

    def test_core_of_a_node_is_that_of_its_first_operation_that_has_one(self) -> None:
        """All ANY is a vector node; IS_CUBE marks every operation of a node with an AIC operation."""
        ordered, nodes = built(
            Op("VIEW", "ddr.x", "l1.a"),
            Op("L1_TO_L0A", "l1.a", "l0a.b"),
            Op("VIEW", "ddr.y", "c"),
            Op("RESHAPE", "c", "d"),
        )
        marks = dict(zip(ordered.order, nodes.is_cube, strict=True))
        assert marks == {0: True, 1: True, 2: False, 3: False}
        assert sorted(nodes.cores) == [1, 2]


def an_opcode_on(core: CoreType) -> str:
    return next(opcode.name for opcode in OPCODES if opcode.core is core)


class TestHulls:
    """What lies between operations of a node joins it (section 5.4)."""

    def test_operation_on_a_path_joins(self) -> None:
        """A store reads the two ends of a chain, so the middle joins them."""
        ops = Op("EXP", "a", "b"), Op("ABS", "b", "c"), Op("SQRT", "c", "d"), Op("INDEX_PUT", "b d", "ddr.e")
        assert together(*ops) == {frozenset({0, 1, 2, 3})}

    def test_operation_of_the_other_core_on_a_path_fails(self) -> None:
        """A cube operation between two vector operations of one node cannot join."""
        with pytest.raises(PassFailedException, match="core types"):
            nodes_of(
                Op("EXP", "a", "l1.b"),
                Op("L1_TO_L0A", "l1.b", "l0a.c"),
                Op("ADD", "l0a.c", "d"),
                Op("INDEX_PUT", "l1.b d", "ddr.e"),
            )

    def test_wide_tensor_inside_a_component(self) -> None:
        """Many writers and readers of one tensor between two ends of a node all join."""
        ops = [Op("EXP", "a", "b")]
        ops += [Op("ABS", "b", "w") for _ in range(20)]
        ops += [Op("SQRT", "w", f"r{k}") for k in range(20)]
        ops += [Op("INDEX_PUT", "b r0", "ddr.e")]
        joined = together(*ops)
        # Readers other than that of the store lead nowhere.
        assert joined == {frozenset({*range(21), 21, 41})}


class TestScopes:
    """Propagation and merging of option scopes (sections 5.1 and 6)."""

    def test_windows_take_the_scopes_next_to_them(self) -> None:
        """Case U30: assembles take the producer's scope, views the consumer's."""
        graph = tile_graph(
            Op("MULS", "a", "b", scope=Scope(0, False, False)),
            Op("ASSEMBLE", "b", "c"),
            Op("ASSEMBLE", "c", "d"),
            Op("VIEW", "d", "e"),
            Op("VIEW", "e", "f"),
            Op("MULS", "f", "g", scope=Scope(1, False, False)),
        )
        assert propagated(graph) == [0, 0, 0, 1, 1, 1]

    def test_scope_of_a_window_is_overridden(self) -> None:
        """A view that its user put into scope 5 takes the scope of its consumer all the same."""
        graph = tile_graph(
            Op("VIEW", "ddr.a", "b", scope=Scope(5, False, False)),
            Op("EXP", "b", "c", scope=Scope(2, False, True)),
        )
        assert propagated(graph) == [2, 2]

    def test_window_without_scoped_neighbours_keeps_its_own(self) -> None:
        """Nothing to take over: scope 5 stays, and no scope stays none."""
        graph = tile_graph(
            Op("VIEW", "ddr.a", "b", scope=Scope(5, False, False)), Op("EXP", "b", "c"), Op("VIEW", "c", "d")
        )
        assert propagated(graph) == [5, -1, -1]

    def test_first_scoped_producer_by_magic_decides(self) -> None:
        """Of the producers of an operand, the scoped one of smallest magic; unscoped ones are passed over."""
        graph = tile_graph(
            Op("EXP", "a", "t", magic=1),
            Op("EXP", "b", "t", scope=Scope(7, False, False), magic=3),
            Op("EXP", "c", "t", scope=Scope(8, False, False), magic=2),
            Op("ASSEMBLE", "t", "u", magic=4),
        )
        assert propagated(graph) == [-1, 7, 8, 8]

    def test_scope_travels_through_views_and_assembles_in_turns(self) -> None:
        """Each assemble takes the scope of the view before it, each view that of the assemble before it."""
        count = 500
        ops = [Op("EXP", "s", "y0", scope=Scope(3, False, False))]
        for k in range(count):
            ops.append(Op("ASSEMBLE", f"y{k} y{k + 1}", f"x{k}", magic=20_000 + (k * 7919) % count))
            ops.append(Op("VIEW", f"z{k}", f"y{k + 1}", magic=30_000 + (k * 104_729) % count))
        assert propagated(tile_graph(*ops)) == [3] * (2 * count + 1)

    def test_parallel_scope_joins_everything(self) -> None:
        """Case U18: both arms of a parallel scope are one node, although nothing links them."""
        scope = Scope(1, True, False)
        ops = Op("EXP", "a", "b", scope=scope), Op("ABS", "c", "d", scope=scope), Op("SQRT", "e", "f")
        assert together(*ops) == {frozenset({0, 1})}

    def test_serial_scope_joins_neighbours_only(self) -> None:
        """Without the parallel flag only nodes with a link between them are joined."""
        scope = Scope(1, False, False)
        ops = (
            Op("EXP", "a", "b", scope=scope),
            Op("ABS", "b", "c", scope=scope),
            Op("SQRT", "d", "e", scope=scope),
        )
        assert together(*ops) == {frozenset({0, 1})}

    def test_bridge_joins_a_parallel_scope(self) -> None:
        """Case U22: what lies between two parts of a parallel scope is pulled in."""
        scope = Scope(5002, True, False)
        ops = Op("ADDS", "a", "b", scope=scope), Op("MULS", "b", "c"), Op("ADDS", "c", "d", scope=scope)
        assert together(*ops) == {frozenset({0, 1, 2})}

    def test_cube_and_vector_in_one_scope_fail_on_separate_cores(self) -> None:
        """The message names the scope and an operation of each side."""
        scope = Scope(4, False, False)
        ops = Op("A_MUL_B", "l0a.a l0b.b", "l0c.c", scope=scope), Op("EXP", "d", "e", scope=scope)
        with pytest.raises(PassFailedException, match=r"scope 4 .*A_MUL_B \(magic 10000\) and EXP \(magic 10001\)"):
            nodes_of(*ops)

    def test_cube_and_vector_in_one_scope_get_a_cv_fuse_id_on_mixed_cores(self) -> None:
        """They are not joined; scopes are numbered by ascending id, and other operations get none."""
        low, high = Scope(2, False, False), Scope(9, False, False)
        ordered, nodes = built(
            Op("A_MUL_B", "l0a.a l0b.b", "l0c.c", scope=high),
            Op("EXP", "d", "e", scope=high),
            Op("A_MUL_B", "l0a.f l0b.g", "l0c.h", scope=low),
            Op("EXP", "i", "j", scope=low),
            Op("EXP", "k", "l"),
            mixed_cores=True,
        )
        assert len(nodes.nodes) == 5
        assert dict(zip(ordered.order, nodes.cv_fuse, strict=True)) == {0: 1, 1: 1, 2: 0, 3: 0, 4: -1}

    def test_scope_merge_renumbers_nodes_by_first_operation(self) -> None:
        """Nodes are numbered by their roots; once a scope joined anything, by their first operations."""
        scope = Scope(1, True, False)
        # Canonical order is SQRT, VIEW, LN, ABS, EXP; the root of VIEW and EXP is EXP.
        ops = (
            Op("VIEW", "ddr.x", "a", magic=1),
            Op("EXP", "a", "b", magic=2),
            Op("ABS", "c", "d", magic=5),
            Op("SQRT", "e", "f", magic=7),
            Op("LN", "f", "g", magic=6),
        )
        assert nodes_of(*ops)[-2:] == [{2}, {0, 1}]
        scoped = (*ops[:3], ops[3]._replace(scope=scope), ops[4]._replace(scope=scope))
        assert nodes_of(*scoped) == [{3, 4}, {0, 1}, {2}]


def propagated(graph: TileGraph) -> list[int]:
    ordered = order_graph(graph, canonical_order(graph))
    ids = dict(zip(ordered.order, (scope.id for scope in propagate_scopes(ordered)), strict=True))
    return [ids[operation] for operation in range(graph.operation_count)]


class TestMergeable:
    """Which nodes may share a subgraph with others (section 5.5)."""

    @pytest.mark.parametrize("opcode", ["VIEW", "ASSEMBLE", "SLICE", "CONTRACT"])
    def test_dynamic_window_within_ub_is_not_mergeable(self, opcode: str) -> None:
        """Case U31: a window within UB whose offset is known at run time only stands alone; a static one does not."""
        assert list(built(Op(opcode, "a", "b", dynamic=True))[1].mergeable) == [False]
        assert list(built(Op(opcode, "a", "b"))[1].mergeable) == [True]

    def test_dynamic_window_to_ddr_is_mergeable(self) -> None:
        """Only UB to UB counts."""
        assert list(built(Op("ASSEMBLE", "ddr.a", "ddr.b", dynamic=True))[1].mergeable) == [True]

    def test_scope_without_cross_flag_is_not_mergeable(self) -> None:
        """The cross flag makes a scoped node mergeable."""
        assert list(built(Op("EXP", "a", "b", scope=Scope(1, False, False)))[1].mergeable) == [False]
        assert list(built(Op("EXP", "a", "b", scope=Scope(1, False, True)))[1].mergeable) == [True]

    @pytest.mark.parametrize(
        ("before", "after", "mergeable"),
        [(2, 2, False), (2, 0, False), (0, 2, False), (1, 1, True), (2, 1, True), (1, 2, True), (0, 0, True)],
    )
    def test_lonely_reshape(self, before: int, after: int, mergeable: bool) -> None:
        """A RESHAPE alone in its node, with several neighbours on one side and not just one on the other."""
        ops = [Op("EXP", f"a{k}", "w") for k in range(before)]
        ops.append(Op("RESHAPE", "w" if before else "s", "r"))
        ops += [Op("ABS", "r", f"b{k}") for k in range(after)]
        ordered, nodes = built(*ops)
        index = list(ordered.order).index(before)
        assert bool(nodes.mergeable[nodes.node_of[index]]) is mergeable

    def test_scope_of_a_node_is_that_of_its_last_operation_that_counts(self) -> None:
        """Views and assembles do not decide, unless the node has nothing else."""
        first, last = Scope(1, False, True), Scope(2, True, True)
        _, nodes = built(Op("EXP", "a", "b", scope=first), Op("COPY_OUT", "b", "ddr.c", scope=last))
        assert list(nodes.scopes) == [last]
        _, nodes = built(Op("EXP", "a", "b"), Op("ASSEMBLE", "b", "ddr.c", scope=last))
        assert list(nodes.scopes) == [NO_SCOPE]
        _, nodes = built(Op("ASSEMBLE", "ddr.b", "ddr.c", scope=last))
        assert list(nodes.scopes) == [last]
