"""``--run``: each model found is loaded and run by the installed Paddle, alone and with compatload.

Every loader has a process of its own, so a crash ends nothing else; where processes can be forked,
Paddle is imported once for all loaders of a model.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from compatload.artifact.inspection import inspect_whole
from compatload.artifact.record import Record, read_record
from compatload.checking.finding import CheckReport, Finding, ModelVerdict, Severity, Way
from compatload.checking.judgement import CALLS
from compatload.checking.run_child import ENDS, outputs
from compatload.checking.target import Target
from compatload.errors import CompatLoadError, UsageError
from compatload.frozen import frozen
from compatload.loading.recorded import difference_from
from compatload.operators.admission import DAMAGED, UNKNOWN, UNSAFE
from compatload.operators.drawing import draws_numbers
from compatload.plan import Api
from compatload.remote import is_url
from compatload.runtime.detection import detect_runtime
from compatload.trials.children import End, run
from compatload.trials.comparison import allowance, relative_difference

LIMIT_S = 300
_RULE = "CL008"
_DRAWN = "numbers not compared: it draws random ones"
_NEVER_RUN = frozenset((DAMAGED, UNSAFE, UNKNOWN))
_FUNCTION = "compatload.checking.run_child:every"


@frozen
class Ran:
    """What came of one loader. ``outputs`` is None unless ``outcome`` is ``ok``."""

    outcome: str
    told: str = ""
    outputs: tuple[Any, ...] | None = None
    sizes: tuple[int, ...] = ()


# A loader, and whose: ``compatload``'s or ``paddle``'s.
Job = tuple[Api, str]
Runner = Callable[[str, Sequence[Job]], Mapping[Job, Ran]]


def installed_release() -> str:
    """The release that ``--run`` takes.

    Raises:
        UsageError: no Paddle is installed.
    """
    paddle = detect_runtime().paddle
    if paddle is None:
        raise UsageError(
            "--run needs an installed Paddle, and there is none.",
            action="Install one, or leave --run out.",
        )
    return paddle.version


def with_runs(report: CheckReport, target: Target, runner: Runner | None = None) -> CheckReport:
    """The report with every model on disk run as well; models in archives are left alone, and so
    are those that no load lets Paddle see."""
    runner = runner or partial(run_in_children, trusted_operators=target.trusted_operators)
    models, findings = [], list(report.findings)
    refused = {one.path: one.rule for one in findings if one.rule in _NEVER_RUN}
    for model in report.models:
        if model.path in refused:
            models.append(replace(model, ran=(f"not run: {refused[model.path]}",)))
            continue
        if is_url(model.path):
            models.append(replace(model, ran=("not run: behind a URL",)))
            continue
        if "!" in model.path and not os.path.exists(model.path):
            models.append(replace(model, ran=("not run: in an archive",)))
            continue
        told, found = _run(model, target, runner)
        models.append(replace(model, ran=tuple(told)))
        findings += found
    ordered = sorted(findings, key=lambda finding: finding.order)
    return replace(report, models=tuple(models), findings=tuple(ordered))


def _run(model: ModelVerdict, target: Target, runner: Runner) -> tuple[list[str], list[Finding]]:
    told: list[str] = []
    findings: list[Finding] = []
    record = _record_of(model.path)
    callers = ("compatload", "paddle")
    jobs = [(Api(verdict.api), caller) for verdict in model.loaders for caller in callers]
    ran = runner(model.path, jobs) if jobs else {}
    draws = bool(jobs) and _draws(model.path)
    for verdict in model.loaders:
        api = Api(verdict.api)
        theirs, ours = CALLS[api]
        safe, alone = (ran[api, caller] for caller in callers)
        wrong = "" if draws else _difference(alone, safe, record)
        outcome = "wrong" if alone.outcome == "ok" and wrong else alone.outcome
        told.append(_line(api, outcome, alone, safe, _DRAWN if draws else wrong))
        if safe.outcome != "ok" and model.way is not Way.NONE:
            findings.append(_finding(model, target, Severity.ERROR, f"{ours}: {safe.told}"))
        if record is not None and safe.outputs is not None and not draws:
            stored = difference_from(record, safe.outputs)
            if stored:
                findings.append(_finding(model, target, Severity.ERROR, f"{ours}: {stored}"))
        if outcome != verdict.alone and not (draws and verdict.alone == "wrong"):
            happened = alone.told or wrong or "ran, with the right numbers"
            findings.append(
                _finding(
                    model,
                    target,
                    Severity.NOTE if outcome == "ok" else Severity.ERROR,
                    f"{theirs} was expected to be {verdict.alone} and is {outcome}: {happened}",
                )
            )
    return told, findings


def _draws(path: str) -> bool:
    try:
        return draws_numbers(inspect_whole(path))
    except (OSError, CompatLoadError):
        return False  # the check itself has told why it cannot be read


def _finding(model: ModelVerdict, target: Target, severity: Severity, message: str) -> Finding:
    return Finding(
        rule=_RULE,
        severity=severity,
        path=model.path,
        message=message,
        action="Run `compatload plan` on it, and report what is wrong.",
        target=str(target),
    )


def _line(api: Api, outcome: str, alone: Ran, safe: Ran, wrong: str) -> str:
    numbers = f", {wrong}" if wrong else ""
    return f"{api.value}: Paddle alone {outcome}, compatload {safe.outcome}{numbers}"


def _difference(alone: Ran, safe: Ran, record: Record | None) -> str:
    """How Paddle's own numbers differ from the stored ones, or else from compatload's."""
    if alone.outputs is None:
        return ""
    if record is not None and record.outputs:
        return difference_from(record, alone.outputs)
    if safe.outputs is None or safe.sizes != alone.sizes:
        return ""
    if len(alone.outputs) != len(safe.outputs):
        return f"{len(alone.outputs)} outputs, not {len(safe.outputs)}"
    for number, (one, other) in enumerate(zip(safe.outputs, alone.outputs)):
        difference = relative_difference(one, other)
        if difference is None or difference > allowance(one):
            told = "another shape or type" if difference is None else f"{difference:.3g}"
            return f"output {number} differs by {told}"
    return ""


def _record_of(path: str) -> Record | None:
    place = Path(path)
    try:
        return read_record(str(place.with_suffix("")) + ".compatload")
    except (OSError, CompatLoadError):
        return None  # a damaged record is the check's own finding; the run goes on without


def run_in_children(
    path: str, jobs: Sequence[Job], trusted_operators: Sequence[str] = ()
) -> dict[Job, Ran]:
    """Each in a process of its own, with the Python that runs this."""
    ran: dict[Job, Ran] = {}
    while left := [job for job in jobs if job not in ran]:
        with tempfile.TemporaryDirectory(prefix="compatload-") as folder:
            for number, end in enumerate(_ends(path, left, folder, trusted_operators)):
                ran[left[number]] = _ran(end, outputs(folder, number))
    return ran


def _ends(path: str, jobs: Sequence[Job], folder: str, trusted: Sequence[str]) -> Sequence[End]:
    """How as many of the jobs ended as one process has seen to, which is one at least."""
    words = json.dumps([(api.value, caller) for api, caller in jobs])
    asked = (words, os.path.abspath(path), folder, str(LIMIT_S), *trusted)
    end = run(_FUNCTION, *asked, timeout=LIMIT_S * (1 + len(jobs)))
    try:
        with open(os.path.join(folder, ENDS), encoding="utf-8") as ends:
            return [End(*json.loads(line)) for line in ends if line.endswith("\n")] or [end]
    except FileNotFoundError:
        return [end]


def _ran(end: End, out: str) -> Ran:
    if end.status is None:
        return Ran("crash", f"no answer in {LIMIT_S} s")
    if end.status < 0:
        return Ran("crash", end.how)
    if end.status:
        return Ran("error", (end.telling_line or "it failed without a word")[:300])
    return _read(out)


def _read(out: str) -> Ran:
    import numpy

    with numpy.load(out, allow_pickle=False) as stored:
        names = sorted(
            (name for name in stored.files if name != "sizes"),
            key=lambda name: int(name.rpartition("_")[2]),
        )
        outputs = tuple(stored[name] for name in names)
        sizes = tuple(int(size) for size in stored["sizes"])
    return Ran("ok", outputs=outputs, sizes=sizes)
