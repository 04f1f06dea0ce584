"""`--translate-keys`: settings files with stable names, and back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.tile_opt import main

GRAPH = """
tile.func @k_hiddenfunc_4 magic(8) ins(%x: !tile.tensor<64xf32, ub>)
    outs(%y: !tile.tensor<64xf32, ddr>, %z: !tile.tensor<64xf32, ddr>) {
  tile.exp %x into %y {subgraph = 0, semantic_label = "V"}
  tile.exp %x into %z {subgraph = 1}
}
tile.func @k_hiddenfunc_5 magic(9) ins(%x: !tile.tensor<64xf32, ub>) outs(%y: !tile.tensor<64xf32, ddr>) {
  tile.abs %x into %y {subgraph = 0, semantic_label = "V"}
}
tile.func @g magic(10) ins(%x: !tile.tensor<64xf32, ub>) outs(%y: !tile.tensor<64xf32, ddr>) {
  tile.sqrt %x into %y {subgraph = 0, loc = "k.py:7"}
}
"""


def translated(folder: Path, settings: object, capsys: pytest.CaptureFixture[str]) -> tuple[object, str]:
    """The new settings and the notes."""
    (folder / "graph.mlir").write_text(GRAPH)
    (folder / "old.json").write_text(json.dumps(settings))
    status = main([str(folder / "graph.mlir"), f"--translate-keys={folder / 'old.json'}"])
    out, notes = capsys.readouterr()
    assert status == 0, notes
    return json.loads(out), notes


def test_there_and_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Class names become names by label, line or hash, with the long function name where two are called the same."""
    old = {"vec_nbuffer_setting": {"DEFAULT": 1, "func8_0": 2, "func10_0": 3, "V": 4}, "auto_mix_partition": 1}
    new, notes = translated(tmp_path, old, capsys)
    assert notes == ""
    assert new == {
        "vec_nbuffer_setting": {"DEFAULT": 1, "@k_hiddenfunc_4/V#0": 2, "@g/k.py:7#0": 3, "V": 4},
        "auto_mix_partition": 1,
    }
    assert translated(tmp_path, new, capsys) == (old, "")


def test_short_names_mean_every_function(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name without the number that counts functions, and a hash, become the key of each class that they mean."""
    new, _ = translated(tmp_path, {"vec_nbuffer_setting": {"@k_hiddenfunc/V#0": 2}}, capsys)
    assert new == {"vec_nbuffer_setting": {"func8_0": 2, "func9_0": 2}}


def test_sections_by_function(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What stands for one function is translated for it alone."""
    old = {"process": {}, "functions": {"g": {"vec_nbuffer_setting": {"func10_0": 2, "func8_0": 5}}}}
    new, notes = translated(tmp_path, old, capsys)
    assert new == {"process": {}, "functions": {"g": {"vec_nbuffer_setting": {"@g/k.py:7#0": 2, "func8_0": 5}}}}
    assert "vec_nbuffer_setting: func8_0 names no class of the graph and stays as it is" in notes


def test_mistakes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is not there, or that the graph refuses, ends with one message and status 1."""
    (tmp_path / "graph.mlir").write_text(GRAPH)
    (tmp_path / "bad.json").write_text('{"vec_nbuffer_setting": {"nobody": 2}}')
    for file, message in (("none.json", "no such file"), ("bad.json", "no op carries the label 'nobody'")):
        assert main([str(tmp_path / "graph.mlir"), f"--translate-keys={tmp_path / file}"]) == 1
        out, error = capsys.readouterr()
        assert out == "" and message in error and "Traceback" not in error
