"""For people: one block a file, with colours where rich is installed and wanted."""

from __future__ import annotations

import io

from compatload.checking.finding import (
    CheckReport,
    Finding,
    ModelVerdict,
    Severity,
    Skipped,
    Way,
)

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


def render(report: CheckReport, *, colour: bool = False, width: int = 100) -> str:
    """The report as lines; ``colour`` asks for terminal colours and needs rich."""
    if colour:
        try:
            return _coloured(report, width)
        except ImportError:  # rich belongs to compatload[check]; plain text says the same
            pass
    lines = [_model(model) for model in report.models]
    lines += [line for finding in report.findings for line in _finding(finding)]
    lines += [_skipped(entry) for entry in report.skipped]
    return "\n".join([*lines, report.summary]) + "\n"


def safe(text: str) -> str:
    """One line that a terminal shows as it is: a file's name may hold escape sequences."""
    return "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text)


def _model(model: ModelVerdict) -> str:
    ran = "".join(f"; {line}" for line in model.ran)
    return safe(f"{model.path}: {model.described}{ran}")


def _finding(finding: Finding) -> list[str]:
    return [
        safe(f"{finding.location}: {_kind(finding)}: {finding.message}"),
        f"    {safe(finding.action)}",
    ]


def _kind(finding: Finding) -> str:
    return f"{finding.severity.value} {finding.rule}"


def _skipped(entry: Skipped) -> str:
    return safe(f"{entry.path}: {'unsafe, ' if entry.unsafe else ''}skipped: {entry.reason}")


def _coloured(report: CheckReport, width: int) -> str:
    from rich.console import Console
    from rich.text import Text

    console = Console(file=io.StringIO(), force_terminal=True, width=width, highlight=False)
    for model in report.models:
        style = {Way.NATIVE: "green", Way.NONE: "bold red"}.get(model.way, "yellow")
        console.print(Text(_model(model), style), soft_wrap=True)
    for finding in report.findings:
        head = Text(safe(f"{finding.location}: "))
        head.append(_kind(finding), _STYLES[finding.severity])
        console.print(head.append(safe(f": {finding.message}")), soft_wrap=True)
        console.print(Text(f"    {safe(finding.action)}", "dim"), soft_wrap=True)
    for entry in report.skipped:
        console.print(Text(_skipped(entry), "red" if entry.unsafe else "dim"), soft_wrap=True)
    bad = report.exit_code != 0
    console.print(Text(report.summary, "bold red" if bad else "bold green"), soft_wrap=True)
    written = console.file
    return written.getvalue() if isinstance(written, io.StringIO) else ""
