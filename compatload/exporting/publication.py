"""Files of a model made aside and put into their place at once, or not at all.

They are written, flushed and checked in a hidden directory beside their place, then linked to
their names one by one, the program last: who finds a program finds all that belongs to it. A name
that is taken is never given away: only a file of the very same content may bear it already. What
a killed process leaves behind is removed by the next one with the same target.
"""

from __future__ import annotations

import contextlib
import errno
import filecmp
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from filelock import FileLock, Timeout

from compatload.errors import ConversionError, UsageError
from compatload.store.entry import sync_directory

_LOCK = "lock"
# A directory this old whose lock nobody holds has no process behind it any more.
_ABANDONED = 60.0
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV)


@contextlib.contextmanager
def made_aside(prefix: Path) -> Iterator[Path]:
    """A new empty directory on the file system of ``prefix``, removed at the end.

    Raises ConversionError where nothing can be written there.
    """
    created = _make_parents(prefix)
    aside: Path | None = None
    try:
        with told_of(prefix):
            _sweep(prefix)
            aside = Path(tempfile.mkdtemp(prefix=_aside_prefix(prefix), dir=prefix.parent))
        with _held(aside / _LOCK):
            files = aside / "files"
            with told_of(prefix):
                files.mkdir()
            yield files
    finally:
        if aside is not None:
            shutil.rmtree(aside, ignore_errors=True)
        for directory in created:
            with contextlib.suppress(OSError):  # not empty: it is the target's now
                directory.rmdir()


def publish(files: Path, names: Sequence[str], prefix: Path) -> tuple[str, ...]:
    """Give the files in ``files`` their names beside ``prefix``, in this order; their paths.

    Raises UsageError if one of the names is taken by something else; nothing is changed then.
    """
    places = [prefix.parent / name for name in names]
    _refuse_strangers(prefix, places)
    for name, place in zip(names, places):
        _refuse_taken(files / name, place)
    placed: list[Path] = []
    try:
        with told_of(prefix):
            for name in names:
                _flush(files / name)
            for name, place in zip(names, places):
                if _place(files / name, place):
                    placed.append(place)
            sync_directory(prefix.parent)
    except BaseException:
        for place in reversed(placed):  # the program first: it must not stand without its weights
            place.unlink(missing_ok=True)
        raise
    return tuple(map(str, places))


@contextlib.contextmanager
def told_of(prefix: Path) -> Iterator[None]:
    """What the disk refuses, as a ConversionError that says where."""
    try:
        yield
    except OSError as error:
        raise ConversionError(
            f"The converted model cannot be written to {prefix.parent}: {error.strerror or error}.",
            action="Free some space there, or name a target that can be written to.",
            artifact=str(prefix),
        ) from error


def _make_parents(prefix: Path) -> list[Path]:
    """The directories that had to be made for ``prefix``, innermost first."""
    missing = []
    directory = prefix.parent
    while not directory.exists() and directory != directory.parent:
        missing.append(directory)
        directory = directory.parent
    with told_of(prefix):
        prefix.parent.mkdir(parents=True, exist_ok=True)
    return missing


def _aside_prefix(prefix: Path) -> str:
    return f".{prefix.name}.converting-"


def _sweep(prefix: Path) -> None:
    """Remove what killed processes left aside for this target."""
    for aside in prefix.parent.glob(f"{_glob_escaped(_aside_prefix(prefix))}*"):
        with contextlib.suppress(OSError, Timeout, NotImplementedError):
            if time.time() - aside.stat().st_mtime < _ABANDONED:
                continue
            with FileLock(aside / _LOCK, timeout=0):
                shutil.rmtree(aside, ignore_errors=True)


def _glob_escaped(name: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


@contextlib.contextmanager
def _held(path: Path) -> Iterator[None]:
    lock = FileLock(path)
    try:
        lock.acquire()
    except (NotImplementedError, OSError):
        # A file system without locks: only the sweep of others looks at them, after a minute.
        yield
        return
    try:
        yield
    finally:
        lock.release()


def _refuse_strangers(prefix: Path, places: Sequence[Path]) -> None:
    """Paddle takes every ``model.*.json`` for a method of ``model``."""
    suffix = places[-1].suffix
    for found in prefix.parent.glob(f"{_glob_escaped(prefix.name)}.*{suffix}"):
        if found not in places:
            raise UsageError(
                f"{found} is there already, and Paddle would take it for a part of {prefix}.",
                action="Name another target, or remove that file.",
            )


def _refuse_taken(made: Path, place: Path) -> None:
    if os.path.lexists(place) and not _same(made, place):
        raise UsageError(
            f"{place} exists already, with other content.",
            action="Name another target, or remove that file.",
        )


def _same(made: Path, place: Path) -> bool:
    try:
        return place.is_file() and filecmp.cmp(made, place, shallow=False)
    except OSError:
        return False


def _place(made: Path, place: Path) -> bool:
    """Whether ``place`` is new; UsageError if it is taken."""
    try:
        os.link(made, place)
    except FileExistsError:
        _refuse_taken(made, place)
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _refuse_taken(made, place)
        if place.exists():
            return False
        os.rename(made, place)
    return True


def _flush(path: Path) -> None:
    with open(path, "rb+") as file:
        os.fsync(file.fileno())
