"""``--run``: what is concluded from the runs, and one model really run by each release."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from compatload.checking.check import check
from compatload.checking.finding import CheckReport, Severity
from compatload.checking.running import Job, Ran, with_runs
from compatload.checking.settings import Settings
from compatload.checking.target import parse_target
from tests.releases import done_in, releases

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "tests/fixtures"
TARGET = parse_target("3.3.1")
GOOD = Ran("ok", outputs=(np.ones((2, 3), "float32"),), sizes=(2, 32))
OTHER = Ran("ok", outputs=(np.full((2, 3), 2.0, "float32"),), sizes=(2, 32))
FAILED = Ran("error", "ValueError: no")


def run(name: str, alone: dict[str, Ran], safe: Ran = GOOD) -> CheckReport:
    report = check([FIXTURES / name], target=TARGET, settings=Settings())

    def runner(path: str, jobs: Sequence[Job]) -> dict[Job, Ran]:
        return {
            (api, caller): safe if caller == "compatload" else alone.get(api.value, GOOD)
            for api, caller in jobs
        }

    return with_runs(report, TARGET, runner)


def of_run(report: CheckReport) -> list[tuple[Severity, str]]:
    return [(f.severity, f.message) for f in report.findings if f.rule == "CL008"]


def test_what_was_expected_is_no_finding() -> None:
    report = run("2.6.2/classifier", {"layer": FAILED, "program": FAILED})
    assert of_run(report) == []
    assert report.models[0].ran[0] == "layer: Paddle alone error, compatload ok"


def test_a_failure_nobody_expected() -> None:
    ((severity, message),) = of_run(run("3.3.1/classifier", {"predictor": FAILED}))
    assert severity is Severity.ERROR
    assert "was expected to be ok and is error: ValueError: no" in message


def test_other_numbers() -> None:
    ((severity, message),) = of_run(run("3.3.1/classifier", {"layer": OTHER}))
    assert severity is Severity.ERROR
    assert "is wrong: output 0 differs by 1" in message


def test_better_than_expected_is_a_note() -> None:
    ((severity, message), *_) = of_run(run("2.6.2/classifier", {"program": FAILED}))
    assert severity is Severity.NOTE
    assert "paddle.jit.load was expected to be error and is ok" in message


def test_compatload_failing_is_told() -> None:
    found = of_run(run("3.3.1/classifier", {}, safe=FAILED))
    assert len(found) == 3
    assert all("compatload.safe" in message and "no" in message for _, message in found)


@pytest.mark.parametrize("release", releases())
def test_a_real_run(release: str) -> None:
    asked = ("check", "--run", "--format", "json", "--jobs", "1", FIXTURES / "2.6.2/classifier")
    done = done_in(release, "-m", "compatload", *asked, seconds=600)
    report = json.loads(done.stdout)
    ran = report["models"][0]["ran"]
    alone = "ok" if release.startswith("2.") else "error"
    assert ran == [
        f"layer: Paddle alone {alone}, compatload ok",
        f"program: Paddle alone {alone}, compatload ok",
        "predictor: Paddle alone ok, compatload ok",
    ]
    assert not [f for f in report["findings"] if f["rule"] == "CL008"]
    assert done.returncode == (0 if release.startswith("2.") else 1)


def test_a_crash_ends_nothing_else() -> None:
    """Paddle 3.3.1 dies of its own predictor (CL202)."""
    asked = ("check", "--run", "--format", "json", "--jobs", "1", FIXTURES / "3.3.1/detector")
    report = json.loads(done_in("3.3.1", "-m", "compatload", *asked, seconds=600).stdout)
    assert report["models"][0]["ran"] == [
        "layer: Paddle alone ok, compatload ok",
        "program: Paddle alone ok, compatload ok",
        "predictor: Paddle alone crash, compatload ok",
    ]
