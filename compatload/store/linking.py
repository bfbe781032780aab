"""Weights put beside a converted program without copying them, where the file system allows.

Converting changes a program and never its weights, which may be gigabytes. In this order:

* a **reflink** (``FICLONE``: btrfs, XFS, bcachefs): a file of its own that shares its blocks;
* a **hard link**: the same file under a second name. It lives on when the source is deleted, and
  shares what is later written *into* the source; that is noticed, not prevented: what was linked
  is remembered with its identity, and an entry whose weights have another one is not used;
* a **symbolic link**, across file systems and for files of other users that the kernel does not
  let one hard-link; noticed in the same way, and when the source is gone;
* a **copy**, where there are no links.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

_FICLONE = 0x40049409  # _IOW(0x94, 9, int)
_WHOLE = 64 << 20  # up to here a file's identity is its content
_SAMPLES = 64
_SAMPLE = 4096
_FULL = (errno.ENOSPC, errno.EDQUOT)


def link(source: Path, target: Path) -> str:
    """Makes ``target`` hold what ``source`` holds; how: reflink, hardlink, symlink or copy.

    Raises OSError where not even a copy can be made; nothing is left behind then.
    """
    resolved = source.resolve(strict=True)
    if _reflink(resolved, target):
        return "reflink"
    for name, make in (("hardlink", os.link), ("symlink", os.symlink)):
        try:
            make(resolved, target)
        except OSError as error:
            if error.errno in (*_FULL, errno.EROFS, errno.EEXIST):
                raise
            continue
        return name
    try:
        shutil.copyfile(resolved, target)
    except OSError:
        with contextlib.suppress(OSError):
            target.unlink()
        raise
    return "copy"


def duplicate(source: Path, target: Path) -> None:
    """Makes ``target`` a file of its own with the same content; blocks are shared if possible.

    What is later written into one is never seen in the other. Raises OSError where there is no
    room; nothing is left behind then.
    """
    if _reflink(source, target, 0o666):
        return
    try:
        shutil.copyfile(source, target)
    except OSError:
        with contextlib.suppress(OSError):
            target.unlink()
        raise


def _reflink(source: Path, target: Path, mode: int = 0o600) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    import fcntl

    with source.open("rb") as reading:
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            fcntl.ioctl(descriptor, _FICLONE, reading.fileno())
        except OSError as error:
            target.unlink()
            if error.errno in _FULL:
                raise
            return False
        finally:
            os.close(descriptor)
    return True


def identity(path: Path) -> str:
    """What tells a weights file from every other one, at a cost that does not grow with its size.

    Up to 64 MiB its content. Beyond that its place, size and time of change, and samples of its
    content: files that differ somewhere between the samples must never be taken for one another.
    """
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        digest = hashlib.sha256(str(status.st_size).encode())
        if status.st_size <= _WHOLE:
            # A buffer of 1 MiB for every small file takes longer than reading it.
            while block := file.read(min(status.st_size, 1 << 20) or 1):
                digest.update(block)
            return digest.hexdigest()
        place = (status.st_dev, status.st_ino, status.st_mtime_ns)
        digest.update(repr(place).encode())
        for index in range(_SAMPLES):
            file.seek((status.st_size - _SAMPLE) * index // (_SAMPLES - 1))
            digest.update(file.read(_SAMPLE))
        return digest.hexdigest()


def stamp(path: str | os.PathLike[str]) -> Sequence[int]:
    """Size, time of change and number of a file, followed through links: cheap to compare."""
    status = os.stat(path)
    return [status.st_size, status.st_mtime_ns, status.st_ino]
