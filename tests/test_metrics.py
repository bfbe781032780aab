"""Prometheus counters: nothing before enable_metrics(), everything by name after it."""

from __future__ import annotations

import subprocess
import sys

import prometheus_client
import pytest

from compatload import metrics
from compatload.errors import LoadError
from compatload.loading.execution import carry_out
from compatload.plan import Api, Plan, Step, Strategy
from tests.fixtures.index import fixture

STEP = Step(Strategy.NATIVE, "as it is", rules=("CL101",))
PLAN = Plan("model", "legacy", "2.6.2", "paddlepaddle 3.3.1", Api.LAYER, "cpu", steps=(STEP,))


class Loaded:
    """Something a report can be attached to."""


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> prometheus_client.CollectorRegistry:
    monkeypatch.setattr(metrics, "_metrics", None)
    chosen = prometheus_client.CollectorRegistry()
    metrics.enable_metrics(chosen)
    return chosen


def load(step_fails: bool) -> object:
    from compatload import inspect_artifact

    artifact = inspect_artifact(fixture("2.6.2/classifier").path)

    def attempt(step: Step) -> tuple[Loaded, tuple[str, ...]]:
        if step_fails:
            raise RuntimeError("native")
        return Loaded(), ("CL120",)

    return carry_out(PLAN, artifact, attempt, 0.0)


def test_a_load_is_counted(registry: prometheus_client.CollectorRegistry) -> None:
    loaded = load(step_fails=False)
    assert loaded is not None
    labels = {"api": "layer", "strategy": "native", "format": "legacy"}
    assert registry.get_sample_value("compatload_loads_total", labels) == 1
    assert registry.get_sample_value("compatload_rules_total", {"rule": "CL101"}) == 1
    assert registry.get_sample_value("compatload_rules_total", {"rule": "CL120"}) == 1
    del labels["format"]
    assert registry.get_sample_value("compatload_load_seconds_count", labels) == 1


def test_a_failure_is_counted(registry: prometheus_client.CollectorRegistry) -> None:
    with pytest.raises(LoadError):
        load(step_fails=True)
    labels = {"api": "layer", "error": "LoadError"}
    assert registry.get_sample_value("compatload_load_failures_total", labels) == 1


def test_reloads_are_counted(registry: prometheus_client.CollectorRegistry) -> None:
    metrics.count_reload("ocr", "kept")
    labels = {"model": "ocr", "outcome": "kept"}
    assert registry.get_sample_value("compatload_reloads_total", labels) == 1


def test_nothing_is_imported_before_it_is_asked_for() -> None:
    code = (
        "import sys, compatload.metrics as m; m.count_reload('a', 'kept'); "
        "sys.exit('prometheus_client' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_the_client_the_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['prometheus_client'] = None\n"
        "import compatload\n"
        "try:\n    compatload.enable_metrics()\n"
        "except compatload.UsageError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "compatload[metrics]" in done.stdout
