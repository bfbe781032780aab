"""From what was seen in the code to what is reported for a target."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator

from compatload.checking.finding import Finding, Severity
from compatload.checking.python_source import PythonSource
from compatload.checking.target import Target
from compatload.faults.limitations import LIMITATIONS, Limitation, Measured, outcome
from compatload.frozen import frozen

_RULES = {limitation.id: limitation for limitation in LIMITATIONS}
_EXPORTED = "exporting it"
_SAYS = {
    "error": "fails",
    "wrong": "gives a wrong result without any error",
    "crash": "kills the process",
    "timeout": "does not come back",
}


class Use(enum.Enum):
    """How a function comes to be converted."""

    FULL_GRAPH = "to_static(full_graph=True)"
    TRACED = "to_static"  # by default the symbolic tracer
    EXPORTED = "jit.save in the same file"
    PERHAPS = "forward of a Layer, which somebody may export"


@frozen
class Sighting:
    """A row seen at a node. ``variant`` chooses among the row's measured programs."""

    rule: str
    node: ast.AST
    variant: str = ""


def reported(
    sighting: Sighting, use: Use, source: PythonSource, target: Target
) -> Iterator[Finding]:
    """The finding, if the release that stands for the target has the limitation in this use."""
    rule = _RULES[sighting.rule]
    measured = rule.measured.get(sighting.variant)
    if measured is None:
        return
    what, happens, severity = _outcome(measured, use, target.measured)
    if happens == "ok":
        return
    stands_for = "" if str(target.version) == target.measured else f" ({target.measured} measured)"
    variant = f" ({sighting.variant})" if sighting.variant else ""
    yield Finding(
        rule=rule.id,
        severity=severity,
        path=source.path,
        message=f"{rule.title}{variant}: {what} {_SAYS[happens]} on {target}{stands_for}.",
        action=_saving(rule, measured, target.measured) if what == _EXPORTED else rule.fix,
        target=str(target),
        **source.position(sighting.node),
    )


def exported_outcome(sighting: Sighting, release: str) -> str:
    """What exporting such code was measured to do on a release: ``ok``, ``error``, …"""
    measured = _RULES[sighting.rule].measured.get(sighting.variant)
    return "ok" if measured is None else outcome(measured.exported, release)


def _outcome(measured: Measured, use: Use, release: str) -> tuple[str, str, Severity]:
    """What is done, what happens, and how bad that is here: called first, then exported."""
    called = measured.full_graph if use is Use.FULL_GRAPH else measured.traced
    exported = measured.exported
    if use is not Use.FULL_GRAPH and measured.exported_traced is not None:
        exported = measured.exported_traced
    if use in (Use.FULL_GRAPH, Use.TRACED):
        happens = outcome(called, release)
        if happens != "ok":
            return "calling it", happens, Severity.ERROR
    severity = Severity.NOTE if use is Use.PERHAPS else Severity.WARNING
    return _EXPORTED, outcome(exported, release), severity


def _saving(rule: Limitation, measured: Measured, release: str) -> str:
    if not measured.is_saved(release):
        return rule.fix
    return f"Save with compatload.safe_save, which converts such code as it is. Or: {rule.fix}"
