"""The folded form of a model (``programs.folding``): made and tried in a child, kept in the cache.

Loads by predictors of the very same files find it there (``loading.recall``).
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from compatload.artifact.locate import locate
from compatload.errors import CompatLoadError, LoadError
from compatload.frozen import frozen
from compatload.loading.execution import first_line
from compatload.loading.pipeline import load
from compatload.loading.predictor import Wanted, make_predictor
from compatload.loading.recall import folded_key
from compatload.loading.report import load_report
from compatload.loading.request import Request
from compatload.plan import Api
from compatload.store.cache import ConversionCache
from compatload.store.measured import runtime_here
from compatload.trials.children import run
from compatload.trials.samples import made_samples, size_choices

_FUNCTION = "compatload.serving.folding:main"
_SECONDS = 900.0
# A predictor that takes fewer seconds is not worth its weights in the cache.
_SLOW = 0.25
# Of images, as an engine is tried at; and how many sizes have to agree.
_IMAGES = ((1, 224), (2, 64))
_SIZES = 2


@frozen
class Folding:
    """What came of it: ``problem``, or how many were folded, and the seconds of processor time in
    which Paddle makes a predictor of the model as it was saved, and of its folded form."""

    problem: str = ""
    folded: int = 0
    before: float = 0.0
    after: float = 0.0


def fold_and_keep(path: str | os.PathLike[str], *, slow: float = _SLOW) -> Folding:
    """Keep the folded form of a PIR model for the predictors of this Paddle on this CPU.

    It is kept only where a child process found that it computes the very same numbers, to the last
    bit, and where Paddle takes ``slow`` seconds or more to make a predictor without it.

    Raises ArtifactNotFoundError if there is no model; LoadError if the child dies, or takes too
    long.
    """
    locate(os.fsdecode(path))
    ended = run(_FUNCTION, os.path.abspath(os.fspath(path)), str(slow), timeout=_SECONDS)
    try:
        return Folding(**json.loads(ended.last_line))
    except (ValueError, TypeError) as error:
        raise LoadError(
            f"{os.fsdecode(path)} was not folded: the child process {ended.how}: "
            f"{ended.telling_line}",
            action="Load it without; nothing was kept.",
        ) from error


def main(path: str, slow: str) -> None:
    """The child's side: says what came of it in one line."""
    try:
        with tempfile.TemporaryDirectory(prefix="compatload-") as name:
            found = _tried(path, float(slow), Path(name))
    except CompatLoadError as error:
        found = Folding(error.problem)
    except Exception as error:  # whatever it is, the parent wants to know
        found = Folding(first_line(error))
    told = {name: getattr(found, name) for name in ("problem", "folded", "before", "after")}
    print("\n" + json.dumps(told), flush=True)
    os._exit(0)


def _tried(path: str, slow: float, directory: Path) -> Folding:
    from compatload.operators.admission import require_admissible
    from compatload.programs.folding import fold

    runtime = runtime_here()
    request = Request(path, Api.PREDICTOR, "cpu", anew=True, pooled=True)
    key = folded_key(Request(path, Api.PREDICTOR, "cpu", pooled=True), runtime)
    if key is None:
        return Folding("loads of it are not kept")
    artifact = request.inspect(runtime)
    require_admissible(artifact)
    count = fold(artifact, directory)
    if not count:
        return Folding("nothing in it is folded: no PIR program, or no such normalisation")
    there = Request(str(directory / "model"), Api.PREDICTOR, "cpu", anew=True, pooled=True)
    own, before = _made(request)
    folded, after = _made(there)
    if own is None or folded is None:
        return Folding("a predictor of it takes more than one attempt")
    problem = _difference(own, folded, artifact.inputs)
    if not problem and before < slow:
        problem = f"a predictor of it is made in {before:.2f} seconds already"
    if not problem:
        about = {"model": path, "for": "predictors: batch normalisations folded"}
        ConversionCache().keep(key, partial(_move, directory), about=about)
    return Folding(problem, count, before, after)


def _move(source: Path, target: Path) -> None:
    for name in ("model.json", "model.pdiparams"):
        shutil.copyfile(source / name, target / name)


def _made(request: Request) -> tuple[Any, float]:
    """A predictor (None: only by a second attempt), and the seconds that a second one took."""
    make = partial(make_predictor, Wanted(None, "cpu", 1))
    taken = 0.0
    for _ in range(2):
        started = time.process_time()
        made = load(request, make, time.perf_counter())
        taken = time.process_time() - started
    report = load_report(made)
    return (None if report is None or report.attempts else made), taken


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
