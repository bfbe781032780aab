"""The formats of an export that the installed Paddle cannot write, beside the one that it can.

All programs of one prefix share its weights file: every format keeps tensors in the order of
their sorted names.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from compatload.artifact.inspection import inspect_whole
from compatload.artifact.model import Artifact
from compatload.artifact.pickle_audit import audit_info
from compatload.drop_ins import safe_load
from compatload.errors import CompatLoadError, ExportError, PaddleNotFoundError
from compatload.programs.make import convert_programs
from compatload.programs.pir_parameters import legacy_with_unused_parameter
from compatload.programs.target import target_of
from compatload.releases import OLDEST_PIR

PROGRAMS = {"pir": ".json", "legacy": ".pdmodel"}
_INFO = ".pdiparams.info"
_WEIGHTS = ".pdiparams"


def write_beside(prefix: str, to: str, interpreter: str | None = None) -> tuple[str, ...]:
    """Write the program of ``prefix``, and of its further methods, in another format beside it.

    ``"legacy"`` makes ``.pdmodel`` with its ``.pdiparams.info``; ``"paddle==3.0.0"`` makes the
    ``.json`` that this release and all newer ones read, in place of one that only newer ones do.

    Returns the programs of the model itself that were written: one, and the legacy one that was
    there where weights came into being that it has to share.

    Raises:
        ExportError: it cannot be expressed there; every obstacle is listed.
    """
    target = target_of(f"paddle=={OLDEST_PIR}" if to == "pir" else to, None)
    try:
        artifact = _saved(prefix)
        converted = convert_programs(artifact, target, interpreter)
    except PaddleNotFoundError as error:
        raise ExportError(
            f"Nothing here translates a legacy program to PIR: {error.problem}.",
            action="Pass interpreters=[…] with the path of a Python that has Paddle 3.x.",
            artifact=prefix,
        ) from error
    except CompatLoadError as error:
        raise ExportError(
            f"The saved model cannot be written for {to}: {error.problem}"
            + "".join(f"\n  - {one}" for one in getattr(error, "obstacles", ())),
            action=_action(to, interpreter),
            artifact=prefix,
            rule=error.rule,
        ) from error
    parts = {"forward": artifact, **artifact.method_artifacts}
    for method, program in converted.programs.items():
        Path(parts[method].files.prefix + target.suffix).write_bytes(program)
    for method, info in converted.infos.items():
        Path(parts[method].files.prefix + _INFO).write_bytes(info)
    written = prefix + target.suffix
    if converted.weights is None:
        return (written,)
    Path(prefix + _WEIGHTS).write_bytes(converted.weights)
    legacy = Path(prefix + PROGRAMS["legacy"])
    if not legacy.exists():
        return (written,)
    place = Path(prefix + _INFO)
    known = audit_info(place.read_bytes(), str(place)).value if place.exists() else {}
    others = known if isinstance(known, dict) else {}
    program, info = legacy_with_unused_parameter(legacy.read_bytes(), others)
    legacy.write_bytes(program)
    place.write_bytes(info)
    return written, str(legacy)


def _action(to: str, interpreter: str | None) -> str:
    if to != "legacy" and interpreter is None and _native_is_legacy():
        return "Pass interpreters=[…] with the path of a Python that has Paddle 3.x."
    return "Leave that format out, or export the model without these operators."


def _native_is_legacy() -> bool:
    import paddle

    return not hasattr(paddle.pir, "translate_to_pir") or str(paddle.__version__).startswith("2.")


def _saved(prefix: str) -> Artifact:
    """What Paddle has just written: its own format, whatever stands beside it by now."""
    legacy = prefix + PROGRAMS["legacy"]
    pir = prefix + PROGRAMS["pir"]
    return inspect_whole(pir if os.path.exists(pir) else legacy)


@contextmanager
def alone(program: str) -> Iterator[str]:
    """A prefix under which one program file stands with its weights and no other format, for the
    scope: a loader takes what its Paddle prefers where several stand side by side."""
    place = Path(program)
    suffix = place.suffix
    with tempfile.TemporaryDirectory(prefix=".compatload-", dir=place.parent) as folder:
        for file in place.parent.iterdir():
            if file.is_file() and file.name.endswith((suffix, _WEIGHTS, _INFO)):
                _link(file, Path(folder, file.name))
        yield str(Path(folder, place.stem))


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # a file system without hard links
        shutil.copyfile(source, target)


def load_converted(prefix: str) -> Any:
    """The layer that this Paddle makes of a program in another format."""
    return safe_load(prefix)
