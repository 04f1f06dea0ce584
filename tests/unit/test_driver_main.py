"""The command as a whole, in this process."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from tools.driver.errors import exit_status
from tools.tile_opt import TileOptMain, main
from transforms.remarks import Remark, emit, is_collecting


@dataclass(frozen=True)
class Probe(ModulePass):
    """A pass that remarks, fails or leaves a wrong module, as its option says."""

    name = "probe"

    do: str = "remark"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        op.attributes["collecting"] = StringAttr(str(is_collecting()))
        emit(Remark("probe", "seen", "a module", details={"name": "é"}))
        if self.do == "fail":
            raise PassFailedException("no chance")
        if self.do == "crash":
            raise KeyError("key")
        if self.do == "break":
            del next(iter(op.body.block.ops)).properties["value"]


class ProbedMain(TileOptMain):
    """The driver with one more pass."""

    def register_all_passes(self) -> None:
        super().register_all_passes()
        self.register_pass("probe", lambda: Probe)


def run(*arguments: object) -> int:
    return exit_status(lambda: ProbedMain([str(argument) for argument in arguments]).run())


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A file with one operation."""
    path = tmp_path / "in.mlir"
    path.write_text("%0 = arith.constant 1 : i32\n")
    return path


def test_remarks_are_collected_on_request(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--explain prints remarks on stderr, --remarks writes them, and without both nobody listens."""
    path = tmp_path / "remarks.json"
    assert run(source, "-p", "probe", "--explain", f"--remarks={path}") == 0
    output = capsys.readouterr()
    assert 'collecting = "True"' in output.out
    assert output.err == "the module:\n  probe:\n    a module\n"
    assert [record["details"] for record in json.loads(path.read_text("utf-8"))] == [{"name": "é"}]
    assert run(source, "-p", "probe") == 0
    assert 'collecting = "False"' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("fail", "{source}: error: probe: no chance\n"),
        ("crash", "tile-opt: internal error: KeyError: 'key' in pass 'probe'; please report this with the input\n"),
        (
            "break",
            "{source}: error: after probe: 'arith.constant' does not verify: property 'value' expected in operation "
            "'arith.constant'\n  %0 = \"arith.constant\"() : () -> i32\n",
        ),
    ],
)
def test_failing_pass(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str, message: str
) -> None:
    """A pass that gives up, crashes, or leaves a wrong module is named; no output file appears."""
    outputs = ("-o", tmp_path / "out.mlir", f"--remarks={tmp_path / 'remarks.json'}")
    assert run(source, "-p", f"probe{{do={what}}}", *outputs) == 1
    assert capsys.readouterr() == ("", message.format(source=source))
    assert os.listdir(tmp_path) == ["in.mlir"]


def test_failing_pass_with_verify_diagnostics(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --verify-diagnostics the failure of a pass goes to stdout and is no error."""
    assert run(source, "-p", "probe{do=fail}", "--verify-diagnostics") == 0
    assert capsys.readouterr() == ("no chance\n", "")


def test_input_is_read_before_it_is_replaced(source: Path) -> None:
    """-o may name the input file."""
    assert run(source, "-p", "probe", "-o", source) == 0
    assert 'collecting = "False"' in source.read_text()


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b'"test.op"() : () -> ()\n  "\xc3\xa9\xff"', "2:5: error: byte 0xff is not UTF-8"),
        (b'"test.op"() : () -> ()\n  \x00', "2:3: error: "),
        (b'"test.op"({', "1:11: error: "),
        (b'%0 = arith.constant 1000 : i8 "x"', "1:31: error: Integer value 1000 is out of range for type i8"),
        (b'"' + b"a" * 1000, "1:1: error: End of file reached before closing string literal"),
        (b'"test.op"() {a = ' + b"1" * 5000 + b"}", "1:5018: error: cannot read this (ValueError: Exceeds the limit"),
        (b'builtin.module @"\\FF" {}', "1:23: error: cannot read this (UnicodeDecodeError: "),
    ],
)
def test_wrong_text_has_a_place(tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes, place: str) -> None:
    """Bytes that are no text, text that is no MLIR, and values that do not verify are shown where they stand."""
    path = tmp_path / "wrong.mlir"
    path.write_bytes(data)
    assert main([str(path)]) == 1
    assert capsys.readouterr().err.startswith(f"{path}:{place}")


def test_value_that_does_not_verify_in_a_later_piece(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The place counts the lines of the pieces before."""
    path = tmp_path / "wrong.mlir"
    path.write_text("\n// -----\n\n%0 = arith.constant 1000 : i8 }\n")
    assert main([str(path), "--split-input-file"]) == 1
    assert capsys.readouterr().err.startswith(f"{path}:4:31: error: Integer value 1000")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n  %0 = tile.exq %1 : i32", "2:8: error: Operation tile.exq is not registered, did you mean 'tile.exp'"),
        ('"tiel.exp"() : () -> ()', "1:2: error: Operation tiel.exp is not registered, did you mean 'tile'"),
    ],
)
def test_unknown_operation(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str) -> None:
    """The place is that of the name, and the nearest operations, or dialects, are proposed."""
    path = tmp_path / "wrong.mlir"
    path.write_text(text)
    assert main([str(path)]) == 1
    assert capsys.readouterr().err.startswith(f"{path}:{message}")


@pytest.mark.parametrize("text", ['"test.op"() ({' * 20_000, '"test.op"() {a = ' + "[" * 20_000])
def test_deep_nesting(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    """Nesting beyond what can be parsed is a message."""
    path = tmp_path / "deep.mlir"
    path.write_text(text)
    assert main([str(path)]) == 1
    assert capsys.readouterr() == ("", f"{path}: error: the input is nested too deeply\n")


@pytest.mark.parametrize("text", ["", "\n \n", "// nothing\n"])
def test_nothing_is_an_empty_module(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    """A file without operations is an empty module."""
    path = tmp_path / "empty.mlir"
    path.write_text(text)
    assert main([str(path)]) == 0
    assert capsys.readouterr() == ("builtin.module {\n}\n\n", "")


def test_options_import_only_what_they_use() -> None:
    """--version imports no dialect of ours, no numpy, no JSON library."""
    program = (
        "import sys; from tools.tile_opt import main; main(['--version']); "
        "print(*sorted({'numpy', 'msgspec', 'json', 'gzip', 'dialect.tile', 'dialect.ops'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[1:] == [""]
