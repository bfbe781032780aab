"""What ``compatload selftest`` measured on this machine, kept beside the cache of programs.

    <root>/selftest/<key>/<device>.json

The key names the build of Paddle and what the CPU can do, so a record is never taken for another
build or machine. A file is replaced as a whole, or not at all.
"""

from __future__ import annotations

import json
import logging
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from compatload.errors import CompatLoadError
from compatload.runtime.detection import detect_runtime
from compatload.runtime.model import Cpu, Fact, PaddleBuild, Runtime
from compatload.runtime.record import all_built
from compatload.store.cache import OFF, VARIABLE, default_root
from compatload.store.entry import UntrustedError, content_key, require_private

logger = logging.getLogger("compatload")

SCHEMA = 1
# A record of every network of the bundle has a fifth of it.
_MAXIMUM_BYTES = 1 << 20


def runtime_here() -> Runtime:
    """What is installed here, with what was measured here."""
    runtime = detect_runtime()
    facts = measured(runtime)
    return replace(runtime, measured=facts) if facts else runtime


def machine_key(runtime: Runtime) -> str:
    """Names a build of Paddle on a kind of CPU."""
    return _machine_key(runtime.paddle, runtime.cpu)


@lru_cache(maxsize=4)  # asked at every load
def _machine_key(build: PaddleBuild | None, cpu: Cpu) -> str:
    about = asdict(replace(build, location=None)) if build else {}
    return content_key(repr(sorted(about.items())), cpu.architecture, repr(sorted(cpu.features)))


def place_of(runtime: Runtime, root: Path | None = None) -> Path | None:
    """The folder of the records for a runtime, in this user's cache unless ``root`` is another;
    None where nothing is kept."""
    off = root is None and os.environ.get(VARIABLE) == OFF
    if off or runtime.paddle is None:
        return None
    return _place(root or default_root(), machine_key(runtime))


@lru_cache(maxsize=8)  # asked at every load
def _place(root: Path, key: str) -> Path:
    return root / "selftest" / key


def measured(runtime: Runtime) -> tuple[Fact, ...]:
    """The facts of every record for this runtime. A damaged record tells nothing, but the log."""
    place = place_of(runtime)
    if place is None:
        return ()
    try:
        if not os.path.isdir(place):
            return ()
        for folder in (place.parents[1], place.parent, place):
            require_private(folder, linked=True)
        return tuple(fact for path in sorted(place.glob("*.json")) for fact in _facts(path, place))
    except (OSError, ValueError, RecursionError, CompatLoadError, UntrustedError) as error:
        logger.warning("what `compatload selftest` measured in %s is not used: %s", place, error)
        return ()


def _facts(path: Path, place: Path) -> tuple[Fact, ...]:
    with path.open("rb") as stream:
        text = stream.read(_MAXIMUM_BYTES + 1)
    if len(text) > _MAXIMUM_BYTES:
        raise ValueError(f"{path.name} is too large")
    record = json.loads(text)
    if not isinstance(record, dict) or record.get("schema") != SCHEMA:
        raise ValueError(f"{path.name} is no record of schema {SCHEMA}")
    if record.get("machine") != place.name:
        raise ValueError(f"{path.name} is of another machine or build")
    facts = all_built(Fact, record.get("facts"), "measured")
    return tuple(fact for fact in facts if fact.device == path.stem)


def keep(
    runtime: Runtime, device: str, record: Mapping[str, Any], root: Path | None = None
) -> None:
    """Put a record where later loads of this user find it.

    Raises:
        OSError: there is no room, or no right to.
    """
    place = place_of(runtime, root)
    if place is not None:
        place.parents[1].mkdir(mode=0o700, parents=True, exist_ok=True)
        for folder in (place.parent, place):
            folder.mkdir(mode=0o700, exist_ok=True)
        write_whole(place / f"{device}.json", as_text(record))


def as_text(record: Mapping[str, Any]) -> str:
    """A record as JSON, its cells a line each."""
    cells = ",\n  ".join(json.dumps(cell) for cell in record["cells"])
    return json.dumps({**record, "cells": []}, indent=1).replace(
        '"cells": []', f'"cells": [\n  {cells}\n ]'
    )


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all.

    Raises:
        OSError: it was not.
    """
    number, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(number, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(aside, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(aside)
        raise
