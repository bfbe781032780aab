"""Programs as they are handed to Paddle's loaders, and how they are kept in a cache entry.

What is read out of an entry is checked once more: it is trusted as little as any file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from compatload.artifact.files import read_file
from compatload.artifact.model import Format
from compatload.errors import CompatLoadError
from compatload.frozen import frozen

_LISTING = "prepared.json"
_MAX_LISTING_BYTES = 1 << 20


@frozen
class PreparedPrograms:
    """Programs by method (``"forward"`` is the model itself), in ``format``.

    ``infos`` holds, by method, a ``.pdiparams.info`` that the source did not have; ``repairs`` are
    the rules by which operators were rewritten.
    """

    programs: Mapping[str, bytes]
    format: Format
    infos: Mapping[str, bytes] = field(default_factory=dict)
    repairs: tuple[str, ...] = ()

    @property
    def suffix(self) -> str:
        return ".json" if self.format is Format.PIR else ".pdmodel"


class UnreadableError(ValueError):
    """An entry is whole and does not say what ``write`` writes."""


class KeptPrograms(Mapping[str, bytes]):
    """Programs in files of a cache entry (``files``, by method), each read when it is asked for.

    Raises UnreadableError where a file is gone by then.
    """

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = files

    def __getitem__(self, method: str) -> bytes:
        try:
            return read_file(self.files[method])[0]
        except CompatLoadError as error:
            raise UnreadableError(str(error)) from error

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)


def write(
    directory: Path, prepared: PreparedPrograms, about: Mapping[str, object] | None = None
) -> None:
    """One file a program or info; methods are named in the listing only, as a file may not."""
    listing: dict[str, Any] = {
        "format": prepared.format.value,
        "repairs": list(prepared.repairs),
        "about": dict(about or {}),
    }
    for kind, held in (("programs", prepared.programs), ("infos", prepared.infos)):
        listing[kind] = {}
        for number, (method, data) in enumerate(held.items()):
            name = f"{kind}-{number}"
            (directory / name).write_bytes(data)
            listing[kind][method] = name
    (directory / _LISTING).write_text(json.dumps(listing), encoding="utf-8")


def read(entry: Path) -> tuple[PreparedPrograms, Mapping[str, Any]]:
    """What ``write`` wrote: the programs (``KeptPrograms``), and what it was told about them.

    Raises UnreadableError.
    """
    try:
        listing = json.loads(read_file(str(entry / _LISTING), _MAX_LISTING_BYTES)[0])
        programs = _files(entry, "programs", listing["programs"])
        infos = dict(_files(entry, "infos", listing["infos"]))
        prepared = PreparedPrograms(
            programs, Format(listing["format"]), infos, tuple(map(str, listing["repairs"]))
        )
        return prepared, dict(listing["about"])
    except (
        *(ValueError, KeyError, TypeError, AttributeError, RecursionError),
        CompatLoadError,
    ) as error:
        raise UnreadableError(f"{entry} cannot be read ({error})") from error


def _files(entry: Path, kind: str, names: Mapping[str, str]) -> KeptPrograms:
    if list(names.values()) != [f"{kind}-{number}" for number in range(len(names))]:
        raise ValueError(f"{list(names.values())} are no files of an entry")
    return KeptPrograms({method: str(entry / name) for method, name in names.items()})
