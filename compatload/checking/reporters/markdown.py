"""A table for pull requests and documents."""

from __future__ import annotations

from compatload.checking.finding import CheckReport


def render(report: CheckReport) -> str:
    lines = [f"**compatload check for {report.target}**", ""]
    if report.models:
        lines += ["| model | format | saved by | loads | Paddle alone |", "|---|---|---|---|---|"]
        lines += [
            f"| `{_cell(m.path)}` | {m.format} | {_cell(m.saved_by or 'unknown')} | {m.way.value} "
            f"| {_cell(', '.join(f'{one.api} {one.alone}' for one in m.loaders))} |"
            for m in report.models
        ]
        lines.append("")
    if report.findings:
        lines += ["| where | severity | rule | what | what to do |", "|---|---|---|---|---|"]
        lines += [
            f"| `{_cell(f.location)}` | {f.severity.value} | {f.rule} | {_cell(f.message)} "
            f"| {_cell(f.action)} |"
            for f in report.findings
        ]
        lines.append("")
    if report.skipped:
        lines += ["| skipped | why |", "|---|---|"]
        lines += [
            f"| `{_cell(s.path)}` | {'unsafe: ' if s.unsafe else ''}{_cell(s.reason)} |"
            for s in report.skipped
        ]
        lines.append("")
    return "\n".join([*lines, report.summary]) + "\n"


def _cell(text: str) -> str:
    """A cell is one line without bars; backticks would end the code that paths stand in."""
    flat = " ".join(text.split())
    return flat.replace("\\", "\\\\").replace("|", "\\|").replace("`", "'").replace("<", "&lt;")
