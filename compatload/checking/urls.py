"""What lies behind a URL, for a check: programs whole, of weights the headers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from compatload.checking.finding import Skipped
from compatload.frozen import frozen
from compatload.remote import Listed, Ranges, RemotePlace

# Names judged together; what bears one stem stays together, and weights without one are in all.
_TOGETHER = 64
_SHARED = ("__params__", "params", "weights")


@frozen
class Part:
    """Some files of a folder that are judged together."""

    place: RemotePlace
    folder: str
    files: tuple[tuple[str, int], ...]

    def path(self, name: str) -> str:
        return f"{self.folder}/{name}" if self.folder else name


@frozen
class UrlFile:
    """A file to read, as a ``Readable``."""

    place: RemotePlace
    path: str

    @property
    def name(self) -> str:
        return self.place.shown(self.path)

    def read(self, limit: int) -> bytes:
        return self.place.read(self.path, 0, limit)


class RemoteModels(Mapping[str, "bytes | Ranges | None"]):
    """The models of a part by URL, read when they are looked at; weights in ranges."""

    def __init__(self, part: Part, names: Mapping[str, int], largest: int) -> None:
        self._part, self._largest = part, largest
        self._sizes = {part.place.shown(part.path(one)): (one, names[one]) for one in names}

    def __getitem__(self, url: str) -> bytes | Ranges | None:
        name, size = self._sizes[url]
        path = self._part.path(name)
        if (name.endswith(".pdiparams") or name in _SHARED) and size >= 0:
            return Ranges(self._part.place, path, size)
        data = self._part.place.read(path, 0, self._largest + 1)
        return data if len(data) <= self._largest else None

    def __iter__(self) -> Iterator[str]:
        return iter(self._sizes)

    def __len__(self) -> int:
        return len(self._sizes)


def parts(url: str) -> Iterator[Part | Skipped]:
    """All that lies behind a URL, in parts."""
    place = RemotePlace(url)
    for folder in place.folders():
        if isinstance(folder, Listed):
            yield from _parts(place, folder)
        else:
            yield Skipped(place.shown(folder.path), folder.reason)


def _parts(place: RemotePlace, folder: Listed) -> Iterator[Part]:
    shared = tuple(one for one in folder.files if one[0] in _SHARED)
    batch: list[tuple[str, int]] = []
    stem = None
    for one in folder.files:
        if one in shared:
            continue
        own = one[0].split(".", 1)[0]
        if len(batch) >= _TOGETHER and own != stem:
            yield Part(place, folder.path, (*batch, *shared))
            batch = []
        batch.append(one)
        stem = own
    if batch:
        yield Part(place, folder.path, (*batch, *shared))
