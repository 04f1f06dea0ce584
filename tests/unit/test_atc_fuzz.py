"""Hypothesis: any command line and any raw file end with an exit status and a message, and explicit flags win."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tools.atc.command_line import parse_command_line, rewrite_argument
from tools.atc.messages import AtcError
from tools.atc.tables import flags, own_flags, raw_keys, registry_flags
from tools.tile_atc import main

TEXTS = st.text(st.characters(exclude_characters="\0"), max_size=12)
NAMES = st.sampled_from(list(flags())) | TEXTS
VALUES = (
    st.sampled_from(["", "0", "1", "2", "true", "false", "O1", "a:1,2", "a:-1", "1;2", "m.pb", "S", "on", "3", "-1"])
    | TEXTS
    | st.text("0123456789,;:~-[] ax", max_size=20)
)
ARGUMENTS = st.lists(
    st.builds(lambda dash, name, rest: f"{dash}{name}{rest}", st.sampled_from(["", "-", "--"]), NAMES, st.just(""))
    | st.builds(lambda name, value: f"--{name}={value}", NAMES, VALUES)
    | VALUES,
    max_size=8,
)
OPTIONS = st.dictionaries(st.sampled_from(list(raw_keys())) | TEXTS, VALUES, max_size=5)
LEVELS = st.dictionaries(st.sampled_from(["global", "session", "graph"]), OPTIONS, max_size=3)
DOCUMENTS = st.builds(lambda levels: {"compile options": levels}, LEVELS)
RAW_FILES = st.binary(max_size=40) | DOCUMENTS.map(lambda document: json.dumps(document).encode())
REQUIRED = ["--model=m.pb", "--framework=3", "--output=o", "--soc_version=S"]

in_one_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the commands run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.pb").touch()
    return tmp_path


@in_one_folder
@given(arguments=ARGUMENTS, raw=RAW_FILES, required=st.booleans(), place=st.integers(0, 8))
def test_no_command_line_gives_a_traceback(
    arguments: list[str], raw: bytes, required: bool, place: int, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The status is 0 or 255, and 255 comes with a message that has a code or begins with ERROR."""
    (folder / "raw.json").write_bytes(raw)
    command = [*(REQUIRED if required else ()), *arguments]
    command.insert(min(place, len(command)), "--raw_ge_options=raw.json")
    status = main(["--emit=ge-options", "--explain", *command])
    captured = capsys.readouterr()
    assert status in (0, 255)
    assert "Traceback" not in captured.err
    assert "internal error" not in captured.err
    if status:
        assert captured.err.splitlines()[-1].startswith(("ERROR: ", "E1"))
    assert set(os.listdir(folder)) == {"m.pb", "raw.json"}


@in_one_folder
@given(
    given_flags=st.dictionaries(st.sampled_from(["jit_compile", "debug_dir", "topo_sorting_mode", "oo_level"]), VALUES),
    levels=LEVELS,
)
def test_no_raw_value_beats_an_explicit_flag(
    given_flags: dict[str, str], levels: dict[str, dict[str, str]], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """If a run succeeds, the map holds for each explicit flag its text, whatever the raw file says."""
    (folder / "raw.json").write_text(json.dumps({"compile options": levels}))
    command = [*REQUIRED, *(f"--{name}={value}" for name, value in given_flags.items()), "--emit=ge-options"]
    status = main([*command, "--raw_ge_options=raw.json", "--raw_ge_options_ignore_unsupported"])
    output = capsys.readouterr().out
    if status == 0:
        options = json.loads(output)["options"]
        key_of_flag = {flag: key for key, flag in raw_keys().items()}
        for name, value in given_flags.items():
            entry = options[key_of_flag[name]]
            assert (entry["value"], entry["source"]) == (value, "command line")
        for key, entry in options.items():
            if entry["source"].startswith("raw "):
                assert raw_keys()[key] not in given_flags


@given(st.lists(st.tuples(st.sampled_from([flag for flag in flags().values() if not flag.range]), VALUES), max_size=6))
def test_flags_are_read_as_written(occurrences: list[tuple[object, str]]) -> None:
    """With `=` each flag keeps its texts in order, and the separated form says the same."""
    from tools.atc.tables import Flag

    pairs = [(flag.name, text) for flag, text in occurrences if isinstance(flag, Flag) and flag.type == "string"]
    joined = parse_command_line([f"--{name}={text}" for name, text in pairs])
    expected: dict[str, tuple[str, ...]] = {}
    for name, text in pairs:
        expected[name] = (*expected.get(name, ()), text)
    assert joined.texts == expected
    texts = [(name, text) for name, text in pairs if not text.startswith("-")]
    separated = parse_command_line([word for name, text in texts for word in (f"--{name}", text)])
    assert separated == parse_command_line([f"--{name}={text}" for name, text in texts])


@given(st.sampled_from(list(flags())), st.integers(1, 40))
def test_prefixes(name: str, length: int) -> None:
    """A prefix means the one flag that begins so, and an exact name that flag; else it is refused."""
    prefix = name[:length]
    found = [flag for flag in flags() if flag.startswith(prefix)]
    value = (flags()[name].range or ("",))[0] if flags()[name].type != "bool" else "false"
    if prefix == name or found == [name]:
        assert parse_command_line([f"--{prefix}={value}"]).texts == {name: (value,)}
    elif prefix not in flags() and prefix != "h":
        with pytest.raises(AtcError):
            parse_command_line([f"--{prefix}={value}"])


@given(TEXTS)
def test_rewriting_is_stable(argument: str) -> None:
    """Rewriting an argument twice is the same as once, and leaves a value behind '=' alone."""
    once = rewrite_argument(argument)
    assert rewrite_argument(once) == once
    assert once.partition("=")[2] == argument.partition("=")[2]


def test_own_flags_do_not_change_prefixes() -> None:
    """`--check` is `--check_report`, although `tile-atc` has `--check-only` too."""
    command_line = parse_command_line(["--check=r", "--check-only"], own_flags())
    assert command_line.texts == {"check_report": ("r",), "check_only": ("",)}
    assert set(registry_flags()) <= set(flags())
