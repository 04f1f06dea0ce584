"""Every error is one message and an exit status."""

import os
import subprocess
import sys

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.arg_spec import parse_spec
from xdsl.utils.exceptions import ParseError, PassFailedException, VerifyException
from xdsl.utils.lexer import Input, Span

from tools.driver.errors import PlacedVerifyException, UserError, describe_error, exit_status

SPAN = Span(2, 3, Input("ab c", "f.mlir"))


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (UserError("no such file"), "tile-opt: error: no such file"),
        (UserError("does not verify", "f.mlir"), "f.mlir: error: does not verify"),
        (ParseError(SPAN, "expected ')'"), "f.mlir:1:3: error: expected ')'\n  ab c\n    ^"),
        (PlacedVerifyException("bad", SPAN), "f.mlir:1:3: error: bad\n  ab c\n    ^"),
        (VerifyException("bad"), "tile-opt: error: bad"),
        (PassFailedException("bad"), "tile-opt: error: bad"),
        (PermissionError(13, "Permission denied", "f.mlir"), "tile-opt: error: 'f.mlir': Permission denied"),
        (OSError(28, "No space left on device"), "tile-opt: error: No space left on device"),
        (MemoryError(), "tile-opt: error: out of memory"),
        (NotImplementedError("tile.exp"), "tile-opt: error: not supported: tile.exp"),
        (
            ModuleNotFoundError("No module named 'llvmlite'", name="llvmlite"),
            "tile-opt: error: the Python module 'llvmlite' is not installed",
        ),
        (
            KeyError("x"),
            "tile-opt: internal error: KeyError: 'x'; please report this with the input",
        ),
    ],
)
def test_message(error: Exception, message: str) -> None:
    """Each class of errors has its message."""
    assert describe_error(error) == message


def test_internal_error_is_one_line() -> None:
    """A message that carries a module is shortened, and the pass that was at work is named."""
    error = AssertionError("expected\n" + "module " * 1000)
    error.add_note("in pass 'cse'")
    message = describe_error(error)
    assert "\n" not in message
    assert len(message) < 500
    assert message.endswith("... in pass 'cse'; please report this with the input")


def test_exit_status(capsys: pytest.CaptureFixture[str]) -> None:
    """0 after success, 1 after any error, 130 after ^C, and each error writes to stderr once."""

    def fail(error: BaseException) -> None:
        raise error

    assert exit_status(lambda: None) == 0
    assert exit_status(lambda: fail(SystemExit(0))) == 0
    assert exit_status(lambda: fail(SystemExit(2))) == 1
    assert capsys.readouterr() == ("", "")
    assert exit_status(lambda: fail(UserError("wrong"))) == 1
    assert capsys.readouterr() == ("", "tile-opt: error: wrong\n")
    assert exit_status(lambda: fail(KeyboardInterrupt())) == 130
    assert capsys.readouterr() == ("", "tile-opt: interrupted\n")


def test_error_outside_of_exception_is_caught(capsys: pytest.CaptureFixture[str]) -> None:
    """xDSL's `ArgSpecParseError` does not derive from `Exception`, and is a message all the same."""
    assert exit_status(lambda: print(parse_spec("a{"))) == 1
    assert capsys.readouterr().err.startswith("tile-opt: error: ")


def test_traceback_on_request(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A traceback is shown only if the environment asks for it."""
    assert exit_status(lambda: ModuleOp([]).verify("bad", "call")) == 1  # type: ignore[call-arg]
    assert "Traceback" not in capsys.readouterr().err
    monkeypatch.setenv("TILE_OPT_TRACEBACK", "1")
    assert exit_status(lambda: ModuleOp([]).verify("bad", "call")) == 1  # type: ignore[call-arg]
    message = capsys.readouterr().err
    assert message.startswith("tile-opt: internal error: TypeError: ")
    assert "Traceback" in message


def run_with_stdout(stdout: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.tile_opt"]
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, text=True)


def test_closed_pipe_is_quiet() -> None:
    """A reader that is gone ends the program without a word."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        result = run_with_stdout(writer)
    finally:
        os.close(writer)
    assert (result.returncode, result.stderr) == (1, "")


def test_full_device() -> None:
    """What cannot be written is an error, also when it is found at the end."""
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    with open("/dev/full", "w") as full:
        result = run_with_stdout(full.fileno())
    assert (result.returncode, result.stderr) == (1, "tile-opt: error: No space left on device\n")
