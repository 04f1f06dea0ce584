"""The model of the pass options: what is accepted and refused, what an assignment does, and the four written forms.

Facts are those of pass options 12 (under `pypto`) and the rows of pass options 8; rows such as D3 are of
docs/compatibility.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import DictionaryAttr, FloatAttr, IntegerAttr, UnitAttr, f64, i64

from dialect.compat import Compat
from dialect.pass_options import (
    MERGE_OPTIONS,
    PASS_OPTIONS,
    MergeCount,
    MergeSetting,
    Mistake,
    OptionType,
    OptionValue,
    PassOptionError,
    ScopeSetting,
    Side,
    assigned,
    check_semantic_label,
    default_of,
    option_from_attribute,
    option_from_json,
    option_from_python,
    option_to_attribute,
    option_to_json,
    option_to_python,
    setting_from_text,
    setting_to_text,
)

VEC, L1, CUBE = "vec_nbuffer_setting", "cube_l1_reuse_setting", "cube_nbuffer_setting"
INT_MAX = 2**31 - 1
PUBLISHED, PYPTO = Compat.PUBLISHED, Compat.PYPTO
both_rules = pytest.mark.parametrize("compat", Compat)


def refused(option: str, value: object, compat: Compat) -> PassOptionError:
    """The error of a value that must be refused."""
    with pytest.raises(PassOptionError) as caught:
        option_from_python(option, value, compat)
    assert caught.value.option == option
    return caught.value


@both_rules
@pytest.mark.parametrize(
    ("option", "value", "read_back"),
    [
        (VEC, {-1: 4, 0: 2, 1: 3}, {-1: 4, 0: 2, 1: 3}),
        (VEC, {-2: 0}, {-2: 0}),
        (VEC, {-1: 1}, {-1: 1}),
        (VEC, {}, {}),
        (VEC, {"func123_0": 4, "func456_1": 2}, {"func123_0": 4, "func456_1": 2}),
        (VEC, {"DEFAULT": 4}, {"DEFAULT": 4}),
        (VEC, {"DEFAULT": 2, "func123_0": 4}, {"DEFAULT": 2, "func123_0": 4}),
        (VEC, {"conv": 1, "attention": 2}, {"conv": 1, "attention": 2}),
        (VEC, {"conv": 2, "func123_0": 1}, {"func123_0": 1, "conv": 2}),
        (VEC, {-1: 4, "conv": 2}, {-1: 4, "conv": 2}),
        (VEC, {"-1": 3}, {"-1": 3}),
        (VEC, {" spaces and 'quotes' ": 3}, {" spaces and 'quotes' ": 3}),
        (VEC, {np.int64(0): np.int32(4)}, {0: 4}),
        (L1, {-1: 0}, {-1: 0}),
        (L1, {-1: 6, 2: 3}, {-1: 6, 2: 3}),
        (
            L1,
            {"DEFAULT": (4, "Left"), "func8_0": [999_999, "RIGHT"]},
            {"DEFAULT": (4, "left"), "func8_0": (999_999, "right")},
        ),
        (L1, {"MM1": (2, "auto")}, {"MM1": 2}),
        (CUBE, {-1: 1}, {-1: 1}),
        ("sg_set_scope", 5, (5, False, False)),
        ("sg_set_scope", 48, (48, False, False)),
        ("sg_set_scope", (1, True, True), (1, True, True)),
        ("sg_set_scope", [INT_MAX, True, False], (INT_MAX, True, False)),
        ("sg_set_scope", -1, (-1, False, False)),
        ("pg_partition_algorithm", "OspBsp", "OspBsp"),
        ("auto_mix_partition", 1, 1),
        ("pg_lower_bound", 0, 0),
        ("pg_parallel_lower_bound", INT_MAX, INT_MAX),
        ("mg_vec_parallel_lb", 1, 1),
        ("mg_vec_parallel_lb", 48, 48),
        ("copyout_resolve_coalescing", 1_000_000, 1_000_000),
        ("enable_slice", True, True),
        ("enable_slice", False, False),
        ("sg_set_ooo_scope", -1, -1),
        ("sg_set_ooo_scope", 100_000, 100_000),
        ("ooo_sched_mode", "HLF", "HLF"),
        ("sg_set_tunevf_mode", 1, 1),
    ],
)
def test_accepted_and_read_back(option: str, value: object, read_back: object, compat: Compat) -> None:
    """Accepted under both rules, and read back as PyPTO does."""
    assert option_to_python(option_from_python(option, value, compat)) == read_back


@both_rules
@pytest.mark.parametrize(
    ("option", "value", "mistake", "message"),
    [
        (VEC, {-1: 4, "func123_0": 2}, Mistake.VALUE, "integer keys and class names cannot stand together, found -1"),
        (VEC, {0: 4, "DEFAULT": 2}, Mistake.VALUE, "integer keys and class names cannot stand together, found 0"),
        (CUBE, [1, 2], Mistake.TYPE, "expected a dictionary such as {'DEFAULT': 4, 'func8_0': 1}, found [1, 2]"),
        (CUBE, None, Mistake.TYPE, "expected a dictionary"),
        (L1, {-11: 2}, Mistake.VALUE, "key -11: an integer key is in the range -1..2147483647"),
        (L1, {-2: 0}, Mistake.VALUE, "key -2: an integer key is in the range -1..2147483647"),
        (L1, {-1: -1}, Mistake.VALUE, "key -1: -1 is not in the range 0..2147483647"),
        (CUBE, {-2: 1}, Mistake.VALUE, "key -2: an integer key is in the range -1..2147483647"),
        (CUBE, {-1: 0}, Mistake.VALUE, "key -1: 0 is not in the range 1..2147483647"),
        (VEC, {-3: 1}, Mistake.VALUE, "key -3: an integer key is in the range -2..2147483647"),
        (VEC, {10**30: 1}, Mistake.VALUE, "an integer key is in the range"),
        (VEC, {"DEFAULT": 1.0}, Mistake.TYPE, "key 'DEFAULT': expected an integer, found 1.0"),
        (VEC, {"V1": "4"}, Mistake.TYPE, "key 'V1': expected an integer, found '4'"),
        (VEC, {"V1": 0}, Mistake.VALUE, "key 'V1': 0 is not in the range 1..2147483647"),
        (VEC, {"V1": 2**31}, Mistake.VALUE, "key 'V1': 2147483648 is not in the range 1..2147483647"),
        (VEC, {"DEFAULT": 10**30}, Mistake.VALUE, "is not in the range"),
        (VEC, {1.5: 2}, Mistake.TYPE, "a key is a string or an integer, found 1.5"),
        (VEC, {(1, 2): 2}, Mistake.TYPE, "a key is a string or an integer, found (1, 2)"),
        (VEC, {"V1": (4, "left")}, Mistake.TYPE, "only cube_l1_reuse_setting takes a side"),
        (L1, {"V1": True}, Mistake.TYPE, "expected an integer or (count, side), found True"),
        (L1, {"V1": (4,)}, Mistake.VALUE, "expected (count, side), found 1 elements in (4,)"),
        (L1, {"V1": (0, "left")}, Mistake.VALUE, "a count with a side is an integer in the range 1..999999, found 0"),
        (L1, {"V1": (10**6, "left")}, Mistake.VALUE, "in the range 1..999999, found 1000000"),
        (L1, {"V1": (True, "left")}, Mistake.VALUE, "in the range 1..999999, found True"),
        (L1, {-1: (4, "lft")}, Mistake.VALUE, "a side is one of left, right, auto, found 'lft', did you mean 'left'?"),
        (L1, {-1: (4, 1)}, Mistake.VALUE, "a side is one of left, right, auto, found 1"),
        ("sg_set_scope", "aa", Mistake.TYPE, "found 'aa'"),
        ("sg_set_scope", -2, Mistake.VALUE, "scope id -2 is not in the range -1..2147483647"),
        ("sg_set_scope", (2147483648, True, False), Mistake.VALUE, "scope id 2147483648 is not in the range"),
        ("sg_set_scope", (1, True), Mistake.VALUE, "found 2 elements in (1, True)"),
        ("sg_set_scope", (1, "True", True), Mistake.VALUE, "allow_parallel_merge is True or False, found 'True'"),
        ("sg_set_scope", (1, True, 1), Mistake.VALUE, "allow_cross_scope_merge is True or False, found 1"),
        ("sg_set_scope", ("1", True, True), Mistake.VALUE, "expected an integer as scope id, found '1'"),
        ("sg_set_scope", 1.0, Mistake.TYPE, "found 1.0"),
        ("auto_mix_partition", True, Mistake.TYPE, "expected an integer, found True"),
        ("auto_mix_partition", 2, Mistake.VALUE, "2 is not 0 or 1"),
        ("pg_partition_algorithm", 1, Mistake.TYPE, "expected a string, found 1"),
        ("pg_lower_bound", -1, Mistake.VALUE, "-1 is not in the range 0..2147483647"),
        ("pg_parallel_lower_bound", 2**31, Mistake.VALUE, "2147483648 is not in the range 0..2147483647"),
        ("mg_vec_parallel_lb", 0, Mistake.VALUE, "0 is not in the range 1..48"),
        ("mg_vec_parallel_lb", 49, Mistake.VALUE, "49 is not in the range 1..48"),
        ("copyout_resolve_coalescing", -1, Mistake.VALUE, "-1 is not in the range 0..1000000"),
        ("copyout_resolve_coalescing", 1_000_001, Mistake.VALUE, "1000001 is not in the range 0..1000000"),
        ("enable_slice", 1, Mistake.TYPE, "expected True or False, found 1"),
        ("sg_set_ooo_scope", 100_001, Mistake.VALUE, "100001 is not in the range -1..100000 without 0"),
        ("sg_set_ooo_scope", -2, Mistake.VALUE, "-2 is not in the range -1..100000 without 0"),
        ("sg_set_ooo_scope", 0, Mistake.VALUE, "0 is not in the range -1..100000 without 0"),
        ("ooo_sched_mode", "gapmin", Mistake.VALUE, "found 'gapmin', did you mean 'GAPMIN'?"),
        ("sg_set_tunevf_mode", 3, Mistake.VALUE, "3 is not 0 or 1 or 2"),
        ("vec_nbufer_setting", {}, Mistake.NAME, "there is no such pass option, did you mean 'vec_nbuffer_setting'"),
    ],
)
def test_refused_by_both_rules(option: str, value: object, mistake: Mistake, message: str, compat: Compat) -> None:
    """The message names the option, the key, what was found and what is legal."""
    error = refused(option, value, compat)
    assert error.mistake is mistake
    assert message in str(error)
    assert str(error).startswith(f"{option}: ")


@pytest.mark.parametrize(
    ("option", "value", "under_pypto", "message"),
    [
        (VEC, {"func_0": 4}, {"func_0": 4}, "key 'func_0': looks like the name of a class and is not one"),  # D3
        (VEC, {"func123": 4}, {"func123": 4}, "func{magic}_{order}"),  # D3
        (VEC, {"Func0_0": 4}, {"Func0_0": 4}, "such as func8_0"),  # D3
        (VEC, {"func8_": 4}, {"func8_": 4}, "looks like the name of a class"),  # D3
        (VEC, {"": 4}, {"": 4}, "an empty label matches no op"),  # D2: no op can carry it
        (VEC, {"func8_0": 0}, {"func8_0": 0}, "key 'func8_0': 0 is not in the range 1..2147483647"),  # pass options 8
        (VEC, {"DEFAULT": -1}, {"DEFAULT": -1}, "key 'DEFAULT': -1 is not in the range 1..2147483647"),
        (VEC, {True: True}, {1: 1}, "a key is a string or an integer, found True"),  # type safety of the page
        (VEC, {"V1": True}, {"V1": 1}, "key 'V1': expected an integer, found True"),
        ("sg_set_scope", (-1, True, False), (-1, True, False), "with scope id -1"),  # D16
        ("sg_set_scope", True, (1, False, False), "found True"),
        (
            "pg_partition_algorithm",
            "Isp",
            "Isp",
            "expected one of 'Iso', 'OspSarkar', 'OspBsp', found 'Isp', did you mean",
        ),
    ],
)
def test_refused_by_the_published_rules_only(option: str, value: object, under_pypto: object, message: str) -> None:
    """What the shipped compiler accepts when it is set, and the published rules refuse there."""
    assert option_to_python(option_from_python(option, value, PYPTO)) == under_pypto
    assert message in str(refused(option, value, PUBLISHED))


def test_key_kinds() -> None:
    """Which map an entry goes to; `func8_` is a class name for the shipped compiler (pass options 3)."""
    entries = {"DEFAULT": 1, "func8_0": 2, "V1": 3, "@f/V1#0": 4, "~1f3a": 5, "DEFAULT ": 6}
    setting = option_from_python(VEC, entries, PUBLISHED)
    assert setting == MergeSetting(
        by_name={"DEFAULT": MergeCount(1), "func8_0": MergeCount(2)},
        by_label={"V1": MergeCount(3), "DEFAULT ": MergeCount(6)},
        by_stable_name={"@f/V1#0": MergeCount(4), "~1f3a": MergeCount(5)},
    )
    native = option_from_python(VEC, {"func8_": 1, "func8_0_0": 2, "Func0_0": 3}, PYPTO)
    assert native == MergeSetting(
        by_name={"func8_": MergeCount(1)}, by_label={"func8_0_0": MergeCount(2), "Func0_0": MergeCount(3)}
    )


def test_large_plain_counts_of_l1_are_a_side_for_the_shipped_compiler() -> None:
    """The shipped compiler packs (count, side) into one number and cannot tell them apart (merge passes 3.9)."""
    assert option_to_python(option_from_python(L1, {-1: 1_000_004, 0: 2_000_003}, PYPTO)) == {
        -1: (4, "left"),
        0: (3, "right"),
    }
    assert option_to_python(option_from_python(L1, {INT_MAX: INT_MAX}, PYPTO)) == {INT_MAX: 483_647}
    assert option_to_python(option_from_python(L1, {-1: 1_000_004}, PUBLISHED)) == {-1: 1_000_004}


def test_defaults() -> None:
    """What reads back when nobody sets anything (pass options 7 and 9; row D8)."""
    read = {name: option_to_python(default_of(name, PYPTO)) for name in PASS_OPTIONS}
    assert read == {
        VEC: {},
        L1: {},
        CUBE: {-1: 1},
        "sg_set_scope": (-1, False, False),
        "pg_partition_algorithm": "Iso",
        "auto_mix_partition": 0,
        "pg_lower_bound": 512,
        "pg_parallel_lower_bound": 20,
        "mg_copyin_upper_bound": 104857600,
        "mg_vec_parallel_lb": 48,
        "enable_slice": False,
        "sg_set_ooo_scope": -1,
        "ooo_sched_mode": "",
        "sg_set_tunevf_mode": 0,
        "copyout_resolve_coalescing": 0,
    }
    assert option_to_python(default_of(CUBE, PUBLISHED)) == {"DEFAULT": 1}
    for name in PASS_OPTIONS:
        assert option_from_python(name, read[name], PYPTO) == default_of(name, PYPTO)


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ({}, {"DEFAULT": 4, "V1": 5}),
        ({-1: 2}, {-1: 2, "DEFAULT": 4, "V1": 5}),
        ({"func8_0": 2}, {"func8_0": 2, "V1": 5}),
        ({"V2": 2}, {"DEFAULT": 4, "V2": 2}),
        ({"DEFAULT": 1, "V2": 2}, {"DEFAULT": 1, "V2": 2}),
        ({-1: 2, "V2": 2}, {-1: 2, "DEFAULT": 4, "V2": 2}),
    ],
)
def test_assignment(new: Mapping[object, int], expected: object) -> None:
    """Each row of the table in pass options 3 on top of entries of all kinds; the published rules replace all (D7)."""
    old = MergeSetting({7: MergeCount(7)}, {"DEFAULT": MergeCount(4)}, {"V1": MergeCount(5)})
    value = option_from_python(VEC, new, PYPTO)
    assert option_to_python(assigned(old, value, PYPTO)) == expected
    assert option_to_python(assigned(old, value, PUBLISHED)) == new


def test_a_label_only_setting_clears_the_default_of_the_cube_merge() -> None:
    """Then other classes become automatic, as the published page promises (pass options 3)."""
    value = option_from_python(CUBE, {"V1": 3}, PYPTO)
    assert option_to_python(assigned(default_of(CUBE, PYPTO), value, PYPTO)) == {"V1": 3}


def test_assignment_of_other_options_replaces() -> None:
    assert assigned(ScopeSetting(3, True), ScopeSetting(4), PYPTO) == ScopeSetting(4)
    assert assigned(512, 3, PYPTO) == 3


def test_settings_are_immutable_and_comparable() -> None:
    entries = {"V1": MergeCount(1)}
    setting = MergeSetting(by_label=entries)
    entries["V2"] = MergeCount(2)
    assert setting == MergeSetting(by_label={"V1": MergeCount(1)})
    assert hash(setting) == hash(MergeSetting(by_label={"V1": MergeCount(1)}))
    assert not MergeSetting()
    assert setting
    with pytest.raises(TypeError):
        cast("dict[str, MergeCount]", setting.by_label)["V3"] = MergeCount(3)


@pytest.mark.parametrize(
    ("label", "under_pypto", "published"),
    [
        ("V1", None, None),
        ("", None, None),
        ("func8_0", "is the name of a class in settings", "is the name of a class in settings"),
        ("DEFAULT", None, "is the name of a class in settings"),  # M8
        ("@f", None, "labels do not begin with '@' or '~'"),  # M8
        ("~1", None, "labels do not begin with '@' or '~'"),  # M8
        ("Func0_0", None, None),
        (7, "expected a string, found 7", "expected a string, found 7"),
    ],
)
def test_semantic_labels(label: object, under_pypto: str | None, published: str | None) -> None:
    for compat, problem in ((PYPTO, under_pypto), (PUBLISHED, published)):
        if problem is None:
            assert check_semantic_label(label, compat) == label
        else:
            with pytest.raises(PassOptionError, match=problem):
                check_semantic_label(label, compat)


_labels = st.text(max_size=6).filter(lambda text: text != "DEFAULT" and not text.lower().startswith("func"))
_string_keys = st.one_of(
    st.just("DEFAULT"),
    st.sampled_from(["func0_0", "func123_5", "V1", "-1", "8", "'", "''8'", "a,b", "x = 1", "@f/V#1", "~1f3a", "é😀"]),
    _labels.filter(bool),
)
_keys = st.one_of(st.integers(-1, 5), st.just(INT_MAX), _string_keys)


@st.composite
def merge_settings(draw: st.DrawFn, *, sides: bool) -> MergeSetting:
    """Any setting that both rules accept, integer keys and class names together included."""
    counts = st.integers(1, INT_MAX)
    values = st.one_of(counts, st.tuples(st.integers(1, 999_999), st.sampled_from(list(Side)))) if sides else counts
    entries = draw(st.dictionaries(_keys, values, max_size=6))
    setting = option_from_python(L1 if sides else VEC, entries, PUBLISHED, mixed_keys=True)
    assert isinstance(setting, MergeSetting)
    return setting


@settings(deadline=None, derandomize=True)
@given(merge_settings(sides=True))
def test_every_form_of_a_setting_reads_back(setting: MergeSetting) -> None:
    """Python, JSON, IR and pipeline text: what is written is read as the same setting."""
    assert option_from_python(L1, option_to_python(setting), PUBLISHED, mixed_keys=True) == setting
    assert option_from_attribute(L1, option_to_attribute(setting), PUBLISHED, mixed_keys=True) == setting
    assert setting_from_text(L1, setting_to_text(setting), PUBLISHED) == setting
    if not (setting.by_integer and setting.by_name):
        assert option_from_json(L1, option_to_json(setting), PUBLISHED) == setting


@settings(deadline=None, derandomize=True)
@given(merge_settings(sides=False), merge_settings(sides=False))
def test_assignment_under_both_rules(old: MergeSetting, new: MergeSetting) -> None:
    """The published rules forget the old setting; assigning twice is assigning once; an empty old one has no effect."""
    assert assigned(old, new, PUBLISHED) == new
    once = assigned(old, new, PYPTO)
    assert assigned(once, new, PYPTO) == once
    assert assigned(MergeSetting(), new, PYPTO) == new


@settings(deadline=None, derandomize=True)
@given(st.sampled_from([row for row in PASS_OPTIONS.values() if row.type is not OptionType.MERGE_SETTING]), st.data())
def test_every_form_of_the_other_options_reads_back(row: object, data: st.DataObject) -> None:
    option = cast("type[object]", row)
    name: str = option.name  # type: ignore[attr-defined]
    values: dict[str, st.SearchStrategy[OptionValue]] = {
        "sg_set_scope": st.builds(ScopeSetting, st.integers(0, INT_MAX), st.booleans(), st.booleans()),
        "enable_slice": st.booleans(),
    }
    default = default_of(name, PUBLISHED)
    value = data.draw(values.get(name, st.just(default)))
    assert option_from_python(name, option_to_python(value), PUBLISHED) == value
    assert option_from_attribute(name, option_to_attribute(value), PUBLISHED) == value
    assert option_from_json(name, option_to_json(value), PUBLISHED) == value


def test_integer_keys_and_labels_of_digits_differ_in_text() -> None:
    """A decimal number is an integer key; in single quotes it is a label, in every textual form."""
    setting = MergeSetting({8: MergeCount(2)}, by_label={"8": MergeCount(3)})
    assert setting_to_text(setting) == "8=2,'8'=3"
    assert option_to_json(setting) == {"8": 2, "'8'": 3}
    assert str(option_to_attribute(setting)) == '{"8" = 2 : i64, "\'8\'" = 3 : i64}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("  ", {}),
        ("DEFAULT=2,func8_0=1,-1=4", {-1: 4, "DEFAULT": 2, "func8_0": 1}),
        ("func8_0=1:left, V1 = 2 : RIGHT ,x=3:auto", {"func8_0": (1, "left"), "V1": (2, "right"), "x": 3}),
        ("'a,b'=1,'it''s'=2,'a=b:c'=3", {"a,b": 1, "it's": 2, "a=b:c": 3}),
        ("@f/file.py:3#0=2", None),
        ("'@f/file.py:3#0'=2", {"@f/file.py:3#0": 2}),
    ],
)
def test_pipeline_text(text: str, expected: object) -> None:
    if expected is None:
        with pytest.raises(PassOptionError):
            setting_from_text(L1, text, PUBLISHED)
    else:
        assert option_to_python(setting_from_text(L1, text, PUBLISHED)) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("DEFAULT", "expected key=count or key=count:left|right|auto, found 'DEFAULT'"),
        ("DEFAULT=2,", "found nothing behind a comma"),
        (",", "found ','"),
        ("a=1;b=2", "found 'a=1;b=2'"),
        ("a=x", "found 'a=x'"),
        ("a=1,a=2", "key 'a': is given twice"),
        ("1=1,01=2", "key 1: is given twice"),
        ("'a=1", 'found "\'a=1"'),
        ("a=1:up", "a side is one of left, right, auto, found 'up'"),
        ("a=0", "key 'a': 0 is not in the range 1..2147483647"),
        ("func_0=1", "looks like the name of a class and is not one"),
        ("a=99999999999999999999", "is not in the range"),
    ],
)
def test_bad_pipeline_text(text: str, message: str) -> None:
    with pytest.raises(PassOptionError) as caught:
        setting_from_text(L1, text, PUBLISHED)
    assert message in str(caught.value)


def test_a_pipeline_takes_a_side_for_l1_only() -> None:
    with pytest.raises(PassOptionError, match="only cube_l1_reuse_setting takes a side"):
        setting_from_text(VEC, "DEFAULT=2:left", PUBLISHED)


@pytest.mark.parametrize(
    ("option", "attribute", "message"),
    [
        (VEC, IntegerAttr(4, i64), "expected a dictionary such as"),
        (VEC, DictionaryAttr({"DEFAULT": FloatAttr(1.0, f64)}), "key 'DEFAULT': expected an integer, found 1.0"),
        (VEC, DictionaryAttr({"DEFAULT": UnitAttr()}), "a pass option cannot be unit"),
        (
            VEC,
            DictionaryAttr({"'a": IntegerAttr(1, i64)}),
            "a key that begins with a quote is written in single quotes",
        ),
        (VEC, DictionaryAttr({"9" * 21: IntegerAttr(1, i64)}), "is a number of 21 digits"),
        ("enable_slice", IntegerAttr(1, i64), "expected True or False, found 1"),
    ],
)
def test_bad_attributes(option: str, attribute: IntegerAttr | DictionaryAttr, message: str) -> None:
    with pytest.raises(PassOptionError) as caught:
        option_from_attribute(option, attribute, PUBLISHED)
    assert message in str(caught.value)


def test_the_merge_options() -> None:
    assert MERGE_OPTIONS == (VEC, L1, CUBE)
