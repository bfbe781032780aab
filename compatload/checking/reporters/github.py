"""Workflow commands of GitHub Actions: annotations at the lines concerned."""

from __future__ import annotations

from compatload.checking.finding import CheckReport, Finding, Severity

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(report: CheckReport) -> str:
    lines = [_annotation(finding) for finding in report.findings]
    for entry in report.skipped:
        command = "error" if entry.unsafe else "warning"
        properties = _properties({"file": entry.path, "title": "compatload: skipped"})
        lines.append(f"::{command} {properties}::{_data(entry.reason)}")
    return "\n".join([*lines, report.summary]) + "\n"


def _annotation(finding: Finding) -> str:
    properties = _properties(
        {
            "file": finding.path,
            "line": finding.line,
            "endLine": finding.end_line,
            "col": finding.column,
            "endColumn": finding.end_column,
            "title": f"compatload {finding.rule}",
        }
    )
    message = _data(f"{finding.message}\n{finding.action}")
    return f"::{_COMMANDS[finding.severity]} {properties}::{message}"


def _properties(values: dict[str, str | int | None]) -> str:
    return ",".join(
        f"{name}={_data(str(value)).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in values.items()
        if value is not None
    )


def _data(text: str) -> str:
    """A command ends with its line: the runner takes these three escapes back."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
