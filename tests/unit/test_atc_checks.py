"""Rules that are easier to see one by one than on a command line."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.atc.command_line import parse_command_line
from tools.atc.core_checks import check_build_config, check_core_counts, check_later
from tools.atc.entry_checks import local_host
from tools.atc.messages import AtcError, printable
from tools.atc.raw_file import check_static_limit, flatten
from tools.atc.resolution import apply_raw_file, resolve
from tools.atc.shapes import check_static_shapes, parse_indexed_ranges, parse_named_ranges, parse_shapes
from tools.atc.switches import parse_switches


def codes(error: pytest.ExceptionInfo[AtcError]) -> list[str]:
    return [message.code for message in error.value.messages]


def later(*arguments: str) -> list[str]:
    """The codes that a build would give for these flags."""
    stage = apply_raw_file(parse_command_line(arguments))
    try:
        reported = check_later(resolve(stage, {}, needs_required=False).flags)
    except AtcError as error:
        return [message.code for message in error.messages]
    return [message.code for message in reported]


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("--oo_level=O1", []),
        ("--oo_level=O2", ["E10001"]),
        ("--oo_constant_folding=maybe", ["E10001"]),
        ("--oo_constant_folding=", []),
        ("--export_compile_stat=", ["E10001"]),
        ("--multi_stream_parallel_mode=cv", []),
        ("--multi_stream_parallel_mode=WeightedLoadBalance:64", []),
        ("--multi_stream_parallel_mode=LoadBalance:0", ["E10001"]),
        ("--multi_stream_parallel_mode=LoadBalance:65", ["E10001"]),
        ("--multi_stream_parallel_mode=LoadBalance:1:2", ["E10001"]),
        ("--hccl_sub_comm_config=", []),
        ("--input_hint_shape=0:[1,2];1:[3]", []),
        ("--input_hint_shape=0:[1];0:[2]", ["E10014"]),
        ("--aicore_num=8|", []),
        ("--aicore_num=-1", ["E10001"]),
    ],
)
def test_what_a_build_finds(argument: str, expected: list[str]) -> None:
    """Values that the entry lets through and GE's core refuses."""
    assert later(argument) == expected


def test_files_and_gears_that_a_build_finds(tmp_path: Path) -> None:
    """Sub-communicators need a cluster, gears must be several, equally long and different."""
    (tmp_path / "groups").write_text('{"GroupList": [{"RankIds": [0], "HcclCommconfig": {}}]}')
    assert later(f"--hccl_sub_comm_config={tmp_path / 'groups'}") == ["E10058"]
    (tmp_path / "aipp").write_text("aipp_op { aipp_mode: static input_format: RGB16 related_input_name: 'a' }")
    assert later(f"--insert_op_conf={tmp_path / 'aipp'}", "--input_fp16_nodes=b;a") == ["E10034"]
    shape = "--input_shape=a:-1,-1"
    assert later(shape, "--dynamic_dims=1,2;3,4") == []
    assert later(shape, "--dynamic_dims=1,2") == ["E10035"]
    assert later(shape, "--dynamic_dims=1,2;3,") == ["E10037"]
    assert later(shape, "--dynamic_dims=1,2;01,2") == ["E10039"]


@pytest.mark.parametrize(
    ("text", "counts"),
    [("", (0, 0)), ("8", (8, 0)), ("8|", (8, 0)), ("8|16", (8, 16)), ("0|16", (0, 16)), ("|16", (0, 16))],
)
def test_core_counts(text: str, counts: tuple[int, int]) -> None:
    """Cube and vector cores; 0 is no change."""
    assert check_core_counts(text, (24, 48)) == counts


@pytest.mark.parametrize("text", ["01", "+1", " 1", "1 ", "1|2|3", "a", "9" * 30])
def test_wrong_core_counts(text: str) -> None:
    """Only plain decimal numbers."""
    with pytest.raises(AtcError) as caught:
        check_core_counts(text, (24, 48))
    assert codes(caught) == ["E10001"]


@pytest.mark.parametrize("text", ["make", "/usr/bin/make -j8 CXX=g++ CXXFLAGS='-O2 -g'", "make LDLIBS="])
def test_build_config(text: str) -> None:
    """A make command with variables that it may set."""
    check_build_config(text)


@pytest.mark.parametrize("text", ["cmake", "make -f x", "make --file=x", "make CC=gcc", "make all", "make 'a", "make;"])
def test_wrong_build_config(text: str) -> None:
    """No other command, makefile, variable, target, open quote or character."""
    with pytest.raises(AtcError):
        check_build_config(text)


@given(st.integers(-(2**70), 2**70))
def test_static_limit(number: int) -> None:
    """The limit is an integer from -1 to 2^63 - 1."""
    if -1 <= number < 2**63:
        check_static_limit(str(number))
        return
    with pytest.raises(AtcError):
        check_static_limit(str(number))


@pytest.mark.parametrize("text", ["", "+1", " 1", "1 ", "0x1", "--1", "-", "१", "1\n"])
def test_wrong_static_limit(text: str) -> None:
    """Only an optional '-' and ASCII digits."""
    with pytest.raises(AtcError):
        check_static_limit(text)


LEVEL = st.dictionaries(st.sampled_from("abc"), st.text(max_size=2))


@given(LEVEL, LEVEL, LEVEL)
def test_flattening(graph: dict[str, str], session: dict[str, str], lowest: dict[str, str]) -> None:
    """graph over session over global; what lost is kept, best first; keys in byte order."""
    options = flatten({"session": session, "graph": graph, "global": lowest})
    assert {option.key: option.value for option in options} == {**lowest, **session, **graph}
    assert [option.key for option in options] == sorted({**lowest, **session, **graph})
    for option in options:
        values = [level[option.key] for level in (graph, session, lowest) if option.key in level]
        assert [option.value, *(given.value for given in option.overridden)] == values


@given(st.lists(st.tuples(st.sampled_from("abc"), st.lists(st.integers(1, 2**63 - 1), max_size=4)), min_size=1))
def test_static_shapes_are_read_back(shapes: list[tuple[str, list[int]]]) -> None:
    """Names and dims come back in their order."""
    text = ";".join(f"{name}:{','.join(map(str, dims))}" for name, dims in shapes)
    assert [(shape.name, list(shape.dims)) for shape in check_static_shapes(text)] == shapes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a:03", []),
        ("x:y:1", []),
        ("a: 3", ["E10002"]),
        ("a:3 ", ["E10002"]),
        ("a:x", ["E10014"]),
        ("a:", []),
        ("a:,", ["E10014"]),
        ("a:+", ["E10014"]),
        ("a:3x", ["E10002"]),
        ("a:9223372036854775808", ["E10013"]),
        ("a:" + "9" * 5000, ["E10013"]),
        ("a:-", ["E10014"]),
        ("1,2", ["E10002"]),
        ("", ["E10002"]),
    ],
)
def test_shape_texts(text: str, expected: list[str]) -> None:
    """How a dim is read: as C reads it, then only digits may follow."""
    if not expected:
        parse_shapes(text)
        return
    with pytest.raises(AtcError) as caught:
        parse_shapes(text)
    assert codes(caught) == expected


def test_ranges() -> None:
    """Numbers of any sign, pairs, blanks around them; brackets once per piece; scalars only without names."""
    (shape,) = parse_named_ranges("a:[+3, -1 ,1~2,3~1]")
    assert [tuple(dim) for dim in shape.dims] == [(3, 3), (0, None), (1, 2), (3, 1)]
    assert [shape.dims for shape in parse_indexed_ranges("[],[1]")] == [(), ((1, 1),)]
    for text in ("a:[]", "a:[1,]", "a:1", "a:[[1]]", "a:[1~2~3]", "a:[1~-1]", "a:[x]", "a:", "[1]", "a:]1["):
        with pytest.raises(AtcError) as caught:
            parse_named_ranges(text)
        assert codes(caught) == ["E10048"]
    for text in ("1,2", "[1][2]", "[1],", "[1,[2]]"):
        with pytest.raises(AtcError):
            parse_indexed_ranges(text)


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("pass1:on;pass2;pass3:;:on;pass5:of;pass6:on", {"pass1": True, "pass6": True}),
        ("A:on;A:off;;", {"A": False}),
        ("A: on;A:ON;A:on:x; A:on", {" A": True}),
        ("ge.jit_compile:on;log:off", {"log": False}),
        ("", {}),
    ],
)
def test_switches(text: str, states: dict[str, bool]) -> None:
    """Exactly Name:on or Name:off, the last of equal names, no names of options."""
    switches = parse_switches(text)
    assert switches.states == states
    pieces = [piece for piece in text.split(";") if piece]
    repeated = sum(piece.split(":")[0] == "A" for piece in pieces if piece in ("A:on", "A:off"))
    assert len(switches.ignored) == len(pieces) - len(states) - max(0, repeated - 1)


def test_local_host(tmp_path: Path) -> None:
    """The operator package says what the host is, then the runtime package, else the machine."""
    (tmp_path / "opp").mkdir()
    (tmp_path / "runtime").mkdir()
    environment = {"ASCEND_OPP_PATH": str(tmp_path / "opp")}
    (tmp_path / "runtime" / "scene.info").write_text("os=minios\narch=arm\n")
    assert local_host(environment) == ("minios", "arm")
    (tmp_path / "opp" / "scene.info").write_text("arch=aarch64\n")
    assert local_host(environment) == ("minios", "aarch64")
    assert local_host({})[1] in ("x86_64", "aarch64")


@pytest.mark.parametrize(
    ("operators", "expected"),
    [
        ([], "ok"),
        ([{"op": "Add", "input_desc": [{"format": "ND", "type": "float16", "shape": [8]}]}], "ok"),
        ([{"name": "x"}], "E10026"),
        ([{"op": 1}], "E10032"),
        ([{"op": "Add", "name": "a b"}], "E10032"),
        ([{"op": "Add", "input_desc": [{"format": "XX", "type": "float16", "shape": [8]}]}], "E10027"),
        ([{"op": "Add", "input_desc": [{"format": "RESERVED", "type": "UNDEFINED", "shape": []}]}], "ok"),
        ([{"op": "Add", "output_desc": [{"format": "RESERVED", "type": "UNDEFINED", "shape": []}]}], "E10027"),
        ([{"op": "Add", "input_desc": [{"format": "ND", "type": "float16", "shape": [-1]}]}], "E13014"),
        (
            [{"op": "A", "input_desc": [{"format": "ND", "type": "bool", "shape": [-1], "shape_range": [[1, 2]]}]}],
            "ok",
        ),
        ([{"op": "A", "input_desc": [{"format": "ND", "type": "bool", "shape": [-2, 1]}]}], "E13014"),
        ([{"op": "A", "input_desc": [{"format": "ND", "type": "bool", "shape": ["1"]}]}], "E10032"),
        ([{"op": "A", "attr": [{"name": "axis", "type": "int", "value": 1}]}], "ok"),
        ([{"op": "A", "attr": [{"name": "axis", "type": "int", "value": True}]}], "E10032"),
        ([{"op": "A", "attr": [{"name": "", "type": "int", "value": 1}]}], "E10029"),
        ([{"op": "A", "attr": [{"name": "x", "type": "number", "value": 1}]}], "E13006"),
        ([{"op": "A", "attr": [{"name": "x", "type": "int"}]}], "E10030"),
        ([{"compile_flag": 1}], "ok"),
        ({"op": "Add"}, "E10026"),
        (None, "ok"),
        ("x", "E10032"),
    ],
)
def test_single_operators(operators: object, expected: str, tmp_path: Path) -> None:
    """The description of single operators."""
    path = tmp_path / "op.json"
    path.write_text(json.dumps(operators))
    stage = apply_raw_file(parse_command_line([f"--singleop={path}", "--output=o", "--soc_version=S"]))
    try:
        resolve(stage, {})
    except AtcError as error:
        assert error.messages[0].code == expected
    else:
        assert expected == "ok"


@given(st.text(st.characters(exclude_categories=[])))
def test_messages_can_be_printed(text: str) -> None:
    """Whatever a user typed, a message is one printable line."""
    shown = printable(text)
    assert shown.isprintable()
    assert len(shown) <= 300 * 10 + 30
