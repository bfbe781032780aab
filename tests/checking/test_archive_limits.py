"""What an archive may cost in sum, whatever it is made of; and what a sound one may hold."""

from __future__ import annotations

import io
import os
import random
import shutil
import struct
import subprocess
import tarfile
import time
import tracemalloc
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from compatload.checking import archives
from compatload.checking.archives import members
from compatload.checking.check import check
from compatload.checking.finding import Skipped
from compatload.checking.settings import Settings

MIB = 1 << 20


def read(path: Path, limit: int = 64 * MIB) -> tuple[dict[str, bytes], list[Skipped]]:
    found, skipped = {}, []
    for entry in members(str(path)):
        if isinstance(entry, Skipped):
            skipped.append(entry)
            continue
        try:
            found[entry.name.rpartition("!")[2]] = entry.read(limit, inert=True)
        except OSError as error:
            skipped.append(Skipped(entry.name, str(error)))
    return found, skipped


@contextmanager
def peak_below(most: int) -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()


def deflated(block: bytes, times: int) -> tuple[bytes, int]:
    packer, checksum = zlib.compressobj(9, zlib.DEFLATED, -15), 0
    pieces = []
    for _ in range(times):
        checksum = zlib.crc32(block, checksum)
        pieces.append(packer.compress(block))
    return b"".join([*pieces, packer.flush()]), checksum


def test_entries_of_a_zip_that_share_their_bytes_are_unsafe(tmp_path: Path) -> None:
    """One megabyte and sixty entries: 49 seconds."""
    body, checksum = deflated(b'{"magic" : "pi"},' * 61_681, 300)
    size, name, count = 300 * 17 * 61_681, b"a.json", 60
    common = (20, 0, 8, 0, 0x21, checksum, len(body), size, len(name))
    local = struct.pack("<IHHHHHIIIHH", 0x04034B50, *common, 0) + name + body
    central = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 20, *common, *[0] * 6) + name
    where = (count, count, count * len(central), len(local), 0)
    path = tmp_path / "o.zip"
    path.write_bytes(local + central * count + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, *where))
    before = time.thread_time()
    report = check([path], settings=Settings())
    assert time.thread_time() - before < 5
    assert {(s.reason, s.unsafe) for s in report.skipped} == {
        ("shares its bytes with another member", True)
    }
    assert len(report.skipped) == count


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz", "tar.bz2", "tar.xz"])
def test_what_all_members_unpack_to_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(archives, "MOST_UNPACKED", 3 * MIB)
    monkeypatch.setattr(archives, "UNPACKED_RATIO", 0)
    path = tmp_path / f"a.{kind}"
    pack(path, {f"{n}.pdiparams": bytes(MIB) for n in range(10)})
    found, skipped = read(path)
    assert 0 < len(found) <= 3
    assert (skipped[-1].reason, skipped[-1].unsafe) == ("unpacks to far more than its size", True)


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_the_time_of_unpacking_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    # However fast the machine is: what is allowed grows with the size of the archive, too.
    monkeypatch.setattr(archives, "MOST_SECONDS", 0.01)
    monkeypatch.setattr(archives, "SECONDS_PER_BYTE", 0.0)
    path = tmp_path / f"a.{kind}"
    pack(path, {f"{n}.pdiparams": bytes(32 * MIB) for n in range(4)})
    found, skipped = read(path)
    assert len(found) < 4
    assert (skipped[-1].reason, skipped[-1].unsafe) == (
        "takes far longer to unpack than its size explains",
        True,
    )


def test_folders_count_as_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_MEMBERS", 3)
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        for number in range(5):
            folder = tarfile.TarInfo(f"d{number}")
            folder.type = tarfile.DIRTYPE
            archive.addfile(folder)
    assert [one.reason for one in read(path)[1]] == ["more than 3 members"]


def test_a_program_that_unpacks_to_a_thousand_times_its_size_is_not_parsed(tmp_path: Path) -> None:
    """61 kB of zip took 1.65 GB of memory."""
    header = b'{"base_code":{"magic":"pir","version":4,"trainable":false},"program":{"regions":['
    path = tmp_path / "a.zip"
    pack(path, {"m.json": header + b"{}," * (20 * MIB) + b"{}]}}"})
    assert path.stat().st_size < 80_000
    with peak_below(50 * MIB):
        report = check([path], settings=Settings())
    assert [(s.reason, s.unsafe) for s in report.skipped] == [
        ("holds programs or sources of far more than its size", True)
    ]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_is_unpacked_in_bounded_memory_or_not(tmp_path: Path, method: int) -> None:
    """Forty bytes of bz2 are 45 MB, and zipfile unpacks all that it has read."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", method) as archive, archive.open("a.py", "w") as member:
        for _ in range(100):
            member.write(bytes(MIB))
    with peak_below(20 * MIB):
        found, (skipped,) = read(path, 1000)
    assert not found
    assert "another method than deflate" in skipped.reason


def test_names_before_names_before_names_are_damage(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    info = tarfile.TarInfo("@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 1
    path.write_bytes((info.tobuf() + b"x".ljust(512, b"\0")) * 5000)
    found, skipped = read(path)
    assert not found
    assert "not a readable archive" in skipped[0].reason


def test_global_headers_do_not_grow(tmp_path: Path) -> None:
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for number in range(8):
            fields = {f"x{number}": "y" * (MIB // 2)}
            archive.fileobj.write(tarfile.TarInfo.create_pax_global_header(fields))
            archive.addfile(tarfile.TarInfo(f"{number}.py"))
    found, skipped = read(path)
    assert len(found) < 8
    assert "global headers" in skipped[0].reason


def test_a_directory_longer_than_sensible_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.zip"
    pack(path, {f"{'n' * 200}{number}.py": b"x" for number in range(1000)})
    monkeypatch.setattr(archives, "LARGEST_DIRECTORY", 100_000)
    assert "a directory of" in read(path)[1][0].reason


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz", "tar.bz2", "tar.xz"])
def test_members_of_many_megabytes_are_read(tmp_path: Path, kind: str) -> None:
    """Weights of 3 MB in a .tar.gz were reported as missing."""
    weights = random.Random(7).randbytes(3 * MIB + 17)
    path = tmp_path / f"a.{kind}"
    pack(path, {"a.pdiparams": weights, "b.pdiparams": weights[::-1], "c.py": b"x = 1"})
    found, skipped = read(path)
    assert found == {"a.pdiparams": weights, "b.pdiparams": weights[::-1], "c.py": b"x = 1"}
    assert not skipped


@pytest.mark.parametrize("layout", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_names_are_read(tmp_path: Path, layout: int) -> None:
    path, name = tmp_path / "a.tar.gz", "/".join(["ordner-größe"] * 40) + "/m.py"
    with tarfile.open(path, "w:gz", format=layout) as archive:
        info = tarfile.TarInfo(name)
        info.size = 5
        archive.addfile(info, io.BytesIO(b"x = 1"))
    assert read(path) == ({name: b"x = 1"}, [])


@pytest.mark.skipif(not shutil.which("tar"), reason="needs GNU tar")
@pytest.mark.parametrize("layout", ["gnu", "pax"])
def test_sparse_files_are_read(tmp_path: Path, layout: str) -> None:
    with open(tmp_path / "s.pdiparams", "wb") as file:
        file.write(b"head")
        file.seek(5 * MIB)
        file.write(b"tail")
    made = subprocess.run(
        ["tar", f"--format={layout}", "--sparse", "-czf", "a.tgz", "s.pdiparams"],
        cwd=tmp_path,
        capture_output=True,
    )
    if made.returncode:
        pytest.skip("this tar makes no sparse archives")
    content = (tmp_path / "s.pdiparams").read_bytes()
    assert read(tmp_path / "a.tgz") == ({"s.pdiparams": content}, [])


def test_a_large_zip_format_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("a.py", "w", force_zip64=True) as member,
    ):
        member.write(b"x = 1")
    assert read(path) == ({"a.py": b"x = 1"}, [])


def test_a_compression_that_nobody_has_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    pack(path, {"a.py": b"x = 1"})
    data = bytearray(path.read_bytes())
    data[data.rindex(b"PK\x01\x02") + 10] = 9  # deflate64
    data[data.index(b"PK\x03\x04") + 8] = 9
    path.write_bytes(data)
    found, (skipped,) = read(path)
    assert not found
    assert "deflate64" in skipped.reason


def test_a_tar_that_ends_with_a_zip_is_a_tar(tmp_path: Path) -> None:
    inner, path = tmp_path / "inner.zip", tmp_path / "a.tar"
    pack(inner, {"inner.py": b"x = 2"})
    pack(path, {"a.py": b"x = 1", "inner.zip": inner.read_bytes()})
    assert list(read(path)[0]) == ["a.py", "inner.zip"]


def pack(path: Path, content: dict[str, bytes]) -> None:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in content.items():
                archive.writestr(name, data)
        return
    mode = "w" if path.suffix == ".tar" else f"w:{path.suffix[1:]}"
    with tarfile.open(os.fspath(path), mode) as archive:  # type: ignore[call-overload]
        for name, data in content.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
