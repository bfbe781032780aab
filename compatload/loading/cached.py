"""Programs that a load converts, from the cache where they are there already.

The cache saves work and is never needed: where it cannot be used, the conversion is made in memory
and the log says so. What it holds is trusted as little as any file: the cache checks owner, mode
and hash of an entry, and what is read out of it is checked here once more.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from compatload import __version__
from compatload.artifact.files import read_file
from compatload.artifact.model import Artifact, Format
from compatload.artifact.pickle_audit import audit_info
from compatload.errors import CompatLoadError
from compatload.loading.preparation import PreparedPrograms, prepare
from compatload.planning import Step, Strategy
from compatload.rules.model import Api

logger = logging.getLogger("compatload")

_LISTING = "prepared.json"
_MOST_METHODS = 30
# Bytes of programs from which on an entry costs less than the conversion: checking one takes 0.3
# ms, and 20 kB of PIR become PIR of another version in 0.4 ms, a legacy program in 3 ms.
_SMALLEST, _SMALLEST_TO_LEGACY = 32 << 10, 4 << 10
_STRATEGIES = (Strategy.CONVERT, Strategy.TRANSLATE)


def prepare_cached(
    artifact: Artifact, step: Step, paddle: ModuleType, api: Api
) -> PreparedPrograms:
    """What ``prepare`` returns; converted once for all processes of this user."""
    if not _is_worth_it(artifact, step):
        return prepare(artifact, step, paddle, api)
    made: list[PreparedPrograms] = []
    failure: list[CompatLoadError] = []

    def make(directory: Path) -> None:
        if not made:  # the cache may try a second place
            try:
                made.append(prepare(artifact, step, paddle, api))
            except CompatLoadError as error:
                failure.append(error)
                raise
        _write(directory, made[0])

    try:
        entry = _entry(artifact, step, paddle, make)
        return made[0] if made else _read(entry, artifact)
    except (CompatLoadError, OSError, _UnreadableError) as error:
        if failure:
            raise failure[0] from failure[0].__cause__
        why = error.problem if isinstance(error, CompatLoadError) else error
        logger.warning("%s: converted in memory, without the cache: %s", artifact.path, why)
        return made[0] if made else prepare(artifact, step, paddle, api)


class _UnreadableError(Exception):
    """An entry is whole and does not say what this module writes."""


def _is_worth_it(artifact: Artifact, step: Step) -> bool:
    from compatload.conversion.cache import OFF, VARIABLE

    parts = (artifact, *artifact.method_artifacts.values())
    smallest = _SMALLEST_TO_LEGACY if step.target == "legacy" else _SMALLEST
    return (
        step.strategy in _STRATEGIES
        and os.environ.get(VARIABLE) != OFF
        and len(parts) <= _MOST_METHODS
        and sum(len(part.program_bytes) for part in parts) >= smallest
    )


def _entry(artifact: Artifact, step: Step, paddle: ModuleType, make: Any) -> Path:
    from compatload.conversion.cache import ConversionCache

    about = {
        "model": artifact.path,
        "from": f"{artifact.format.value} {artifact.saved_by or ''}".rstrip(),
        "for": f"paddle {paddle.__version__}",
    }
    return ConversionCache().get_or_create(_key(artifact, step, paddle), make, about=about)


def _key(artifact: Artifact, step: Step, paddle: ModuleType) -> str:
    """Everything that decides the programs; weights do not, beyond their types and shapes."""
    from compatload.conversion.cache_entry import content_key
    from compatload.operators.registry import fingerprint

    parts: list[str | bytes] = [
        "load",
        __version__,
        _code(),
        fingerprint(),
        str(paddle.__version__),
        str(getattr(paddle.version, "commit", "")),
        step.strategy.value,
        step.target or "",
        *step.unrepaired,
    ]
    for method, part in {"forward": artifact, **artifact.method_artifacts}.items():
        stored = [(one.name, one.dtype, one.shape) for one in part.parameters]
        learns = sorted((part.info or {}).items()) if artifact.format is not Format.PIR else ()
        parts += [method, part.format.value, repr(stored), repr(learns), part.program_bytes]
    return content_key(*parts)


@cache
def _code() -> str:
    """What tells this state of the converters from another under the same version number."""
    package = Path(__file__).resolve().parents[1]
    stamps = []
    for path in sorted(package.glob("conversion/**/*.py")):
        status = path.stat()
        stamps.append((path.name, status.st_size, status.st_mtime_ns))
    return repr(stamps)


def _write(directory: Path, prepared: PreparedPrograms) -> None:
    """One file a program or info; methods are named in the listing only, as a file may not."""
    listing: dict[str, Any] = {"format": prepared.format.value, "repairs": list(prepared.repairs)}
    for kind, held in (("programs", prepared.programs), ("infos", prepared.infos)):
        listing[kind] = {}
        for number, (method, data) in enumerate(held.items()):
            name = f"{kind}-{number}"
            (directory / name).write_bytes(data)
            listing[kind][method] = name
    (directory / _LISTING).write_text(json.dumps(listing), encoding="utf-8")


def _read(entry: Path, artifact: Artifact) -> PreparedPrograms:
    try:
        listing = json.loads(read_file(str(entry / _LISTING), 1 << 20)[0])
        programs = _contents(entry, "programs", listing["programs"])
        infos = _contents(entry, "infos", listing["infos"])
        repairs = tuple(map(str, listing["repairs"]))
        kind = Format(listing["format"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _UnreadableError(f"{entry} cannot be read ({error})") from error
    if programs.keys() != {"forward", *artifact.method_artifacts}:
        raise _UnreadableError(f"{entry} holds other methods than the model")
    for method, data in infos.items():
        audit_info(data, f"{entry}: {method}")
    return PreparedPrograms(programs, kind, infos, repairs)


def _contents(entry: Path, kind: str, names: Mapping[str, str]) -> dict[str, bytes]:
    held = {}
    for number, (method, name) in enumerate(names.items()):
        if name != f"{kind}-{number}":
            raise ValueError(f"{name!r} is no file of an entry")
        held[method] = read_file(str(entry / name))[0]
    return held
