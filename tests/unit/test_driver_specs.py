"""Texts `name{option=value}` of -p, -f and -t: what they mean, and the message for each mistake."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tools.driver.errors import UserError
from tools.driver.pipeline import canonical_pass_name, parse_passes
from tools.driver.specs import parse_single_spec


@dataclass(frozen=True)
class Sample(ModulePass):
    """A pass with an option of each kind."""

    name = "graph-partition"

    algorithm: Literal["iso", "osp-sarkar"] = "iso"
    lower_bound: int = 512
    setting: str | None = None
    counts: tuple[int, ...] = ()
    strict: bool = False

    def __post_init__(self) -> None:
        if self.lower_bound < 0:
            raise ValueError("lower-bound must not be negative")

    def apply(self, ctx: Context, op: ModuleOp) -> None: ...


AVAILABLE: dict[str, Callable[[], type[ModulePass]]] = {"graph-partition": lambda: Sample}


def message_of(pipeline: str) -> str:
    with pytest.raises(UserError) as caught:
        parse_passes(AVAILABLE, pipeline)
    return str(caught.value)


def test_options_reach_the_pass() -> None:
    """Each type of option is read; `-` and `_` in names are the same."""
    text = 'graph-partition{algorithm=osp-sarkar lower_bound=3 setting="DEFAULT=2,é=1" counts=1,2 strict=true}'
    assert parse_passes(AVAILABLE, text) == (Sample("osp-sarkar", 3, "DEFAULT=2,é=1", (1, 2), True),)


def test_passes_keep_their_order() -> None:
    """A pipeline is read from left to right, and an empty one has no passes."""
    passes = parse_passes(AVAILABLE, "graph-partition{lower-bound=1},graph-partition,graph-partition{lower-bound=2}")
    assert [one.lower_bound for one in passes if isinstance(one, Sample)] == [1, 512, 2]
    assert parse_passes(AVAILABLE, "") == ()


def test_name_of_pypto_is_an_alias() -> None:
    """PyPTO's name of a pass means ours, with options too, and an unknown one is told the nearest of both kinds."""
    assert parse_passes(AVAILABLE, "GraphPartition{lower-bound=7}") == (Sample(lower_bound=7),)
    assert canonical_pass_name(AVAILABLE, "GraphPartition") == "graph-partition"
    assert "did you mean 'GraphPartition'" in message_of("GraphPartitions")
    assert "did you mean 'graph-partition'" in message_of("graph-partitoin")


def test_alias_of_an_absent_pass_is_not_proposed() -> None:
    """Only passes that exist are proposed."""
    assert message_of("NBufferMerge") == "unknown pass 'NBufferMerge'; 'tile-opt --list-passes' shows all of them"


@pytest.mark.parametrize(
    ("pipeline", "expected"),
    [
        (
            "graph-partition{algoritm=iso}",
            "pass 'graph-partition' has no option 'algoritm', did you mean 'algorithm'? It has: algorithm "
            "(iso | osp-sarkar), lower-bound (an integer), setting (a string), counts (a list (an integer each)), "
            "strict (true or false).",
        ),
        (
            "graph-partition{algorithm=isp}",
            "pass 'graph-partition': option 'algorithm' expects iso | osp-sarkar, found 'isp'",
        ),
        (
            "graph-partition{lower-bound=many}",
            "pass 'graph-partition': option 'lower-bound' expects an integer, found 'many'",
        ),
        (
            "graph-partition{lower-bound=1.5}",
            "pass 'graph-partition': option 'lower-bound' expects an integer, found 1.5",
        ),
        (
            "graph-partition{lower-bound=1,2}",
            "pass 'graph-partition': option 'lower-bound' expects an integer, found 1,2",
        ),
        (
            "graph-partition{lower-bound=true}",
            "pass 'graph-partition': option 'lower-bound' expects an integer, found true",
        ),
        (
            "graph-partition{lower-bound}",
            "pass 'graph-partition': option 'lower-bound' expects an integer, found no value",
        ),
        (
            "graph-partition{setting=2}",
            "pass 'graph-partition': option 'setting' expects a string, found 2: write it in double quotes",
        ),
        ("graph-partition{strict=1}", "pass 'graph-partition': option 'strict' expects true or false, found 1"),
        ("graph-partition{lower-bound=-1}", "pass 'graph-partition': lower-bound must not be negative"),
    ],
)
def test_wrong_option(pipeline: str, expected: str) -> None:
    """The message names the pass, the option, and what was expected and found."""
    assert message_of(pipeline) == expected


def test_syntax_error_has_a_place() -> None:
    """The place counts lines and columns of the argument itself."""
    assert message_of("graph-partition graph-partition").splitlines()[:2] == [
        "cannot parse the argument of -p/--passes:",
        "-p/--passes:1:16",
    ]


@given(st.text(alphabet='agp-1.,={}[]" \\\né', max_size=30) | st.text(max_size=20))
def test_any_text_is_read_or_refused(tail: str) -> None:
    """Whatever stands behind a pass name ends in passes or in the user's message."""
    try:
        parse_passes(AVAILABLE, f"graph-partition{tail}")
    except UserError as error:
        assert str(error)


def test_format_is_one_name() -> None:
    """-t and -f take exactly one name."""
    assert parse_single_spec("-t/--target", "mlir{print-debuginfo=true}").parameters == {"print-debuginfo": (True,)}
    for text, count in (("mlir,mlir", 2), ("", 0)):
        with pytest.raises(UserError, match=f"-t/--target takes one name, found {count}"):
            parse_single_spec("-t/--target", text)
