"""Opening files that nobody vouches for: regular files only, bounded reads, no blocking."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from compatload.errors import ArtifactNotFoundError, DamagedArtifactError, UnsafeArtifactError
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


@frozen
class FileIdentity:
    """Which file was read, and in what state: enough to notice that it was exchanged since."""

    path: str
    device: int
    inode: int
    size: int
    mtime_ns: int

    def is_unchanged(self) -> bool:
        """Whether ``path`` still leads to this very file, not written to since."""
        try:
            status = os.stat(self.path)
        except OSError:
            return False
        return self == _identity(self.path, status)


def _identity(path: str, status: os.stat_result) -> FileIdentity:
    return FileIdentity(path, status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


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
    status = _opened(os.stat, path)
    _require_regular(path, status)
    return _identity(path, status)


@contextmanager
def open_regular(path: str) -> Iterator[OpenFile]:
    """Open ``path`` if it is a regular file.

    Raises:
        ArtifactNotFoundError: there is nothing, or it may not be read.
        UnsafeArtifactError: a directory, FIFO, socket or device.
    """
    # Opening a device can have side effects, so its kind is asked before, too.
    _require_regular(path, _opened(os.stat, path))
    descriptor = _opened(os.open, path, _OPEN_FLAGS)
    try:
        status = os.fstat(descriptor)
        _require_regular(path, status)
        yield OpenFile(descriptor, _identity(path, status))
    finally:
        os.close(descriptor)


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
