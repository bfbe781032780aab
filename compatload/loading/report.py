"""What a load did: which step succeeded, what was tried before it, how long it took."""

from __future__ import annotations

import logging
import threading
import weakref
from dataclasses import replace

from compatload.frozen import frozen
from compatload.plan import Plan, Step, Strategy

logger = logging.getLogger("compatload")


@frozen
class LoadReport:
    """``step`` is the one that succeeded, ``attempts`` those that failed before it, each with its
    cause. ``repairs`` are the rules by which operators were rewritten; ``seconds`` is the whole
    load, inspection included. ``notes``: what is odd about the files, and what of the caller's
    Config was not followed, with the reason. ``recalled``: the model was not decoded and planned
    again, since an earlier load of the very same one worked (``loading.recall``)."""

    plan: Plan
    step: Step
    attempts: tuple[tuple[str, str], ...]
    seconds: float
    repairs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    recalled: bool = False

    @property
    def rules(self) -> tuple[str, ...]:
        """Ids of all rules that had a part in this load."""
        return (*self.step.rules, *self.repairs)

    @property
    def engine(self) -> str:
        """What runs the model: ``"paddle"``, ``"openvino"`` or ``"onnxruntime"``."""
        strategy = self.step.strategy
        others = (Strategy.OPENVINO, Strategy.ONNXRUNTIME)
        return strategy.value if strategy in others else "paddle"

    def _repr_html_(self) -> str:
        from compatload.notebook import table

        tried = [f"{step}: {cause}" for step, cause in self.attempts]
        return table(
            f"{self.plan.artifact}: loaded as a {self.plan.api.value}",
            [
                ("format", self.plan.format),
                ("saved by", f"paddle {self.plan.saved_by}" if self.plan.saved_by else "unknown"),
                ("runtime", f"{self.plan.runtime}, on {self.plan.device}"),
                ("engine", self.engine),
                ("step", self.step.title),
                ("why", self.step.reason),
                ("rules", ", ".join(self.rules)),
                ("tried before", tried),
                ("notes", (*self.plan.remarks, *self.notes)),
                ("took", f"{self.seconds * 1000:.0f} ms{', as before' if self.recalled else ''}"),
            ],
        )

    def to_dict(self) -> dict[str, object]:
        """Plain data for JSON."""
        return {
            "artifact": self.plan.artifact,
            "runtime": self.plan.runtime,
            "api": self.plan.api.value,
            "device": self.plan.device,
            "inferred_from": self.plan.inferred_from,
            "strategy": self.step.strategy.value,
            "engine": self.engine,
            "rules": list(self.rules),
            "repairs": list(self.repairs),
            "attempts": [list(attempt) for attempt in self.attempts],
            "seconds": self.seconds,
            "notes": list(self.notes),
            "recalled": self.recalled,
        }


_reports: dict[int, tuple[weakref.ref[object], LoadReport]] = {}
_lock = threading.Lock()


def attach(loaded: object, report: LoadReport) -> None:
    """Remember ``report`` for as long as ``loaded`` lives, and log one line."""
    key = id(loaded)

    def forget(reference: weakref.ref[object]) -> None:
        with _lock:
            if key in _reports and _reports[key][0] is reference:
                del _reports[key]

    with _lock:
        _reports[key] = (weakref.ref(loaded, forget), report)
    logger.info(
        "loaded %s (%s) into %s: %s%s%s in %.0f ms",
        report.plan.artifact,
        report.plan.format,
        report.plan.runtime,
        report.step.title,
        f" [{', '.join(report.rules)}]" if report.rules else "",
        ", as before" if report.recalled else "",
        report.seconds * 1000,
    )
    for override in report.step.overrides:
        logger.info("%s: %s", report.plan.artifact, override)


def load_report(loaded: object) -> LoadReport | None:
    """The report of what ``safe_load`` or a sibling returned; None for anything else."""
    entry = _reports.get(id(loaded))
    return entry[1] if entry is not None and entry[0]() is loaded else None


def note(loaded: object, text: str) -> None:
    """Add a note to the report of what was loaded."""
    report = load_report(loaded)
    if report is not None:
        with _lock:
            _reports[id(loaded)] = (
                _reports[id(loaded)][0],
                replace(report, notes=(*report.notes, text)),
            )
