"""Only regular files are opened, and an exchange is noticed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from compatload.artifact.files import open_regular, read_file, reopened
from compatload.errors import ArtifactNotFoundError, DamagedArtifactError, UnsafeArtifactError


def test_a_fifo_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    fifo = tmp_path / "model.json"
    os.mkfifo(fifo)
    with pytest.raises(UnsafeArtifactError, match="no regular file"):
        read_file(str(fifo))


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "/"])
def test_devices_and_directories_are_refused(path: str) -> None:
    with pytest.raises(UnsafeArtifactError), open_regular(path):
        pass


@pytest.mark.parametrize("path", ["absent", "absent/below", "a\0b", "x" * 5000])
def test_what_cannot_be_opened_is_not_found(path: str, tmp_path: Path) -> None:
    with pytest.raises(ArtifactNotFoundError):
        read_file(str(tmp_path / path) if "\0" not in path else path)


def test_a_file_below_a_file_is_not_found(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(ArtifactNotFoundError):
        read_file(str(tmp_path / "file" / "below"))


def test_a_file_beyond_the_limit_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(bytes(11))
    with pytest.raises(DamagedArtifactError, match="11 bytes; at most 10"):
        read_file(str(tmp_path / "big"), limit=10)


def test_reading_at_an_offset_ends_with_the_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"0123456789")
    with open_regular(str(tmp_path / "file")) as file:
        assert file.read_at(3, 4) == b"3456"
        assert file.read_at(8, 100) == b"89"
        assert file.read_at(100, 1) == b""


def test_an_exchange_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one")
    data, identity = read_file(str(path))
    assert data == b"one"
    assert identity.is_unchanged()
    other = tmp_path / "other"
    other.write_bytes(b"two")
    os.utime(other, ns=(identity.mtime_ns, identity.mtime_ns))
    os.replace(other, path)
    assert not identity.is_unchanged()
    path.unlink()
    assert not identity.is_unchanged()


def test_a_link_is_followed_to_a_regular_file_only(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"one")
    (tmp_path / "link").symlink_to("file")
    assert read_file(str(tmp_path / "link"))[0] == b"one"
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(ArtifactNotFoundError):
        read_file(str(tmp_path / "loop"))
    (tmp_path / "device").symlink_to("/dev/zero")
    with pytest.raises(UnsafeArtifactError):
        read_file(str(tmp_path / "device"))


def test_a_write_is_noticed_whose_time_was_put_back(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one")
    for content in (b"two", b"six") * 20:  # each within a tick of the clock of the one before
        identity = read_file(str(path))[1]
        with path.open("r+b") as file:
            file.write(content)
        os.utime(path, ns=(identity.mtime_ns, identity.mtime_ns))
        assert not identity.is_unchanged()


def test_what_is_written_all_the_while_has_no_identity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one")
    monkeypatch.setattr("time.sleep", lambda seconds: path.touch())
    assert not read_file(str(path))[1].is_unchanged()


def test_a_held_file_is_read_whatever_takes_its_name(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one")
    with reopened(read_file(str(path))[1]) as file:
        os.mkfifo(tmp_path / "fifo")
        os.replace(tmp_path / "fifo", path)
        assert file.read_at(0, 9) == b"one"
        if sys.platform.startswith("linux"):
            assert Path(file.reachable).read_bytes() == b"one"
        with pytest.raises(DamagedArtifactError, match="changed"), reopened(file.identity):
            pass
