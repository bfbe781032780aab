"""Programs as they are handed to Paddle's loaders, and how they are kept in a cache entry.

What is read out of an entry is checked once more: it is trusted as little as any file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compatload.artifact.files import read_file
from compatload.artifact.model import Format

_LISTING = "prepared.json"
_MAX_LISTING_BYTES = 1 << 20


@dataclass(frozen=True)
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


class UnreadableError(Exception):
    """An entry is whole and does not say what ``write`` writes."""


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
    """What ``write`` wrote: the programs, and what it was told about them.

    Raises UnreadableError; UnsafeArtifactError and DamagedArtifactError for an info that is no
    plain data, or a file that cannot be read.
    """
    try:
        listing = json.loads(read_file(str(entry / _LISTING), _MAX_LISTING_BYTES)[0])
        programs = _contents(entry, "programs", listing["programs"])
        infos = _contents(entry, "infos", listing["infos"])
        prepared = PreparedPrograms(
            programs, Format(listing["format"]), infos, tuple(map(str, listing["repairs"]))
        )
        return prepared, dict(listing["about"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableError(f"{entry} cannot be read ({error})") from error


def _contents(entry: Path, kind: str, names: Mapping[str, str]) -> dict[str, bytes]:
    held = {}
    for number, (method, name) in enumerate(names.items()):
        if name != f"{kind}-{number}":
            raise ValueError(f"{name!r} is no file of an entry")
        held[method] = read_file(str(entry / name))[0]
    return held
