"""A tree that models are read from or written to: on disk; ``remote`` has those behind URLs."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Protocol

from compatload.artifact.files import MAX_PROGRAM_BYTES, open_regular
from compatload.checking.finding import Skipped
from compatload.checking.walk import walk
from compatload.errors import ArtifactError, UnsafeArtifactError, UsageError
from compatload.frozen import frozen
from compatload.remote import RemotePlace, Unreadable
from compatload.store.linking import duplicate

# What a migration keeps beside the models, in the target.
KEPT = ".compatload"
_CHUNK = 1 << 20


@frozen
class Folder:
    """The files of one folder; ``path`` is relative to the tree, with slashes, ``""`` its top."""

    path: str
    names: tuple[str, ...]


def joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


class Tree(Protocol):
    """Instances are sent to workers. All paths are relative to the tree, with slashes."""

    def folders(self) -> Iterator[Folder | Skipped]:
        """Every folder that holds files, sorted, each once, and what cannot be read."""
        ...

    def identity(self, path: str) -> str | None:
        """What tells this content from every other; None where there is no file."""
        ...

    def held(self, folder: str, names: Sequence[str]) -> contextlib.AbstractContextManager[str]:
        """A directory of this machine that holds these files of a folder (others as well)."""
        ...

    def put(self, made: Path, path: str) -> None:
        """Give a file that was made the name ``path``, at once and for good."""
        ...

    def read(self, path: str) -> bytes | None:
        """A small file's content; None where there is none."""
        ...

    def remove(self, path: str) -> None:
        """Take the file away, if it is there."""
        ...

    def scratch(self) -> contextlib.AbstractContextManager[Path]:
        """A new empty directory, from which ``put`` costs least; removed at the end."""
        ...

    def shown(self, path: str) -> str:
        """The path as messages have it."""
        ...


@frozen
class LocalTree:
    """A folder of this machine. Links to files are followed inside of it, and never lead out."""

    root: str

    def folders(self) -> Iterator[Folder | Skipped]:
        top = os.path.realpath(self.root)
        for folder, entries in groupby(walk([self.root]), key=_folder_of):
            names = []
            for entry in entries:
                if isinstance(entry, Skipped):
                    yield entry
                elif _leaves(entry, top):
                    yield Skipped(entry, "a link to a file outside of the tree", unsafe=True)
                else:
                    names.append(os.path.basename(entry))
            relative = os.path.relpath(folder or os.curdir, self.root).replace(os.sep, "/")
            if names and relative.split("/")[0] != KEPT:
                yield Folder("" if relative == "." else relative, tuple(names))

    def identity(self, path: str) -> str | None:
        try:
            with open_regular(self._at(path)) as file:
                digest = hashlib.sha256()
                for chunk in file.chunks():
                    digest.update(chunk)
                return digest.hexdigest()
        except ArtifactError:
            return None

    @contextmanager
    def held(self, folder: str, names: Sequence[str]) -> Iterator[str]:
        top = os.path.realpath(self.root)
        for name in names:
            path = self._at(joined(folder, name))
            if _leaves(path, top):
                raise UnsafeArtifactError(
                    f"{path} is a link to a file outside of the tree.",
                    action="Put the file itself there, or name a source that holds both.",
                    artifact=path,
                )
        yield self._at(folder)

    def put(self, made: Path, path: str) -> None:
        place = self._place(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        with open(made, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(made, place)

    def read(self, path: str) -> bytes | None:
        try:
            with open_regular(self._at(path)) as file:
                return file.read_at(0, min(file.size, MAX_PROGRAM_BYTES))
        except ArtifactError:
            return None

    def remove(self, path: str) -> None:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            self._place(path).unlink()

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        base = Path(self.root, KEPT, "work")
        base.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=base))
        try:
            yield made
        finally:
            shutil.rmtree(made, ignore_errors=True)

    def shown(self, path: str) -> str:
        return self._at(path)

    def _place(self, path: str) -> Path:
        """Where to write; UsageError where a link on the way leads out."""
        place = Path(self._at(path))
        if _leaves(str(place.parent), os.path.realpath(self.root)):
            raise UsageError(
                f"{place.parent} is a link that leads out of the target.",
                action="Remove it, or name another target.",
            )
        return place

    def _at(self, path: str) -> str:
        return os.path.join(self.root, *path.split("/")) if path else self.root


@frozen
class RemoteTree:
    """A folder behind a URL. What is made lies on this machine until it is whole."""

    place: RemotePlace

    def folders(self) -> Iterator[Folder | Skipped]:
        for found in self.place.folders():
            if isinstance(found, Unreadable):
                yield Skipped(self.shown(found.path), found.reason)
            elif found.path.split("/")[0] != KEPT:
                yield Folder(found.path, tuple(name for name, _ in found.files))

    def identity(self, path: str) -> str | None:
        return self.place.identity(path)

    @contextmanager
    def held(self, folder: str, names: Sequence[str]) -> Iterator[str]:
        with tempfile.TemporaryDirectory(prefix="compatload-") as directory:
            for name in names:
                self.place.get(joined(folder, name), os.path.join(directory, name))
            yield directory

    def put(self, made: Path, path: str) -> None:
        self.place.put(str(made), path)

    def read(self, path: str) -> bytes | None:
        try:
            return self.place.read(path, 0, MAX_PROGRAM_BYTES)
        except FileNotFoundError:
            return None

    def remove(self, path: str) -> None:
        self.place.remove(path)

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix="compatload-") as directory:
            yield Path(directory)

    def shown(self, path: str) -> str:
        return self.place.shown(path)


def copied(source: str, name: str, into: Path) -> Path:
    """A file of a held directory, as a file of its own in ``into``."""
    made = into / name
    duplicate(Path(source, name), made)
    return made


def _folder_of(entry: str | Skipped) -> str:
    return os.path.dirname(entry.path if isinstance(entry, Skipped) else entry)


def _leaves(path: str, top: str) -> bool:
    real = os.path.realpath(path)
    return real != top and not real.startswith(os.path.join(top, ""))
