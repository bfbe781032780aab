"""The child's side of an engine's trial: it may crash, hang, or find that the engine errs.

It works in a directory of its own, with ``task.json`` and perhaps ``sample-0.npz``, and leaves
``verdict.json`` there, once there is one.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from compatload.artifact.model import Artifact, TensorSpec
from compatload.artifact.record import read_record
from compatload.engines.engine import Engine
from compatload.engines.known import ENGINES
from compatload.engines.program import engine_program
from compatload.errors import ArtifactError, CompatLoadError
from compatload.faults.graph import computes_in_halves
from compatload.frozen import frozen
from compatload.loading.execution import first_line
from compatload.loading.recorded import difference_from
from compatload.loading.request import Request
from compatload.operators.admission import require_admissible
from compatload.plan import Api
from compatload.runtime.detection import detect_runtime
from compatload.serving.engine_edges import (
    Run,
    largest_whole,
    problem_at_edges,
    usual,
    within_limits,
)
from compatload.serving.engine_requests import compiled, recorded_inputs
from compatload.serving.engine_verdict import EngineVerdict, to_json
from compatload.serving.options import InferenceOptions
from compatload.serving.predictors import load_for_inference
from compatload.serving.preflight_child import (
    OUTCOME,
    PROGRESS,
    TASK,
    arrays_of,
    plain_executor,
    write_json,
)
from compatload.serving.shapes import Shapes, shaped
from compatload.trials.comparison import (
    ENGINE,
    ENGINE_IN_16_BITS,
    disagreement,
    relative_difference,
)
from compatload.trials.lengths import levels_needed
from compatload.trials.samples import made_samples, size_choices
from compatload.trials.timing import SPINNING, told_apart

VERDICT = "verdict.json"
FUNCTION = "compatload.serving.engine_child:main"

# Sizes of inputs that outputs are compared at, where dimensions are free.
_SIZES = 2
# Of images: of smaller ones some poolings leave nothing, of which Paddle makes nonsense of its own
# (PP-OCR's classifier at 32 × 32).
_IMAGES = ((2, 64), (1, 224))
# A second run of the same inputs finds memory that the first one should not have kept.
_RUNS = 2
# Sizes that engines are timed at, where dimensions are free and nobody gave a sample.
_TIMED = (1, 224)


def main() -> None:
    """Carry out ``task.json`` in the current directory."""
    directory = Path.cwd()
    task = json.loads((directory / TASK).read_bytes())
    try:
        _try(directory, task)
        outcome = {"ended": "done"}
    except ArtifactError as error:
        outcome = {"ended": "artifact", "cause": first_line(error)}
    except Exception as error:  # whatever it is, the parent wants to know
        outcome = {"ended": "error", "cause": first_line(error)}
    write_json(directory / OUTCOME, outcome)
    # What crashes while the interpreter takes Paddle apart says nothing about the model.
    os._exit(0)


def _try(directory: Path, task: Mapping[str, Any]) -> None:
    request = Request(
        task["path"],
        Api.PREDICTOR,
        "cpu",
        task["program"],
        task["params"],
        task["trusted"],
        tuple(task["disabled_rules"]),
        task["trusted_operators"],
        pooled=True,
    )
    artifact = request.inspect(detect_runtime())
    require_admissible(artifact, request.trusted_operators)  # it may be another one by now
    found = _reference(directory, artifact, task)
    engine = ENGINES[task["engine"]]
    write_json(directory / PROGRESS, {"phase": engine.name})
    try:
        run = _by_engine(engine, artifact, task)
    except CompatLoadError as error:
        _write(directory, EngineVerdict(problem=error.problem))
        return
    allowed = ENGINE_IN_16_BITS if computes_in_halves(artifact) else ENGINE
    verdict = _compared(found, run, engine, allowed)
    _write(directory, verdict)
    if task["timed"] and not verdict.problem:
        # The verdict stands, whatever comes of this.
        write_json(directory / PROGRESS, {"phase": "timing"})
        verdict = _timed(verdict, directory, artifact, request, task, run)
        _write(directory, verdict)
    if not verdict.problem:
        write_json(directory / PROGRESS, {"phase": "edges"})
        _write(directory, _at_edges(verdict, found.run, run, artifact, task, engine, allowed))


def _by_engine(
    engine: Engine, artifact: Artifact, task: Mapping[str, Any]
) -> Callable[[list[Any]], list[Any]]:
    program = engine_program(artifact, engine, engine.require_installed())
    (request,) = compiled(artifact, program, engine, task["threads"], 1, task["shapes"])
    return _by_position(request.run, request.input_names)


@frozen
class _Reference:
    """Inputs in order, and the outputs that belong to them (None: nobody knows); ``origin`` is what
    computed those, and ``doubt`` why nothing did. ``run`` is Paddle's plain executor, if it did."""

    samples: tuple[tuple[list[Any], Any], ...]
    origin: str = ""
    doubt: str = ""
    run: Run | None = None


def _reference(directory: Path, artifact: Artifact, task: Mapping[str, Any]) -> _Reference:
    recorded = _recorded(artifact, task["shapes"])
    if task["refused"]:  # there is no Paddle, or it does not take the model
        if recorded is not None:
            return recorded
        return _Reference(tuple(_unknown(directory, artifact, task)), doubt=task["refused"])
    write_json(directory / PROGRESS, {"phase": "reference", "choice": task["first_choice"]})
    problem, sizes = "", 0
    samples: list[tuple[list[Any], Any]] = []
    run = plain_executor(task, levels_needed(artifact))
    for choice, sets in _inputs(directory, artifact, task):
        write_json(directory / PROGRESS, {"phase": "reference", "choice": choice})
        made = []
        for inputs in sets:
            try:
                made.append((list(inputs.values()), run(inputs)))
            except Exception as error:  # another size may suit the model better
                problem = first_line(error)
        samples += made
        sizes += bool(made)
        if sizes == _SIZES:
            break
    if samples:
        origin = f"the plain executor of {task['paddle']}"
        return _Reference(tuple(samples), origin, run=run)
    doubt = problem or "no sizes of inputs are left to try"
    if not task["samples_given"]:
        doubt += "; pass sample_inputs= with arrays that the model takes"
    return recorded or _Reference(tuple(_unknown(directory, artifact, task)), doubt=doubt)


def _inputs(
    directory: Path, artifact: Artifact, task: Mapping[str, Any]
) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Sets of inputs by name, of one size after the other."""
    if task["samples_given"]:
        yield 0, [arrays_of(directory / "sample-0.npz")]
        return
    wanted = shaped(artifact.inputs, task["shapes"])
    choices = size_choices(wanted)
    if any(_is_image(spec) for spec in wanted):
        choices = (*_IMAGES, *choices)
    for choice in range(task["first_choice"], len(choices)):
        yield choice, made_samples(wanted, choices[choice])


def _is_image(spec: TensorSpec) -> bool:
    return len(spec.shape or ()) == 4 and min((spec.shape or ())[2:]) < 0


def _unknown(
    directory: Path, artifact: Artifact, task: Mapping[str, Any]
) -> Iterator[tuple[list[Any], None]]:
    """Inputs to run once, so that it is known at least that nothing crashes."""
    for _, sets in _inputs(directory, artifact, task):
        yield from ((list(inputs.values()), None) for inputs in sets)
        return


def _recorded(artifact: Artifact, shapes: Shapes | None) -> _Reference | None:
    """What ``safe_save`` recorded beside the model, where it did."""
    place = artifact.files.record
    if place is None:
        return None
    record = read_record(place)
    inputs = recorded_inputs(record, shapes)
    if inputs is None or not record.outputs:
        return None
    return _Reference(((inputs, record),), f"what safe_save recorded with Paddle {record.release}")


def _compared(
    reference: _Reference, run: Callable[[list[Any]], list[Any]], engine: Engine, allowed: float
) -> EngineVerdict:
    worst = 0.0
    for inputs, expected in reference.samples:
        for _ in range(_RUNS):
            try:
                outputs = run([value.copy() for value in inputs])
            except RuntimeError as error:
                if expected is None:
                    continue  # made-up sizes need not suit it
                return EngineVerdict(problem=engine.said(error))
            problem, difference = _against(outputs, expected, allowed)
            if problem:
                return EngineVerdict(problem=problem)
            worst = max(worst, difference)
    return EngineVerdict(compared=reference.origin, doubt=reference.doubt, difference=worst)


def _at_edges(
    verdict: EngineVerdict,
    paddle: Run | None,
    engine: Callable[[list[Any]], list[Any]],
    artifact: Artifact,
    task: Mapping[str, Any],
    known: Engine,
    allowed: float,
) -> EngineVerdict:
    """The verdict, and what usual inputs do not show. Where the caller gave some, they are what
    matters."""
    if paddle is None:
        has_whole = any(str(spec.dtype).startswith("int") for spec in artifact.inputs)
        return replace(verdict, whole=known.whole if has_whole else None)
    if task["samples_given"]:
        return verdict
    within_limits()
    wanted = shaped(artifact.inputs, task["shapes"])
    by_name: Run = lambda arrays: engine([*arrays.values()])  # noqa: E731
    found = usual(paddle, wanted)
    if found is None:
        return verdict
    problem = problem_at_edges(paddle, by_name, found, allowed)
    if problem:
        return EngineVerdict(problem=problem)
    return replace(verdict, whole=largest_whole(paddle, by_name, found, allowed))


def _against(outputs: list[Any], expected: Any, allowed: float) -> tuple[str, float]:
    """What is wrong with outputs, and their largest difference."""
    if expected is None:
        return "", 0.0
    if not isinstance(expected, list):
        return difference_from(expected, outputs), 0.0
    found = disagreement(outputs, expected, allowed)
    if found:
        return found, 0.0
    pairs = zip(expected, outputs)
    return "", max((relative_difference(one, other) or 0.0 for one, other in pairs), default=0.0)


def _by_position(run: Any, names: tuple[str, ...]) -> Callable[[list[Any]], list[Any]]:
    return lambda values: list(run(dict(zip(names, values))))


def _timed(
    verdict: EngineVerdict,
    directory: Path,
    artifact: Artifact,
    request: Request,
    task: Mapping[str, Any],
    run: Callable[[list[Any]], list[Any]],
) -> EngineVerdict:
    """``verdict`` with what a call of each engine takes, in turns."""
    calls: dict[str, Callable[[list[Any]], Any]] = {task["engine"]: run}
    for rival in task["rivals"]:
        calls[rival] = _by_engine(ENGINES[rival], artifact, task)
    if not task["refused"]:
        options = InferenceOptions(threads=task["threads"])
        paddle = load_for_inference(request, options, time.perf_counter())
        calls["paddle"] = lambda values: paddle(*values)
    for values in _to_time(directory, artifact, task):
        try:
            for call in calls.values():
                call(values)
        except Exception:  # noqa: S112 - sizes that do not suit the model
            continue
        shapes = ", ".join("x".join(map(str, value.shape)) for value in values)
        alone = task["threads"] == 1
        times = told_apart(
            {name: partial(call, values) for name, call in calls.items()},
            rest=0.0 if alone else SPINNING,
            clock=time.process_time if alone else time.perf_counter,
        )
        best = {name: 1000 * taken for name, taken in times.items()}
        return replace(verdict, milliseconds=best, shapes=shapes)
    return verdict


def _to_time(directory: Path, artifact: Artifact, task: Mapping[str, Any]) -> Iterator[list[Any]]:
    if not task["samples_given"]:
        wanted = shaped(artifact.inputs, task["shapes"])
        yield list(made_samples(wanted, _TIMED)[0].values())
    for _, sets in _inputs(directory, artifact, task):
        yield list(sets[0].values())


def _write(directory: Path, verdict: EngineVerdict) -> None:
    whole = directory / "verdict.part"
    whole.write_text(to_json(verdict))
    whole.rename(directory / VERDICT)
