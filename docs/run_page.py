"""Runs the commands of a page and writes what they print under them: `python docs/run_page.py docs/pass-options.md`.

With `--check` it only compares. The commands of ```` ```console ```` blocks run in a copy of `examples/`; they are
`tile-opt …`, `python PROGRAM`, `python PROGRAM > FILE`, and `echo '…' > FILE`.
"""

from __future__ import annotations

import os
import re
import runpy
import shlex
import shutil
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.tile_opt import main as tile_opt

EXAMPLES = Path(__file__).parents[1] / "examples"

_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
_COMMAND = re.compile(r"^\$ (.*)$", re.MULTILINE)
_WRITE = re.compile(r"echo '(.*)' > (\S+)")


def printed(command: str) -> str:
    """What a command prints, on stdout and then on stderr."""
    if (write := _WRITE.fullmatch(command)) is not None:
        Path(write[2]).write_text(f"{write[1]}\n", encoding="utf-8")
        return ""
    command, _, file = command.partition(" > ")
    program, *arguments = shlex.split(command)
    if program not in ("tile-opt", "python"):
        raise ValueError(f"a page runs tile-opt, python and echo, found {program}")
    out, error = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(error):
        if program == "python":
            runpy.run_path(arguments[0], run_name="__main__")
        else:
            tile_opt(arguments)
    if file:
        Path(file).write_text(out.getvalue(), encoding="utf-8")
        return error.getvalue().strip()
    return (out.getvalue() + error.getvalue()).strip()


def with_outputs(page: str) -> str:
    """The page with the outputs of its commands; they run in the working directory, in their order."""

    def block(match: re.Match[str]) -> str:
        lines: list[str] = []
        for command in _COMMAND.findall(match[1]):
            lines += [f"$ {command}", *filter(None, [printed(command)])]
        return "```console\n" + "\n".join(lines) + "\n```"

    return _BLOCK.sub(block, page)


def main() -> int:
    """Rewrite the pages that are named, or with `--check` say whether they are up to date."""
    pages = [Path(argument).absolute() for argument in sys.argv[1:] if argument != "--check"]
    is_up_to_date = True
    for page in pages:
        with TemporaryDirectory() as folder:
            shutil.copytree(EXAMPLES, folder, dirs_exist_ok=True)
            os.chdir(folder)
            old = page.read_text(encoding="utf-8")
            new = with_outputs(old)
            os.chdir(EXAMPLES)
        is_up_to_date &= old == new
        if "--check" not in sys.argv[1:]:
            page.write_text(new, encoding="utf-8")
    return 0 if is_up_to_date or "--check" not in sys.argv[1:] else 1


if __name__ == "__main__":
    sys.exit(main())
