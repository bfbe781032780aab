"""Converted programs, kept so that each conversion is done once on a machine.

    <root>/entries/<key>/   manifest.json, the converted program, links to the weights
    <root>/locks/<key>      held while one process makes that entry and others wait for it
    <root>/making/          directories not finished yet, or on their way out

An entry is complete or absent: it is made under ``making``, flushed to the disk, and renamed into
its place. It is used only if this user or root alone could have written it and it is what its
manifest says (``cache_entry``). Where the cache cannot be used, the conversion is made in a
temporary directory that lasts as long as the process, and the log says why.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import logging
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Callable, TypeVar

from compatload.errors import CompatLoadError, ConversionError, UsageError
from compatload.store.entry import (
    CacheEntry,
    Footprint,
    UntrustedError,
    describe,
    footprint,
    mark_used,
    require_private,
    sync_directory,
    verify,
    write_manifest,
)
from compatload.store.linking import link

logger = logging.getLogger("compatload")
_T = TypeVar("_T")

#: Names the place of the cache; without it the platform's own for such files is taken.
VARIABLE = "COMPATLOAD_CACHE"
#: As its value: loads convert in memory and keep nothing.
OFF = "off"
DEFAULT_LIMIT = 2 << 30

# What another process may just have been given is not taken away from it.
_GRACE = 600.0
# An unfinished directory this old has no process behind it any more.
_ABANDONED = 24 * 3600.0
# A process that holds a lock for longer is taken for stuck; the work is then done a second time.
_PATIENCE = 600.0


class ConversionCache:
    """Directories made once a key, for all processes of this user.

    Args:
        root: where; by default ``$COMPATLOAD_CACHE``, or the platform's cache directory.
        limit: bytes that entries may take (linked weights do not count); the ones unused for
            longest go first.
    """

    def __init__(
        self, root: str | os.PathLike[str] | None = None, limit: int = DEFAULT_LIMIT
    ) -> None:
        self.path = Path(root) if root is not None else default_root()
        self._limit = limit

    def get_or_create(
        self,
        key: str,
        make: Callable[[Path], object],
        *,
        weights: Mapping[str, Path] | None = None,
        about: Mapping[str, str] | None = None,
    ) -> Path:
        """The directory for ``key``; if there is none, ``make`` writes its files.

        Args:
            key: hexadecimal, from everything that decides the result (``content_key``).
            make: called with an empty directory, or one that holds the weights; what it leaves
                there is the entry. What it raises is raised here, and nothing is kept.
            weights: files to link into the directory, by the name they get there.
            about: what ``entries`` should show of the entry.

        Raises:
            ConversionError: there is no room, not even in the temporary directory.
        """
        if not key or not set(key) <= set("0123456789abcdef"):
            raise UsageError(f"{key!r} is no key of the cache.", action="Use content_key().")
        job = _Job(key, make, weights or {}, about or {})
        entry = self._entry(key)
        try:
            if self._trusted() and _is_whole(entry, key):
                mark_used(entry)
                return entry
            return _kept_by_this_process(key) or self._create(job)
        except _UnusableError as error:
            return _temporary(job, f"{self.path}: {error}")

    def find(self, key: str) -> Path | None:
        """The directory for ``key`` if there is one that can be trusted; takes no lock."""
        entry = self._entry(key)
        try:
            if not self._trusted() or not _is_whole(entry, key):
                return None
        except (_UnusableError, OSError):
            return None
        mark_used(entry)
        return entry

    def keep(
        self, key: str, make: Callable[[Path], object], *, about: Mapping[str, str] | None = None
    ) -> None:
        """Make the entry for ``key`` unless it is there.

        For what is nice to have: nothing is kept elsewhere where the cache cannot be used, and
        nobody waits for the disk or for another process. What a crash leaves of such an entry is
        found to be damaged.
        """
        job = _Job(key, make, {}, about or {}, durable=False)
        try:
            self._make_place()
            if not _is_whole(self._entry(key), key):
                self._fill(job)
                # Looking at every entry takes longer than making this one.
                if key.startswith("0"):
                    self._evict(keep=key)
        except (_UnusableError, OSError) as error:
            logger.debug("nothing was kept in %s: %s", self.path, error)

    @contextlib.contextmanager
    def alone(self, key: str) -> Iterator[bool]:
        """Whether no other process is at ``key`` as long as the scope lasts; nobody waits."""
        with contextlib.ExitStack() as scope:
            try:
                self._make_place()
                scope.enter_context(self._lock(key, patience=0.0))
                free = True
            except _UnusableError:
                free = False
            yield free

    def forget(self, key: str) -> None:
        """Remove the entry for ``key``; whoever is reading it finds that it is gone."""
        entry = self._entry(key)
        if entry.is_dir():
            self._remove(entry)

    def entries(self) -> tuple[CacheEntry, ...]:
        """All entries, the one used last first."""
        found = []
        for directory in self._directories("entries"):
            with contextlib.suppress(UntrustedError, OSError):
                require_private(directory)
                found.append(describe(directory))
        return tuple(sorted(found, key=lambda entry: entry.used, reverse=True))

    def clear(self) -> int:
        """Removes every entry and what was left unfinished; how many entries there were."""
        entries = list(self._directories("entries"))
        removed = sum(self._remove(directory) for directory in entries)
        for directory in list(self._directories("making")):
            shutil.rmtree(directory, ignore_errors=True)
        return removed

    def _entry(self, key: str) -> Path:
        return self.path / "entries" / key

    def _trusted(self) -> bool:
        """Whether the cache is there and nobody else can write to it."""
        try:
            require_private(self.path, linked=True)
            for name in ("entries", "making", "locks"):
                with contextlib.suppress(FileNotFoundError):
                    require_private(os.path.join(self.path, name))
        except FileNotFoundError:
            return False
        except UntrustedError as error:
            raise _UnusableError(f"the cache is not safe to use: {error}") from error
        return True

    def _create(self, job: _Job) -> Path:
        self._make_place()
        entry = self._entry(job.key)
        with self._lock(job.key):
            if _is_whole(entry, job.key):  # another process was faster
                mark_used(entry)
                return entry
            self._fill(job)
        self._evict(keep=job.key)
        return entry

    def _make_place(self) -> None:
        with _unusable_if_not_writable():
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            for name in ("entries", "making", "locks"):
                (self.path / name).mkdir(mode=0o700, exist_ok=True)
        self._trusted()

    def _fill(self, job: _Job) -> None:
        with _unusable_if_not_writable():
            making = Path(tempfile.mkdtemp(dir=self.path / "making"))
        try:
            job.run(making)
            with _unusable_if_not_writable():
                self._put(making, self._entry(job.key), job.durable)
        finally:
            shutil.rmtree(making, ignore_errors=True)

    def _put(self, making: Path, entry: Path, durable: bool) -> None:
        """Rename into place; an entry that is there already stays if it is whole."""
        while True:
            try:
                os.rename(making, entry)
            except OSError as error:
                if error.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
                    raise
                # Damaged, a link, a file, or made meanwhile on a file system without locks.
                if _is_whole(entry, entry.name):
                    return
                if not self._remove(entry):
                    raise _UnusableError("a damaged entry cannot be removed") from error
            else:
                if durable:
                    sync_directory(entry.parent)
                return

    @contextlib.contextmanager
    def _lock(self, key: str, patience: float | None = None) -> Iterator[None]:
        # Finding an entry needs no lock, and this takes 30 ms to import.
        from filelock import FileLock, Timeout

        wait = _PATIENCE if patience is None else patience
        lock = FileLock(self.path / "locks" / key, timeout=wait)
        try:
            lock.acquire()
        except Timeout:
            raise _UnusableError(f"another process has been making {key} for too long") from None
        except NotImplementedError:
            # A file system without locks: entries stay whole, some work may be done twice.
            yield
            return
        except OSError as error:
            raise _UnusableError(str(error)) from error
        try:
            yield
        finally:
            lock.release()

    def _evict(self, keep: str) -> None:
        size = sum(entry.own_bytes for entry in self._footprints())
        now = time.time()
        if size > self._limit:
            for entry in sorted(self._footprints(), key=lambda entry: entry.used):
                if size <= self._limit:
                    break
                if entry.path.name != keep and now - entry.used > _GRACE:
                    self._remove(entry.path)
                    size -= entry.own_bytes
        for directory in list(self._directories("making")):
            with contextlib.suppress(OSError):
                if now - directory.stat().st_mtime > _ABANDONED:
                    shutil.rmtree(directory, ignore_errors=True)

    def _remove(self, entry: Path) -> bool:
        """Out of its place at once, then deleted: nobody sees half an entry."""
        try:
            aside = Path(tempfile.mkdtemp(dir=self.path / "making"))
            os.rename(entry, aside / "removed")
        except OSError:
            return False
        shutil.rmtree(aside, ignore_errors=True)
        return True

    def _footprints(self) -> Iterator[Footprint]:
        """One by one: a service is not to grow because its cache has."""
        for directory in self._directories("entries"):
            with contextlib.suppress(OSError):
                yield footprint(directory)

    def _directories(self, name: str) -> Iterator[Path]:
        with contextlib.suppress(OSError), os.scandir(self.path / name) as items:
            for item in items:
                if item.is_dir(follow_symlinks=False):
                    yield Path(item.path)


def made_once(
    key: Callable[[], str],
    make: Callable[[], _T],
    write: Callable[[Path, _T], object],
    read: Callable[[Path], _T],
    about: Mapping[str, str],
    unkept: str,
) -> _T:
    """What ``make`` gives, made once for all processes of this user.

    The cache saves work and is never needed: where it cannot be used, or ``read`` finds an entry to
    be none (ValueError), the log says what is ``unkept``. What ``make`` raises is raised here.
    """
    made: list[_T] = []
    failure: list[Exception] = []

    def enter(directory: Path) -> None:
        if not made:  # the cache may try a second place
            try:
                made.append(make())
            except (CompatLoadError, ValueError) as error:
                failure.append(error)
                raise
        write(directory, made[0])

    try:
        entry = ConversionCache().get_or_create(key(), enter, about=about)
        return made[0] if made else read(entry)
    except (CompatLoadError, OSError, ValueError) as error:
        if failure:
            raise failure[0] from failure[0].__cause__
        why = error.problem if isinstance(error, CompatLoadError) else error
        logger.warning("%s: %s: %s", about["model"], unkept, why)
        return made[0] if made else make()


def default_root() -> Path:
    """``$COMPATLOAD_CACHE``, or where the platform keeps what can be made again."""
    return _default_root(*map(os.environ.get, _DECIDING))


# Variables that decide where the cache is.
_DECIDING = (VARIABLE, "XDG_CACHE_HOME", "LOCALAPPDATA", "HOME", "USERPROFILE", "TMPDIR")


@lru_cache(maxsize=8)  # asked several times a load
def _default_root(chosen: str | None, xdg: str | None, local: str | None, *_: str | None) -> Path:
    if chosen and chosen != OFF:
        return Path(chosen).expanduser()
    try:
        home = Path.home()
    except RuntimeError:  # a user without a home, as in some containers
        home = Path(tempfile.gettempdir()) / f"compatload-{os.getuid()}"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "compatload"
    if os.name == "nt":
        return Path(local or home / "AppData" / "Local") / "compatload"
    return Path(xdg or home / ".cache") / "compatload"


class _UnusableError(Exception):
    """Why the cache cannot keep this entry; the work is then done in a temporary place."""


class _Job:
    """What is to be made, wherever that turns out to be possible."""

    def __init__(
        self,
        key: str,
        make: Callable[[Path], object],
        weights: Mapping[str, Path],
        about: Mapping[str, str],
        *,
        durable: bool = True,
    ) -> None:
        self.key = key
        self._make = make
        self._weights = weights
        self._about = about
        self.durable = durable

    def run(self, directory: Path) -> None:
        """Fill ``directory``; _UnusableError where the disk cannot take it."""
        with _unusable_if_not_writable():
            linked = {name: link(path, directory / name) for name, path in self._weights.items()}
        # Rights that the maker lacks elsewhere are no matter of this place.
        with _unusable_if_not_writable(_FULL):
            self._make(directory)
        with _unusable_if_not_writable():
            write_manifest(directory, self.key, linked, self._about, durable=self.durable)


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
_NOT_WRITABLE = (*_FULL, errno.EACCES, errno.EPERM, errno.ENOTDIR)


@contextlib.contextmanager
def _unusable_if_not_writable(answers: tuple[int, ...] = _NOT_WRITABLE) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in answers:
            raise
        raise _UnusableError(error.strerror or str(error)) from error


def _is_whole(entry: Path, key: str) -> bool:
    try:
        verify(entry, key)
    except FileNotFoundError:
        return False
    except (UntrustedError, OSError) as error:
        logger.warning("cache entry %s is not used: %s", entry, error)
        return False
    return True


_temporaries: dict[str, Path] = {}
_temporaries_lock = threading.RLock()


def _kept_by_this_process(key: str) -> Path | None:
    with _temporaries_lock:
        known = _temporaries.get(key)
        return known if known is not None and _is_whole(known, key) else None


def _temporary(job: _Job, why: str) -> Path:
    """The entry in a directory of this process, removed when it ends."""
    with _temporaries_lock:
        known = _kept_by_this_process(job.key)
        if known is not None:
            return known
        directory: Path | None = None
        try:
            with _unusable_if_not_writable((*_NOT_WRITABLE, errno.ENOENT)):
                directory = Path(tempfile.mkdtemp(prefix="compatload-"))
            job.run(directory)
        except BaseException as error:
            _discard(directory, os.getpid())
            if not isinstance(error, _UnusableError):
                raise
            raise ConversionError(
                f"There is no place for the converted model: {why}; temporary directory: {error}.",
                action=f"Free some space, or set {VARIABLE} to a directory that can be written to.",
            ) from error
        _temporaries[job.key] = directory
        atexit.register(_discard, directory, os.getpid())
    logger.warning(
        "the converted model is kept in %s for this process only, not in the cache: %s",
        directory,
        why,
    )
    return directory


def _discard(directory: Path | None, owner: int) -> None:
    # A forked child must not take the directory away from its parent.
    if directory is not None and os.getpid() == owner:
        shutil.rmtree(directory, ignore_errors=True)
