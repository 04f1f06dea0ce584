"""What subgraphs become before they are timed: copies, duplicates, columns, padding."""

from __future__ import annotations

import pytest
from tile_modules import parse_text

from dialect.compat import Compat
from dialect.ops import functions_of
from dialect.targets import find_target
from tools.simulate.leaves.boundary import boundary_of
from tools.simulate.leaves.building import BuiltLeaf, LoweringRules, build_leaf
from tools.simulate.leaves.graph_reading import partitioned_graph
from tools.simulate.leaves.lowering import merged_places
from transforms.graph_of_function import function_graph
from transforms.tensor_facts import tensor_facts

A2A3, A5 = (LoweringRules(find_target(family).ub_bytes, broadcasts_columns=family == "a5") for family in ("a2a3", "a5"))


def built(body: str, rules: LoweringRules = A2A3) -> dict[int, BuiltLeaf]:
    """The leaf of each subgraph of a function with these lines; `T` stands for a tile of 64 x 64, `C` for a column."""
    for short, long in {
        "T(": "!tile.tensor<64x64xf32, ",
        "C(": "!tile.tensor<60x1xf32, ",
        "W(": "!tile.tensor<60x64xf32, ",
    }.items():
        body = body.replace(short, long)
    text = f"""
      tile.func @f magic(8) ins(%x : !tile.tensor<256x64xf32, ddr>, %w : !tile.tensor<60x64xf32, ddr>)
          outs(%y : !tile.tensor<256x64xf32, ddr>, %z : !tile.tensor<256x64xf32, ddr>,
               %c : !tile.tensor<256x1xf32, ddr>) {{
        {body.replace(">)", ">")}
      }}"""
    (function,) = functions_of(parse_text(text.replace(")>", ">")))
    read = function_graph(function)
    graph, _ = partitioned_graph(function, read, tensor_facts(function, read), Compat.PUBLISHED)
    boundary, places = boundary_of(graph), merged_places(graph)
    return {
        subgraph: build_leaf(graph, operations, subgraph, boundary, places, rules)
        for subgraph, operations in enumerate(graph.operations_of_subgraphs())
    }


def opcodes(leaf: BuiltLeaf) -> list[str]:
    return [operation.opcode for operation in leaf.leaf.operations]


def shapes(leaf: BuiltLeaf, opcode: str) -> list[list[tuple[int, ...]]]:
    """Per operation with this opcode, the shapes of its operands, inputs first."""
    return [
        [leaf.leaf.tiles[tile].shape for tile in (*operation.inputs, *operation.outputs)]
        for operation in leaf.leaf.operations
        if operation.opcode == opcode
    ]


def test_views_and_assembles_become_copies() -> None:
    """From and to global memory; the numbers of copies and bytes are those of the tiles on chip."""
    leaf = built("""
        %0 = tile.view %x[0, 0] {subgraph = 0} : T(ub>
        %1 = tile.exp %0 {subgraph = 0} : T(ub>
        tile.assemble %1 into %y[0, 0] {subgraph = 0}""")[0]
    assert opcodes(leaf) == ["COPY_IN", "EXP", "COPY_OUT"]
    assert (leaf.copies_in, leaf.copies_out, leaf.bytes_in, leaf.bytes_out) == (1, 1, 16384, 16384)
    assert leaf.peak_ub_bytes == 2 * 16384


def test_moves_to_l0() -> None:
    """By memory, and transposed where the parameter says so; each is made once per op."""
    leaf = built("""
        %0 = tile.view %x[0, 0] {subgraph = 0} : T(l1>
        %1 = tile.view %0[0, 0] {subgraph = 0} : T(l0a>
        %2 = tile.view %0[0, 0] {subgraph = 0} : T(l0a>
        %3 = tile.view %0[0, 0] {subgraph = 0, params = {op_attr_l1_to_l0_transpose = true}} : T(l0b>
        %4 = tile.a_mul_b %1, %3 {subgraph = 0} : T(l0c>
        %5 = tile.a_mulacc_b %2, %3, %4 {subgraph = 0} : T(l0c>
        tile.assemble %5 into %y[0, 0] {subgraph = 0}""")[0]
    assert sorted(opcodes(leaf)) == sorted(
        ["COPY_IN", "L1_TO_L0A", "L1_TO_L0A", "L1_TO_L0Bt", "A_MUL_B", "A_MULACC_B", "COPY_OUT"]
    )


def test_equal_copies_of_a_subgraph_are_one() -> None:
    """Same tensor, window, shape and memory; other windows stay."""
    leaf = built("""
        %0 = tile.view %x[0, 0] {subgraph = 0} : T(ub>
        %1 = tile.view %x[0, 0] {subgraph = 0} : T(ub>
        %2 = tile.view %x[64, 0] {subgraph = 0} : T(ub>
        %3 = tile.add %0, %1 {subgraph = 0} : T(ub>
        %4 = tile.add %3, %2 {subgraph = 0} : T(ub>
        tile.assemble %4 into %y[0, 0] {subgraph = 0}""")[0]
    assert opcodes(leaf).count("COPY_IN") == 2
    assert [len(set(operation.inputs)) for operation in leaf.leaf.operations if operation.opcode == "ADD"] == [1, 2]


def test_one_copy_out_serves_all_readers() -> None:
    """Four tensors that hold the same product are one; their readers read the same place."""
    body = "%p = tile.view %x[0, 0] {subgraph = 0} : T(ub>\n%q = tile.exp %p {subgraph = 0} : T(ub>\n"
    body += "".join(f"%d{n} = tile.assemble %q[0, 0] {{subgraph = 0}} : T(ddr>\n" for n in range(2))
    body += "%a = tile.view %d0[0, 0] {subgraph = 1} : T(ub>\n%b = tile.view %d1[0, 0] {subgraph = 1} : T(ub>\n"
    body += "%e = tile.add %a, %b {subgraph = 1} : T(ub>\ntile.assemble %e into %y[0, 0] {subgraph = 1}"
    leaves = built(body)
    assert opcodes(leaves[0]) == ["COPY_IN", "EXP", "COPY_OUT"]
    assert opcodes(leaves[1]) == ["COPY_IN", "ADD", "COPY_OUT"]


def test_tensors_handed_over_on_chip_are_copied() -> None:
    """Once per subgraph, however many ops read them, and once out of the subgraph that makes them."""
    leaves = built("""
        %0 = tile.view %x[0, 0] {subgraph = 0} : T(ub>
        %1 = tile.exp %0 {subgraph = 0} : T(ub>
        %2 = tile.abs %1 {subgraph = 1} : T(ub>
        %3 = tile.add %1, %2 {subgraph = 1} : T(ub>
        tile.assemble %3 into %y[0, 0] {subgraph = 1}
        tile.assemble %1 into %z[0, 0] {subgraph = 2}""")
    assert opcodes(leaves[0]) == ["COPY_IN", "EXP", "COPY_OUT"]
    assert opcodes(leaves[1]) == ["COPY_IN", "ABS", "ADD", "COPY_OUT"]
    assert opcodes(leaves[2]) == ["COPY_IN", "COPY_OUT"]


def test_moves_between_cores_are_copies_or_moves() -> None:
    """L0C to UB is a copy in where another subgraph made the product, and a move in a subgraph of both."""
    body = """
        %0 = tile.view %x[0, 0] {subgraph = 0} : T(l1>
        %1 = tile.view %0[0, 0] {subgraph = 0} : T(l0a>
        %2 = tile.view %0[0, 0] {subgraph = 0} : T(l0b>
        %3 = tile.a_mul_b %1, %2 {subgraph = 0} : T(l0c>
        %4 = tile.view %3[0, 0] {subgraph = 1} : T(ub>
        %5 = tile.exp %4 {subgraph = 1} : T(ub>
        tile.assemble %5 into %y[0, 0] {subgraph = 1}"""
    apart, together = built(body, A5), built(body.replace("subgraph = 1", "subgraph = 0"), A5)
    assert opcodes(apart[0])[-2:] == ["A_MUL_B", "COPY_OUT"]
    assert opcodes(apart[1]) == ["COPY_IN", "EXP", "COPY_OUT"]
    assert opcodes(together[0])[-4:] == ["A_MUL_B", "L0C_COPY_UB", "EXP", "COPY_OUT"]


def test_views_within_global_memory_vanish() -> None:
    """The copy behind such a view still waits for the writer."""
    leaf = built("""
        %0 = tile.view %x[0, 0] {subgraph = 0} : T(ub>
        %1 = tile.assemble %0[0, 0] {subgraph = 0} : T(ddr>
        %2 = tile.view %1[0, 0] {subgraph = 0} : T(ddr>
        %3 = tile.view %2[0, 0] {subgraph = 0} : T(ub>
        %4 = tile.exp %3 {subgraph = 0} : T(ub>
        tile.assemble %4 into %y[0, 0] {subgraph = 0}""")[0]
    assert opcodes(leaf) == ["COPY_IN", "COPY_OUT", "COPY_IN", "EXP", "COPY_OUT"]
    assert leaf.leaf.operations[2].inputs == leaf.leaf.operations[1].outputs


def test_what_a_subgraph_computes_twice_is_computed_once() -> None:
    """Also in a chain; the copy of an op in another subgraph stays."""
    body = """
        %0 = tile.view %x[0, 0] {subgraph = 0} : T(ub>
        %1 = tile.exp %0 {subgraph = 0} : T(ub>
        %2 = tile.exp %0 {subgraph = 0} : T(ub>
        %3 = tile.abs %1 {subgraph = 0} : T(ub>
        %4 = tile.abs %2 {subgraph = 0} : T(ub>
        %5 = tile.add %3, %4 {subgraph = 0} : T(ub>
        tile.assemble %5 into %y[0, 0] {subgraph = 0}
        %6 = tile.view %x[0, 0] {subgraph = 1} : T(ub>
        %7 = tile.exp %6 {subgraph = 1} : T(ub>
        tile.assemble %7 into %z[0, 0] {subgraph = 1}"""
    leaves = built(body)
    assert opcodes(leaves[0]) == ["COPY_IN", "EXP", "ABS", "ADD", "COPY_OUT"]
    assert opcodes(leaves[1]) == ["COPY_IN", "EXP", "COPY_OUT"]


SOFTMAX = """
    %0 = tile.view %w[0, 0] {subgraph = 0} : W(ub>
    %1, %2 = tile.rowmax_single %0 {subgraph = 0, params = {op_attr_AXIS = 1}} : C(ub>, !tile.tensor<1x8xf32, ub>
    %3 = tile.sub %0, %1 {subgraph = 0} : W(ub>
    %4 = tile.div %3, %1 {subgraph = 0} : W(ub>
    tile.assemble %4 into %y[0, 0] {subgraph = 0}"""


def test_a_column_is_combined_and_spread_before_each_reader() -> None:
    """The 60 maxima are padded to 64, not to 8 a row; each broadcasting reader has a BRCB of its own."""
    leaf = built(SOFTMAX)[0]
    assert opcodes(leaf) == ["COPY_IN", "ROWMAX_SINGLE", "BRCB", "SUB", "BRCB", "DIV", "COPY_OUT"]
    assert shapes(leaf, "ROWMAX_SINGLE") == [[(60, 64), (64, 1), (1, 8)]]
    assert shapes(leaf, "BRCB") == [[(64, 1), (64, 8)]] * 2


def test_cores_that_broadcast_columns_need_no_spreading() -> None:
    """On A5."""
    leaf = built(SOFTMAX, A5)[0]
    assert opcodes(leaf) == ["COPY_IN", "ROWMAX_SINGLE", "SUB", "DIV", "COPY_OUT"]
    assert shapes(leaf, "SUB") == [[(60, 64), (64, 1), (60, 64)]]


def test_one_reader_that_does_not_allow_it_keeps_the_columns_apart() -> None:
    """A sort of the column: all columns that elementwise ops connect are padded row by row, and expanded."""
    leaf = built(
        SOFTMAX.replace("%4 = tile.div %3, %1", "%9 = tile.neg %1 {subgraph = 0} : C(ub>\n%4 = tile.div %3, %9")
        + "\n%8 = tile.bitsort %9 {subgraph = 0} : C(ub>\ntile.assemble %8 into %z[0, 0] {subgraph = 0}"
    )[0]
    assert "BRCB" not in opcodes(leaf)
    assert opcodes(leaf).count("EXPAND") == 2
    assert shapes(leaf, "ROWMAX_SINGLE") == [[(60, 64), (60, 8), (1, 8)]]
    assert shapes(leaf, "EXPAND") == [[(60, 8), (60, 64)]] * 2


@pytest.mark.parametrize(
    ("reader", "is_combined"),
    [
        ("tile.exp %1 {subgraph = 0} : C(ub>", True),
        ("tile.bitsort %1 {subgraph = 0} : C(ub>", False),
        ("tile.expand %1 {subgraph = 0} : W(ub>", False),
        ("tile.rowmax_single %1 {subgraph = 0, params = {op_attr_AXIS = 0}} : !tile.tensor<1x1xf32, ub>", False),
    ],
)
def test_who_allows_a_combined_column(reader: str, is_combined: bool) -> None:
    """Elementwise ops do; others do not, nor who expands the last axis or reduces the one before."""
    target = "%y" if "expand" in reader else "%c"
    leaf = built(f"""
        %0 = tile.view %w[0, 0] {{subgraph = 0}} : W(ub>
        %1 = tile.rowsum_single %0 {{subgraph = 0, params = {{op_attr_AXIS = 1}}}} : C(ub>
        %2 = {reader}
        tile.assemble %2 into {target}[0, 0] {{subgraph = 0}}""")[0]
    ((_, column),) = shapes(leaf, "ROWSUM_SINGLE")
    assert column == ((64, 1) if is_combined else (60, 8))


def test_padding() -> None:
    """To 32 bytes a row in UB, to 16 x 16 before the cube core, not at all in global memory."""
    leaf = built("""
        %0 = tile.view %x[0, 0] {subgraph = 0} : !tile.tensor<60x61xf32, ub>
        tile.assemble %0 into %y[0, 0] {subgraph = 0}
        %1 = tile.view %x[0, 0] {subgraph = 1} : !tile.tensor<60x61xf32, l1>
        %2 = tile.view %1[0, 0] {subgraph = 1} : !tile.tensor<60x61xf32, l0a>""")
    assert shapes(leaf[0], "COPY_IN") == [[(256, 64), (60, 64)]]
    assert shapes(leaf[1], "L1_TO_L0A") == [[(64, 64), (64, 64)]]
