"""Folders behind URLs, by fsspec: listed, and read only where something is looked at.

Names come from others: none leads out of its folder. Folders deeper than ``DEEPEST``, or with more
than ``MOST_ENTRIES`` entries, are told and left alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from compatload.errors import UsageError
from compatload.frozen import frozen

DEEPEST = 64
MOST_ENTRIES = 200_000
# One request brings a block: headers of small tensors stand close to one another.
_BLOCK = 16 << 10
_SMALL = 256 << 10  # read whole
_CHUNK = 1 << 20
# What stores say of a content without its being read.
_TAGS = ("ETag", "etag", "md5Hash", "md5", "content_md5", "CRC")
_PRUNED = frozenset({".git", ".hg", ".svn", "__pycache__", "node_modules"})


def is_url(path: str) -> bool:
    return "://" in path


@frozen
class Listed:
    """A folder's files with their sizes (-1: unknown); ``path`` is relative, with slashes."""

    path: str
    files: tuple[tuple[str, int], ...]


@frozen
class Unreadable:
    path: str
    reason: str


@frozen
class RemotePlace:
    """A folder behind a URL. Sent to workers, which each open a file system of their own."""

    url: str

    def shown(self, path: str) -> str:
        """The URL of what lies at a relative path; inside of an archive ``URL!path``."""
        head, chained, rest = self.url.partition("::")
        if chained:
            head = f"{rest}!{head.partition('://')[2]}"
        slash = "" if head.endswith(("/", "!")) or not path else "/"
        return f"{head}{slash}{path}"

    def folders(self) -> Iterator[Listed | Unreadable]:
        """Every folder with files, sorted."""
        pending = [("", 0)]
        while pending:
            path, depth = pending.pop()
            try:
                files, folders = self._listed(path)
            except OSError as error:
                yield Unreadable(path, str(error))
                continue
            if files:
                yield Listed(path, tuple(files))
            deeper = [(f"{path}/{name}" if path else name, depth + 1) for name in folders]
            if deeper and depth >= DEEPEST:
                yield Unreadable(deeper[0][0], f"more than {DEEPEST} folders deep")
            else:
                pending += reversed(deeper)

    def _listed(self, path: str) -> tuple[list[tuple[str, int]], list[str]]:
        filesystem, own = self._at(path)
        files: dict[str, int] = {}
        folders = set()
        with told():
            entries = filesystem.ls(own, detail=True)
        if len(entries) > MOST_ENTRIES:
            raise OSError(f"more than {MOST_ENTRIES} entries")
        for entry in entries:
            whole = str(entry["name"]).rstrip("/")
            name = whole.rpartition("/")[2]
            if whole.strip("/") == own.strip("/") or _leads_out(name):
                continue  # the folder itself, as some stores list it
            if entry["type"] == "directory":
                folders.add(name)
            else:
                size = entry.get("size")
                files[name] = -1 if size is None else int(size)
        return sorted(files.items()), sorted(folders - _PRUNED)

    def read(self, path: str, offset: int = 0, length: int | None = None) -> bytes:
        """Raises OSError, FileNotFoundError where there is none."""
        filesystem, own = self._at(path)
        with told():
            end = None if length is None else offset + length
            found: bytes = filesystem.cat_file(own, start=offset or None, end=end)
            return found

    def identity(self, path: str) -> str | None:
        """What the store says of the content, else its hash; None where there is no file."""
        filesystem, own = self._at(path)
        try:
            with told():
                info = filesystem.info(own)
                if info["type"] == "directory":
                    return None
                tag = next((str(info[one]) for one in _TAGS if info.get(one)), None)
                if tag is not None:
                    return f"{tag} {info.get('size')}"
                digest = hashlib.sha256()
                with filesystem.open(own, "rb") as stream:
                    while chunk := stream.read(_CHUNK):
                        digest.update(chunk)
                return digest.hexdigest()
        except FileNotFoundError:
            return None

    def get(self, path: str, into: str) -> None:
        filesystem, own = self._at(path)
        with told():
            filesystem.get_file(own, into)

    def put(self, made: str, path: str) -> None:
        """Object stores show a file once it is whole; elsewhere it is renamed when it is."""
        filesystem, own = self._at(path)
        with told():
            if not _shows_whole_files(filesystem):
                parent = own.rpartition("/")[0]
                filesystem.makedirs(parent, exist_ok=True)
                filesystem.put_file(made, f"{own}.part")
                if filesystem.exists(own):
                    filesystem.rm_file(own)
                filesystem.mv(f"{own}.part", own)
            else:
                filesystem.put_file(made, own)

    def remove(self, path: str) -> None:
        filesystem, own = self._at(path)
        with told():
            if filesystem.exists(own):
                filesystem.rm_file(own)

    def _at(self, path: str) -> tuple[Any, str]:
        filesystem, root = _opened(self.url)
        root = root.rstrip("/")
        return filesystem, f"{root}/{path}" if root and path else root or path


class Ranges:
    """A file behind a URL, of which the blocks that are asked for are read: a ``Source``."""

    def __init__(self, place: RemotePlace, path: str, size: int) -> None:
        self._place, self._name = place, path
        self.path, self.size = place.shown(path), size
        self._block, self._begin = b"", 0

    def read_at(self, offset: int, length: int) -> bytes:
        end = min(offset + length, self.size)
        if offset >= end:
            return b""
        if not self._begin <= offset or end > self._begin + len(self._block):
            whole = self.size <= _SMALL
            self._begin = 0 if whole else offset
            wanted = self.size if whole else max(end - offset, _BLOCK)
            self._block = self._place.read(self._name, self._begin, wanted)
        return self._block[offset - self._begin : end - self._begin]


@contextmanager
def told() -> Iterator[None]:
    """What a store's client raises, which is of no one kind, as OSError."""
    try:
        yield
    except (OSError, UsageError):
        raise
    except Exception as error:
        raise OSError(f"{type(error).__name__}: {error}") from error


def require_folder(place: RemotePlace) -> None:
    """Raises UsageError where nothing answers, FileNotFoundError where nothing is there."""
    filesystem, own = place._at("")
    try:
        with told():
            filesystem.ls(own, detail=True)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise UsageError(
            f"{place.url} cannot be listed: {error}", action="Check the URL and the credentials."
        ) from error


@cache
def _opened(url: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs

        filesystem, root = url_to_fs(url, use_listings_cache=False)
    except ImportError as error:
        raise UsageError(
            f"{url} needs a package that is not installed: {error}",
            action='Run pip install "compatload[remote]", and what the protocol needs (s3fs …).',
        ) from error
    except Exception as error:  # unknown protocols, bad archives, credentials
        raise UsageError(f"{url} cannot be opened: {error}", action="Check the URL.") from error
    return filesystem, str(root)


def _shows_whole_files(filesystem: Any) -> bool:
    protocols = filesystem.protocol
    names = {protocols} if isinstance(protocols, str) else set(protocols)
    return bool(names & {"s3", "s3a", "gs", "gcs", "abfs", "az", "oss", "cos", "memory"})


def _leads_out(name: str) -> bool:
    return name in ("", ".", "..") or any(bad in name for bad in ("\\", "\0", "/"))
