"""The child's side of a preflight: one process that may crash, hang or compute nonsense.

It works in a directory of its own, which its parent made:

    task.json             what to try, and how
    sample-N.npz          inputs by name; reference-N.npz: what the plain executor makes of them
    progress.json         what it is doing now, for the parent of a child that died
    outcome.json          how it ended, if it did

Both sides exchange JSON and arrays, never a pickle.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from compatload.artifact.model import Artifact
from compatload.errors import ArtifactError
from compatload.loading.execution import first_line, import_paddle
from compatload.loading.pipeline import Material, load, prepare
from compatload.loading.program import make_program
from compatload.loading.request import Request
from compatload.operators.admission import require_admissible
from compatload.operators.drawing import draws_numbers
from compatload.plan import Api, Plan
from compatload.runtime.detection import detect_runtime
from compatload.serving.options import InferenceOptions
from compatload.serving.pooled import Pool
from compatload.serving.shapes import shaped
from compatload.trials.comparison import disagreement
from compatload.trials.layers import executed
from compatload.trials.lengths import levels_needed, with_lengths
from compatload.trials.samples import made_samples, size_choices

TASK, PROGRESS, OUTCOME = "task.json", "progress.json", "outcome.json"

# A second run of the same inputs finds memory that the first one should not have kept.
_RUNS = 2


def main() -> None:
    """Carry out ``task.json`` in the current directory."""
    directory = Path.cwd()
    task = json.loads((directory / TASK).read_bytes())
    try:
        outcome = _try(directory, task)
    except ArtifactError as error:
        outcome = {"ended": "artifact", "cause": first_line(error)}
    except Exception as error:  # whatever Paddle raises is what the parent wants to know
        outcome = {"ended": "error", "cause": first_line(error)}
    write_json(directory / OUTCOME, outcome)
    # What crashes while the interpreter takes Paddle apart says nothing about the model.
    os._exit(0)


def _try(directory: Path, task: Mapping[str, Any]) -> dict[str, Any]:
    import_paddle()  # what follows is timed, and importing it is not what may hang
    request = Request(
        task["path"],
        Api.PREDICTOR,
        task["device"],
        task["program"],
        task["params"],
        task["trusted"],
        tuple(task["disabled_rules"]),
        task["trusted_operators"],
    )
    runtime, plan = detect_runtime(), Plan.from_dict(task["plan"])
    artifact = request.inspect(runtime)
    require_admissible(artifact, request.trusted_operators)  # it may be another one by now
    if not list(directory.glob("reference-*.npz")):
        problem = _reference(directory, artifact, task)
        if problem:
            return {"ended": "no reference", "cause": problem}
    write_json(directory / PROGRESS, {"phase": "step"})
    options = InferenceOptions(
        threads=task["threads"],
        tensorrt=task["tensorrt"],
        gpu_memory_mb=task["gpu_memory_mb"],
    )
    (step,) = plan.steps
    material = Material(artifact, plan, prepare(request, artifact, step), runtime)
    layer, _ = Pool(request, options).make(material, step)
    levels = levels_needed(artifact)
    for path in sorted(directory.glob("reference-*.npz")):
        number = path.stem.rpartition("-")[2]
        inputs = arrays_of(directory / f"sample-{number}.npz")
        expected = list(arrays_of(path).values())
        for _ in range(_RUNS):
            copies = {name: value.copy() for name, value in inputs.items()}
            outputs = layer(**with_lengths(copies, levels))
            leaves = outputs if isinstance(outputs, list) else [outputs]
            if draws_numbers(artifact):
                continue  # other ones each time
            found = disagreement([leaf.numpy() for leaf in leaves], expected)
            if found:
                return {"ended": "differs", "cause": found}
    return {"ended": "agrees"}


def _reference(directory: Path, artifact: Artifact, task: Mapping[str, Any]) -> str | None:
    """Write inputs and what the plain executor computes from them; why not, if it cannot."""
    import numpy

    write_json(directory / PROGRESS, {"phase": "reference", "choice": task["first_choice"]})
    run = plain_executor(task, levels_needed(artifact))
    if task["samples_given"]:
        inputs = arrays_of(directory / "sample-0.npz")
        _save(directory / "reference-0.npz", dict(_numbered(run(inputs))))
        return None
    problem = ""
    wanted = shaped(artifact.inputs, task["shapes"])
    choices = size_choices(wanted)
    for choice in range(task["first_choice"], len(choices)):
        write_json(directory / PROGRESS, {"phase": "reference", "choice": choice})
        problem, made = "", 0
        for inputs in made_samples(wanted, choices[choice]):
            try:
                outputs = run(inputs)
            except Exception as error:  # another size may suit the model better
                problem = first_line(error)
                continue
            numpy.savez(directory / f"sample-{made}.npz", **inputs)
            _save(directory / f"reference-{made}.npz", dict(_numbered(outputs)))
            made += 1
        if made:
            return None
    return problem or "no sizes of inputs are left to try"


def plain_executor(task: Mapping[str, Any], levels: Mapping[str, int]) -> Any:
    """The model run by Paddle's executor: no predictor, no oneDNN, and every rule followed.

    ``levels``: those of the inputs that need lengths.
    """
    import paddle

    paddle.enable_static()
    executor = paddle.static.Executor(paddle.CPUPlace())
    scope = paddle.static.Scope()
    with paddle.static.scope_guard(scope):
        request = Request(
            task["file"],
            Api.PROGRAM,
            trusted=task["trusted"],
            trusted_operators=task["trusted_operators"],
        )
        make = partial(make_program, executor, None)
        program, feeds, fetches = load(request, make, time.perf_counter())
    paddle.disable_static()

    def run(inputs: Mapping[str, Any]) -> list[Any]:
        paddle.enable_static()
        try:
            with paddle.static.scope_guard(scope):
                copies = {name: value.copy() for name, value in inputs.items()}
                given = with_lengths(copies, levels)
                # By position where a conversion renamed them.
                named = {
                    name: given[name] if name in given else list(given.values())[place]
                    for place, name in enumerate(feeds)
                }
                return executed(executor, program, named, fetches)
        finally:
            paddle.disable_static()

    return run


def _numbered(outputs: list[Any]) -> list[tuple[str, Any]]:
    return [(f"{number:04}", output) for number, output in enumerate(outputs)]


def arrays_of(path: Path) -> dict[str, Any]:
    import numpy

    with numpy.load(path, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def _save(path: Path, arrays: Mapping[str, Any]) -> None:
    """A reference is there whole or not at all: the next child goes by its presence."""
    import numpy

    whole = path.with_suffix(".part")
    with whole.open("wb") as file:
        numpy.savez(file, **arrays)
    whole.rename(path)


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    whole = path.with_suffix(".part")
    whole.write_text(json.dumps(data))
    whole.rename(path)
