"""Members of tar and zip archives, read in place: nothing is ever written.

Every size is taken from what was really unpacked, never from a header alone, so a bomb costs a
bounded amount of time and memory. Links are not followed, names that lead out of the archive are
told, archives in archives stay closed.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import field
from functools import partial
from typing import IO, Protocol

from compatload.checking.finding import Skipped
from compatload.frozen import frozen

SUFFIXES = (".zip", ".whl", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
MOST_MEMBERS = 200_000
MOST_UNPACKED = 4 << 30  # bytes of one compressed archive that are unpacked before it counts as one
LARGEST_HEADER = 1 << 20  # a longer name or extended header is an attack on the reader's memory
_CHUNK = 1 << 16
_DAMAGE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    ValueError,  # dates, numbers and names that their own libraries refuse
    NotImplementedError,  # a compression that this Python lacks
)


class _BombError(Exception):
    """The archive unpacks to more than is sensible."""


@frozen
class Member:
    """A file in an archive. ``name`` is what is shown: ``models.zip!det/inference.json``."""

    name: str
    size: int
    _open: Callable[[], IO[bytes]] = field(repr=False)

    def read(self, limit: int) -> bytes:
        """At most ``limit`` bytes of it.

        Raises:
            OSError: the archive is damaged there.
        """
        try:
            with self._open() as stream:
                return stream.read(limit)
        except (*_DAMAGE, RuntimeError) as error:  # RuntimeError: an encrypted member
            raise OSError(f"cannot be unpacked ({_short(error)})") from error


def is_archive(path: str) -> bool:
    return path.lower().endswith(SUFFIXES)


def members(path: str) -> Iterator[Member | Skipped]:
    """Every regular file in an archive; each must be read before the next one is asked for."""
    reader = _zip_members if _is_zip(path) else _tar_members
    try:
        for count, member in enumerate(reader(path), 1):
            if count > MOST_MEMBERS:
                yield Skipped(path, f"more than {MOST_MEMBERS} members", unsafe=True)
                return
            yield member
    except _BombError:
        yield Skipped(path, f"unpacks to more than {MOST_UNPACKED >> 30} GiB", unsafe=True)
    except _DAMAGE as error:
        yield Skipped(path, f"not a readable archive ({_short(error)})")


def _is_zip(path: str) -> bool:
    try:
        return zipfile.is_zipfile(path)
    except OSError:
        return False


def _zip_members(path: str) -> Iterator[Member | Skipped]:
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            shown = f"{path}!{info.filename}"
            if info.is_dir():
                continue
            if stat.S_ISLNK(info.external_attr >> 16):
                yield Skipped(shown, "a link in an archive")
            elif _leads_out(info.filename):
                yield Skipped(shown, "a name that leads out of the archive", unsafe=True)
            elif info.flag_bits & 1:
                yield Skipped(shown, "encrypted")
            else:
                yield Member(shown, info.file_size, partial(_zip_stream, archive, info))


def _zip_stream(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    return archive.open(info)


def _tar_members(path: str) -> Iterator[Member | Skipped]:
    with open(path, "rb") as raw, tarfile.open(fileobj=_unpacked(raw), mode="r:") as archive:
        while True:
            info = archive.next()
            if info is None:
                return
            archive.members = []  # type: ignore[attr-defined]  # it would keep every header
            shown = f"{path}!{info.name}"
            if _leads_out(info.name):
                yield Skipped(shown, "a name that leads out of the archive", unsafe=True)
            elif info.issym() or info.islnk():
                yield Skipped(shown, "a link in an archive")
            elif info.isfile():
                yield Member(shown, info.size, partial(_tar_stream, archive, info))
            elif not info.isdir():
                yield Skipped(shown, "a device in an archive", unsafe=True)


def _tar_stream(archive: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    stream = archive.extractfile(info)
    if stream is None:
        raise tarfile.ReadError("no data")
    return stream


def _leads_out(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return ".." in parts or not parts[0] or parts[0].endswith(":") or "\0" in name


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def _unpacked(raw: IO[bytes]) -> _Bounded:
    """The tar inside its compression, with bounded reads."""
    head = raw.read(6)
    raw.seek(0)
    if head[:2] == b"\x1f\x8b":
        return _Bounded(gzip.GzipFile(fileobj=raw), MOST_UNPACKED)
    if head[:3] == b"BZh":
        return _Bounded(bz2.BZ2File(raw), MOST_UNPACKED)
    if head == b"\xfd7zXZ\0":
        return _Bounded(lzma.LZMAFile(raw), MOST_UNPACKED)
    return _Bounded(raw, os.fstat(raw.fileno()).st_size)


class _Bounded(io.RawIOBase):
    """A stream that goes forward only, in small steps, and not beyond ``most`` bytes.

    tarfile reads a header's payload in one call of the length that the header claims: such a
    call for more than LARGEST_HEADER is refused before anything is allocated. It also goes back
    by one byte before each header, which the kept tail answers: unpacking anew from the start
    for each member would make an archive cost its square.
    """

    def __init__(self, stream: _Readable, most: int) -> None:
        super().__init__()
        self._stream = stream
        self._most = most
        self._taken = 0  # bytes that the stream has given
        self._tail = b""  # the last of them
        self._back = 0  # how many of them are to be given again

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= LARGEST_HEADER:
            raise tarfile.ReadError(f"a header of {size} bytes")
        again = self._tail[len(self._tail) - self._back :][:size]
        self._back -= len(again)
        fresh = self._stream.read(size - len(again))
        self._taken += len(fresh)
        if self._taken > self._most:
            raise _BombError
        self._tail = (self._tail + fresh)[-tarfile.BLOCKSIZE :]
        return again + fresh

    def tell(self) -> int:
        return self._taken - self._back

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        behind = self._taken - offset
        if whence != io.SEEK_SET or behind > len(self._tail):
            raise io.UnsupportedOperation("this stream goes forward only")
        self._back = max(behind, 0)
        while self.tell() < offset and self.read(min(_CHUNK, offset - self.tell())):
            pass
        return self.tell()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True


def _short(error: BaseException) -> str:
    text = str(error).splitlines()[0] if str(error) else type(error).__name__
    return text[:80]
