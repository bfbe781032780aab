"""What Paddle's own loaders make of a saved model, on every release that is to load it.

Tried where a Python with that release is at hand, each loader as its users call it, a predictor
with the Config that it has by default; else predicted from what is known of the release.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from compatload.artifact.inspection import inspect_whole
from compatload.artifact.model import Artifact, Format
from compatload.artifact.record import Loader
from compatload.checking.judgement import CALLS
from compatload.checking.prediction import Outcome, predict
from compatload.checking.target import parse_target
from compatload.exporting.other_formats import PROGRAMS, alone
from compatload.exporting.side_by_side import Interpreter, SourceRun, run_result
from compatload.exporting.side_by_side_process import SAMPLES
from compatload.exporting.verification import Round, Samples
from compatload.faults.texts import rule_texts
from compatload.plan import Api
from compatload.runtime.release import release_of
from compatload.trials.comparison import ELSEWHERE

# Numbers this large differ between releases by more than rounding.
_NOT_ELSEWHERE = "large"
_HAPPENS = {
    Outcome.ERROR: "fails",
    Outcome.CRASH: "kills or blocks the process",
    Outcome.WRONG: "gives other numbers",
}


def loaders_of(
    staged: str,
    releases: Sequence[str],
    known: Sequence[Interpreter],
    samples: Samples,
    device: str,
) -> tuple[Loader, ...]:
    """One entry a loader a release, in their order."""
    told: list[Loader] = []
    for release in releases:
        program = _program(staged, release)
        if program is None:
            continue
        artifact = inspect_whole(program)
        wanted = release_of(release)
        there = next((one for one in known if release_of(one.release) == wanted), None)
        if there is not None and samples.steady:
            told += tried(program, release, there, samples)
        else:
            told += foretold(artifact, release, device)
    return tuple(told)


def doubts(loaders: Sequence[Loader]) -> tuple[str, ...]:
    """What is to be told of loaders that do not give the layer's numbers."""
    return tuple(
        f"{one.release}: {CALLS[Api(one.loader)][0]} {one.told}, "
        f"{'tried' if one.tried else 'predicted'}; {CALLS[Api(one.loader)][1]} goes around it"
        for one in loaders
        if not one.agrees
    )


def _program(staged: str, release: str) -> str | None:
    """The file that this release's Paddle takes of those that were written."""
    order = ("legacy",) if release_of(release).major < 3 else ("pir", "legacy")
    found = (staged + PROGRAMS[kind] for kind in order)
    return next((path for path in found if os.path.exists(path)), None)


def foretold(artifact: Artifact, release: str, device: str) -> list[Loader]:
    """What is known of what that release's own loaders make of a program."""
    runtime = parse_target(release, device=device).runtime
    told = []
    for api in _apis(artifact, release):
        found = predict(artifact, runtime, api, device)
        title = rule_texts()[found.rule].title if found.rule else ""
        what = _HAPPENS.get(found.by_data or found.outcome, "")
        what = f"{what} for some inputs" if found.by_data else what
        happens = f"{what} ({found.rule}: {title})" if title else ""
        told.append(Loader(release, api.value, False, found.outcome is Outcome.OK, happens))
    return told


def _apis(artifact: Artifact, release: str) -> tuple[Api, ...]:
    """Of 3.x, only the predictor takes a legacy program."""
    if artifact.format is Format.LEGACY and release_of(release).major >= 3:
        return (Api.PREDICTOR,)
    return tuple(Api)


def tried(program: str, release: str, interpreter: Interpreter, samples: Samples) -> list[Loader]:
    with alone(program) as prefix, tempfile.TemporaryDirectory(prefix="compatload-") as name:
        artifact = inspect_whole(prefix + Path(program).suffix)
        source = _written(Path(name), artifact, samples)
        trials, _ = run_result(artifact, interpreter, Path(name), source, as_users_do=True)
    told = []
    for api in _apis(artifact, release):
        own = [trial for trial in trials if trial.api == api.value]
        problems = [trial.problem for trial in own if trial.problem]
        worst = max((t.difference for t in own if t.difference is not None), default=None)
        if problems:
            happens = f"fails: {problems[0]}"
        elif worst is None:
            happens = "was not run"
        else:
            happens = (
                "" if worst <= ELSEWHERE else f"gives other numbers ({worst:.3g}){_doubt(samples)}"
            )
        told.append(Loader(release, api.value, True, not happens, happens, worst))
    return told


def _doubt(samples: Samples) -> str:
    return " on samples that hang on rounding" if _comparable(samples)[0].hangs else ""


def _comparable(samples: Samples) -> list[Round]:
    """Rounds that do not hang on rounding; where all do, they are better than none."""
    usual = [one for one in samples.rounds if one.kind != _NOT_ELSEWHERE]
    return [one for one in usual if not one.hangs] or usual


def _written(folder: Path, artifact: Artifact, samples: Samples) -> SourceRun:
    import numpy

    names = [spec.name for spec in artifact.inputs]
    places = samples.arguments.named(names)
    paths: list[str] = []
    for tried in _comparable(samples):
        arrays = {f"in/{name}": tried.inputs[place] for name, place in zip(names, places)}
        expected = tried.expected(artifact.outputs)
        arrays.update({f"out/{n}": value for n, value in enumerate(expected)})
        paths.append(str(folder / SAMPLES.format(len(paths))))
        numpy.savez(paths[-1], **arrays)
    return SourceRun(tuple(paths))
