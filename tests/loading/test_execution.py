"""What carrying a plan out says: fallbacks warn, and what takes long is told of."""

from __future__ import annotations

import logging
import time

import pytest

from compatload import inspect_artifact
from compatload.errors import FallbackWarning
from compatload.loading.execution import carry_out
from compatload.loading.progress import progress
from compatload.loading.report import load_report
from compatload.plan import Api, Plan, Step, Strategy
from tests.fixtures.index import fixture

STEPS = (Step(Strategy.TRANSLATE, "first"), Step(Strategy.NATIVE, "second"))
PLAN = Plan("model", "legacy", "2.6.2", "paddlepaddle 3.3.1", Api.LAYER, "cpu", steps=STEPS)


class Loaded:
    """Something a report can be attached to."""


def test_a_fallback_warns_and_is_in_the_report() -> None:
    def attempt(step: Step) -> tuple[Loaded, tuple[str, ...]]:
        if step.strategy is Strategy.TRANSLATE:
            raise RuntimeError("native trouble")
        return Loaded(), ()

    artifact = inspect_artifact(fixture("2.6.2/classifier").path)
    with pytest.warns(FallbackWarning, match="native trouble"):
        loaded = carry_out(PLAN, artifact, attempt, time.perf_counter())
    report = load_report(loaded)
    assert report is not None
    assert report.step.strategy is Strategy.NATIVE
    assert report.attempts == (("translate", "RuntimeError: native trouble"),)


def test_long_work_is_told_of(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="compatload"):
        with progress("converting model", first=0.05):
            time.sleep(0.25)
        told = [record.getMessage() for record in caplog.records]
        time.sleep(0.2)
        assert len(caplog.records) == len(told)
    assert 1 <= len(told) <= 3  # at 0.05, 0.15 and perhaps 0.35 seconds
    assert all(text.startswith("converting model: ") for text in told)


def test_short_work_is_not(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="compatload"), progress("loading model"):
        pass
    assert caplog.records == []
