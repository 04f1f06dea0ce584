"""JSON as GE's library reads it."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.atc.strict_json import NESTING_LIMIT, SIZE_LIMIT, JsonError, parse_json, read_limited

DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('ab"\\é{['), inner, max_size=4),
)


@given(DOCUMENTS, st.booleans(), st.sampled_from([b"", b"\xef\xbb\xbf"]), st.sampled_from([b"", b" \n", b"\0\xff{"]))
def test_legal_documents(document: object, ascii_only: bool, before: bytes, after: bytes) -> None:
    """What Python writes is read back, also behind a byte order mark, and before blanks or a NUL byte."""
    text = json.dumps(document, ensure_ascii=ascii_only).encode()
    assert parse_json(before + text + after) == document


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "line 1, column 1: Expecting value"),
        (b'{"a": 1,}', "line 1, column 9: Expecting property name"),
        (b"{} // comment", "line 1, column 4: Extra data"),
        (b"[NaN]", "NaN is not JSON"),
        (b"[-Infinity]", "-Infinity is not JSON"),
        (b"[1e999]", "the number 1e999"),
        (b"[" + b"9" * 5000 + b"]", "the number 9999"),
        (b"[01]", "line 1, column 3"),
        (b"['a']", "line 1, column 2"),
        (b'["\xff"]', "byte 2 (0xff) is not UTF-8"),
        (b'["\xed\xa0\x80"]', "byte 2 (0xed) is not UTF-8"),
        (b'\n["\\ud800"]', "line 2, column 3: lone surrogate \\ud800"),
        (b'["\\udc00"]', "lone surrogate"),
        (b'["\t"]', "Invalid control character"),
        (b'["a\0"]', "Unterminated string"),
        (b" \xef\xbb\xbf{}", "line 1, column 2: Expecting value"),
        (b"[" * 10_000 + b"]" * 10_000, f"nested more than {NESTING_LIMIT} levels"),
        (b'{"a":' * 10_000, f"nested more than {NESTING_LIMIT} levels"),
    ],
)
def test_refused_texts(data: bytes, reason: str) -> None:
    """What is no strict JSON is refused with its place."""
    with pytest.raises(JsonError) as caught:
        parse_json(data)
    assert reason in str(caught.value)


def test_surrogate_pairs_and_escaped_backslashes() -> None:
    """A pair of surrogates is one character, and an escaped backslash begins no escape."""
    assert parse_json(b'["\\ud83d\\ude00", "\\\\ud800"]') == ["😀", "\\ud800"]


def test_brackets_in_strings_do_not_nest() -> None:
    """Only brackets outside of strings count as levels."""
    text = '"' + '[{\\"' * 2000 + '"'
    assert parse_json(text.encode()) == json.loads(text)


def test_repeated_keys() -> None:
    """The last of equal keys counts, and the caller hears of it."""
    repeated: list[str] = []
    assert parse_json(b'{"a": 1, "b": {"c": 1, "c": 2, "c": 3}, "a": 4}', repeated.append) == {"a": 4, "b": {"c": 3}}
    assert repeated == ["c", "c", "a"]


def test_what_follows_may_be_ignored() -> None:
    """Some readers stop behind the first value."""
    assert parse_json(b' {"a": 1} x', whole=False) == {"a": 1}


def test_files(tmp_path: Path) -> None:
    """A file of the size limit is refused unread; so is what is no regular file."""
    big = tmp_path / "big.json"
    with open(big, "wb") as file:
        file.truncate(SIZE_LIMIT)
    with pytest.raises(JsonError, match="64 MiB or more"):
        read_limited(str(big))
    with pytest.raises(OSError, match="not a regular file"):
        read_limited("/dev/null")
    with pytest.raises(IsADirectoryError):
        read_limited(str(tmp_path))
