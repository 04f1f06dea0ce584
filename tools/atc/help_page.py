"""The page of `tile-atc --help`: all flags in ATC's groups."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from tools.atc.tables import Flag, flags, own_flags

USAGE = """\
usage: tile-atc --model=FILE --framework=N --output=PREFIX --soc_version=CHIP [--flag=value ...]

Takes ATC's command line, checks it as ATC does, and compiles a tile graph (.mlir) instead of a network. It needs no
NPU and no CANN. The exit status is 0, or 255 after an error. The environment variable TILE_OPT_TRACEBACK=1 adds the
Python traceback, for reports of internal errors."""

GROUPS = (
    "general",
    "input",
    "output",
    "target",
    "feature",
    "model tuning",
    "operator tuning",
    "debug",
    "tile-atc",
)

_EXAMPLES = """\
examples:
  tile-atc --model=net.mlir --framework=5 --soc_version=Ascend910B2 --output=out        compile to out.mlir
  tile-atc ... --raw_ge_options=options.json --emit=ge-options                          the option map, and why
  tile-atc ... --raw_ge_options=options.json --check-only                               find mistakes early"""

_WIDTH = 120
_INDENT = " " * 8


def help_page() -> str:
    """All flags by group: type, default, what is allowed and what it means."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield USAGE
    table = {**flags(), **own_flags()}
    for group in GROUPS:
        yield f"\n[{group}]"
        for flag in table.values():
            if flag.group == group:
                yield from _flag_lines(flag)
    yield f"\n{_EXAMPLES}"


def _flag_lines(flag: Flag) -> Iterator[str]:
    name = f"--{flag.name.replace('_', '-') if flag.group == 'tile-atc' else flag.name}"
    yield f"  {'-h, ' if flag.name == 'help' else ''}{name}{'' if flag.type == 'bool' else '=VALUE'}"
    facts = [flag.meaning]
    if allowed := (", ".join(flag.range) or flag.allowed):
        facts.append(f"allowed: {allowed}")
    if flag.default and flag.type != "bool":
        facts.append(f"default: {flag.default}")
    if flag.required:
        facts.append(f"required: {flag.required}")
    yield from textwrap.wrap("; ".join(facts), _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)
