"""JUnit XML: a test case a finding, which fails unless it is a note; skipped files are skipped."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from compatload.checking.finding import CheckReport, Severity

# What XML 1.0 cannot hold, not even escaped.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: CheckReport) -> str:
    failures = [f for f in report.findings if f.severity is not Severity.NOTE]
    unsafe = [entry for entry in report.skipped if entry.unsafe]
    clean = 0 if report.findings or report.skipped else 1
    counts = {
        "tests": str(len(report.findings) + len(report.skipped) + clean),
        "failures": str(len(failures)),
        "errors": str(len(unsafe)),
        "skipped": str(len(report.skipped) - len(unsafe)),
    }
    root = ElementTree.Element("testsuites", {"name": "compatload check", **counts})
    suite = ElementTree.SubElement(
        root, "testsuite", {"name": f"compatload check for {report.target}", **counts}
    )
    for finding in report.findings:
        case = _case(suite, finding.rule, finding.location)
        if finding.severity is Severity.NOTE:
            _element(case, "system-out", text=f"{finding.message}\n{finding.action}")
        else:
            _element(
                case,
                "failure",
                {"message": finding.message, "type": finding.severity.value},
                f"{finding.location}\n{finding.action}",
            )
    for entry in report.skipped:
        case = _case(suite, "skipped", entry.path)
        _element(case, "error" if entry.unsafe else "skipped", {"message": entry.reason})
    if clean:
        _case(suite, "check", report.summary)
    _element(suite, "system-out", text=report.summary)
    written: bytes = ElementTree.tostring(root, encoding="us-ascii", xml_declaration=True)
    return written.decode() + "\n"


def _case(suite: ElementTree.Element, rule: str, name: str) -> ElementTree.Element:
    return _element(suite, "testcase", {"classname": f"compatload.{rule}", "name": name})


def _element(
    parent: ElementTree.Element,
    tag: str,
    attributes: dict[str, str] | None = None,
    text: str | None = None,
) -> ElementTree.Element:
    cleaned = {name: _NO_XML.sub("?", value) for name, value in (attributes or {}).items()}
    element = ElementTree.SubElement(parent, tag, cleaned)
    element.text = None if text is None else _NO_XML.sub("?", text)
    return element
