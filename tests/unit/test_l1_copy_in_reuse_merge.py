"""L1CopyInReuseMerge: the shipped compiler's own tests as facts (merge passes, 7.2), sides, limits, healed defects."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from merge_kernels import Kernel, apply, members, subgraph_count, subgraphs
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from dialect.ops import functions_of
from dialect.pass_options import MergeSetting
from transforms.classes import number_classes
from transforms.l1_copy_in_reuse_merge import L1CopyInReuseMergePass
from transforms.merging.cube_groups import AUTOMATIC, group_sizes
from transforms.merging.l1_reuse import reuse_limits
from transforms.remarks import Remark, collect_remarks


def cube(
    copies: int = 19,
    *,
    compat: str = "pypto",
    copy: str = "slice",
    reader: str = "exp",
    labelled: tuple[int, ...] = (),
    extra: Callable[[Kernel], None] = lambda kernel: None,
) -> ModuleOp:
    """Subgraph 0 makes a tensor in DDR; each of the others copies the same tile of it to L1 and computes on that."""
    kernel = Kernel(compat=compat, ins=("x", "x1"), pass_options="enable_slice = true, mg_copyin_upper_bound = 2097152")
    kernel.op("view", "x", "x2 ddr", 0)
    for place in range(1, copies + 1):
        label = {"semantic_label": '"L"'} if place in labelled else {}
        kernel.op(copy, "x2", f"t{place} l1", place, **label)
        if reader != "exp":
            kernel.op(reader, f"t{place}", f"u{place} {reader[-3:]}", place)
            kernel.op("exp", f"u{place}", "y", place)
        else:
            kernel.op("exp", f"t{place}", "y", place)
    extra(kernel)
    return kernel.module()


def merge(reuse: str | None = None, cube_setting: str | None = None, **options: object) -> L1CopyInReuseMergePass:
    return L1CopyInReuseMergePass(cube_l1_reuse_setting=reuse, cube_nbuffer_setting=cube_setting, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reuse", "cube_setting", "count"),
    [
        ("1=2,-1=2", "1=2,-1=4", 5),
        ("1=2", "1=2,-1=2", 11),
        ("-1=2", "1=2,-1=4", 5),
        ("1=2,-1=2", "-1=4", 5),
        ("", "", 20),
        ("DEFAULT=2,func8_0=4", "DEFAULT=1", 6),
        ("DEFAULT=1", "DEFAULT=1", 20),
        ("-1=2:left", "-1=1", 20),
        ("-1=2", "-1=4", 5),
    ],
)
def test_facts(reuse: str, cube_setting: str, count: int) -> None:
    """The counts of subgraphs that the shipped compiler's tests expect."""
    assert subgraph_count(apply(cube(), merge(reuse, cube_setting))) == count


@pytest.mark.parametrize("reuse", ["-1=2,nobody=2", "-1=2,L=1"])
def test_labels_are_tolerated(reuse: str) -> None:
    """Unknown labels, and labels on a few subgraphs, succeed."""
    apply(cube(labelled=(1, 2, 3)), merge(reuse, "-1=4,L=2"))


def test_duplicate_copies_are_removed() -> None:
    """After the first fact 19 EXP, 10 SLICE and the VIEW are left: one copy for each subgraph after the L1 step."""
    module = apply(cube(), merge("1=2,-1=2", "1=2,-1=4"))
    (function,) = functions_of(module)
    opcodes = [op.opcode.name for op in function.operations()]
    assert {name: opcodes.count(name) for name in set(opcodes)} == {"EXP": 19, "SLICE": 10, "VIEW": 1}


def test_convert_is_a_copy_too() -> None:
    """CONVERT instead of SLICE merges the same, and CONVERT without offsets reads where its input begins."""
    assert subgraph_count(apply(cube(copy="convert"), merge("1=2,-1=2", "1=2,-1=4"))) == 5


def test_gather_is_tolerated_and_other_copies_are_not() -> None:
    """GATHER_IN_L1 may copy to L1 and is never shared; a COPY_IN to L1 is an error that names it."""

    def gather(kernel: Kernel) -> None:
        kernel.op("gather_in_l1", "x2", "g l1", 20)
        kernel.op("exp", "g", "y", 20)

    assert subgraph_count(apply(cube(extra=gather), merge("-1=2", "-1=1"))) == 12

    def copy_in(kernel: Kernel) -> None:
        kernel.op("copy_in", "x2", "g l1", 20)
        kernel.op("exp", "g", "y", 20)

    with pytest.raises(PassFailedException, match=r"@k: COPY_IN \(magic 10039\) copies from DDR to L1; expected SLICE"):
        apply(cube(extra=copy_in), merge("-1=2", "-1=1"))


@pytest.mark.parametrize(
    ("reuse", "cube_setting", "message"),
    [
        ("DEFAULT=0", None, "cube_l1_reuse_setting: the value of DEFAULT is 0"),
        ("-1=0", None, "cube_l1_reuse_setting: the value of -1 is 0"),
        ("DEFAULT=2", "func8_0=-5,DEFAULT=1", "cube_nbuffer_setting: the value of func8_0 is -5"),
    ],
)
def test_numbers_that_fail(reuse: str, cube_setting: str | None, message: str) -> None:
    """Numbers below 1 fail when the pass runs."""
    with pytest.raises(PassFailedException, match=message):
        apply(cube(), merge(reuse, cube_setting))


@pytest.mark.parametrize("compat", ["pypto", "published"])
def test_op_without_subgraph(compat: str) -> None:
    """Every op needs a subgraph; the message names one that has none."""

    def more(kernel: Kernel) -> None:
        kernel.op("exp", "x2", "y")

    with pytest.raises(PassFailedException, match=r"EXP \(magic 10039\) has no subgraph"):
        apply(cube(compat=compat, extra=more), merge("-1=1", ""))


def test_ids_may_have_gaps() -> None:
    """Ids with gaps are accepted, and count from 0 afterwards."""
    kernel = Kernel(outs=("y", "z"))
    kernel.op("exp", "x", "y", 4)
    kernel.op("abs", "x", "z", 2147483647)
    assert subgraphs(apply(kernel.module(), merge("DEFAULT=2"))) == [0, 1]


@pytest.mark.parametrize(
    ("reader", "side", "count"),
    [("l1_to_l0a", "left", 11), ("l1_to_l0b", "left", 20), ("l1_to_l0b", "right", 11), ("l1_to_l0a", "auto", 11)],
)
def test_side_is_a_hard_filter(reader: str, side: str, count: int) -> None:
    """A side only looks at copies that feed it; there is no fall-back."""
    assert subgraph_count(apply(cube(reader=reader), merge(f"DEFAULT=2:{side}", "DEFAULT=1"))) == count


def grid(compat: str = "pypto") -> ModuleOp:
    """Four products of 2 rows of A and 2 columns of B: subgraph 2 r + c copies row r and column c."""
    kernel = Kernel(compat=compat, ins=("a", "b"), outs=("y0", "y1", "y2", "y3"))
    for place in range(4):
        row, column = divmod(place, 2)
        kernel.op("view", "a", f"a{place} l1", place, at=f"{16 * row}, 0")
        kernel.op("view", "b", f"b{place} l1", place, at=f"0, {16 * column}")
        kernel.op("view", f"a{place}", f"l{place} l0a", place)
        kernel.op("view", f"b{place}", f"r{place} l0b", place)
        kernel.op("a_mul_b", f"l{place} r{place}", f"c{place} l0c", place)
        kernel.op("assemble", f"c{place}", f"y{place}", place)
    return kernel.module()


def test_sides_of_a_product() -> None:
    """Left groups products of one row of the left matrix, right those of one column of the right one."""
    for side, together in (("left", (0, 1)), ("right", (0, 2))):
        module = apply(grid(), merge(f"DEFAULT=2:{side}", "DEFAULT=1"))
        products = [op.subgraph for op in next(iter(functions_of(module))).operations() if op.opcode.name == "A_MUL_B"]
        assert [place for place in range(4) if products[place] == products[0]] == list(together)


def test_an_entry_without_a_side_keeps_that_of_the_default() -> None:
    """The side of DEFAULT holds for a class whose own entry has none; integers give sides where no name has one."""
    for setting, merged in (("DEFAULT=4:right,func8_0=2", (0, 2)), ("DEFAULT=2,-1=4:right", (0, 2))):
        module = apply(grid(), merge(setting, "DEFAULT=1"))
        products = [op.subgraph for op in next(iter(functions_of(module))).operations() if op.opcode.name == "A_MUL_B"]
        assert [place for place in range(4) if products[place] == products[0]] == list(merged), setting


def test_labels_limit_labelled_subgraphs_only() -> None:
    """A label of L1 reuse concerns the subgraphs that carry it, not their class; in the cube step the whole class."""
    module = apply(cube(4, labelled=(1, 2)), merge("DEFAULT=1,L=4", "DEFAULT=1"))
    # Subgraph 2 joins 1, whose tile it copies; 3 and 4 have the limit 1.
    assert members(module) == {0: ["VIEW"], 1: ["SLICE", "EXP", "EXP"], 2: ["SLICE", "EXP"], 3: ["SLICE", "EXP"]}
    module = apply(cube(4, labelled=(1,)), merge("DEFAULT=1", "DEFAULT=1,L=2"))
    assert subgraph_count(module) == 3


def test_the_limit_is_that_of_the_incoming_subgraph() -> None:
    """A subgraph with limit 1 joins nobody, and others may still join it."""
    module = apply(cube(2, labelled=(2,)), merge("DEFAULT=4,L=1", "DEFAULT=1"))
    assert subgraph_count(module) == 3
    module = apply(cube(2, labelled=(1,)), merge("DEFAULT=4,L=1", "DEFAULT=1"))
    assert subgraph_count(module) == 2


def test_volume_bound() -> None:
    """A merged subgraph copies no more than the bound, 1024 bytes for each copy here."""
    assert subgraph_count(apply(cube(), merge("DEFAULT=8", "DEFAULT=1", mg_copyin_upper_bound=2048))) == 11
    assert subgraph_count(apply(cube(), merge("DEFAULT=8", "DEFAULT=1", mg_copyin_upper_bound=1023))) == 20


def test_automatic_limit() -> None:
    """Row D13: with 8 AIC cores, 40 subgraphs and {}, the shipped compiler counts the vector subgraph too.

    It allows floor(41 / 16) = 2 each, so 20 are left; the healed rule gives the first 40 mod 16 = 8 groups one more.
    """
    for compat, count in (("pypto", 21), ("published", 1 + 16)):
        module = cube(40, compat=compat)
        module.attributes["tile.soc"] = StringAttr("Ascend950DT_950x")
        assert subgraph_count(apply(module, merge("", "DEFAULT=1"))) == count


@pytest.mark.parametrize(
    ("members_of_class", "largest", "cores", "sizes"),
    [
        (10, 4, 2, [3, 3, 2, 2]),
        (11, 4, 2, [4, 4, 2, 1]),
        (16, 4, 2, [4, 4, 4, 4]),
        (19, 4, 2, [4, 4, 4, 4, 2, 1]),
        (23, 4, 2, [4, 4, 4, 4, 4, 3]),
        (48, 100, 24, [1] * 48),
        (49, 100, 24, [2] + [1] * 47),
        (72, 100, 24, [2] * 24 + [1] * 24),
        (100, 100, 24, [3] * 4 + [2] * 44),
        (73, 2, 24, [2] * 25 + [1] * 23),
        (100, 2, 24, [2] * 48 + [1] * 4),
        (7, 3, 0, [1] * 7),
    ],
)
def test_automatic_cube_groups(members_of_class: int, largest: int, cores: int, sizes: list[int]) -> None:
    """The golden values of the cube step's automatic groups; without cores nothing merges."""
    assert group_sizes(AUTOMATIC, members_of_class, largest, cores) == sizes


def test_cube_classes_without_a_number() -> None:
    """Row D6: names without DEFAULT divide by zero in the shipped compiler, and are automatic with published rules."""
    with pytest.raises(PassFailedException, match=r"class func8_0 has no number, .* divides by zero"):
        apply(cube(), merge("DEFAULT=1", "func8_7=2"))
    assert subgraph_count(apply(cube(60, compat="published"), merge("DEFAULT=1", "func8_7=2"))) == 1 + 48


def test_summed_classes_of_the_cube_step() -> None:
    """19 equal subgraphs with limit 2 give a class of 9 pairs and one of a single; hints count both (3.10, 5.1)."""
    module = apply(cube(), merge("DEFAULT=2", "DEFAULT=1"))
    (function,) = functions_of(module)
    hints = {
        (order.class_name.data, order.members.data)
        for op in function.operations()
        for family, order in getattr(op.properties.get("hashorder"), "data", {}).items()
        if family == "cube_merge"
    }
    assert hints == {("func8_0", 9), ("func8_1", 1)}


@pytest.mark.parametrize(("compat", "families"), [("pypto", set[str]()), ("published", {"l1_reuse", "cube_merge"})])
def test_hints_of_skipped_steps(compat: str, families: set[str]) -> None:
    """Row D9: with published rules names are written although both steps are skipped."""
    module = apply(cube(compat=compat), merge("DEFAULT=1", "DEFAULT=1"))
    (function,) = functions_of(module)
    found = {family for op in function.operations() for family in getattr(op.properties.get("hashorder"), "data", {})}
    assert found == families
    assert subgraph_count(module) == 20


def test_a_side_does_not_run_the_l1_step() -> None:
    """A count of 1 with a side does not skip the pass, but the L1 step does not run: no cube hint (3.3)."""
    module = apply(cube(), merge("DEFAULT=1:left", "DEFAULT=1"))
    (function,) = functions_of(module)
    found = {family for op in function.operations() for family in getattr(op.properties.get("hashorder"), "data", {})}
    assert found == {"l1_reuse"}


def crossing(compat: str) -> ModuleOp:
    """The example of merge passes, chapter 10: merges of two classes cross, and close a cycle."""
    kernel = Kernel(compat=compat, ins=("s0", "s1", "s2", "s3", "s4", "s5"), outs=("y0", "y1", "y2", "y3"))

    def cube_subgraph(number: int, opcode: str, tile: str, after: str | None, result: str) -> None:
        kernel.op("view", tile, f"t{number} l1", number)
        kernel.op(opcode, f"t{number} {after}" if after else f"t{number}", result, number)

    cube_subgraph(0, "exp", "s0", None, "a0 ddr")
    cube_subgraph(1, "add", "s1", "a0", "y0")
    cube_subgraph(2, "abs", "s2", None, "c0 ddr")
    kernel.op("sqrt", "c0", "v0 ddr", 3)
    cube_subgraph(4, "mul", "s3", "v0", "y1")
    cube_subgraph(5, "abs", "s4", None, "c1 ddr")
    kernel.op("sqrt", "c1", "v1 ddr", 6)
    cube_subgraph(7, "exp", "s5", None, "a1 ddr")
    cube_subgraph(8, "add", "s4", "a1", "y2")
    cube_subgraph(9, "mul", "s5", "v1", "y3")
    return kernel.module()


def test_merges_that_close_a_cycle() -> None:
    """Rows M3 to M5: an error that names the cycle, or one of the merges is refused."""
    with pytest.raises(PassFailedException, match="in a cycle after the merge: "):
        apply(crossing("pypto"), merge("DEFAULT=4", "DEFAULT=1"))
    with collect_remarks() as remarks:
        module = apply(crossing("published"), merge("DEFAULT=4", "DEFAULT=1"))
    assert subgraph_count(module) == 9
    refusals = [remark for remark in remarks if remark.kind == "refused-merge"]
    assert [remark.details["reason"] for remark in refusals] == ["cycle"]
    reasons = {
        remark.details["reason"]: remark.details["subgraphs"] for remark in remarks if remark.kind == "not-merged"
    }
    assert reasons["cycle"] == (refusals[0].details["subgraph"],)


def test_veto_of_a_cube_mark() -> None:
    """Row M14: copies before the op whose is_cube is false are published in the shipped compiler, not when healed."""
    for compat in ("pypto", "published"):
        kernel = Kernel(compat=compat, outs=("y0", "y1", "y2"))
        kernel.op("view", "x", "t0 l1", 0)
        kernel.op("exp", "t0", "y0", 0, is_cube="false")
        for place in (1, 2):
            kernel.op("view", "x", f"t{place} l1", place, is_cube="true")
            kernel.op("exp", f"t{place}", f"y{place}", place, is_cube="true")
        module = apply(kernel.module(), merge("DEFAULT=2", "DEFAULT=1"))
        # With pypto rules 1 joins the vetoed subgraph 0; healed, 2 joins 1.
        found = members(module)
        assert len(found) == 2
        first = next(op.subgraph for op in next(iter(functions_of(module))).operations() if op.opcode.name == "EXP")
        assert found[first].count("EXP") == (2 if compat == "pypto" else 1)


def two_fillings(compat: str) -> ModuleOp:
    """Subgraph 1 fills one raw tensor by two copies, of which only one copies a tile that subgraph 0 has."""
    kernel = Kernel(compat=compat, outs=("y0", "y1", "y2"))
    kernel.op("view", "x", "t0 l1", 0)
    kernel.op("exp", "t0", "y0", 0, magic="10010")
    shared = "#tile.storage<5, 32x16xf32, [{}, 0]>"
    kernel.op("view", "x", "t1 l1", 1, storage=shared.format(0))
    kernel.op("view", "x", "t2 l1", 1, at="16, 0", storage=shared.format(16))
    kernel.op("exp", "t1", "y1", 1)
    kernel.op("exp", "t2", "y2", 1)
    return kernel.module()


def test_duplicates_are_found_by_op() -> None:
    """Row M13: the shipped compiler deletes all copies into the raw tensor of a duplicate; healed, the duplicate."""
    for compat, copies in (("pypto", 1), ("published", 2)):
        module = apply(two_fillings(compat), merge("DEFAULT=2", "DEFAULT=1"))
        (function,) = functions_of(module)
        assert [op.opcode.name for op in function.operations()].count("VIEW") == copies


def test_raw_tensor_that_cannot_be_reused() -> None:
    """With pypto rules an op that writes the tile of a duplicate needs a kept tile of the same type and size."""
    kernel = Kernel(outs=("y0", "y1"))
    kernel.lines.append("%t1 = tile.buffer : !tile.tensor<16x16xf32, l1>")
    kernel.op("view", "x", "t0 l1", 0, storage="#tile.storage<3, 64x16xf32, [0, 0]>")
    kernel.op("exp", "t0", "y0", 0, magic="10010")
    kernel.op("sqrt", "x", "u ub", 1)
    kernel.lines.append("tile.view %x[0, 0] into %t1 {subgraph = 1}")
    kernel.op("exp", "u", "t1", 1)
    kernel.op("exp", "t1", "y1", 1)
    with pytest.raises(PassFailedException, match="the tile that stays has another type or size"):
        apply(kernel.module(), merge("DEFAULT=2", "DEFAULT=1"))


def test_reasons_of_what_did_not_merge() -> None:
    """Remarks say for each class why members joined none: limit, volume, order, veto, partner."""

    def reasons(module: ModuleOp, setting: str, **options: object) -> set[object]:
        with collect_remarks() as remarks:
            apply(module, merge(setting, "DEFAULT=1", **options))
        return {remark.details["reason"] for remark in remarks if remark.kind == "not-merged"}

    assert reasons(cube(5), "DEFAULT=2") == {"limit"}
    assert reasons(cube(), "DEFAULT=8", mg_copyin_upper_bound=1024) == {"volume bound", "no partner"}
    assert reasons(cube(), "DEFAULT=2:left") == {"no partner"}
    kernel = Kernel(outs=("y0", "y1"))
    kernel.op("view", "x", "t0 l1", 0)
    kernel.op("exp", "t0", "y0", 0)
    kernel.op("exp", "x", "v ub", 1)
    kernel.op("view", "x", "t2 l1", 2)
    kernel.op("add", "t2 v", "y1", 2)
    assert reasons(kernel.module(), "DEFAULT=2") == {"order", "no partner"}


def test_volume_bound_of_the_cube_step() -> None:
    """Groups hold as many members as the bound allows; a class whose members are too large stays; remarks say so."""
    for bound, count, largest in ((3072, 8, 3), (1023, 20, 1)):
        with collect_remarks() as remarks:
            module = apply(cube(), merge("DEFAULT=1", "DEFAULT=8", mg_copyin_upper_bound=bound))
        assert subgraph_count(module) == count
        (remark,) = [remark for remark in remarks if remark.kind == "not-merged"]
        assert (remark.details["reason"], remark.details["largest"]) == ("volume bound", largest)


@pytest.mark.parametrize(
    ("setting", "products"),
    [("DEFAULT=1,func8_0=4", 1), ("DEFAULT=4:left", 1), ("DEFAULT=4:right", 1), ("DEFAULT=2:right", 2)],
)
def test_tiles_from_equal_assembles(setting: str, products: int) -> None:
    """Four products read tiles that come from four equal ASSEMBLE ops; these become one, so the tiles are shared."""
    kernel = Kernel(ins=("x",), outs=("y0", "y1", "y2", "y3"))
    kernel.op("exp", "x", "e ub", 0)
    for place in range(4):
        kernel.op("assemble", "e", f"a{place} ddr", 0)
        kernel.op("assemble", "e", f"b{place} ddr", 0, params="{op_attr_right = true}")
    for place in range(4):
        for side in "ab":
            kernel.op("view", f"{side}{place}", f"{side}{side}{place} l1", place + 1)
            kernel.op("view", f"{side}{side}{place}", f"{side}{side}{side}{place} l0{side}", place + 1)
        kernel.op("a_mul_b", f"aaa{place} bbb{place}", f"c{place} l0c", place + 1)
        kernel.op("assemble", f"c{place}", f"y{place}", place + 1)
    module = apply(kernel.module(), merge(setting, "DEFAULT=1"))
    assert subgraph_count(module) == 1 + products
    (function,) = functions_of(module)
    assert [op.opcode.name for op in function.operations() if op.subgraph == 0] == ["EXP", "ASSEMBLE", "ASSEMBLE"]


def test_no_cube_cores() -> None:
    """Without cores there is no automatic limit, and nothing merges."""
    classes = number_classes([5] * 200, range(200))
    limits = reuse_limits(MergeSetting(), 8, classes, {}, {}, aic_cores=0, others=0, compat=Compat.PUBLISHED)
    assert {limit.count for limit in limits} == {-1}


def class_remarks(remarks: list[Remark], step: str) -> list[Remark]:
    return [remark for remark in remarks if remark.kind == "class" and remark.details["step"] == step]


def test_class_table() -> None:
    """The table has names, members, work, tiles, shared bytes, what was asked for and what came out, for both steps."""
    with collect_remarks() as remarks:
        apply(cube(labelled=(1,)), merge("DEFAULT=2", "DEFAULT=4"))
    (reuse,) = class_remarks(remarks, "L1 reuse")
    details = dict(reuse.details)
    names = details.pop("names")
    assert isinstance(names, tuple) and names[:2] == ("func8_0", "@k/L#0")
    assert details == {
        "step": "L1 reuse",
        "order": 0,
        "members": tuple(range(1, 20)),
        "ops": 2,
        "cycles": (26, 26),
        "core": "AIV",
        "tile_shapes": ("16x16",),
        "shared_bytes": 18 * 1024,
        "reads": ("others",),
        "read_by": (),
        "asked": 2,
        "key": "DEFAULT",
        "groups": 10,
        "largest_group": 2,
    }
    pairs, single = class_remarks(remarks, "cube")
    assert (pairs.details["groups"], pairs.details["largest_group"]) == (3, 4)
    assert (single.details["groups"], single.details["largest_group"]) == (1, 1)
