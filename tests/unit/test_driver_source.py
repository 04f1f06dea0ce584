"""Reading the input: formats by name, stdin, gzip."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.driver.errors import UserError
from tools.driver.source import frontend_of_path, inflate, read_source

FRONTENDS = ("mlir", "pypto-json", "listlang")


@pytest.mark.parametrize(
    ("path", "frontend"),
    [
        ("a.mlir", "mlir"),
        ("dir.json/a.MLIR", "mlir"),
        ("a.json", "pypto-json"),
        ("a.b.json.gz", "pypto-json"),
        ("a.JSON.GZ", "pypto-json"),
        ("a.listlang", "listlang"),
    ],
)
def test_extension_decides(path: str, frontend: str) -> None:
    """The extension of the file name decides, in upper case too; else it is a frontend's name, as in xDSL."""
    assert frontend_of_path(path, FRONTENDS) == frontend


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a.txt", "the extension '.txt' is unknown"),
        ("a.gz", "the extension '.gz' is unknown"),
        ("dir.mlir/a", "the file name has no extension"),
        ("", "the file name has no extension"),
    ],
)
def test_unknown_extension(path: str, found: str) -> None:
    """The message says what was found, which extensions are known, and how to name the format."""
    with pytest.raises(UserError) as caught:
        frontend_of_path(path, FRONTENDS)
    assert str(caught.value) == (
        f"'{path}': {found}; expected .mlir, .json, .json.gz, or -f to name the format (listlang, mlir, pypto-json)"
    )


@given(st.lists(st.binary(max_size=200), min_size=1, max_size=4))
def test_inflate_inverts_gzip(parts: list[bytes]) -> None:
    """Decompressing gives what was compressed, also from several gzip members in a row."""
    compressed = b"".join(map(gzip.compress, parts))
    assert inflate(compressed, "a.json.gz", limit=1000) == b"".join(parts)


def test_inflate_is_bounded() -> None:
    """Exactly the limit is read; a byte more is refused."""
    compressed = gzip.compress(bytes(1000))
    assert len(inflate(compressed, "a", limit=1000)) == 1000
    with pytest.raises(UserError, match="'a': decompresses to more than the limit of 999 bytes"):
        inflate(compressed, "a", limit=999)


@given(st.binary(max_size=300), st.data())
def test_truncated_gzip_is_refused(content: bytes, data: st.DataObject) -> None:
    """Every proper prefix that still begins as gzip does is an error of the user."""
    compressed = gzip.compress(content)
    length = data.draw(st.integers(2, len(compressed) - 1))
    with pytest.raises(UserError, match=r"the gzip data is (truncated|damaged)"):
        inflate(compressed[:length], "a", limit=1000)


def test_damaged_gzip_is_refused() -> None:
    """A wrong checksum and rubbish behind the data are found."""
    compressed = bytearray(gzip.compress(b"tile"))
    with pytest.raises(UserError, match="the gzip data is damaged"):
        inflate(bytes(compressed) + b"rubbish", "a", limit=1000)
    compressed[-5] ^= 1
    with pytest.raises(UserError, match="the gzip data is damaged"):
        inflate(bytes(compressed), "a", limit=1000)


def test_content_decides_about_compression(tmp_path: Path) -> None:
    """Gzip data is known by its first bytes; the name plays no part."""
    plain, compressed = tmp_path / "plain.json.gz", tmp_path / "compressed.json"
    plain.write_bytes(b"{}")
    compressed.write_bytes(gzip.compress(b"{}"))
    assert read_source(str(plain)) == read_source(str(compressed)) == b"{}"


def test_missing_file_has_near_names(tmp_path: Path) -> None:
    """A misspelt name is told the nearest one of its directory."""
    (tmp_path / "attention.json.gz").touch()
    path = str(tmp_path / "atention.json.gz")
    with pytest.raises(UserError) as caught:
        read_source(path)
    assert str(caught.value) == f"'{path}': no such file, did you mean 'attention.json.gz'?"


def test_directory_is_no_input(tmp_path: Path) -> None:
    """A directory is named as such."""
    with pytest.raises(UserError, match="is a directory, expected a file"):
        read_source(str(tmp_path))
