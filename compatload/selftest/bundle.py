"""The saved networks that ``compatload selftest`` tries, and what is known of them.

A zip file: ``bundle.json`` beside the files of each network, in ``<release>/<name>/``. Made by
``python -m matrix.selftest_bundle``.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compatload.errors import UsageError
from compatload.frozen import frozen
from compatload.plan import Api

OWN = Path(__file__).with_name("bundle.zip")
SCHEMA = 1
_MAXIMUM_BYTES = 64 << 20
_LISTING = "bundle.json"
_FILES = frozenset(
    {"model.json", "model.pdmodel", "model.pdiparams", "model.pdiparams.info", "io.npz"}
)
# What a Config may be told by a bundle.
_CALLS = ("enable_", "disable_", "set_", "switch_", "delete_pass")


@frozen
class Known:
    """What came of a network in a measured release: Paddle's own call ("varies": not always the
    same), and compatload's.

    ``shows`` are the rules without which compatload's fails, too.
    """

    alone: str
    own: str
    shows: tuple[str, ...] = ()


@frozen
class Network:
    """A saved network; ``known`` is release → loader → what came of it there."""

    name: str
    saved_by: str
    format: str
    sets: int
    inputs: tuple[str, ...]
    outputs: int
    apis: tuple[Api, ...]
    known: Mapping[str, Mapping[str, Known]]

    @property
    def id(self) -> str:
        return f"{self.saved_by}/{self.name}"

    @property
    def hangs(self) -> bool:
        """Whether Paddle's own call was seen to hang, in any release."""
        return any(one.alone == "hang" for apis in self.known.values() for one in apis.values())


@frozen
class Bundle:
    """``configs``: calls on a predictor's Config, by the name of it."""

    networks: tuple[Network, ...]
    configs: Mapping[str, tuple[tuple[str, tuple[Any, ...]], ...]]
    digest: str


def read_bundle(path: Path) -> Bundle:
    """What a bundle holds.

    Raises:
        UsageError: it is no bundle.
    """
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        with zipfile.ZipFile(path) as stored:
            listing = json.loads(_content(stored, stored.getinfo(_LISTING)))
        return _bundle(listing, digest)
    except _UNREADABLE as error:
        raise _unusable(path, error) from error


def unpack(path: Path, folder: Path) -> None:
    """Write every network's files to ``folder/<release>/<name>/``.

    Raises:
        UsageError: it is no bundle.
        OSError: there is no room.
    """
    try:
        with zipfile.ZipFile(path) as stored:
            for info in stored.infolist():
                parts = info.filename.split("/")
                if len(parts) != 3 or ".." in parts or parts[2] not in _FILES:
                    continue
                target = folder.joinpath(*parts)
                data = _content(stored, info)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
    except (zipfile.BadZipFile, zlib.error, ValueError) as error:
        raise _unusable(path, error) from error


_UNREADABLE = (OSError, zipfile.BadZipFile, zlib.error, KeyError, TypeError, ValueError)


def _content(stored: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    if info.file_size > _MAXIMUM_BYTES:
        raise ValueError(f"{info.filename} has {info.file_size} bytes")
    return stored.read(info)


def _bundle(listing: Mapping[str, Any], digest: str) -> Bundle:
    if listing["schema"] != SCHEMA:
        raise ValueError(f"its schema is {listing['schema']}, not {SCHEMA}")
    configs = {
        str(name): tuple((str(call), tuple(given)) for call, given in calls)
        for name, calls in listing["configs"].items()
    }
    for call in (call for calls in configs.values() for call, _ in calls):
        if not call.startswith(_CALLS):
            raise ValueError(f"{call} is nothing that a Config is told")
    return Bundle(tuple(map(_network, listing["networks"])), configs, digest)


def _network(told: Mapping[str, Any]) -> Network:
    known = {
        release: {api: Known(alone, own, tuple(shows)) for api, (alone, own, shows) in apis.items()}
        for release, apis in told["known"].items()
    }
    return Network(
        name=str(told["name"]),
        saved_by=str(told["saved_by"]),
        format=str(told["format"]),
        sets=int(told["sets"]),
        inputs=tuple(map(str, told["inputs"])),
        outputs=int(told["outputs"]),
        apis=tuple(map(Api, told["apis"])),
        known=known,
    )


def _unusable(path: Path, error: Exception) -> UsageError:
    return UsageError(
        f"{path} is no bundle of networks: {error}",
        action="Leave --bundle out, or make one with `python -m matrix.selftest_bundle`.",
    )
