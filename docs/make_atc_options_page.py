"""Writes `docs/atc-options.md` from the option tables; with `--check` it only compares."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from generated_page import write_or_check

from tools.atc.explanation import NO_EFFECT
from tools.atc.help_page import GROUPS
from tools.atc.tables import Flag, flags, option_map_entries, raw_keys, registry

PAGE = Path(__file__).parent / "atc-options.md"

INTRODUCTION = """\
# GE and ATC options

Made from the tables in `tools/atc/tables/` by `docs/make_atc_options_page.py`.

`tile-atc` takes ATC's command line, `tile-opt` the same flags by their exact names beside its own (all but `--target`
and `--help`). Both read a raw file (`--raw_ge_options=FILE`) and print the option map that GE would get, with the
source of each value:

```sh
tile-atc --model=net.mlir --framework=5 --soc_version=Ascend910B2 --output=out \\
  --raw_ge_options=raw.json --emit=ge-options
```

The strongest source of a value comes first: the command line, then the raw file's `graph`, `session` and `global`,
then the default. [Why was my option ignored?](why-was-my-option-ignored.md) says more.

A raw key stands in the raw file; a map key is what GE gets. "OM2" marks the flags that `--mode=7` refuses. An option
without an effect here is checked, recorded in the module attribute `ge.options`, and does nothing to a tile graph."""


def page() -> Iterator[str]:
    """The lines of the page."""
    yield INTRODUCTION
    keys_of_flag: dict[str, list[str]] = {}
    for key, flag in raw_keys().items():
        keys_of_flag.setdefault(flag, []).append(f"`{key}`")
    map_keys = _map_keys()
    for group in GROUPS:
        rows = [flag for flag in flags().values() if flag.group == group]
        if not rows:
            continue
        yield f"\n## {group.capitalize()}\n"
        yield "| flag | values | default | raw key | map key | OM2 | meaning | effect on a tile graph |"
        yield "|---|---|---|---|---|---|---|---|"
        for flag in rows:
            yield _row(flag, ", ".join(keys_of_flag.get(flag.name, ())), ", ".join(map_keys.get(flag.name, ())))
    yield from _registry_rows()


def _map_keys() -> dict[str, list[str]]:
    """Per flag the keys of the option map that it fills."""
    keys: dict[str, list[str]] = {}
    for entry in option_map_entries():
        flag = entry.value.partition("(")[2].removesuffix(")") or entry.value
        if flag in flags() and f"`{entry.key}`" not in keys.get(flag, ()):
            keys.setdefault(flag, []).append(f"`{entry.key}`")
    return keys


def _row(flag: Flag, raw: str, mapped: str) -> str:
    values = ", ".join(f"`{value}`" for value in flag.range) or flag.allowed
    default = f"`{flag.default}`" if flag.default else ""
    meaning = f"{flag.meaning}; required: {flag.required}" if flag.required else flag.meaning
    cells = (
        f"`--{flag.name}`",
        values,
        default,
        raw,
        mapped,
        "refused" if flag.is_rejected_in_om2 else "",
        meaning,
        flag.effect or NO_EFFECT,
    )
    return f"| {' | '.join(map(_escaped, cells))} |"


def _escaped(cell: str) -> str:
    return cell.replace("|", r"\|")


def _registry_rows() -> Iterator[str]:
    yield "\n## Defaults by optimization level\n"
    yield "These options are in the map only if they are given; at a level they have these values otherwise.\n"
    yield "| raw key | levels | O1 | O3 | values of a raw file |"
    yield "|---|---|---|---|---|"
    for option in registry().values():
        defaults = [option.defaults.get(level) for level in ("O1", "O3")]
        shown = ["-" if default is None else f"`{default}`" if default else "empty" for default in defaults]
        members = "any" if option.members is None else ", ".join(f"`{m}`" if m else "empty" for m in option.members)
        yield f"| `{option.key}` | {', '.join(option.levels)} | {shown[0]} | {shown[1]} | {members} |"


if __name__ == "__main__":
    sys.exit(write_or_check(PAGE, page()))
