"""ATC's vectors and facts (ATC options, g and i), and more of the same kind, through the real command line.

`atc_cases.jsonl` has a case per line: arguments, the raw file, and what comes out: exit status, error codes in their
order, and the option map as its difference to `atc_default_options.json`, the whole map of a run without options.
Unless a case says otherwise its command begins with `--model=m.pb --framework=3 --output=o --soc_version=S`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tools.tile_atc import main

_FOLDER = Path(__file__).parent
_TOOL = Path(sys.executable).parent / "tile-atc"
_CASES = [json.loads(line) for line in (_FOLDER / "atc_cases.jsonl").read_text("utf-8").splitlines()]
_DEFAULTS: dict[str, str] = json.loads((_FOLDER / "atc_default_options.json").read_text("utf-8"))
_SINGLE_OPERATOR_DEFAULTS: dict[str, str] = json.loads(
    (_FOLDER / "atc_single_operator_options.json").read_text("utf-8")
)
_HOST = ["--host_env_os=linux", "--host_env_cpu=x86_64"]
"""The map is the same on every machine."""

_GRAPH = """\
tile.func @add_test_1 ins(%x : !tile.tensor<?x64xf32, ddr>) outs(%y : !tile.tensor<64x64xf32, ddr>) {
  %0 = tile.view %x[0, 0] : !tile.tensor<64x64xf32, ub>
  tile.assemble %0 into %y[0, 0]
}
"""


def _command(case: dict[str, Any]) -> list[str]:
    arguments = list(case["arguments"])
    if not case.get("whole_command"):
        model, chip = ("net.mlir", "Ascend910B2") if case.get("compiles") else ("m.pb", "S")
        arguments = [f"--model={model}", "--framework=3", "--output=o", f"--soc_version={chip}", *arguments]
    if case.get("compiles"):
        return [*arguments, *([] if "x:64,64" in case.get("raw", "") else ["--input_shape=x:64,64"])]
    given = "".join(arguments)
    return ["--emit=ge-options", *(flag for flag in _HOST if flag.split("=")[0] not in given), *arguments]


def _prepare(case: dict[str, Any], folder: Path) -> list[str]:
    """Write the files of a case, and return its arguments."""
    (folder / "m.pb").touch()
    (folder / "net.mlir").write_text(_GRAPH)
    for name, text in case.get("files", {}).items():
        (folder / name).write_text(text)
    command = _command(case)
    if "raw" in case:
        (folder / "raw.json").write_text(case["raw"], "utf-8")
        command.insert(0, "--raw_ge_options=raw.json")
    return command


def _check(case: dict[str, Any], folder: Path, status: int, out: str, err: str) -> None:
    assert status == case["status"], err
    assert re.findall(r"^(E\d{5}):", err, re.MULTILINE) == case.get("codes", [])
    assert case.get("says", "") in err
    assert "Traceback" not in err
    if case["status"]:
        assert not (folder / "o.mlir").exists()
    elif case.get("compiles"):
        assert "tile.launch" in (folder / "o.mlir").read_text()
    elif not case.get("whole_command") or "changes" in case:
        changed = {**_DEFAULTS, **case.get("changes", {})}
        expected = {key: value for key, value in changed.items() if value is not None}
        options = json.loads(out)["options"]
        assert {key: entry["value"] for key, entry in options.items()} == expected
        assert list(options) == sorted(options)


@pytest.fixture(autouse=True)
def clean_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cases run in a folder of their own and see only the variables that they set."""
    monkeypatch.chdir(tmp_path)
    for name in os.environ:
        if name.startswith(("ASCEND", "MULTI_THREAD")):
            monkeypatch.delenv(name)


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case["id"])
def test_case(
    case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A command line has the exit status, the codes and the whole option map that ATC has."""
    for name, value in case.get("environment", {}).items():
        monkeypatch.setenv(name, value)
    status = main(_prepare(case, tmp_path))
    _check(case, tmp_path, status, *capsys.readouterr())


@pytest.mark.parametrize("case", _CASES[::20], ids=lambda case: case["id"])
def test_case_of_the_installed_command(case: dict[str, Any], tmp_path: Path) -> None:
    """The installed command does the same as its function."""
    environment = {**os.environ, **case.get("environment", {})}
    result = subprocess.run([_TOOL, *_prepare(case, tmp_path)], env=environment, capture_output=True, text=True)
    _check(case, tmp_path, result.returncode, result.stdout, result.stderr)


def test_single_operator_map(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --singleop the map is a shorter one: 34 keys, no registry option, no fixed switch (f.3)."""
    arguments = ["--singleop=op.json", "--output=d", "--soc_version=S", "--oo_constant_folding=true"]
    case = {"arguments": arguments, "whole_command": True, "files": {"op.json": "[]"}, "raw": _RAW_OF_SINGLE_OPERATOR}
    assert main(_prepare(case, tmp_path)) == 0
    options = json.loads(capsys.readouterr().out)["options"]
    values = {key: entry["value"] for key, entry in options.items()}
    assert values == {**_SINGLE_OPERATOR_DEFAULTS, "ge.optimizationSwitch": "A:on"}


_RAW_OF_SINGLE_OPERATOR = '{"compile options":{"graph":{"ge.optimizationSwitch":"A:on","ge.topoSortingMode":"1"}}}'
