"""SARIF 2.1.0, as code scanning services read it."""

from __future__ import annotations

import json
from pathlib import PurePath
from urllib.parse import quote

from compatload._version import __version__
from compatload.checking.finding import CheckReport, Finding, Severity, Skipped
from compatload.faults.texts import rule_texts
from compatload.remote import is_url

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def render(report: CheckReport) -> str:
    rules = sorted({finding.rule for finding in report.findings})
    document = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "compatload",
                        "version": __version__,
                        "rules": [_rule(rule) for rule in rules],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(finding, rules) for finding in report.findings],
                "invocations": [
                    {
                        "executionSuccessful": True,
                        "exitCode": int(report.exit_code),
                        "toolExecutionNotifications": [
                            _notification(entry) for entry in report.skipped
                        ],
                    }
                ],
                "properties": {"target": report.target, "summary": report.summary},
            }
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _rule(rule: str) -> dict[str, object]:
    text = rule_texts().get(rule)
    if text is None:
        return {"id": rule}
    return {
        "id": rule,
        "shortDescription": {"text": text.title},
        "fullDescription": {"text": text.explanation},
        "help": {"text": "\n".join([text.fix, *text.evidence])},
    }


def _result(finding: Finding, rules: list[str]) -> dict[str, object]:
    place: dict[str, object] = {"artifactLocation": {"uri": _uri(finding.path)}}
    region = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
    }
    if finding.line is not None:
        place["region"] = {name: value for name, value in region.items() if value is not None}
    return {
        "ruleId": finding.rule,
        "ruleIndex": rules.index(finding.rule),
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.message} {finding.action}"},
        "locations": [{"physicalLocation": place}],
    }


def _notification(entry: Skipped) -> dict[str, object]:
    return {
        "level": "error" if entry.unsafe else "warning",
        "message": {"text": f"skipped: {entry.reason}"},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(entry.path)}}}],
    }


def _uri(path: str) -> str:
    """A relative reference, or a file URI for an absolute path; odd characters escaped."""
    if is_url(path):
        return quote(path, safe="/!:")
    pure = PurePath(path)
    quoted = quote(pure.as_posix().encode("utf-8", "surrogateescape"), safe="/!")
    return f"file://{quoted}" if pure.is_absolute() else quoted
