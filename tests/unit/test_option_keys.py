"""What is said of keys of merge settings, and stable names."""

from __future__ import annotations

import pytest
from merge_kernels import apply
from tile_modules import parse_text
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from transforms.check_option_keys import CheckOptionKeysPass
from transforms.l1_copy_in_reuse_merge import L1CopyInReuseMergePass
from transforms.n_buffer_merge import NBufferMergePass
from transforms.remarks import Remark, collect_remarks
from transforms.stable_names import short_function_name


def two_functions(compat: str = "published") -> ModuleOp:
    """Function 8 has a class of two with label V, and function 9 one subgraph with label W at line 7 of a file."""
    return parse_text(
        f"""
builtin.module attributes {{tile.compat = "{compat}"}} {{
  tile.func @k_hiddenfunc_4 magic(8) ins(%x : !tile.tensor<64xf32, ub>) outs(%y, %z : !tile.tensor<64xf32, ddr>) {{
    tile.exp %x into %y {{subgraph = 0, semantic_label = "V"}}
    tile.exp %x into %z {{subgraph = 1}}
  }}
  tile.func @g magic(9) ins(%x : !tile.tensor<64xf32, ub>) outs(%y : !tile.tensor<64xf32, ddr>) {{
    tile.abs %x into %y {{subgraph = 0, semantic_label = "W", loc = "k.py:7"}}
  }}
}}""".replace("outs(%y, %z : !tile", "outs(%y : !tile.tensor<64xf32, ddr>, %z : !tile")
    )


def key_remarks(setting: str, compat: str = "published", **options: bool) -> list[Remark]:
    with collect_remarks() as remarks:
        apply(two_functions(compat), CheckOptionKeysPass(vec_nbuffer_setting=setting, **options))
    return remarks


def kinds(setting: str) -> list[tuple[str, object, str | None]]:
    return [(remark.kind, remark.details.get("key"), remark.function) for remark in key_remarks(setting)]


def test_what_keys_match() -> None:
    """Names, integers, labels and stable names, each with the function where they match."""
    assert kinds("func8_0=2") == [("key-matched", "func8_0", "k_hiddenfunc_4")]
    assert kinds("0=2") == [("key-matched", "0", "k_hiddenfunc_4"), ("key-matched", "0", "g")]
    assert kinds("V=2") == [("label-elsewhere", "V", "g"), ("key-matched", "V", "k_hiddenfunc_4")]
    assert kinds("@g/W#0=2") == [("key-matched", "@g/W#0", "g")]
    assert kinds("'@g/k.py:7#0'=2") == [("key-matched", "@g/k.py:7#0", "g")]
    assert kinds("@k_hiddenfunc/V#0=2") == [("key-matched", "@k_hiddenfunc/V#0", "k_hiddenfunc_4")]
    assert kinds("@k_hiddenfunc_4/V#0=2") == [("key-matched", "@k_hiddenfunc_4/V#0", "k_hiddenfunc_4")]
    assert kinds("DEFAULT=2") == [("no-keys", None, None)]


@pytest.mark.parametrize(
    ("key", "kind", "message"),
    [
        ("func8_1", "class-unknown", "func8_1: @k_hiddenfunc_4 has no class 1 (classes: func8_0)"),
        (
            "func7_0",
            "function-unknown",
            "func7_0: there is no function with magic 7, did you mean 'func9_0'",
        ),
        ("@g/V#0", "class-unknown", "@g/V#0 names no class, did you mean '@g/W#0'?"),
        ("~123", "class-unknown", "~123 names no class (names: "),
    ],
)
def test_keys_that_match_nothing(key: str, kind: str, message: str) -> None:
    """A remark with the nearest names; an error where keys are strict; and the merging passes say the same."""
    (remark,) = [remark for remark in key_remarks(f"DEFAULT=1,{key}=2") if remark.details.get("key") == key]
    assert remark.kind == kind
    assert message in remark.message
    with pytest.raises(PassFailedException, match=f"vec_nbuffer_setting: {key}"):
        key_remarks(f"DEFAULT=1,{key}=2", strict_keys=True)
    with collect_remarks() as remarks:
        apply(two_functions(), NBufferMergePass(vec_nbuffer_setting=f"DEFAULT=1,{key}=2"))
    assert (kind, key) in {(remark.kind, remark.details.get("key")) for remark in remarks}


def test_labels() -> None:
    """Row D2: a label that no op carries is an error with the labels there are, and a remark with pypto rules."""
    for merge in (
        NBufferMergePass(vec_nbuffer_setting="DEFAULT=1,v=2"),
        L1CopyInReuseMergePass(cube_l1_reuse_setting="DEFAULT=1,v=2"),
        L1CopyInReuseMergePass(cube_nbuffer_setting="DEFAULT=1,v=2"),
    ):
        with pytest.raises(PassFailedException, match="no op carries the label 'v', did you mean 'V'"):
            apply(two_functions(), merge)
        with collect_remarks() as remarks:
            apply(two_functions("pypto"), merge)
        assert "label-unmatched" in {remark.kind for remark in remarks}
    with pytest.raises(PassFailedException, match=r"no op carries the label 'nothing' \(labels: V, W\)"):
        apply(two_functions("pypto"), NBufferMergePass(vec_nbuffer_setting="nothing=2", strict_keys=True))


def test_nothing_is_written_before_an_error() -> None:
    """A strict key of the second function leaves the first one as it was."""
    module = two_functions()
    before = module.clone()
    with pytest.raises(PassFailedException):
        apply(module, NBufferMergePass(vec_nbuffer_setting="DEFAULT=2,func9_5=1", strict_keys=True))
    assert module.is_structurally_equivalent(before)


def test_keys_before_the_partition() -> None:
    """Without subgraphs, labels and functions are looked at, and classes are not known."""
    module = two_functions()
    for op in module.walk():
        op.properties.pop("subgraph", None)
    with collect_remarks() as remarks:
        apply(module, CheckOptionKeysPass(vec_nbuffer_setting="func8_0=2,func7_0=1"))
    found = {(remark.kind, remark.details.get("key")) for remark in remarks}
    assert found == {("classes-unknown", "func8_0"), ("function-unknown", "func7_0")}
    with pytest.raises(PassFailedException, match="no op carries the label 'v'"):
        apply(module, CheckOptionKeysPass(cube_nbuffer_setting="v=2"))


def test_stable_names_choose_what_func_keys_do() -> None:
    """A stable name merges as the key of its class does, in the widest mode; so do the first digits of a hash."""
    named = apply(two_functions(), NBufferMergePass(vec_nbuffer_setting="DEFAULT=1,func8_0=2"))
    with collect_remarks() as remarks:
        stable = apply(two_functions(), NBufferMergePass(vec_nbuffer_setting="DEFAULT=1,@k_hiddenfunc/V#0=2"))
    assert stable.is_structurally_equivalent(named)
    names = next(remark.details["names"] for remark in remarks if remark.kind == "class")
    assert isinstance(names, tuple)
    digits = str(names[-1])
    assert digits.startswith("~") and len(digits) == 14
    hashed = apply(two_functions(), NBufferMergePass(vec_nbuffer_setting=f"DEFAULT=1,{digits[:6]}=2"))
    assert hashed.is_structurally_equivalent(named)


def test_short_function_names() -> None:
    """Only a number that counts functions is left out."""
    assert short_function_name("k_PATH0_hiddenfunc_5") == "k_PATH0_hiddenfunc"
    assert short_function_name("scale_2") == "scale_2"
