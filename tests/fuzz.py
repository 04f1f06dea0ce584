"""Feeds damaged inputs to tile-opt: mutated MLIR, mutated JSON, random pipelines.

Run `python tests/fuzz.py [--inputs 10000] [--seed 0] [--keep FOLDER]`. Each input runs in a process of its own. What is
reported, and kept in the folder: an exit status other than 0 and 1, a traceback or internal error, an error without a
message, more than 10 seconds, more than 1 GiB, and an output file after an error.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from text_mutations import mutated

from tools.formats import get_all_frontends, get_all_targets
from tools.tile_opt import main
from transforms import get_all_passes

SECONDS = 10
BYTES = 1 << 30
_TESTS = Path(__file__).parent
_PASSES = sorted(get_all_passes())
_VALUES = (
    "0",
    "1",
    "-1",
    "3",
    "iso",
    "osp-sarkar",
    "osp-bsp",
    "true",
    '"DEFAULT=2,func8_0=1"',
    '"-1=4:left"',
    "1e9",
    "",
)
_NUMBERS = (0, -1, 1, 2, 23, 24, 2**31, -(2**31) - 1, 2**63, -(2**63) - 1, 2**64, 10**30, 1.5, 1e308, 0.0)
_OTHERS = (None, True, "", "Iso", "VIEW", "é", [], {}, [[]], [0], {"a": 1}, "9" * 5000)


class FuzzInput(NamedTuple):
    """What tile-opt is given: a file and the arguments behind it."""

    name: str
    data: bytes
    arguments: tuple[str, ...]


class Outcome(NamedTuple):
    """How a run ended; `signal` is 0 unless the process was killed, `bytes` is the memory it took."""

    status: int
    signal: int
    bytes: int
    messages: str
    left_over: list[str]


def fuzz_inputs(random: Random) -> Iterator[FuzzInput]:
    """Endless damaged inputs."""
    texts = [
        piece
        for path in sorted(_TESTS.glob("lit/**/*.mlir"))
        for piece in path.read_text("utf-8").split("// -----")
        if "expected" not in path.name
    ]
    dumps = [
        json.loads(gzip.decompress(path.read_bytes()))
        for path in sorted(_TESTS.glob("conformance/corpus/*.json.gz"))
        if path.stat().st_size < 8_000 and "partition" not in path.name
    ]
    while True:
        match random.randrange(6):
            case 0 | 1:
                yield FuzzInput("input.mlir", _mutated_text(random, texts), _arguments(random))
            case 2 | 3:
                yield FuzzInput("input.json", _mutated_dump(random, dumps), _arguments(random))
            case 4:
                data = _damaged(random, json.dumps(random.choice(dumps), indent=1).encode())
                yield FuzzInput("input.json", data, _arguments(random))
            case _:
                arguments = (
                    "-p",
                    mutated(_pipeline(random), random),
                    "-t",
                    random.choice([*get_all_targets(), "mlir"]),
                )
                yield FuzzInput("input.json", json.dumps(random.choice(dumps)).encode(), arguments)


def _mutated_text(random: Random, texts: list[str]) -> bytes:
    text = mutated(random.choice(texts), random)
    data = text.encode("utf-8", "surrogatepass")
    return _damaged(random, data) if random.random() < 0.1 else data


def _damaged(random: Random, data: bytes) -> bytes:
    """The bytes cut, with a byte changed, or compressed and then so."""
    if random.random() < 0.2:
        data = gzip.compress(data, mtime=0)
    place = random.randrange(len(data) or 1)
    match random.randrange(3):
        case 0:
            return data[:place]
        case 1:
            return data[:place] + bytes([random.randrange(256)]) + data[place + 1 :]
        case _:
            return data[:place] + random.choice((b"NaN", b"[" * 5000, b'{"a":' * 5000, b"\xff", b"-", b'"', b"\\u"))


def _mutated_dump(random: Random, dumps: list[Any]) -> bytes:
    """A dump in which one to three values are gone, of another type, another number, or those of another place."""
    value = json.loads(json.dumps(random.choice(dumps)))
    for _ in range(random.choice((1, 1, 2, 3))):
        places: list[tuple[Any, Any]] = []
        _collect_places(value, places)
        container, key = random.choice(places)
        other, other_key = random.choice(places)
        match random.randrange(4):
            case 0:
                del container[key]
            case 1:
                container[key] = random.choice((*_NUMBERS, *_OTHERS))
            case 2:
                container[key] = json.loads(json.dumps(other[other_key]))
            case _:
                if isinstance(container, list):
                    container.insert(key, json.loads(json.dumps(container[key])))
                else:
                    container[key + "x"] = container.pop(key)
    return json.dumps(value).encode()


def _collect_places(value: Any, places: list[tuple[Any, Any]]) -> None:
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        places.append((value, key))
        _collect_places(value[key], places)


def _arguments(random: Random) -> tuple[str, ...]:
    arguments = ("-t", random.choice(["mlir", "mlir", *get_all_targets()]))
    if random.random() < 0.7:
        arguments += ("-p", _pipeline(random))
    if random.random() < 0.3:
        arguments += (random.choice(("--explain", "--print-op-generic", "--split-input-file", "--compat=published")),)
    return arguments


def _pipeline(random: Random) -> str:
    names = ["graph-partition", random.choice(_PASSES), random.choice(_PASSES)]
    return ",".join(_pass_text(random, name) for name in names[random.randrange(2) : random.randint(1, 3)] or names[:1])


def _pass_text(random: Random, name: str) -> str:
    options = [field for field in get_all_passes()[name]().__dataclass_fields__ if field != "name"]
    if not options or random.random() < 0.75:
        return name
    chosen = random.choice(options).replace("_", "-")
    return f"{name}{{{chosen}={random.choice(_VALUES)}}}"


def _import_all() -> None:
    """Import here what every child would import for itself."""
    for factory in (*get_all_passes().values(), *get_all_targets().values(), *get_all_frontends().values()):
        factory()


def run_in_child(given: FuzzInput, folder: Path) -> Outcome:
    """Run tile-opt on an input in a process of its own, with the output file `out` in `folder`."""
    (folder / given.name).write_bytes(given.data)
    messages = folder / "messages"
    child = os.fork()
    if child == 0:
        status = 70
        with contextlib.suppress(BaseException):
            signal.alarm(SECONDS)
            resource.setrlimit(resource.RLIMIT_AS, (4 * BYTES, 4 * BYTES))
            descriptor = os.open(messages, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(descriptor, 1)
            os.dup2(descriptor, 2)
            sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
            os.chdir(folder)
            status = main([given.name, *given.arguments, "-o", "out"])
            sys.stderr.flush()
        os._exit(status)
    _, ended, usage = os.wait4(child, 0)
    text = messages.read_text("utf-8", "replace") if messages.exists() else ""
    left_over = sorted({path.name for path in folder.iterdir()} - {given.name, messages.name})
    for path in folder.iterdir():
        path.unlink()
    return Outcome(os.waitstatus_to_exitcode(ended), os.WTERMSIG(ended), usage.ru_maxrss << 10, text, left_over)


def complaint(outcome: Outcome, bytes_before: int) -> str | None:
    """What is wrong with an outcome, or None."""
    if outcome.signal == signal.SIGALRM:
        return f"more than {SECONDS} seconds"
    if outcome.status not in (0, 1):
        return f"exit status {outcome.status}"
    if "Traceback" in outcome.messages or "internal error" in outcome.messages:
        return "internal error: " + outcome.messages.strip().splitlines()[-1][:200]
    if outcome.bytes - bytes_before > BYTES:
        return f"{outcome.bytes >> 20} MiB"
    if outcome.status == 1 and ": error: " not in outcome.messages:
        return "an error without a message"
    if outcome.left_over != (["out"] if outcome.status == 0 else []):
        return f"exit status {outcome.status} and the files {outcome.left_over}"
    return None


def run(count: int, seed: int, keep: Path | None = None) -> list[str]:
    """Run `count` inputs; the complaints, each with the number of its input."""
    complaints: list[str] = []
    _import_all()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    with tempfile.TemporaryDirectory() as folder:
        for number, given in zip(range(count), fuzz_inputs(Random(seed)), strict=False):
            problem = complaint(run_in_child(given, Path(folder)), before)
            if problem is None:
                continue
            complaints.append(f"input {number}: {problem} ({given.name} {' '.join(given.arguments)})")
            if keep is not None:
                keep.mkdir(exist_ok=True, parents=True)
                (keep / f"{seed}_{number}_{given.name}").write_bytes(given.data)
                print(complaints[-1], flush=True)
    return complaints


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=10_000, help="how many inputs (10,000)")
    parser.add_argument("--seed", type=int, default=0, help="equal seeds give equal inputs (0)")
    parser.add_argument(
        "--keep",
        type=Path,
        default=Path(tempfile.gettempdir()) / "tile-opt-fuzz",
        help="where to keep inputs that show a mistake",
    )
    chosen = parser.parse_args()
    shutil.rmtree(chosen.keep, ignore_errors=True)
    found = run(chosen.inputs, chosen.seed, chosen.keep)
    print(f"{chosen.inputs} inputs, {len(found)} complaints" + (f"; the inputs are in {chosen.keep}" if found else ""))
    sys.exit(bool(found))
