"""Source and result run beside each other, each in a process of its own that may die.

Parent's side of ``trial_process``. Which Paddle runs which of the two is decided here: one that
reads the format by itself, since a source that had to be converted first would prove nothing.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import Any

from compatload.artifact.model import Artifact, Format
from compatload.errors import CompatLoadError, UsageError
from compatload.exporting.conversion import Trial
from compatload.exporting.side_by_side_process import (
    REQUEST,
    ROUNDS,
    RUNTIME,
    SAMPLES,
    TOLD,
    attempts,
)
from compatload.frozen import frozen
from compatload.plan import Api, Strategy
from compatload.planning import plan_load
from compatload.programs.target import ProgramTarget
from compatload.runtime.detection import detect_runtime
from compatload.runtime.model import Runtime
from compatload.runtime.release import release_of
from compatload.trials.children import run
from compatload.trials.lengths import levels_needed
from compatload.trials.sampling import InputShape, candidates

SECONDS = 600.0
_RUN = "compatload.exporting.side_by_side_process:main"
_DESCRIBE = "compatload.exporting.side_by_side_process:describe"


@frozen
class Interpreter:
    """A Python and what is installed in it."""

    path: str
    runtime: Runtime

    @property
    def release(self) -> str:
        return self.runtime.paddle.version if self.runtime.paddle else ""


@frozen
class SourceRun:
    """Where the samples lie that the source took; none, and the reason why."""

    samples: tuple[str, ...]
    reason: str = ""
    levels: Mapping[str, int] = field(default_factory=dict)  # of inputs that need lengths


def interpreters(others: Sequence[str]) -> tuple[Interpreter, ...]:
    """This Python and ``others`` that have a Paddle, this one first.

    Raises UsageError for one that cannot be started.
    """
    found = [Interpreter(sys.executable, detect_runtime()), *map(_described, others)]
    return tuple(one for one in found if one.runtime.paddle is not None)


@cache
def _described(path: str) -> Interpreter:
    with tempfile.TemporaryDirectory(prefix="compatload-") as name:
        try:
            end = run(_DESCRIBE, interpreter=path, directory=name, timeout=SECONDS)
            if end.status == 0:
                return Interpreter(path, Runtime.from_json((Path(name) / RUNTIME).read_bytes()))
            problem = ": ".join(part for part in (end.how, end.telling_line) if part)
        except (OSError, CompatLoadError) as error:
            problem = str(error)
    raise UsageError(
        f"{path} cannot be asked which Paddle it has: {problem}",
        action="Name a Python with packaging, filelock, protobuf and Paddle installed.",
    )


def translator(known: Sequence[Interpreter]) -> Interpreter | None:
    """The one whose Paddle translates legacy programs: the newest."""
    able = [one for one in known if release_of(one.release).major >= 3]
    return max(able, key=lambda one: release_of(one.release)) if able else None


def runs_source(artifact: Artifact, known: Sequence[Interpreter]) -> Interpreter | None:
    """One that runs ``artifact`` as its own format; this Python is preferred."""
    return next((one for one in known if _reads(artifact, one)), None)


def runs_result(
    result: Artifact, target: ProgramTarget, known: Sequence[Interpreter]
) -> Interpreter | None:
    """One that reads ``result`` as it is; at best the very release, else one of its kind."""
    able = [one for one in known if _reads(result, one)]
    wanted = release_of(target.release)
    exact = [one for one in able if release_of(one.release) == wanted]
    alike = [one for one in able if release_of(one.release).major == wanted.major]
    return next(iter((*exact, *alike, *able)), None)


def _reads(artifact: Artifact, interpreter: Interpreter) -> bool:
    plan = plan_load(artifact, interpreter.runtime, Api.PREDICTOR, device="cpu")
    return bool(plan.steps) and plan.needed[0].strategy is not Strategy.CONVERT


def _own_apis(artifact: Artifact, interpreter: Interpreter) -> tuple[str, ...]:
    """Paddle's own loaders that take the format: of 3.x, only the predictor takes a legacy one."""
    if artifact.format is Format.LEGACY and release_of(interpreter.release).major >= 3:
        return (Api.PREDICTOR.value,)
    return (Api.PREDICTOR.value, Api.PROGRAM.value, Api.LAYER.value)


def run_source(
    artifact: Artifact, interpreter: Interpreter, directory: Path, given: Path | None
) -> SourceRun:
    """Run ``artifact`` on samples; ``directory`` is empty, and holds them afterwards."""
    if any(spec.dtype is None or spec.shape is None for spec in artifact.inputs) and not given:
        return SourceRun((), "the program does not say what its inputs are")
    shapes = [InputShape(spec.name, spec.dtype or "", spec.shape or ()) for spec in artifact.inputs]
    files = artifact.files
    loose = not files.parameters_combined
    request: dict[str, Any] = {
        "role": "source",
        "directory": os.path.abspath(os.path.dirname(files.program) or "."),
        "program": None if loose else os.path.abspath(files.program),
        "weights": os.path.abspath(files.parameters[0]) if files.parameters else "",
        "inputs": [{"name": s.name, "dtype": s.dtype, "shape": list(s.shape)} for s in shapes],
        "levels": levels_needed(artifact),
        "sizes": [str(given)] if given else [list(sizes) for sizes in candidates(shapes)],
        "rounds": 0,
    }
    told = _run(request, interpreter, directory)
    done = [line for line in told if "steady" in line]
    if not done:
        problems = [line["problem"] for line in told if "problem" in line]
        return SourceRun((), f"the source runs on no sample: {problems[0] if problems else '?'}")
    if not all(line["steady"] for line in done):
        return SourceRun((), "the source gives other numbers each time it runs")
    samples = tuple(str(directory / SAMPLES.format(n)) for n in range(len(done)))
    return SourceRun(samples, levels=request["levels"])


def run_result(
    result: Artifact,
    interpreter: Interpreter,
    directory: Path,
    source: SourceRun,
    *,
    as_users_do: bool = False,
) -> tuple[tuple[Trial, ...], bool]:
    """Trials of ``result`` through Paddle's own loaders, and whether any disagrees.

    ``as_users_do``: a predictor with its default Config, faults of oneDNN and of passes included.
    """
    files = result.files
    request: dict[str, Any] = {
        "role": "result",
        "prefix": os.path.abspath(files.prefix),
        "program": os.path.abspath(files.program),
        "weights": os.path.abspath(files.parameters[0]) if files.parameters else "",
        "as_users_do": as_users_do,
        "order": [spec.name for spec in result.inputs],
        "apis": list(_own_apis(result, interpreter)),
        "levels": dict(source.levels),
        "samples": list(source.samples),
    }
    told = [line for line in _run(request, interpreter, directory) if "number" in line]
    trials = tuple(
        Trial(
            request["apis"][line["number"]],
            {k: tuple(v) for k, v in line["shapes"].items()} if "shapes" in line else None,
            line.get("difference"),
            line.get("problem", ""),
        )
        for line in told
    )
    return trials, any(line.get("disagrees") for line in told)


def _run(request: dict[str, Any], interpreter: Interpreter, directory: Path) -> list[Any]:
    """All that the child told; one that dies is started again behind what killed it."""
    told: list[Any] = []
    request["skip"] = 0
    while request["skip"] < len(attempts(request)):
        (directory / REQUEST).write_text(json.dumps(request))
        (directory / TOLD).write_bytes(b"")
        problem = _child(interpreter, directory)
        lines = _lines(directory / TOLD)
        told += lines
        begun = [line["attempt"] for line in lines if "attempt" in line]
        if problem is None or not begun:
            if problem is not None:
                told.append({"number": request["skip"], "problem": problem})
            break
        told.append({"number": begun[-1], "problem": problem})
        request["skip"] = begun[-1] + 1
        request["rounds"] = sum("steady" in line for line in told)
        if request["role"] == "source" and request["rounds"] >= ROUNDS:
            break
    return told


def _child(interpreter: Interpreter, directory: Path) -> str | None:
    """How the child died; None if it did not."""
    environment = {**os.environ, "GLOG_minloglevel": "3"}
    environment.pop("FLAGS_enable_pir_api", None)
    try:
        end = run(
            _RUN,
            interpreter=interpreter.path,
            options=("-W", "ignore"),
            directory=directory,
            environment=environment,
            timeout=SECONDS,
        )
    except OSError as error:
        return f"{interpreter.path} cannot be started: {error.strerror}"
    if end.status is None:
        return f"no end within {SECONDS:g} seconds"
    return None if end.status == 0 else end.how


def _lines(path: Path) -> list[Any]:
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:  # cut short by the death of its writer
            break
    return found
