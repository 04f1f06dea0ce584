"""NBufferMerge: the shipped compiler's own tests as facts (merge passes, 7.1), modes, numbers, and what is healed."""

from __future__ import annotations

import pytest
from merge_kernels import Kernel, apply, members, subgraph_count, subgraphs
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from dialect.ops import functions_of
from dialect.pass_options import MergeSetting, option_from_python
from transforms.merging.n_buffer import Mode, automatic_number, vector_mode
from transforms.n_buffer_merge import NBufferMergePass
from transforms.remarks import collect_remarks

NARROW, WIDE = "narrow", "wide"


def fan(chains: int, compat: str = "pypto", labelled: tuple[int, ...] = ()) -> ModuleOp:
    """Subgraph 0 copies in; each of the others computes on that and assembles into one outcast."""
    kernel = Kernel(compat=compat, ins=("x", "x1"))
    kernel.op("copy_in", "x", "x1", 0)
    for chain in range(1, chains + 1):
        label = {"semantic_label": '"V"'} if chain in labelled else {}
        kernel.op("abs", "x1", f"a{chain} ub", chain, **label)
        kernel.op("exp", f"a{chain}", f"b{chain} ub", chain)
        kernel.op("adds", f"b{chain}", f"c{chain} ub", chain)
        kernel.op("assemble", f"c{chain}", "y", chain)
    return kernel.module()


def four(compat: str = "pypto") -> ModuleOp:
    """Four subgraphs that share no neighbour: they read the incasts and write outcasts of their own."""
    kernel = Kernel(compat=compat, ins=("x", "x1"), outs=("y0", "y1", "y2", "y3"))
    for place in range(4):
        kernel.op("mul", "x x1", f"m{place} ub", place)
        kernel.op("exp", f"m{place}", f"y{place}", place)
    return kernel.module()


def merged(module: ModuleOp, setting: str | None, bound: int | None = None) -> int:
    """How many subgraphs are left."""
    return subgraph_count(apply(module, NBufferMergePass(vec_nbuffer_setting=setting, mg_vec_parallel_lb=bound)))


@pytest.mark.parametrize(
    ("module", "setting", "bound", "count"),
    [
        (four, "-2=0", 2, 2),
        (four, "func8_0=2", 2, 2),
        (lambda: fan(19), "-2=1,-1=4,1=2", 6, 11),
        (lambda: fan(9), "-1=4,100=2", None, 4),
        (lambda: fan(9), "0=2", None, 10),
        (lambda: fan(4, labelled=(1, 2)), "-1=4,V=1", None, 5),
        (lambda: fan(4), "nobody=2", None, 5),
        (lambda: fan(8), "DEFAULT=2", None, 5),
        (lambda: fan(8), "DEFAULT=4,func8_1=2", None, 5),
        (lambda: fan(8), "DEFAULT=1", None, 9),
        (four, "", 2, 4),
    ],
)
def test_facts(module: object, setting: str, bound: int | None, count: int) -> None:
    """The counts of subgraphs of the shipped compiler's tests; and {} merges nothing without a neighbour."""
    assert callable(module)
    assert merged(module(), setting, bound) == count


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("-2=4,1=2", r"the value of -2 is 4; expected 1"),
        ("-1=4,1=0", r"the value of 1 is 0, expected 1..2147483647"),
        ("-2=1", r"-2 with the value 1 needs another integer key"),
        ("DEFAULT=0", r"the value of DEFAULT is 0"),
        ("DEFAULT=2,func9_0=-1", r"the value of func9_0 is -1"),
        ("DEFAULT=2147483648", r"the value of DEFAULT is 2147483648"),
    ],
)
def test_numbers_that_fail(setting: str, message: str) -> None:
    """Values out of range fail when the pass runs, also those of keys of other functions."""
    with pytest.raises(PassFailedException, match=message):
        merged(fan(9), setting)


def test_skip_leaves_the_function_alone() -> None:
    """{DEFAULT: 1} and {-1: 1} give no names with pypto rules, and names but the same subgraphs with published ones."""
    for setting in ("DEFAULT=1", "-1=1"):
        before = fan(3)
        after = apply(before.clone(), NBufferMergePass(vec_nbuffer_setting=setting))
        assert before.is_structurally_equivalent(after)
        healed = apply(fan(3, "published"), NBufferMergePass(vec_nbuffer_setting=setting))
        assert subgraphs(healed) == subgraphs(before)
        (function,) = functions_of(healed)
        assert all("hashorder" in op.properties for op in function.operations())


@pytest.mark.parametrize(
    ("setting", "mode"),
    [
        ({"DEFAULT": 1}, None),
        ({"DEFAULT": 1, "V": 2}, Mode(True, WIDE)),
        ({"func0_0": 1}, Mode(True, WIDE)),
        ({}, Mode(False, NARROW)),
        ({"V": 3}, Mode(False, NARROW)),
        ({-1: 1}, None),
        ({-1: 1, "V": 2}, Mode(True, NARROW)),
        ({-2: 0}, Mode(False, WIDE)),
        ({-2: 1, -1: 4}, Mode(True, WIDE)),
        ({-1: 4}, Mode(True, NARROW)),
        ({0: 4}, Mode(True, NARROW)),
    ],
)
def test_modes(setting: dict[int | str, int], mode: Mode | None) -> None:
    """Every row of the table of modes (merge passes, 2.1)."""
    value = option_from_python("vec_nbuffer_setting", setting, Compat.PYPTO)
    assert isinstance(value, MergeSetting)
    assert vector_mode(value) == mode


@pytest.mark.parametrize(
    ("bound", "numbers"),
    [
        (48, {48: 1, 49: 1, 95: 2, 97: 2, 143: 3, 145: 3, 191: 4, 480: 10, 1000: 21}),
        (4, {1: 1, 6: 1, 7: 2, 9: 2, 10: 3, 12: 3, 13: 4, 16: 4, 17: 5, 20: 5, 21: 6, 24: 6, 25: 7}),
    ],
)
def test_automatic_number(bound: int, numbers: dict[int, int]) -> None:
    """As many as leave at least `bound` groups (golden values)."""
    assert {members: automatic_number(members, bound) for members in numbers} == numbers


def test_automatic_number_comes_from_the_chip() -> None:
    """Row D4: with 8 vector cores, 61 subgraphs become 9 with published rules, and stay with pypto rules."""
    for compat, count in (("published", 9), ("pypto", 61)):
        module = fan(60, compat)
        module.attributes["tile.soc"] = StringAttr("Ascend950PR_950z")
        assert merged(module, "-2=0") == count


def test_narrow_grouping() -> None:
    """Narrow lists hold what shares an input or an output neighbour, whichever table has fewer keys."""
    kernel = Kernel(ins=("x",), outs=("y", "z"))
    for place in range(4):
        kernel.op("exp", "x", f"e{place} ddr", place)
    kernel.op("add", "e0 e2", "y", 4)
    kernel.op("add", "e1 e3", "z", 5)
    module = apply(kernel.module(), NBufferMergePass(vec_nbuffer_setting="-1=2"))
    found = subgraphs(module)
    assert found[0] == found[2] and found[1] == found[3] and found[0] != found[1]
    # The readers share no input neighbour before the merge, and each has a private key.
    assert found[4] != found[5]


def test_remark_for_what_narrow_grouping_keeps_apart() -> None:
    """Row D5: the remark says what was asked for; grouping=wide merges."""
    with collect_remarks() as remarks:
        apply(four(), NBufferMergePass(vec_nbuffer_setting="-1=4"))
    (remark,) = [remark for remark in remarks if remark.kind == "narrow-grouping"]
    assert remark.details == {"order": 0, "asked": 4, "largest_group": 1, "members": 4}
    assert subgraph_count(apply(four(), NBufferMergePass(vec_nbuffer_setting="-1=4", grouping="wide"))) == 1


def test_labels_replace_and_the_largest_wins() -> None:
    """A label decides for its whole class, over DEFAULT and over the exact key."""
    labelled = fan(8, labelled=(3,))
    assert merged(labelled, "DEFAULT=1,func8_1=8,V=2") == 5
    kernel = fan(8, labelled=(3,))
    (function,) = functions_of(kernel)
    second = next(op for op in function.operations() if op.subgraph == 5)
    second.properties["semantic_label"] = StringAttr("W")
    assert merged(kernel, "DEFAULT=1,V=2,W=4") == 3


def test_zero_latency_subgraph() -> None:
    """Row M16: a living subgraph of zero cycles falls into id 0 with pypto rules, and stays with published ones."""
    for compat, count in (("pypto", 2), ("published", 3)):
        kernel = Kernel(compat=compat, outs=("y", "z", "w"))
        kernel.op("exp", "x", "y", 0)
        kernel.op("abs", "x", "z", 1, latency="0")
        kernel.op("sqrt", "x", "w", 2)
        assert merged(kernel.module(), "DEFAULT=4") == count


def test_reshape_only_subgraphs_get_a_name_and_never_merge() -> None:
    """They form a class of their own (merge passes, 2.3)."""
    kernel = Kernel(outs=("y", "z"))
    kernel.op("reshape", "x", "y", 0)
    kernel.op("reshape", "x", "z", 1)
    with collect_remarks() as remarks:
        module = apply(kernel.module(), NBufferMergePass(vec_nbuffer_setting="DEFAULT=2,func8_0=2"))
    assert subgraph_count(module) == 2
    assert "only-reshapes" in {remark.kind for remark in remarks}
    (function,) = functions_of(module)
    assert all('"func8_0", 2' in str(op.properties["hashorder"]) for op in function.operations())


def test_cube_subgraphs_are_left_alone() -> None:
    """A subgraph with an op for the cube core has no class here."""
    kernel = Kernel(outs=("y", "z"))
    for place, out in enumerate(("y", "z")):
        kernel.op("l1_to_l0a", "x", f"a{place} l0a", place)
        kernel.op("exp", f"a{place}", out, place)
    module = apply(kernel.module(), NBufferMergePass(vec_nbuffer_setting="DEFAULT=2"))
    assert members(module) == {0: ["L1_TO_L0A", "EXP"], 1: ["L1_TO_L0A", "EXP"]}
    (function,) = functions_of(module)
    assert all("hashorder" not in op.properties for op in function.operations())


@pytest.mark.parametrize("compat", ["pypto", "published"])
def test_ids_with_gaps(compat: str) -> None:
    """Ids must count from 0 without gaps; the message names the first gap."""
    kernel = Kernel(compat=compat, outs=("y", "z"))
    kernel.op("exp", "x", "y", 0)
    kernel.op("abs", "x", "z", 2)
    with pytest.raises(PassFailedException, match=r"@k: .* no op has the id 1, although 2 is used"):
        merged(kernel.module(), "DEFAULT=2")


def test_ids_on_some_ops_only() -> None:
    """Ops without a subgraph stay without, and a remark says so; if no op has one, nothing is done."""
    kernel = Kernel(outs=("y", "z", "w"))
    kernel.op("exp", "x", "y", 0)
    kernel.op("exp", "x", "z", 1)
    kernel.op("abs", "x", "w")
    with collect_remarks() as remarks:
        module = apply(kernel.module(), NBufferMergePass(vec_nbuffer_setting="DEFAULT=2"))
    assert subgraphs(module) == [0, 0, None]
    assert "1 ops have no subgraph" in next(remark for remark in remarks if remark.kind == "no-subgraph").message
    kernel = Kernel()
    kernel.op("exp", "x", "y")
    before = kernel.module()
    assert before.is_structurally_equivalent(apply(before.clone(), NBufferMergePass(vec_nbuffer_setting="DEFAULT=2")))


def crossing(compat: str) -> ModuleOp:
    """Classes {0, 1} and {2, 3}: 3 comes before 0 and 1, and 0 before 2, so merging both closes a cycle."""
    kernel = Kernel(compat=compat, outs=("y0", "y1", "y2", "y3", "y4", "y5"))
    kernel.op("exp", "x", "c ddr", 4)
    kernel.op("exp", "x", "e0 ddr", 0)
    kernel.op("exp", "x", "e1 ddr", 1)
    kernel.op("abs", "x", "a2 ddr", 2)
    kernel.op("abs", "x", "a3 ddr", 3)
    kernel.op("sqrt", "a3", "y0", 0)
    kernel.op("sqrt", "a3", "y1", 1)
    kernel.op("ln", "e0", "y2", 2)
    kernel.op("ln", "c", "y3", 3)
    kernel.op("ln", "e1", "y4", 5)
    kernel.op("sqrt", "a2", "y5", 6)
    return kernel.module()


def test_merge_that_would_close_a_cycle() -> None:
    """An error that names the cycle with pypto rules; with published ones the later of the two merges is refused."""
    with pytest.raises(PassFailedException, match="in a cycle after the merge: "):
        merged(crossing("pypto"), "DEFAULT=2")
    with collect_remarks() as remarks:
        module = apply(crossing("published"), NBufferMergePass(vec_nbuffer_setting="DEFAULT=2"))
    assert subgraph_count(module) == 6
    (refusal,) = [remark for remark in remarks if remark.kind == "refused-merge"]
    assert refusal.details["reason"] == "cycle"


def test_cyclic_input() -> None:
    """Subgraphs that depend on one another before the merge are an error with both rule sets."""
    for compat in ("pypto", "published"):
        kernel = Kernel(compat=compat)
        kernel.op("exp", "x", "a ub", 0)
        kernel.op("abs", "a", "b ub", 1)
        kernel.op("exp", "b", "y", 0)
        with pytest.raises(PassFailedException, match="in a cycle before the merge: 0 -> 1 -> 0"):
            merged(kernel.module(), "DEFAULT=2")
