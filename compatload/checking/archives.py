"""Members of tar and zip archives, read in place: nothing is ever written.

Every size is taken from what was really unpacked, never from a header alone, and counts for the
archive in sum, so a bomb costs a bounded amount of time and memory whatever it is made of. Links
are not followed, names that lead out of the archive are told, archives in archives stay closed.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field
from functools import partial
from typing import IO, Protocol

from compatload.checking.finding import Skipped
from compatload.frozen import frozen

SUFFIXES = (".zip", ".whl", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
# What one archive may cost in sum: so much, and so much more for each byte that it has on disk.
# Programs shrink to a fortieth at most, weights to a tenth; zeros and bombs to a thousandth.
MOST_MEMBERS = 200_000
MOST_UNPACKED, UNPACKED_RATIO = 1 << 30, 16
MOST_PARSED, PARSED_RATIO = 8 << 20, 64  # bytes that a parser makes objects of
MOST_SECONDS, SECONDS_PER_BYTE = 20.0, 1 / (1 << 20)  # of unpacking; bz2 gives 10 MiB a second

LARGEST_HEADER = 1 << 20  # longer names and extended headers attack the reader's memory
LARGEST_DIRECTORY = 32 << 20  # of a zip, which is read at once
_CHUNK = 1 << 16
# Of the others zipfile unpacks all that it reads at once, which 40 bytes of bz2 make 45 MB.
_BOUNDED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
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


class ExhaustedError(OSError):
    """The archive costs more than is sensible: nothing more of it is read."""


class _Budget:
    """What one archive may still cost."""

    def __init__(self, path: str) -> None:
        size = os.path.getsize(path)
        self._members = MOST_MEMBERS
        self._unpacked = MOST_UNPACKED + UNPACKED_RATIO * size
        self._parsed = MOST_PARSED + PARSED_RATIO * size
        self._seconds = MOST_SECONDS + SECONDS_PER_BYTE * size
        self.exhausted = ""

    def member(self) -> None:
        self._members -= 1
        self._require(self._members >= 0, f"more than {MOST_MEMBERS} members")

    def unpacked(self, count: int) -> None:
        self._unpacked -= count
        self._require(self._unpacked >= 0, "unpacks to far more than its size")

    def parsed(self, count: int) -> None:
        self._parsed -= count
        self._require(self._parsed >= 0, "holds programs or sources of far more than its size")

    @contextmanager
    def clock(self) -> Iterator[Callable[[], None]]:
        """Count the time that passes inside; what is given refuses to go on when it is up.

        It is this thread's own time: a busy machine makes no archive a bomb.
        """
        before, left = time.thread_time(), self._seconds

        def tick() -> None:
            self._seconds = left - (time.thread_time() - before)
            self._require(self._seconds >= 0, "takes far longer to unpack than its size explains")

        try:
            yield tick
        finally:
            self._seconds = left - (time.thread_time() - before)

    def _require(self, holds: bool, otherwise: str) -> None:
        if not holds:
            self.exhausted = otherwise
        if self.exhausted:
            raise ExhaustedError(self.exhausted)


@frozen
class Member:
    """A file in an archive. ``name`` is what is shown: ``models.zip!det/inference.json``."""

    name: str
    size: int
    _open: Callable[[], IO[bytes]] = field(repr=False)
    _budget: _Budget = field(repr=False)

    def read(self, limit: int, *, inert: bool = False) -> bytes:
        """At most ``limit`` bytes of it; ``inert``: weights, which no parser makes objects of.

        Raises:
            OSError: the archive is damaged there; ExhaustedError, if it costs too much.
        """
        if not inert:
            self._budget.parsed(min(limit, self.size))
        pieces: list[bytes] = []
        try:
            with self._budget.clock() as tick, self._open() as stream:
                while limit > 0:
                    tick()
                    piece = stream.read(min(limit, _CHUNK))
                    if not piece:
                        break
                    self._budget.unpacked(len(piece))
                    limit -= len(piece)
                    pieces.append(piece)
        except ExhaustedError:
            raise
        except (*_DAMAGE, RuntimeError) as error:  # RuntimeError: an encrypted member
            raise OSError(f"cannot be unpacked ({_short(error)})") from error
        return b"".join(pieces)


def is_archive(path: str) -> bool:
    return path.lower().endswith(SUFFIXES)


def members(path: str) -> Iterator[Member | Skipped]:
    """Every regular file in an archive; each must be read before the next one is asked for."""
    try:
        budget = _Budget(path)
        reader = _zip_members if _is_zip(path) else _tar_members
        for member in reader(path, budget):
            yield member
            if budget.exhausted:
                break
    except ExhaustedError as error:
        budget.exhausted = str(error)
    except (*_DAMAGE, RecursionError) as error:  # names before names before names
        yield Skipped(path, f"not a readable archive ({_short(error)})")
    if budget.exhausted:
        yield Skipped(path, budget.exhausted, unsafe=True)


def _is_zip(path: str) -> bool:
    with open(path, "rb") as stream:
        # A zip at the end of a tar makes the whole look like one.
        head = stream.read(tarfile.BLOCKSIZE)
    is_tar = head[257:262] == b"ustar" or head.startswith((_GZIP, _BZIP2, _XZ))
    return not is_tar and zipfile.is_zipfile(path)


def _zip_members(path: str, budget: _Budget) -> Iterator[Member | Skipped]:
    with _Directory(path) as raw, zipfile.ZipFile(raw) as archive:
        shared = _overlapping(archive.infolist())
        for info in archive.infolist():
            budget.member()
            shown = f"{path}!{info.filename}"
            if info.filename.endswith("/"):  # is_dir() fails where there is no name
                continue
            if stat.S_ISLNK(info.external_attr >> 16):
                yield Skipped(shown, "a link in an archive")
            elif _leads_out(info.filename):
                yield Skipped(shown, "a name that leads out of the archive", unsafe=True)
            elif info.flag_bits & 1:
                yield Skipped(shown, "encrypted")
            elif info.header_offset in shared:
                yield Skipped(shown, "shares its bytes with another member", unsafe=True)
            elif info.compress_type not in _BOUNDED:
                method = zipfile.compressor_names.get(  # type: ignore[attr-defined]
                    info.compress_type, info.compress_type
                )
                yield Skipped(shown, f"compressed by another method than deflate ({method})")
            else:
                yield Member(shown, info.file_size, partial(_zip_stream, archive, info), budget)


def _zip_stream(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    return archive.open(info)


def _overlapping(infos: list[zipfile.ZipInfo]) -> set[int]:
    """Where members begin that reach into another one's bytes: data that would count often."""
    shared: set[int] = set()
    last, end = -1, 0
    for info in sorted(infos, key=lambda one: one.header_offset):
        if info.header_offset < end:
            shared |= {last, info.header_offset}
        own_end = info.header_offset + zipfile.sizeFileHeader + info.compress_size  # type: ignore[attr-defined]
        if own_end > end:
            last, end = info.header_offset, own_end
    return shared


class _Directory(io.FileIO):
    """A zip's file: its directory is read in one call of the length that the file claims."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or size < 0:  # all that follows, which is the last 64 KiB
            size = max(os.fstat(self.fileno()).st_size - self.tell(), 0)
        if size > LARGEST_DIRECTORY:
            raise zipfile.BadZipFile(f"a directory of {size} bytes")
        return super().read(size)


def _tar_members(path: str, budget: _Budget) -> Iterator[Member | Skipped]:
    with open(path, "rb") as raw:
        stream = _Forward(_unpacked(raw), budget)
        with stream.in_headers():
            opened = tarfile.open(fileobj=stream, mode="r:")  # noqa: SIM115 - closed below
        with opened as archive:
            while True:
                with budget.clock() as tick, stream.in_headers():
                    info = archive.next()
                    tick()
                if info is None:
                    return
                budget.member()
                archive.members = []  # type: ignore[attr-defined]  # it would keep every header
                if sum(map(len, archive.pax_headers.values())) > LARGEST_HEADER:
                    raise tarfile.ReadError("global headers that only grow")
                shown = f"{path}!{info.name}"
                if _leads_out(info.name):
                    yield Skipped(shown, "a name that leads out of the archive", unsafe=True)
                elif info.issym() or info.islnk():
                    yield Skipped(shown, "a link in an archive")
                elif info.isfile():
                    yield Member(shown, info.size, partial(_tar_stream, archive, info), budget)
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


_GZIP, _BZIP2, _XZ = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0"


def _unpacked(raw: IO[bytes]) -> _Readable:
    """The tar inside its compression."""
    head = raw.read(6)
    raw.seek(0)
    if head.startswith(_GZIP):
        return gzip.GzipFile(fileobj=raw)
    if head.startswith(_BZIP2):
        return bz2.BZ2File(raw)
    if head.startswith(_XZ):
        return lzma.LZMAFile(raw)
    return raw


class _Forward(io.RawIOBase):
    """A stream that goes forward only, in small steps, and not beyond what the archive may cost.

    tarfile reads a header's payload in one call of the length that the header claims, and headers
    before headers: what one member may have of them in sum is LARGEST_HEADER. It also goes back
    by one byte before each header, which the kept tail answers: unpacking anew from the start
    for each member would make an archive cost its square.
    """

    def __init__(self, stream: _Readable, budget: _Budget) -> None:
        super().__init__()
        self._stream = stream
        self._budget = budget
        self._room: int | None = None  # bytes of headers that are left, while one is read
        self._taken = 0  # bytes that the stream has given
        self._tail = b""  # the last of them
        self._back = 0  # how many of them are to be given again

    @contextmanager
    def in_headers(self) -> Iterator[None]:
        """What is read inside are headers."""
        self._room = LARGEST_HEADER
        try:
            yield
        finally:
            self._room = None

    def read(self, size: int = -1) -> bytes:
        if self._room is not None:
            if not 0 <= size <= self._room:
                raise tarfile.ReadError(f"a header of {size} bytes")
            self._room -= size
        return self._next(size)

    def _next(self, size: int) -> bytes:
        again = self._tail[len(self._tail) - self._back :][:size]
        self._back -= len(again)
        fresh = self._stream.read(size - len(again))
        self._taken += len(fresh)
        self._budget.unpacked(len(fresh))
        self._tail = (self._tail + fresh)[-tarfile.BLOCKSIZE :]
        return again + fresh

    def tell(self) -> int:
        return self._taken - self._back

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        behind = self._taken - offset
        if whence != io.SEEK_SET or behind > len(self._tail):
            raise io.UnsupportedOperation("this stream goes forward only")
        self._back = max(behind, 0)
        with self._budget.clock() as tick:
            while self.tell() < offset and self._next(min(_CHUNK, offset - self.tell())):
                tick()
        return self.tell()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True


def _short(error: BaseException) -> str:
    text = str(error).splitlines()[0] if str(error) else type(error).__name__
    return text[:80]
