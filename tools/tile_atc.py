"""The command `tile-atc`: ATC's command line over tile graphs (ATC options, 0)."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TextIO

from tools.atc.messages import AtcError

FAILURE = 255
"""Exit status after an error."""

INTERRUPTED = 130
"""Exit status after ^C."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `tile-atc` with the arguments of the command line, or the given ones, and return its exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    emits = any(word.lstrip("-").partition("=")[0] == "emit" for word in words)
    try:
        status = _run(words, sys.stderr if emits else sys.stdout)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE
    except KeyboardInterrupt:
        print("tile-atc: interrupted", file=sys.stderr)
        return INTERRUPTED
    return status


def _run(words: Sequence[str], progress: TextIO) -> int:
    print("tile-atc: run started", file=progress, flush=True)
    print_dots = False
    try:
        from tools.atc.command_line import parse_command_line
        from tools.atc.resolution import apply_raw_file
        from tools.atc.tables import own_flags

        command_line = parse_command_line(words, own_flags())
        if command_line.wants_help:
            from tools.atc.help_page import help_page

            print(help_page())
            return 0
        stage = apply_raw_file(command_line)
        print_dots = True
        from tools.atc.modes import run

        run(stage, os.environ)
    except AtcError as error:
        _report(print_dots, "tile-atc: run failed", progress)
        print(error, file=sys.stderr)
        return FAILURE
    except BrokenPipeError:
        raise
    except Exception as error:
        _report(print_dots, "tile-atc: run failed", progress)
        _report_unexpected(error)
        return FAILURE
    _report(print_dots, "tile-atc: run succeeded", progress)
    return 0


def _report(print_dots: bool, result: str, progress: TextIO) -> None:
    if print_dots:
        print("...", file=progress)
    print(result, file=progress, flush=True)


def _report_unexpected(error: Exception) -> None:
    from tools.driver.errors import TRACEBACK_VARIABLE, describe_error

    print(f"E19999: {describe_error(error).removeprefix('tile-opt: ').removeprefix('error: ')}", file=sys.stderr)
    if os.environ.get(TRACEBACK_VARIABLE) == "1":
        import traceback

        traceback.print_exception(error)


if __name__ == "__main__":
    sys.exit(main())
