"""Settings files: what is refused, with file and place; and what overrides what."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.tile_opt import main

KERNEL = """
builtin.module attributes {tile.compat = "COMPAT"} {
  tile.set_pass_options {pg_lower_bound = 100}
  tile.kernel @k {
    tile.set_pass_options {sg_set_scope = 3, vec_nbuffer_setting = {DEFAULT = 2}}
    tile.func @first ins(%x: !tile.tensor<64x64xf32, ub>) {
      %0 = tile.exp %x : !tile.tensor<64x64xf32, ub>
    }
    tile.func @second ins(%x: !tile.tensor<64x64xf32, ub>)
        attributes {pass_options = {pg_parallel_lower_bound = 5}} {
      %0 = tile.exp %x : !tile.tensor<64x64xf32, ub>
    }
  }
}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a kernel."""
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath("k.mlir").write_text(KERNEL.replace("COMPAT", "published"))
    tmp_path.joinpath("pypto.mlir").write_text(KERNEL.replace("COMPAT", "pypto"))
    return tmp_path


def write(folder: Path, name: str, settings: object) -> str:
    folder.joinpath(name).write_text(json.dumps(settings))
    return f"--pass-options={name}"


def resolved(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The text after resolve-pass-options."""
    assert main(["k.mlir", "-p", "resolve-pass-options", *arguments]) == 0
    return capsys.readouterr().out


def test_the_plain_form_is_for_all_functions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Stronger than what scopes set, what functions carry, and what ops are stamped with; other options stay."""
    settings = write(
        folder, "a.json", {"pg_lower_bound": 7, "pg_parallel_lower_bound": 8, "sg_set_scope": [1, True, False]}
    )
    assert (
        resolved(capsys, settings).rstrip()
        == """\
builtin.module attributes {tile.compat = "published"} {
  tile.func @first magic(1) ins(%x: !tile.tensor<64x64xf32, ub>) attributes {pass_options = \
{vec_nbuffer_setting = {DEFAULT = 2}, pg_lower_bound = 7, pg_parallel_lower_bound = 8}} {
    %0 = tile.exp %x {scope_id = 1, allow_parallel_merge} : !tile.tensor<64x64xf32, ub>
  }
  tile.func @second magic(2) ins(%x: !tile.tensor<64x64xf32, ub>) attributes {pass_options = \
{vec_nbuffer_setting = {DEFAULT = 2}, pg_lower_bound = 7, pg_parallel_lower_bound = 8}} {
    %0 = tile.exp %x {scope_id = 1, allow_parallel_merge} : !tile.tensor<64x64xf32, ub>
  }
}"""
    )


def test_scope_minus_one_takes_ops_out_of_scopes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Before and after the resolution, and nothing of it is left in the text."""
    settings = write(folder, "a.json", {"process": {"sg_set_scope": -1}})
    text = resolved(capsys, settings)
    assert "scope_id" not in text
    folder.joinpath("k.mlir").write_text(resolved(capsys))
    assert "scope_id = 3" in folder.joinpath("k.mlir").read_text()
    assert resolved(capsys, settings) == text


def test_functions_win_over_process_and_later_files_over_earlier(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Option by option; a setting is replaced whole."""
    first = write(
        folder,
        "a.json",
        {
            "process": {"vec_nbuffer_setting": {"-1": 4, "0": 2}, "pg_lower_bound": 1},
            "functions": {"second": {"pg_lower_bound": 2, "cube_l1_reuse_setting": {"V1": [4, "left"]}}},
        },
    )
    text = resolved(capsys, first)
    assert 'pass_options = {vec_nbuffer_setting = {"-1" = 4, "0" = 2}, pg_lower_bound = 1}}' in text
    assert (
        'pass_options = {vec_nbuffer_setting = {"-1" = 4, "0" = 2}, cube_l1_reuse_setting = {V1 = [4, "left"]}, '
        "pg_lower_bound = 2, pg_parallel_lower_bound = 5}}" in text
    )
    second = write(folder, "b.json", {"vec_nbuffer_setting": {"DEFAULT": 9}})
    text = resolved(capsys, first, second)
    assert text.count("vec_nbuffer_setting = {DEFAULT = 9}") == 2
    assert resolved(capsys, second, first).count('vec_nbuffer_setting = {"-1" = 4, "0" = 2}') == 2


def test_the_pipeline_wins_over_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--explain` says the effective value and where it comes from, along the whole way."""
    settings = write(folder, "a.json", {"pg_lower_bound": 7})
    passes = "resolve-pass-options,graph-partition{pg_lower_bound=3}"
    assert main(["k.mlir", settings, "-p", passes, "--explain", "--remarks=r.json", "-o", "out.mlir"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert "    pg_lower_bound = 7 from a.json (pg_lower_bound)" in lines
    assert (
        "    pg_lower_bound = 100, set by tile.set_pass_options in the module has no effect: the function carries this "
        "option" in lines
    )
    partition = [line for line in lines if "pg_partition_algorithm" in line]
    assert partition == [
        '    pg_partition_algorithm = "Iso" (default); pg_parallel_lower_bound = 20 (default); '
        "pg_lower_bound = 3 (given to the pass)",
        '    pg_partition_algorithm = "Iso" (default); pg_parallel_lower_bound = 5 (carried by the function); '
        "pg_lower_bound = 3 (given to the pass)",
    ]
    remarks = json.loads(folder.joinpath("r.json").read_text())
    assert remarks[0]["details"] == {
        "option": "pg_lower_bound",
        "value": 7,
        "source": "a.json (pg_lower_bound)",
        "overrides": [],
    }
    assert remarks[-1]["source"] == "graph-partition"


def test_files_that_disagree(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The remark names the winner and everything that it overrides, the strongest first."""
    first = write(folder, "a.json", {"pg_parallel_lower_bound": 7})
    second = write(folder, "b.json", {"functions": {"second": {"pg_parallel_lower_bound": 8}}})
    resolved(capsys, first, second, "--remarks=r.json")
    messages = [remark["message"] for remark in json.loads(folder.joinpath("r.json").read_text())]
    assert messages[:2] == [
        "pg_parallel_lower_bound = 7 from a.json (pg_parallel_lower_bound)",
        "pg_parallel_lower_bound = 8 from b.json (functions.second.pg_parallel_lower_bound); overrides 7 "
        "(a.json (pg_parallel_lower_bound)), 5 (carried by the function)",
    ]


def test_the_rules_of_the_module_decide(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`func_0` is a label for the shipped compiler and an error by the published rules (D3); --compat decides."""
    settings = write(folder, "a.json", {"vec_nbuffer_setting": {"func_0": 4}})
    assert main(["pypto.mlir", settings]) == 0
    assert main(["pypto.mlir", settings, "--compat=published"]) == 1
    assert 'a.json: error: vec_nbuffer_setting["func_0"]: looks like the name of a class' in capsys.readouterr().err


def test_an_option_that_no_pass_reads(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = write(folder, "a.json", {"sg_set_ooo_scope": 4})
    resolved(capsys, settings, "--explain")
    assert main(["k.mlir", settings, "--explain"]) == 0
    assert "from a.json (sg_set_ooo_scope); has no effect: no pass of tile-opt reads it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", "e.json: error: expected an object, found [1]"),
        ("", "e.json:1:1: error: no JSON: Expecting value"),
        ('{\n "a": }', "e.json:2:7: error: no JSON: Expecting value"),
        ('{"process": 3}', "e.json: error: process: expected an object, found 3"),
        ('{"functions": []}', "e.json: error: functions: expected an object, found []"),
        ('{"functions": {"first": 1}}', "e.json: error: functions.first: expected an object, found 1"),
        (
            '{"functions": {"frist": {}}}',
            "e.json: error: functions.frist: there is no function @frist, did you mean 'first'?",
        ),
        (
            '{"functions": {"a b": {}}}',
            'e.json: error: functions["a b"]: there is no function @a b (there are: first, second)',
        ),
        (
            '{"process": {}, "function": {}}',
            "e.json: error: function: unknown beside 'process', did you mean 'functions'?",
        ),
        (
            '{"vec_nbufer_setting": {}}',
            "e.json: error: vec_nbufer_setting: there is no such pass option, did you mean 'vec_nbuffer_setting'",
        ),
        (
            '{"process": {"pg_lower_bound": null}}',
            "e.json: error: process.pg_lower_bound: expected an integer, found None",
        ),
        ('{"pg_lower_bound": true}', "e.json: error: pg_lower_bound: expected an integer, found True"),
        ('{"pg_lower_bound": 1.0}', "e.json: error: pg_lower_bound: expected an integer, found 1.0"),
        (
            '{"pg_lower_bound": 99999999999}',
            "e.json: error: pg_lower_bound: 99999999999 is not in the range 0..2147483647",
        ),
        ('{"pg_lower_bound": ' + "9" * 5000 + "}", "e.json: error: a number of 5000 digits, expected at most 20"),
        ('{"pg_lower_bound": NaN}', "e.json: error: NaN is no number of JSON"),
        ('{"a": 1, "a": 2}', 'e.json: error: key "a" stands twice in one object'),
        (
            '{"vec_nbuffer_setting": {"-1": 1, "DEFAULT": 2}}',
            "e.json: error: vec_nbuffer_setting: integer keys and class names cannot stand together",
        ),
        ('{"vec_nbuffer_setting": {"7": 1, "07": 2}}', 'e.json: error: vec_nbuffer_setting["7"]: is given twice'),
        ('{"vec_nbuffer_setting": {"": 1}}', 'e.json: error: vec_nbuffer_setting[""]: an empty label matches no op'),
        ('{"vec_nbuffer_setting": {"\'a": 1}}', "a key that begins with a quote is written in single quotes"),
        (
            '{"functions": {"first": {"cube_l1_reuse_setting": {"a \\"b": [4, "up"]}}}}',
            'functions.first.cube_l1_reuse_setting["a \\"b"]: a side is one of left, right, auto, found \'up\'',
        ),
        ('{"sg_set_scope": [1, 0, 0]}', "e.json: error: sg_set_scope: allow_parallel_merge is True or False, found 0"),
        ('{"sg_set_scope": [-1, true, false]}', "e.json: error: sg_set_scope: with scope id -1"),
        ('{"a": ' * 100_000, "e.json: error: nested too deeply"),
        (" " * (1 << 24) + "{}", "e.json: error: 16777218 bytes, expected at most 16777216"),
    ],
)
def test_bad_files(folder: Path, capsys: pytest.CaptureFixture[str], text: str, message: str) -> None:
    """One message with the file and the place in it; nothing is written."""
    folder.joinpath("e.json").write_text(text)
    assert main(["pypto.mlir", "--compat=published", "--pass-options=e.json", "-o", "out.mlir"]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not folder.joinpath("out.mlir").exists()


def test_files_that_cannot_be_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder.joinpath("e.json").write_bytes(b"\xff")
    for name, message in (
        ("e.json", "e.json: error: byte 0 is not UTF-8"),
        ("f.json", "'f.json': no such file, did you mean 'e.json'"),
        (".", "'.': is a directory"),
    ):
        assert main(["k.mlir", f"--pass-options={name}"]) == 1
        assert message in capsys.readouterr().err
    assert main(["-", "--pass-options=-"]) == 1
    assert "--pass-options=- and the input cannot both come from stdin" in capsys.readouterr().err


def test_a_bad_pipeline_value_is_refused_before_the_input_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["none.mlir", "-p", "graph-partition{pg_lower_bound=-1}"]) == 1
    assert "pass 'graph-partition': pg_lower_bound: -1 is not in the range 0..2147483647" in capsys.readouterr().err


def test_a_function_with_a_bad_number(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Dumps may carry any number; the pass that reads it says what is wrong."""
    folder.joinpath("k.mlir").write_text("tile.func @f attributes {pass_options = {pg_lower_bound = -4}} {}")
    assert main(["k.mlir"]) == 0
    assert main(["k.mlir", "-p", "graph-partition"]) == 1
    assert "pass_options of @f: pg_lower_bound: -4 is not in the range 0..2147483647" in capsys.readouterr().err
