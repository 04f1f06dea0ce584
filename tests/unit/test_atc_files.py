"""The files that options name: what their readers take and refuse (ATC use, section 3)."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.atc.aipp import check_insert_op_file, configured_inputs
from tools.atc.config_files import (
    check_custom_types,
    check_debug_config,
    check_fusion_switches,
    check_kept_types,
    check_mix_list,
    check_name_map,
)
from tools.atc.messages import AtcError

Check = Callable[[str], None]


def outcome(check: Check, text: str | object, folder: Path) -> str:
    """The code of the first error that a file with this text (or JSON value) gives, `ok` without any."""
    path = folder / "file"
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    try:
        check(str(path))
    except AtcError as error:
        return error.messages[0].code
    return "ok"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SoftmaxFusionPass:on\n\nA : off\n:on\n", "ok"),
        ("", "E21001"),
        ("A:on\n \n", "E20003"),
        ("A:ON\n", "E20003"),
        ("A:on\nA:off\n", "E20003"),
        ('{"Switch": {"GraphFusion": {"ALL": "off"}},}', "E20003"),
        ([], "E21001"),
        ({"Switch": {"GraphFusion": {"ALL": " off "}, " UBFusion ": {}}, "ExceptionalPassOfO1Level": ["X"]}, "ok"),
        ({"switch": {}}, "E21002"),
        ({"Switch": {"Fusion": {}}}, "E21002"),
        ({"Switch": {"GraphFusion": {"A": True}}}, "E21002"),
        ({"ExceptionalPassOfO1Level": "X"}, "E21002"),
        ({"Priority": {"GraphFusion": {"Top": {"A": "10"}, "Main": {"B": "1200"}, "Down": {"C": "2999"}}}}, "ok"),
        ({"Priority": {"GraphFusion": {"Top": {"A": "1000"}}}}, "E21002"),
        ({"Priority": {"GraphFusion": {"Top": {"A": "1"}, "Down": {"A": "2000"}}}}, "E21002"),
        ({"Priority": {"GraphFusion": {"High": {}}}}, "E21002"),
    ],
)
def test_fusion_switches(text: object, expected: str, tmp_path: Path) -> None:
    """Lines of Name:on, or JSON with switches, priorities and exceptions."""
    assert outcome(check_fusion_switches, text, tmp_path) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ({}, "ok"),
        ({"black-list": {"to-add": ["A", "A"], "to-remove": []}}, "ok"),
        ({"white-list": {"to-add": ["A"]}, "gray-list": {"to-remove": ["A"]}}, "ok"),
        ({"gray-list": {"to-remove": ["A"]}}, "E20003"),
        ({"white-list": {"to-add": ["A"], "to-remove": ["A"]}}, "E20003"),
        ({"white-list": {"to-add": ["A"]}, "black-list": {"to-add": ["A"]}}, "E20003"),
        ({"white": {}}, "E21002"),
        ({"white-list": {"add": []}}, "E21002"),
        ({"white-list": {"to-add": "A"}}, "E21002"),
        ({"white-list": {"to-add": [1]}}, "E21002"),
        ([], "E21002"),
        ('{"black-list": {} // no comments\n}', "E21002"),
        ('{"black-list": {}} behind', "ok"),
        ("", "E19999"),
    ],
)
def test_mix_lists(text: object, expected: str, tmp_path: Path) -> None:
    """An op type stands in one add, one remove, or an add and a remove of different lists."""
    assert outcome(check_mix_list, text, tmp_path) == expected


@pytest.mark.parametrize(
    ("check", "text", "expected"),
    [
        (check_custom_types, "conv::InputDtype:float16,float16,OutputDtype:float32\n", "ok"),
        (check_custom_types, "OpType::Relu:InputDtype:float16,OutputDtype:float16", "ok"),
        (check_custom_types, "conv::OutputDtype:float16,InputDtype:float32", "E20101"),
        (check_custom_types, "conv::InputDtype:f16", "E20003"),
        (check_custom_types, "a::InputDtype:float16\n\n", "E20101"),
        (check_custom_types, "a" * 1030 + "::InputDtype:float16", "E20101"),
        (check_custom_types, "InputDtype:float16", "E20101"),
        (check_debug_config, "op_debug_config=oom,dump_cce\nop_debug_list=a,OpType::B\n\n", "ok"),
        (check_debug_config, "op_debug_config", "E20003"),
        (check_debug_config, "op_debug_config=", "E20003"),
        (check_kept_types, "conv1\nOpType::Conv2D\n", "ok"),
        (check_kept_types, "OpType::conv", "E10003"),
        (check_name_map, "# names\nCustom:Standard\n", "ok"),
        (check_name_map, "# names\n", "E10003"),
        (check_name_map, "Custom:Standard\n \n", "E10003"),
    ],
)
def test_line_files(check: Check, text: str, expected: str, tmp_path: Path) -> None:
    """Files of lines."""
    assert outcome(check, text, tmp_path) == expected


AIPP = (
    "aipp_op { # static\n aipp_mode: static input_format: RGB888_U8, related_input_name: 'data'\n var_reci_chn_0: 0.5 }"
)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", "ok"),
        ("static input", "dynamic input", "E19999"),
        ("input_format: RGB888_U8,", "", "E19999"),
        ("RGB888_U8", "RGB", "E13005"),
        ("}", "", "E13005"),
        ("var_reci_chn_0: 0.5", "var_reci_chn_0: 0.5 var_reci_chn_0: 1", "E19999"),
        ("var_reci_chn_0: 0.5", "crop_size_w: -1", "E19999"),
        ("var_reci_chn_0: 0.5", "no_such_field: 1", "E13005"),
        ("var_reci_chn_0: 0.5", "related_input_rank: 0", "E10052"),
        ("}", "}" + AIPP, "E10052"),
        ("'data'", "data", "E13005"),
    ],
)
def test_aipp(old: str, new: str, expected: str, tmp_path: Path) -> None:
    """Protobuf text with known fields, their rules, and one operator per input."""
    assert outcome(check_insert_op_file, AIPP.replace(old, new, 1) if old else AIPP, tmp_path) == expected


def test_inputs_of_aipp(tmp_path: Path) -> None:
    """The names of configured inputs are found."""
    (tmp_path / "aipp").write_text(AIPP)
    assert configured_inputs(str(tmp_path / "aipp")) == ["data"]
