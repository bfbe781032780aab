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
from compatload.artifact.model import TensorSpec
from compatload.errors import CompatLoadError, LoadError
from compatload.loading.execution import first_line
from compatload.loading.folded import SLOW, VARIABLE, Folding, FoldingPlace, folded_files, is_off
from compatload.loading.pipeline import load
from compatload.loading.predictor import Wanted, make_predictor
from compatload.loading.recall import folded_request, folding_place
from compatload.loading.report import LoadReport, load_report
from compatload.loading.request import Request
from compatload.operators.admission import require_admissible
from compatload.plan import Api, Strategy
from compatload.store.measured import runtime_here
from compatload.trials.children import End, run
from compatload.trials.layers import predicted
from compatload.trials.samples import made_samples, size_choices

FUNCTION = "compatload.serving.folding:main"
SECONDS = 900.0
# What a folded form has to save.
_SHARE = 0.8
# Of images, as an engine is tried at; and how many sizes have to agree.
_IMAGES = ((1, 224), (2, 64))
_SIZES = 2


def fold_and_keep(path: str | os.PathLike[str], *, slow: float = SLOW) -> Folding:
    """Let predictors of a PIR model, in this Paddle on this CPU, fold it as they are loaded.

    It is done only where a child process found that the folded form computes the very same numbers,
    to the last bit, and where Paddle takes ``slow`` seconds or more without it (0: wherever there
    is anything to fold). What was found is kept.

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
    runtime = runtime_here()
    place = folding_place(request, runtime)
    if place is None:
        if is_off():
            return Folding(f"{VARIABLE}=off")
        return Folding("no PIR program with batch normalisations, or its loads are not kept")
    artifact = request.inspect(runtime)
    require_admissible(artifact)
    if artifact.identities[-1] != place.weights:
        return Folding("it changed meanwhile")
    started = time.process_time()
    files = folded_files(artifact)
    folding = time.process_time() - started
    if files is None:
        return _kept(place, Folding("nothing in it is folded"), artifact.path)
    # One after the other: there may be little memory.
    answers, own, before = _answered(request, artifact.inputs)
    passes = own.step.options.delete_passes if own else ()
    there = folded_request(request, files.path, passes)
    others, folded, after = _answered(there, artifact.inputs)
    files.close()
    reports = [one for one in (own, folded) if one and not one.attempts]
    after += folding
    made = files.folded
    found = Folding("", made.count, made.bits, before, after, _alike(reports), passes)
    if len(reports) < 2:
        problem = "a predictor of it takes more than one attempt"
    elif not answers:
        problem = "no made-up inputs suit it"
    elif answers != others:
        problem = "its folded form computes other numbers"
    elif before < slow:
        problem = f"a predictor of it is made in {before:.2f} seconds already"
    elif slow and after > _SHARE * before:
        problem = f"it saves nothing: {after:.2f} seconds instead of {before:.2f}"
    else:
        problem = ""
    return _kept(place, replace(found, problem=problem), artifact.path)


def _kept(place: FoldingPlace, found: Folding, path: str) -> Folding:
    place.keep(found, path)
    return found


def _answered(
    request: Request, inputs: tuple[TensorSpec, ...]
) -> tuple[dict[str, Any], LoadReport | None, float]:
    """What a predictor answers, how it was loaded, and the seconds that a second one took."""
    make = partial(make_predictor, Wanted(None, "cpu", 1))
    request = replace(request, anew=True)
    load(request, make, time.perf_counter())
    started = time.process_time()
    made = load(request, make, time.perf_counter())
    taken = time.process_time() - started
    return _answers(made, inputs), load_report(made), taken


def _alike(reports: list[LoadReport]) -> bool:
    """Whether a clone of the folded predictor may be one of the model as it was saved."""
    as_saved = all(one.step.strategy is Strategy.NATIVE and not one.repairs for one in reports)
    return as_saved and len({repr(one.step.options) for one in reports}) == 1


def _answers(predictor: Any, inputs: tuple[TensorSpec, ...]) -> dict[str, Any]:
    """The bytes of all outputs, by sample; samples of two sizes that suit the model."""
    image = any(len(spec.shape or ()) == 4 and min((spec.shape or ())[2:]) < 0 for spec in inputs)
    found: dict[str, Any] = {}
    for choice in (*(_IMAGES if image else ()), *size_choices(inputs)):
        for number, sample in enumerate(made_samples(inputs, choice)):
            with suppress(Exception):  # sizes that do not suit the model
                found[f"{choice} {number}"] = _outputs(predictor, list(sample.values()))
        if len(found) >= 2 * _SIZES:
            break
    return found


def _outputs(predictor: Any, values: list[Any]) -> list[tuple[Any, ...]]:
    arrays = predicted(predictor, dict(zip(predictor.get_input_names(), values)))
    return [(array.shape, str(array.dtype), array.tobytes()) for array in arrays]
