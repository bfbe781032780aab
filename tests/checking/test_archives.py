"""Archives: read in place, and never further than is sensible."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from compatload.checking import archives
from compatload.checking.archives import Member, is_archive, members
from compatload.checking.finding import Skipped


def listed(path: Path) -> tuple[dict[str, bytes], dict[str, Skipped]]:
    """Member name → content, and what was skipped."""
    found, skipped = {}, {}
    for entry in members(str(path)):
        name = entry.name if isinstance(entry, Member) else entry.path
        short = name.rpartition("!")[2] if "!" in name else Path(name).name
        if isinstance(entry, Member):
            found[short] = entry.read(1000)
        else:
            skipped[short] = entry
    return found, skipped


def write_tar(path: Path, entries: list[tuple[tarfile.TarInfo, bytes]], mode: str = "w") -> None:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for info, data in entries:
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


def entry(name: str, data: bytes = b"x = 1", kind: bytes = tarfile.REGTYPE, link: str = ""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info, data


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_tar_members_are_read_in_any_compression(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "a.tar"
    sizes = [0, 1, 511, 512, 513, 100_000]
    write_tar(path, [entry(f"d/{n}.py", b"y" * n) for n in sizes], mode)
    found, skipped = listed(path)
    assert {name: len(data) for name, data in found.items()} == {
        f"d/{n}.py": min(n, 1000) for n in sizes
    }
    assert not skipped


def test_zip_members_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("m/a.py", "import paddle")
        archive.mkdir("m/empty") if hasattr(archive, "mkdir") else None
    assert listed(path) == ({"m/a.py": b"import paddle"}, {})


@pytest.mark.parametrize(
    "name", ["../evil.py", "a/../../evil.py", "/abs.py", "C:/x.py", "a\\..\\b"]
)
def test_names_that_lead_out_are_unsafe(tmp_path: Path, name: str) -> None:
    tar = tmp_path / "a.tar"
    write_tar(tar, [entry(name), entry("good.py")])
    zipped = tmp_path / "a.zip"
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr(name, "x")
        archive.writestr("good.py", "x = 1")
    for path in (tar, zipped):
        found, skipped = listed(path)
        assert list(found) == ["good.py"]
        assert [s.unsafe for s in skipped.values()] == [True]


def test_links_and_devices_are_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    write_tar(
        path,
        [
            entry("soft.py", b"", tarfile.SYMTYPE, "/etc/passwd"),
            entry("hard.py", b"", tarfile.LNKTYPE, "soft.py"),
            entry("null", b"", tarfile.CHRTYPE),
        ],
    )
    found, skipped = listed(path)
    assert not found
    assert {name: s.unsafe for name, s in skipped.items()} == {
        "soft.py": False,
        "hard.py": False,
        "null": True,
    }


def test_a_link_in_a_zip_is_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    info = zipfile.ZipInfo("link.py")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(info, "/etc/passwd")
    assert listed(path)[1]["link.py"].reason == "a link in an archive"


def test_a_tar_bomb_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_UNPACKED", 1 << 20)
    path = tmp_path / "bomb.tar.gz"
    write_tar(path, [entry("zeros", bytes(8 << 20)), entry("after.py")], "w:gz")
    assert path.stat().st_size < 20_000
    found, skipped = listed(path)
    assert "after.py" not in found
    assert skipped["bomb.tar.gz"].unsafe


def test_a_zip_bomb_costs_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("big.py", bytes(64 << 20))
    assert len(listed(path)[0]["big.py"]) == 1000


def test_a_header_that_claims_gigabytes_is_refused(tmp_path: Path) -> None:
    info = tarfile.TarInfo("@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 3 << 30
    path = tmp_path / "long.tar.gz"
    path.write_bytes(gzip.compress(info.tobuf() + bytes(4096)))
    found, skipped = listed(path)
    assert not found
    assert "not a readable archive" in skipped["long.tar.gz"].reason


def test_too_many_members_end_the_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_MEMBERS", 3)
    path = tmp_path / "a.tar"
    write_tar(path, [entry(f"{n}.py") for n in range(5)])
    found, skipped = listed(path)
    assert len(found) == 3
    assert skipped["a.tar"].unsafe


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04junk", b"\x1f\x8bjunk", b"BZhjunk", b"x" * 5000])
@pytest.mark.parametrize("suffix", [".zip", ".tar.gz"])
def test_damaged_archives_are_skipped(tmp_path: Path, data: bytes, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_bytes(data)
    found, skipped = listed(path)
    assert not found
    assert all("not a readable archive" in s.reason for s in skipped.values())


def test_a_truncated_archive_gives_what_it_has_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.tar.gz"
    write_tar(path, [entry("a.py"), entry("b.py", bytes(range(256)) * 4000)], "w:gz")
    path.write_bytes(path.read_bytes()[:-200])
    names, problems = [], []
    for member in members(str(path)):
        if isinstance(member, Skipped):
            problems.append(member.reason)
            continue
        names.append(member.name.rpartition("!")[2])
        try:
            member.read(10_000_000)
        except OSError as error:
            problems.append(str(error))
    assert "a.py" in names
    assert problems


def test_an_encrypted_member_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.py", "x = 1")
    data = bytearray(path.read_bytes())
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    data[data.index(b"PK\x03\x04") + 6] |= 1
    path.write_bytes(data)
    assert listed(path)[1]["a.py"].reason == "encrypted"


def test_what_counts_as_an_archive() -> None:
    assert all(is_archive(name) for name in ("A.ZIP", "m.tar", "m.tar.gz", "m.tgz", "w.whl"))
    assert not any(is_archive(name) for name in ("m.gz", "m.json", "tar", "m.pdparams"))
