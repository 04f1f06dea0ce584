"""Output files appear whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from tools.driver.errors import UserError
from tools.driver.whole_files import check_outputs, check_writable, written_whole


def write(path: Path, text: str = "new") -> None:
    with written_whole(str(path)) as stream:
        stream.write(text)


def permissions(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_content_is_there_at_the_end_only(tmp_path: Path) -> None:
    """While the block runs the old content stays; afterwards the new one is there, and nothing else."""
    path = tmp_path / "out.mlir"
    path.write_text("old")
    with written_whole(str(path)) as stream:
        stream.write("née")
        stream.flush()
        assert path.read_text() == "old"
    assert path.read_bytes() == "née".encode()
    assert os.listdir(tmp_path) == ["out.mlir"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("existing", [True, False])
def test_nothing_changes_after_an_error(tmp_path: Path, error: type[BaseException], existing: bool) -> None:
    """Whatever ends the block leaves the directory as it was."""
    path = tmp_path / "out.mlir"
    if existing:
        path.write_text("old")
    with pytest.raises(error), written_whole(str(path)) as stream:
        stream.write("new")
        raise error
    assert os.listdir(tmp_path) == (["out.mlir"] if existing else [])
    assert not existing or path.read_text() == "old"


def test_permissions(tmp_path: Path) -> None:
    """A replaced file keeps its permissions, a new one follows the umask."""
    old, new = tmp_path / "old", tmp_path / "new"
    old.touch()
    old.chmod(0o604)
    mask = os.umask(0o027)
    try:
        write(old)
        write(new)
    finally:
        os.umask(mask)
    assert (permissions(old), permissions(new)) == (0o604, 0o640)


def test_link_is_followed(tmp_path: Path) -> None:
    """Writing to a symbolic link changes the file behind it, and the link stays."""
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write(link)
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_device_is_written_directly() -> None:
    """A device is not replaced by a file."""
    write(Path(os.devnull))
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_longest_file_name(tmp_path: Path) -> None:
    """The temporary file needs no longer name than the file itself."""
    path = tmp_path / ("x" * 255)
    write(path)
    assert path.read_text() == "new"


def test_full_device_is_the_users_message() -> None:
    """An error of the system while writing names the output."""
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    with pytest.raises(UserError, match="cannot write '/dev/full': No space left on device"):
        write(Path("/dev/full"))


def test_impossible_outputs_are_refused(tmp_path: Path) -> None:
    """A directory, a missing directory, a file as directory, and an empty name are each named."""
    (tmp_path / "file").touch()
    for path, reason in [
        (str(tmp_path), "it is a directory"),
        (str(tmp_path / "none" / "out"), f"there is no directory '{tmp_path / 'none'}'"),
        (str(tmp_path / "file" / "out"), f"there is no directory '{tmp_path / 'file'}'"),
        ("", "the name of the output file is empty"),
    ]:
        with pytest.raises(UserError) as caught:
            check_writable(path)
        assert reason in str(caught.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_permission_is_checked(tmp_path: Path) -> None:
    """A read-only file and a read-only directory are refused."""
    (tmp_path / "file").touch(mode=0o400)
    with pytest.raises(UserError, match="permission denied"):
        check_writable(str(tmp_path / "file"))
    tmp_path.chmod(0o500)
    with pytest.raises(UserError, match="permission denied"):
        check_writable(str(tmp_path / "new"))


def test_two_outputs_are_two_files(tmp_path: Path) -> None:
    """The same file under two names, and stdout twice, are refused; a device takes any number."""
    path = tmp_path / "out"
    check_outputs("-", str(path), None, None)
    check_outputs(os.devnull, os.devnull)
    with pytest.raises(UserError, match="two outputs go to stdout"):
        check_outputs("-", "-")
    with pytest.raises(UserError, match="two outputs go to the file"):
        check_outputs(str(path), f"{tmp_path}/./out")


def test_link_that_leads_back_to_itself(tmp_path: Path) -> None:
    """It is refused, not replaced."""
    link, other = tmp_path / "a.mlir", tmp_path / "b.mlir"
    link.symlink_to(other)
    other.symlink_to(link)
    with pytest.raises(UserError, match="a link that leads back to itself"):
        check_writable(str(link))
