"""The tables of ATC's options agree with one another, with the code, and with the counts of their source."""

import re
from pathlib import Path

from tools.atc import tables
from tools.atc.check_flags import WRITTEN_SUFFIX
from tools.atc.help_page import help_page

SOURCES = Path(tables.__file__).parents[1]


def test_counts_of_the_source() -> None:
    """90 flags, 75 static and 5 registry keys, 22 enumerated ranges, 22 flags rejected in OM2, 114 pass names."""
    flags = tables.flags().values()
    assert len(flags) == 90
    assert [sum(flag.type == kind for flag in flags) for kind in ("string", "int32", "bool")] == [82, 6, 2]
    assert sum(bool(flag.range) for flag in flags) == 22
    assert sum(flag.is_rejected_in_om2 for flag in flags) == 22
    assert (len(tables.static_keys()), len(tables.registry()), len(tables.raw_keys())) == (75, 5, 80)
    assert (len(tables.pass_names()), len(tables.option_names())) == (114, 276)


def test_every_key_has_a_flag_and_eleven_flags_no_key() -> None:
    """Raw keys lead to flags that exist, 74 static ones, and each other static flag is one that no key reaches."""
    assert set(tables.raw_keys().values()) <= set(tables.flags())
    assert len(set(tables.static_keys().values())) == 74
    unreachable = "model output weight help om json mode singleop h2d_overlapped_with_compute raw_ge_options"
    assert set(tables.flags()) - set(tables.raw_keys().values()) == {
        *unreachable.split(),
        "raw_ge_options_ignore_unsupported",
    }
    assert list(tables.raw_keys()) == sorted(tables.raw_keys())


def test_option_map_rows_name_flags_and_their_raw_keys() -> None:
    """A row of the option map that copies a flag has the raw key of that flag, if there is one."""
    keys_of = {flag: key for key, flag in tables.raw_keys().items()}
    for entry in tables.option_map_entries():
        flag = re.fullmatch(r"(?:\w+\()?(\w*)\)?", entry.value)
        if flag is None or not flag[1]:
            continue
        assert flag[1] in tables.flags(), entry
        if flag[1] in keys_of and not entry.value.startswith("original"):
            assert entry.key == keys_of[flag[1]], entry


def test_option_map_counts() -> None:
    """59 keys are always there and 14 sometimes; with --singleop 34 and 2."""
    entries = tables.option_map_entries()
    assert [entry.model_modes for entry in entries].count("always") == 59
    assert sum(entry.model_modes not in ("always", "absent") for entry in entries) == 14
    assert [entry.single_operator for entry in entries].count("always") == 34
    assert sum(entry.single_operator not in ("always", "absent") for entry in entries) == 2


def test_raw_keys_that_are_no_option_names() -> None:
    """16 of the 80 raw keys would be taken as pass names (appendix B)."""
    assert len(set(tables.raw_keys()) - tables.option_names()) == 16


def test_defaults_are_legal() -> None:
    """Every default of a flag with a range is a member of it, but for the framework, which has none."""
    odd = [flag.name for flag in tables.flags().values() if flag.range and flag.default not in ("", *flag.range)]
    assert odd == ["framework"]


def test_codes_in_the_code_are_in_the_table_and_the_other_way_round() -> None:
    """Each error code that the code names has a text, and each text is used, with as many arguments as it has."""
    sources = "".join(path.read_text("utf-8") for path in SOURCES.glob("*.py"))
    named = set(re.findall(r'"(E\d{5})"', sources))
    assert named == set(tables.message_texts())
    for text, arguments in tables.message_texts().values():
        assert set(re.findall(r"{(\w+)}", text)) == set(arguments)


def test_help_lists_all_flags() -> None:
    """Each of the 90 flags, and each of our own, stands in the help once."""
    shown = re.findall(r"^  (?:-h, )?--([\w-]+)", help_page(), re.MULTILINE)
    assert sorted(name.replace("-", "_") for name in shown) == sorted({**tables.flags(), **tables.own_flags()})
    assert help_page().isascii()


def test_modes_that_write() -> None:
    """The modes that write a model are among those of the flag."""
    assert set(WRITTEN_SUFFIX) <= set(tables.flags()["mode"].range)
