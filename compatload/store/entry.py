"""One entry of the conversion cache: a directory with a manifest that says what is in it.

An entry is trusted only if every part of it could have been written by this user (or root) alone
and is what its manifest says.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cache, partial
from pathlib import Path
from typing import Any

from compatload.artifact.files import identity_of
from compatload.artifact.hashes import Hashes
from compatload.frozen import frozen
from compatload.store.linking import identity, stamp

MANIFEST = "manifest.json"
_LAYOUT = 1
_MAX_MANIFEST = 1 << 20
_MAX_FILES = 64
_hashes = Hashes()


class UntrustedError(Exception):
    """Why an entry, or the cache's place, is not used."""


@frozen
class CacheEntry:
    """``about`` is what the one who made it said; ``own_bytes`` leaves linked weights out."""

    key: str
    path: Path
    created: float
    used: float
    own_bytes: int
    about: Mapping[str, str] = field(default_factory=dict)


def write_manifest(
    directory: Path,
    key: str,
    linked: Mapping[str, str],
    about: Mapping[str, str],
    *,
    durable: bool = True,
) -> None:
    """Hash what ``directory`` holds and write it down; if ``durable``, everything is on disk
    afterwards."""
    files: dict[str, Any] = {}
    for path in sorted(directory.iterdir()):
        if path.name == MANIFEST:
            continue
        how = linked.get(path.name, "own")
        if how == "own" and durable:
            _sync(path)
        files[path.name] = {"how": how, "stamp": stamp(path), "identity": identity(path)}
    manifest = {
        "layout": _LAYOUT,
        "key": key,
        "created": time.time(),
        "about": dict(about),
        "files": files,
    }
    with (directory / MANIFEST).open("x", encoding="utf-8") as file:
        json.dump(manifest, file, indent=1)
        file.flush()
        if durable:
            os.fsync(file.fileno())
    if durable:
        sync_directory(directory)


def verify(directory: Path, key: str) -> None:
    """Raise UntrustedError unless ``directory`` is a whole, unaltered entry for ``key``.

    Own files are hashed, once a process unless they were touched since, and may have been copied,
    as an image of a container is; of linked weights size, time and number are compared, so that the
    cost does not grow with them.
    """
    require_private(directory)
    files = read_manifest(directory, key)["files"]
    if set(os.listdir(directory)) != {MANIFEST, *files}:
        raise UntrustedError("it does not hold the files that its manifest lists")
    for name, told in files.items():
        path = os.path.join(directory, name)
        status = _require_own_or_linked(path, told["how"])
        if told["how"] == "own":
            if _hash(path, status) != told["identity"]:
                raise UntrustedError(f"{name} does not have the content that was stored")
        elif list(stamp(path)) != told["stamp"]:
            raise UntrustedError(f"{name} was written to after it was stored")


def _hash(path: str, status: os.stat_result) -> str:
    return _hashes.of(identity_of(path, status), partial(identity, Path(path)))


def describe(directory: Path) -> CacheEntry:
    """An entry as a listing shows it; UntrustedError where it has no readable manifest."""
    manifest = read_manifest(directory, directory.name)
    own = [name for name, told in manifest["files"].items() if told["how"] in ("own", "copy")]
    try:
        own_bytes = sum((directory / name).lstat().st_size for name in (*own, MANIFEST))
        used = (directory / MANIFEST).lstat().st_mtime
    except OSError as error:
        raise UntrustedError(f"it is incomplete ({error})") from error
    created, about = float(manifest["created"]), dict(manifest["about"])
    return CacheEntry(directory.name, directory, created, used, own_bytes, about)


@frozen
class Footprint:
    """What has to be known of an entry to keep a cache within its limit; sizes are in bytes."""

    path: Path
    used: float
    own_bytes: int


def footprint(directory: str | os.PathLike[str]) -> Footprint:
    """Taken without reading the manifest, since a cache has thousands of entries; one that has
    none counts as never used. OSError where the entry is gone."""
    used, own_bytes = 0.0, 0
    with os.scandir(directory) as files:
        for file in files:
            status = file.stat(follow_symlinks=False)
            if file.name == MANIFEST:
                used = status.st_mtime
            if stat.S_ISREG(status.st_mode) and status.st_nlink == 1:
                own_bytes += status.st_size
    return Footprint(Path(directory), used, own_bytes)


def mark_used(directory: Path) -> None:
    """Entries unused for longest go first; where nothing can be written, nothing goes."""
    try:
        os.utime(directory / MANIFEST)
    except OSError:
        return


def read_manifest(directory: Path, key: str) -> dict[str, Any]:
    path = os.path.join(directory, MANIFEST)
    try:
        if _require_own_or_linked(path, "own").st_size > _MAX_MANIFEST:
            raise UntrustedError("its manifest is far too large")
        with open(path, "rb", buffering=0) as stream:
            manifest = json.loads(stream.read())
        files = manifest["files"]
        layout, held = manifest["layout"], manifest["key"]
        names_are_plain = all(name == os.path.basename(name) and name for name in files)
        complete = all({"how", "stamp", "identity"} <= told.keys() for told in files.values())
    except (OSError, ValueError, RecursionError) as error:
        raise UntrustedError(f"its manifest cannot be read ({error})") from error
    except (AttributeError, KeyError, TypeError) as error:
        raise UntrustedError("its manifest does not have the layout of one") from error
    if layout != _LAYOUT or held != key or not names_are_plain or not complete:
        raise UntrustedError("its manifest belongs to another entry or release of compatload")
    if len(files) > _MAX_FILES:
        raise UntrustedError("its manifest lists too many files")
    return dict(manifest)


def require_private(directory: str | os.PathLike[str], *, linked: bool = False) -> None:
    """Raise UntrustedError if anybody but this user and root can write to ``directory``, and
    FileNotFoundError if it is not there. A link to one is none unless it may be ``linked``."""
    try:
        status = os.stat(directory, follow_symlinks=linked)
    except NotADirectoryError as error:
        raise FileNotFoundError(*error.args) from error
    except FileNotFoundError:
        raise
    except OSError as error:
        raise UntrustedError(f"it cannot be read ({error})") from error
    if not stat.S_ISDIR(status.st_mode):
        raise UntrustedError("it is no directory")
    _require_trusted(status, os.path.basename(directory))


def _require_own_or_linked(path: str, how: str) -> os.stat_result:
    status = os.lstat(path)
    if how == "symlink":
        if not stat.S_ISLNK(status.st_mode):
            raise UntrustedError(f"{os.path.basename(path)} is no longer a link")
        return status
    if not stat.S_ISREG(status.st_mode):
        raise UntrustedError(f"{os.path.basename(path)} is no plain file")
    # A hard link has the owner and mode of the weights it was made from: whoever may write to
    # those could change what is loaded in any case, and the stamp shows that it was done.
    if how != "hardlink":
        _require_trusted(status, os.path.basename(path))
    return status


def _require_trusted(status: os.stat_result, name: str) -> None:
    if not hasattr(os, "geteuid"):  # Windows: profiles are private by their access lists
        return
    if status.st_uid not in (0, os.geteuid()):
        raise UntrustedError(f"{name} belongs to another user ({status.st_uid})")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise UntrustedError(f"others may write to {name}")


def _sync(path: Path) -> None:
    # Windows flushes only what is open for writing.
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_directory(directory: Path) -> None:
    if os.name != "posix":
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def content_key(*parts: str | bytes) -> str:
    """A name for what is made from ``parts``, in this order."""
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode() if isinstance(part, str) else part
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.hexdigest()


@cache
def code_stamp() -> str:
    """What tells this state of compatload from another under the same version number."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return hashlib.sha256(repr(sorted(_stamps(package))).encode()).hexdigest()


def _stamps(folder: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__":
                    yield from _stamps(entry.path)
            else:
                status = entry.stat()
                # Layers of an image keep whole seconds.
                yield entry.name, status.st_size, int(status.st_mtime)
