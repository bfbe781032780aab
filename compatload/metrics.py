"""Prometheus metrics of loads and reloads, for services that have ``prometheus_client``.

Nothing is imported or counted before ``enable_metrics()``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compatload.errors import UsageError

if TYPE_CHECKING:
    from compatload.loading.report import LoadReport

_BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class _Metrics:
    def __init__(self, client: Any, registry: Any) -> None:
        self.loads = client.Counter(
            "compatload_loads_total",
            "Models loaded, by loader, strategy of the plan and format",
            ("api", "strategy", "format"),
            registry=registry,
        )
        self.failures = client.Counter(
            "compatload_load_failures_total",
            "Loads that ended in an error, by loader and kind of error",
            ("api", "error"),
            registry=registry,
        )
        self.seconds = client.Histogram(
            "compatload_load_seconds",
            "Seconds that a load took, inspection included",
            ("api", "strategy"),
            buckets=_BUCKETS,
            registry=registry,
        )
        self.rules = client.Counter(
            "compatload_rules_total",
            "Rules that had a part in a load",
            ("rule",),
            registry=registry,
        )
        self.reloads = client.Counter(
            "compatload_reloads_total",
            "Reloads of handles: replaced, or kept because the new model failed",
            ("model", "outcome"),
            registry=registry,
        )


_metrics: _Metrics | None = None


def enable_metrics(registry: Any = None) -> None:
    """Count loads and reloads in ``registry``, by default ``prometheus_client.REGISTRY``.

    Calling it twice is calling it once. Raises UsageError without ``prometheus_client``.
    """
    global _metrics
    if _metrics is not None:
        return
    try:
        import prometheus_client
    except ImportError as error:
        raise UsageError(
            "prometheus_client is not installed", action="Run `pip install compatload[metrics]`."
        ) from error
    chosen = prometheus_client.REGISTRY if registry is None else registry
    _metrics = _Metrics(prometheus_client, chosen)


def count_load(report: LoadReport) -> None:
    """One model was loaded."""
    if _metrics is None:
        return
    api, strategy = report.plan.api.value, report.step.strategy.value
    _metrics.loads.labels(api, strategy, report.plan.format).inc()
    _metrics.seconds.labels(api, strategy).observe(report.seconds)
    for rule in report.rules:
        _metrics.rules.labels(rule).inc()


def count_failure(api: str, error: BaseException) -> None:
    """One load ended in an error."""
    if _metrics is not None:
        _metrics.failures.labels(api, type(error).__name__).inc()


def count_reload(model: str, outcome: str) -> None:
    """A handle tried to reload: ``"replaced"`` or ``"kept"``."""
    if _metrics is not None:
        _metrics.reloads.labels(model, outcome).inc()
