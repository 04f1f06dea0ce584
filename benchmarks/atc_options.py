"""Prints how long option-only commands of `tile-atc` take, as ratios of `python -c "import xdsl.ir"`.

Run `python benchmarks/atc_options.py`. Each time is the median of several whole processes, taken in turn; the raw file
has 200 keys, and those that ATC does not take are ignored.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from tools.atc.tables import flags, raw_keys

TOOL = Path(sys.executable).parent / "tile-atc"
KEYS = 200
ROUNDS = 15
BAR = 1.5
BIG = 64 << 20
LEVELS = 10_000

_NOT_GIVEN = frozenset({"framework", "soc_version", "precision_mode_v2", "check_report", "deterministic_level"})
_VALUES = {"static_model_ops_lower_limit": "1", "export_compile_stat": "0", "is_weight_clip": "1"}


def raw_document() -> object:
    """A raw file of many keys, as many of them as possible supported."""
    options = {
        key: _VALUES.get(flag, (flags()[flag].range or ("",))[0])
        for key, flag in raw_keys().items()
        if flag not in _NOT_GIVEN
    }
    unsupported = {f"ge.unsupported{number}": "1" for number in range(KEYS - len(options))}
    return {"compile options": {"graph": {**options, **unsupported}}}


def seconds(command: list[str], folder: Path) -> float:
    """How long a process takes."""
    begin = perf_counter()
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return perf_counter() - begin


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "m.pb").touch()
        (folder / "raw.json").write_text(json.dumps(raw_document()))
        (folder / "deep.json").write_text('{"a":' * LEVELS)
        with open(folder / "big.json", "wb") as file:
            file.truncate(BIG)
        start = [str(TOOL), "--model=m.pb", "--framework=3", "--output=o", "--soc_version=S", "--emit=ge-options"]
        ignoring = "--raw_ge_options_ignore_unsupported"
        commands = {
            'python -c "import xdsl.ir"': [sys.executable, "-c", "import xdsl.ir"],
            "tile-atc --help": [str(TOOL), "--help"],
            f"resolution of {KEYS} raw keys": [*start, "--raw_ge_options=raw.json", ignoring],
            "refusal of a raw file of 64 MiB": [*start, "--raw_ge_options=big.json"],
            f"refusal of {LEVELS} levels": [*start, "--raw_ge_options=deep.json"],
        }
        times: dict[str, list[float]] = {what: [] for what in commands}
        for _ in range(ROUNDS):
            for what, command in commands.items():
                times[what].append(seconds(command, folder))
    base, *others = ((what, statistics.median(taken)) for what, taken in times.items())
    print(f"| what | ms | ratio to {base[0]} ({base[1] * 1e3:.0f} ms) | bar |\n|---|---|---|---|")
    for what, median in others:
        print(f"| {what} | {median * 1e3:.0f} | {median / base[1]:.2f} | {BAR} |")


if __name__ == "__main__":
    main()
