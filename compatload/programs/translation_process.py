"""The child process that translates a legacy program, and what is said between it and its parent.

Both sides exchange files in a directory of their own: the program's bytes and JSON, never a pickle.
Run by the parent as a program, in an interpreter that may be another one than the parent's.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from compatload.errors import (
    CompatLoadError,
    ConversionError,
    DamagedArtifactError,
    PaddleNotFoundError,
)
from compatload.frozen import frozen
from compatload.programs.legacy_repairs.program import LegacyChange
from compatload.programs.legacy_repairs.repair import repair
from compatload.programs.legacy_to_pir import translate_in_process
from compatload.trials.children import End, run

_PROGRAM, _TRAINABLE = "program.pdmodel", "trainable.json"
_RESULT, _OUTCOME = "program.json", "outcome.json"
_ERRORS: dict[str, type[CompatLoadError]] = {
    error.__name__: error for error in (ConversionError, DamagedArtifactError, PaddleNotFoundError)
}
_FUNCTION = "compatload.programs.translation_process:translate_files"


@frozen
class TranslatedProgram:
    """PIR JSON, the release that wrote it, and the repairs made before."""

    data: bytes
    paddle: str
    changes: tuple[LegacyChange, ...] = ()


def legacy_to_pir(
    data: bytes,
    *,
    trainable: Mapping[str, bool] | None = None,
    interpreter: str | None = None,
    timeout: float = 300.0,
) -> TranslatedProgram:
    """Repair a serialised ProgramDesc and translate it to PIR in a child process.

    Args:
        trainable: for parameters by name, whether they take gradients.
        interpreter: the Python whose Paddle translates; this one by default.
        timeout: seconds after which the child is killed.

    Raises DamagedArtifactError for a program that does not hang together, PaddleNotFoundError
    where the interpreter has no Paddle, ConversionError if the translator refuses, crashes or
    takes too long.
    """
    with tempfile.TemporaryDirectory(prefix="compatload-") as name:
        directory = Path(name)
        (directory / _PROGRAM).write_bytes(data)
        (directory / _TRAINABLE).write_text(json.dumps(dict(trainable or {})))
        end = _run(directory, interpreter or sys.executable, timeout)
        outcome = _outcome(directory)
        if outcome is None:
            raise _died(end)
        if "error" in outcome:
            raise _told(outcome)
        changes = tuple(LegacyChange(**change) for change in outcome["changes"])
        return TranslatedProgram(
            (directory / _RESULT).read_bytes(), str(outcome["paddle"]), changes
        )


def _run(directory: Path, interpreter: str, timeout: float) -> End:
    environment = {**os.environ, "GLOG_minloglevel": "3"}
    try:
        end = run(
            _FUNCTION,
            interpreter=interpreter,
            directory=directory,
            environment=environment,
            timeout=timeout,
        )
    except OSError as error:
        raise ConversionError(
            f"The interpreter {interpreter} cannot be started ({error.strerror}).",
            action="Name a Python that has Paddle installed.",
        ) from error
    if end.status is None:
        raise ConversionError(
            f"Paddle's translator did not finish within {timeout:g} seconds.",
            action="Allow it more time, or save the model again with this Paddle.",
        )
    return end


def _outcome(directory: Path) -> dict[str, Any] | None:
    """What the child said; None if it came to nothing."""
    try:
        said = json.loads((directory / _OUTCOME).read_bytes())
    except (OSError, ValueError):
        return None
    return said if isinstance(said, dict) else None


def _died(end: End) -> ConversionError:
    how = f"was {end.how}" if end.how.startswith("killed") else end.how
    return ConversionError(
        f"Paddle's translator {how}.",
        obstacles=[line for line in (end.last_line,) if line],
        action="Save the model again with the Paddle that is installed here.",
    )


def _told(outcome: Mapping[str, Any]) -> CompatLoadError:
    kind = _ERRORS.get(str(outcome["error"]), ConversionError)
    problem, action = str(outcome["problem"]), str(outcome["action"])
    if kind is ConversionError:
        return ConversionError(problem, obstacles=outcome.get("obstacles", ()), action=action)
    return kind(problem, action=action)


def translate_files() -> None:
    """Child's side: translate the program in the current directory, and say how it went."""
    try:
        outcome = _translate(Path.cwd())
    except CompatLoadError as error:
        outcome = {
            "error": type(error).__name__,
            "problem": error.problem,
            "action": error.action,
            "obstacles": list(getattr(error, "obstacles", ())),
        }
    Path(_OUTCOME).write_text(json.dumps(outcome))


def _translate(directory: Path) -> dict[str, Any]:
    try:
        import paddle
    except ImportError as error:
        raise PaddleNotFoundError(
            f"{sys.executable} has no Paddle ({error}).",
            action="Install compatload[cpu], or name a Python that has Paddle installed.",
        ) from error
    version = str(paddle.__version__)
    repaired = repair((directory / _PROGRAM).read_bytes(), version)
    trainable = json.loads((directory / _TRAINABLE).read_bytes())
    (directory / _RESULT).write_bytes(translate_in_process(repaired.data, trainable))
    return {"paddle": version, "changes": [asdict(change) for change in repaired.changes]}
