"""Private directories that are gone when their scope ends, however it ends.

A directory that a killed process left is removed by the next one of the same user: its lock is
free. (Process ids tell nothing: containers share ``/dev/shm`` and have their own.)
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager

# Between making a directory and locking it.
_GRACE = 60.0
_swept: set[str] = set()


@contextmanager
def scratch_directory(base: str, prefix: str = "compatload-load-") -> Iterator[str]:
    """A new directory in ``base`` that nobody else can read, removed at the end.

    All directories with that prefix must be made here. A forked child leaves those of its parent,
    whose scopes end in it, too, when it exits.
    """
    process = os.getpid()
    _sweep(base, prefix)
    # Named before it is made: Ctrl-C may come at any moment.
    directory = os.path.join(base, prefix + os.urandom(8).hex())
    lock = None
    try:
        os.mkdir(directory, 0o700)
        lock = _locked(directory)
        yield directory
    finally:
        try:
            if os.getpid() == process:
                _remove(directory)
        except BaseException:
            shutil.rmtree(directory, ignore_errors=True)
            raise
        finally:
            if lock is not None:
                os.close(lock)


def _remove(directory: str) -> None:
    # There are files and links in it: rmtree, which guards against more, takes five times as long.
    try:
        for name in os.listdir(directory):
            os.unlink(os.path.join(directory, name))
        os.rmdir(directory)
    except OSError:
        shutil.rmtree(directory, ignore_errors=True)


def _locked(directory: str) -> int | None:
    """A descriptor that holds the lock of a directory; None if another has it, or none has one."""
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    try:
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _sweep(base: str, prefix: str) -> None:
    """Once a process: remove what killed ones left."""
    place = os.path.join(base, prefix)
    if place in _swept or not hasattr(os, "geteuid"):
        return
    _swept.add(place)
    with contextlib.suppress(OSError):
        for name in os.listdir(base):
            if name.startswith(prefix):
                with contextlib.suppress(OSError):
                    _remove_abandoned(os.path.join(base, name))


def _remove_abandoned(directory: str) -> None:
    status = os.lstat(directory)
    if status.st_uid != os.geteuid() or time.time() - status.st_mtime < _GRACE:
        return
    lock = _locked(directory)
    if lock is not None:
        _remove(directory)
        os.close(lock)
