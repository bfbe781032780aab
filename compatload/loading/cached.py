"""Programs that a load converts, from the cache where they are there already.

The cache saves work and is never needed: where it cannot be used, the conversion is made in memory
and the log says so. What it holds is trusted as little as any file: the cache checks owner, mode
and hash of an entry, and what is read out of it is checked here once more.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from compatload._version import __version__
from compatload.artifact.model import Artifact, Format
from compatload.artifact.pickle_audit import audit_info
from compatload.loading.preparation import prepare, with_emptied_lists
from compatload.loading.prepared import PreparedPrograms, UnreadableError, read, write
from compatload.operators.registry import fingerprint
from compatload.plan import Api, Step, Strategy
from compatload.store.cache import OFF, VARIABLE, made_once
from compatload.store.entry import code_stamp, content_key

_MOST_METHODS = 30
# Bytes of programs from which on an entry costs less than the conversion: checking one takes 0.3
# ms, and 20 kB of PIR become PIR of another version in 0.4 ms, a legacy program in 3 ms.
_SMALLEST, _SMALLEST_TO_LEGACY = 32 << 10, 4 << 10
_STRATEGIES = (Strategy.CONVERT, Strategy.TRANSLATE)


def prepare_cached(
    artifact: Artifact, step: Step, paddle: ModuleType, api: Api
) -> PreparedPrograms:
    """What is handed to Paddle's loader; converted once for all processes of this user."""
    made = _prepared(artifact, step, paddle, api)
    return with_emptied_lists(made, step, str(paddle.__version__), api)


def _prepared(artifact: Artifact, step: Step, paddle: ModuleType, api: Api) -> PreparedPrograms:
    if not _is_worth_it(artifact, step):
        return prepare(artifact, step, paddle, api)
    about = {
        "model": artifact.path,
        "from": f"{artifact.format.value} {artifact.saved_by or ''}".rstrip(),
        "for": f"paddle {paddle.__version__}",
    }
    return made_once(
        lambda: _key(artifact, step, paddle, api),
        lambda: prepare(artifact, step, paddle, api),
        write,
        lambda entry: _read(entry, artifact),
        about,
        "converted in memory, without the cache",
    )


def _is_worth_it(artifact: Artifact, step: Step) -> bool:
    parts = (artifact, *artifact.method_artifacts.values())
    smallest = _SMALLEST_TO_LEGACY if step.target == "legacy" else _SMALLEST
    return (
        step.strategy in _STRATEGIES
        and os.environ.get(VARIABLE) != OFF
        and len(parts) <= _MOST_METHODS
        and sum(len(part.program_bytes) for part in parts) >= smallest
    )


def _key(artifact: Artifact, step: Step, paddle: ModuleType, api: Api) -> str:
    """Everything that decides the programs; weights do not, beyond their types and shapes."""
    parts: list[str | bytes] = [
        "load",
        __version__,
        code_stamp(),
        fingerprint(),
        str(paddle.__version__),
        str(getattr(paddle.version, "commit", "")),
        step.strategy.value,
        step.target or "",
        *step.unrepaired,
        # What is written otherwise for one API stays for another; all else is the same for both.
        *((api.value, *step.rewritten) if step.rewritten else ()),
    ]
    for method, part in {"forward": artifact, **artifact.method_artifacts}.items():
        stored = [(one.name, one.dtype, one.shape) for one in part.parameters]
        learns = sorted((part.info or {}).items()) if artifact.format is not Format.PIR else ()
        parts += [method, part.format.value, repr(stored), repr(learns), part.program_bytes]
    return content_key(*parts)


def _read(entry: Path, artifact: Artifact) -> PreparedPrograms:
    prepared, _ = read(entry)
    if prepared.programs.keys() != {"forward", *artifact.method_artifacts}:
        raise UnreadableError(f"{entry} holds other methods than the model")
    for method, data in prepared.infos.items():
        audit_info(data, f"{entry}: {method}")
    # Nobody loads anew who finds them gone later.
    return replace(prepared, programs=dict(prepared.programs))
