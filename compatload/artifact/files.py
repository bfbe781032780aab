"""Opening files that nobody vouches for: regular files only, bounded reads, no blocking."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from compatload.errors import (
    ArtifactError,
    ArtifactNotFoundError,
    DamagedArtifactError,
    UnsafeArtifactError,
)
from compatload.frozen import frozen

_T = TypeVar("_T")

# Larger than any program ever seen (the largest exports stay under 100 MB), small enough to read.
MAX_PROGRAM_BYTES = 512 * 1024 * 1024

# A FIFO opened for reading blocks until somebody writes; a text-mode file on Windows is not bytes.
_OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


# Two changes within one tick of a kernel's clock (10 ms and less) may bear the same time.
_TICK_NS = 10_000_000
_LOOKS = 5
_UNSETTLED = -1
# Found out with the first file.
_descriptors_have_paths: bool | None = None
_CHUNK = 1 << 20


@frozen
class FileIdentity:
    """Which file was read, and in what state: enough to notice that it was exchanged since.

    Whoever writes into a file can put ``mtime_ns`` back, not ``ctime_ns`` (on Windows, where that
    is the time of creation, it tells nothing). Not noticed: a write that began before the file was
    identified and went on, stores through a mapping that was dirty by then, and changes on file
    systems whose clocks tick more slowly than every 10 ms.
    """

    path: str
    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int

    @property
    def state(self) -> tuple[int, ...]:
        """All but the path."""
        return (self.device, self.inode, self.size, self.mtime_ns, self.ctime_ns)

    def is_unchanged(self) -> bool:
        """Whether ``path`` still leads to this very file, not written to since."""
        return self.state == _state_at(self.path)


def _state(status: os.stat_result) -> tuple[int, int, int, int, int]:
    """What ``FileIdentity.state`` is of a file."""
    times = (status.st_mtime_ns, status.st_ctime_ns)
    return (status.st_dev, status.st_ino, status.st_size, *times)


def _state_at(path: str) -> tuple[int, int, int, int, int]:
    try:
        return _state(os.stat(path))
    except OSError:
        return (0, 0, 0, 0, 0)


def identity_of(path: str, status: os.stat_result) -> FileIdentity:
    """What ``status`` says of the file at ``path``."""
    return FileIdentity(path, *_state(status))


def identity_at(path: str) -> FileIdentity:
    """What stands at ``path`` now, of any kind; all but the path is 0 where there is nothing."""
    return FileIdentity(path, *_state_at(path))


def _settled(path: str, look: Callable[[], os.stat_result]) -> FileIdentity:
    """The identity of a regular file, from which every later write can be told.

    It waits a few milliseconds where the file was changed just now; what others keep changing all
    the while gets an identity that no file has.
    """
    for _ in range(_LOOKS):
        status = look()
        _require_regular(path, status)
        age = time.time_ns() - status.st_ctime_ns
        if abs(age) >= _TICK_NS:  # from the future: another machine's clock
            return identity_of(path, status)
        time.sleep((_TICK_NS - max(age, 0)) / 1e9)
    return replace(identity_of(path, status), ctime_ns=_UNSETTLED)


class OpenFile:
    """A regular file open for reading at any offset."""

    def __init__(self, descriptor: int, identity: FileIdentity) -> None:
        self._descriptor = descriptor
        self.identity = identity

    @property
    def path(self) -> str:
        return self.identity.path

    @property
    def size(self) -> int:
        return self.identity.size

    @property
    def reachable(self) -> str:
        """A path for others in this process: of this very file, where the system has such paths.

        Elsewhere of what bears its name. It lasts as long as the file is open.
        """
        global _descriptors_have_paths
        # A descriptor's path of macOS shares its offset, so it could be read once only.
        place = f"/proc/self/fd/{self._descriptor}"
        if _descriptors_have_paths is None:
            _descriptors_have_paths = _state_at(place)[:2] == self.identity.state[:2]
        return place if _descriptors_have_paths else os.path.abspath(self.path)

    def chunks(self) -> Iterator[bytes]:
        """Its bytes, a mebibyte at a time."""
        offset = 0
        while chunk := self.read_at(offset, _CHUNK):
            yield chunk
            offset += len(chunk)

    def sha256(self) -> str:
        """Of all of its bytes."""
        digest = hashlib.sha256()
        for chunk in self.chunks():
            digest.update(chunk)
        return digest.hexdigest()

    def read_at(self, offset: int, length: int) -> bytes:
        """Up to ``length`` bytes from ``offset``; fewer only at the end of the file."""
        try:
            pieces = []
            while length > 0:
                piece = _read_at(self._descriptor, offset, length)
                if not piece:
                    break
                pieces.append(piece)
                offset += len(piece)
                length -= len(piece)
        except OSError as error:
            raise DamagedArtifactError(
                f"{self.path} cannot be read: {error.strerror}.",
                action="Check the disk, or fetch the file again.",
                artifact=self.path,
            ) from error
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _read_at(descriptor: int, offset: int, length: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(descriptor, length, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, length)


def identify(path: str) -> FileIdentity:
    """The state of the regular file at ``path``, which is not opened.

    Raises what ``open_regular`` raises.
    """
    return _settled(path, lambda: _opened(os.stat, path))


@contextmanager
def open_regular(path: str) -> Iterator[OpenFile]:
    """Open ``path`` if it is a regular file.

    Raises:
        ArtifactNotFoundError: there is nothing, or it may not be read.
        UnsafeArtifactError: a directory, FIFO, socket or device.
    """
    descriptor = _open(path)
    try:
        yield _identified(path, descriptor)
    finally:
        os.close(descriptor)


def _open(path: str) -> int:
    # Opening a device can have side effects, so its kind is asked before, too.
    _require_regular(path, _opened(os.stat, path))
    return _opened(os.open, path, _OPEN_FLAGS)


def _identified(path: str, descriptor: int) -> OpenFile:
    return OpenFile(descriptor, _settled(path, lambda: os.fstat(descriptor)))


@contextmanager
def reopened(identity: FileIdentity) -> Iterator[OpenFile]:
    """The very file that was identified, open again.

    Raises DamagedArtifactError if something else bears its name, or it was written to since.
    """
    descriptor = None
    try:
        try:
            descriptor = _open(identity.path)
            file = _identified(identity.path, descriptor)
        except ArtifactError as error:
            raise changed(identity.path) from error
        if file.identity != identity:
            raise changed(identity.path)
        yield file
    finally:
        if descriptor is not None:
            os.close(descriptor)


def changed(path: str) -> DamagedArtifactError:
    """What is raised of a file that is not the one that was inspected."""
    return DamagedArtifactError(
        f"{path} changed while the model was being loaded.",
        action="Load it again once it is written; replace files by renaming.",
        artifact=path,
    )


def _opened(call: Callable[..., _T], path: str, *arguments: int) -> _T:
    try:
        return call(path, *arguments)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise _cannot_open(path, error) from error


def _require_regular(path: str, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise UnsafeArtifactError(
            f"{path} is no regular file.",
            action="Give a path to an ordinary file.",
            artifact=path,
        )


def _cannot_open(path: str, error: OSError | ValueError) -> ArtifactNotFoundError:
    if isinstance(error, OSError) and error.errno not in (errno.ENOENT, errno.ENOTDIR):
        return ArtifactNotFoundError(
            f"{path} cannot be opened: {error.strerror}.",
            action="Check the path and its permissions.",
            artifact=path,
        )
    return ArtifactNotFoundError(
        f"{path!r} does not exist.", action="Check the path.", artifact=path
    )


def read_file(path: str, limit: int = MAX_PROGRAM_BYTES) -> tuple[bytes, FileIdentity]:
    """All bytes of a regular file of at most ``limit`` bytes, and its identity."""
    with open_regular(path) as file:
        if file.size > limit:
            raise DamagedArtifactError(
                f"{path} has {file.size} bytes; at most {limit} are read of such a file.",
                action="Check that this is the right file.",
                artifact=path,
            )
        return file.read_at(0, file.size), file.identity
