"""Whether a model's folded form (``programs.folding``) is as good: tried in a child process.

Loads by predictors of the very same files then use it (``loading.recall``).
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from compatload.artifact.locate import locate
from compatload.errors import CompatLoadError, LoadError
from compatload.loading.execution import first_line
from compatload.loading.folded import VARIABLE, Folding, FoldingPlace, folded_files, is_off
from compatload.loading.pipeline import load
from compatload.loading.predictor import Wanted, make_predictor
from compatload.loading.recall import folded_request, folding_place
from compatload.loading.report import LoadReport, load_report
from compatload.loading.request import Request
from compatload.plan import Api, Strategy
from compatload.store.measured import runtime_here
from compatload.trials.children import End, run
from compatload.trials.samples import made_samples, size_choices

FUNCTION = "compatload.serving.folding:main"
SECONDS = 900.0
# A predictor that takes fewer seconds is not worth it.
SLOW = 0.25
# What a folded form has to save.
_SHARE = 0.8
# Of images, as an engine is tried at; and how many sizes have to agree.
_IMAGES = ((1, 224), (2, 64))
_SIZES = 2


def fold_and_keep(path: str | os.PathLike[str], *, slow: float = SLOW) -> Folding:
    """Let predictors of a PIR model, in this Paddle on this CPU, fold it as they are loaded.

    It is done only where a child process found that the folded form computes the very same numbers,
    to the last bit, and where Paddle takes ``slow`` seconds or more without it. What was found is
    kept.

    Raises ArtifactNotFoundError if there is no model; LoadError if the child dies, or takes too
    long.
    """
    locate(os.fsdecode(path))
    ended = run(FUNCTION, *arguments(request_for(path), slow), timeout=SECONDS)
    found = told(ended)
    if found is None:
        raise LoadError(
            f"{os.fsdecode(path)} was not folded: the child process {ended.how}: "
            f"{ended.telling_line}",
            action="Load it without; nothing was kept.",
        )
    return found


def request_for(path: str | os.PathLike[str], program: Any = None, params: Any = None) -> Request:
    """A load as the folded form is tried for; others of these files use it as well."""
    return Request(path, Api.PREDICTOR, "cpu", program=program, params=params, pooled=True)


def arguments(request: Request, slow: float, *, politely: bool = False) -> tuple[str, ...]:
    """What the child is told; ``politely``: it lets everybody else go first."""
    names = {"program": request.program, "params": request.params}
    asked = {**names, "slow": slow, "politely": politely}
    return os.path.abspath(os.fsdecode(request.path)), json.dumps(asked)


def told(ended: End) -> Folding | None:
    """What the child found; None where it died."""
    with suppress(ValueError):
        return Folding.from_json(ended.last_line)
    return None


def main(path: str, told_so: str) -> None:
    """The child's side: says what came of it in one line."""
    asked = json.loads(told_so)
    if asked["politely"]:
        _stand_back()
    request = request_for(path, asked["program"], asked["params"])
    try:
        found = _tried(request, float(asked["slow"]))
    except CompatLoadError as error:
        found = Folding(error.problem)
    except Exception as error:  # whatever it is, the parent wants to know
        found = Folding(first_line(error))
    print("\n" + found.to_json(), flush=True)
    os._exit(0)


def _stand_back() -> None:
    with suppress(OSError, AttributeError):
        os.nice(19)
    # Where memory runs out, it is this process that goes.
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def _tried(request: Request, slow: float) -> Folding:
    from compatload.operators.admission import require_admissible

    runtime = runtime_here()
    place = folding_place(request, runtime)
    if place is None:
        what = f"{VARIABLE}=off" if is_off() else "no PIR program, or no such normalisation"
        return Folding(f"loads of it are not kept, or nothing in it is folded: {what}")
    artifact = request.inspect(runtime)
    require_admissible(artifact)
    if artifact.identities[-1] != place.weights:
        return Folding("it changed meanwhile")
    started = time.process_time()
    files = folded_files(artifact)
    folding = time.process_time() - started
    if files is None:
        return _kept(place, Folding("nothing in it is folded"), artifact.path)
    own, before = _made(request)
    report = load_report(own)
    passes = report.step.options.delete_passes if report else ()
    folded, after = _made(folded_request(request, files.path, passes))
    reports = [one for one in (report, load_report(folded)) if one and not one.attempts]
    after += folding
    problem = _difference(own, folded, artifact.inputs)
    if len(reports) < 2:
        problem = "a predictor of it takes more than one attempt"
    elif not problem and before < slow:
        problem = f"a predictor of it is made in {before:.2f} seconds already"
    elif not problem and after > _SHARE * before:
        problem = f"it saves nothing: {after:.2f} seconds instead of {before:.2f}"
    files.close()
    found = Folding(problem, files.count, before, after, _alike(reports), passes)
    return _kept(place, found, artifact.path)


def _kept(place: FoldingPlace, found: Folding, path: str) -> Folding:
    place.keep(found, path)
    return found


def _made(request: Request) -> tuple[Any, float]:
    """A predictor, and the seconds that a second one took."""
    make = partial(make_predictor, Wanted(None, "cpu", 1))
    taken = 0.0
    for _ in range(2):
        started = time.process_time()
        made = load(replace(request, anew=True), make, time.perf_counter())
        taken = time.process_time() - started
    return made, taken


def _alike(reports: list[LoadReport]) -> bool:
    """Whether a clone of the folded predictor may be one of the model as it was saved."""
    as_saved = all(one.step.strategy is Strategy.NATIVE and not one.repairs for one in reports)
    return as_saved and len({repr(one.step.options) for one in reports}) == 1


def _difference(own: Any, folded: Any, inputs: Any) -> str:
    """What differs on samples of two sizes; "" where all outputs are the same bytes."""
    image = any(len(spec.shape or ()) == 4 and min((spec.shape or ())[2:]) < 0 for spec in inputs)
    choices = (*(_IMAGES if image else ()), *size_choices(inputs))
    agreed = 0
    for choice in choices:
        for sample in made_samples(inputs, choice):
            try:
                expected = _outputs(own, list(sample.values()))
            except Exception:  # noqa: S112 - sizes that do not suit the model
                continue
            if _outputs(folded, list(sample.values())) != expected:
                return "its folded form computes other numbers"
            agreed += 1
        if agreed >= 2 * _SIZES:
            break
    return "" if agreed else "no made-up inputs suit it"


def _outputs(predictor: Any, values: list[Any]) -> list[tuple[Any, ...]]:
    for name, value in zip(predictor.get_input_names(), values):
        predictor.get_input_handle(name).copy_from_cpu(value)
    predictor.run()
    arrays = [predictor.get_output_handle(n).copy_to_cpu() for n in predictor.get_output_names()]
    return [(array.shape, str(array.dtype), array.tobytes()) for array in arrays]
