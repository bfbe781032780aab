"""What was done to each model, kept in the target: a file a model, written once it is in place.

Entries say nothing of time, so that two runs with the same result leave the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compatload.errors import UsageError
from compatload.frozen import frozen
from compatload.migration.trees import KEPT, Folder, Tree

_SCHEMA = 1
_MARK = f"{KEPT}/migration.json"


@frozen
class Entry:
    """``asked`` is all that the result depends on but the files: ``sources`` and ``files`` are
    their identities by name; ``names`` what lay there that might have belonged to the model."""

    asked: Mapping[str, Any]
    names: tuple[str, ...]
    sources: Mapping[str, str]
    files: Mapping[str, str]
    result: Mapping[str, Any]


def read(target: Tree, key: str) -> Entry | None:
    """The entry of a model; None where there is none that can be read."""
    data = target.read(path_of(key))
    try:
        told = json.loads(data or b"null")
        if not isinstance(told, dict) or told.pop("schema") != _SCHEMA or told.pop("key") != key:
            return None
        return Entry(**{**told, "names": tuple(told["names"])})
    except (ValueError, KeyError, TypeError):
        return None  # cut short, or of another release


def write(target: Tree, key: str, entry: Entry, scratch: Path) -> None:
    told = {"schema": _SCHEMA, "key": key, **vars(entry)}
    _put(target, path_of(key), told, scratch)


def open_target(target: Tree, release: str, scratch: Path | None) -> None:
    """Take a target that is empty, or an earlier migration's; ``scratch``: write the mark there.

    Raises:
        UsageError: it holds something else.
    """
    data = target.read(_MARK)
    if data is None:
        if any(isinstance(one, Folder) for one in target.folders()):
            raise UsageError(
                f"{target.shown('')} holds files, and no migration made them.",
                action="Name an empty folder, or one that does not exist.",
            )
        if scratch is not None:
            _put(target, _MARK, {"schema": _SCHEMA, "release": release}, scratch)
        return
    try:
        before = json.loads(data)["release"]
    except (ValueError, KeyError, TypeError):
        before = "something else"
    if before != release:
        raise UsageError(
            f"{target.shown('')} was migrated to {before}, not {release}.",
            action="Name another target.",
        )


def path_of(key: str) -> str:
    name = hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()[:40]
    return f"{KEPT}/models/{name[:2]}/{name}.json"


def _put(target: Tree, path: str, told: object, scratch: Path) -> None:
    made = scratch / "entry.json"
    made.write_text(json.dumps(told, indent=1, sort_keys=True, default=vars), encoding="utf-8")
    target.put(made, path)
