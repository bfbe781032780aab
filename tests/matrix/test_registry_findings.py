"""docs/registry-findings.md: what became of the findings in packages of the registry."""

from __future__ import annotations

import json

import pytest

from matrix.findings.registry import DOCUMENT, PINS, RESULTS, page

TOLD = json.loads(RESULTS.read_text("utf-8"))


def test_at_least_thirty_packages_are_pinned() -> None:
    pins = PINS.read_text("utf-8").split()
    assert len(set(pins)) == len(pins) >= 30
    assert all("==" in pin for pin in pins)


def test_the_document_is_what_the_results_say() -> None:
    assert DOCUMENT.read_text("utf-8") == "\n".join(page(TOLD)) + "\n"


@pytest.mark.parametrize("release", ["2.6.2", "3.3.1"])
def test_hardly_any_finding_is_a_false_alarm(release: str) -> None:
    tried = TOLD[release]["tried"]
    for severity, least in (("error", 0.95), ("warning", 0.85)):
        answers = [one["true"] for one in tried if one["severity"] == severity]
        assert None not in answers
        assert sum(answers) >= least * len(answers)


@pytest.mark.parametrize("release", ["2.6.2", "3.3.1"])
def test_five_of_every_rule_are_tried_or_all(release: str) -> None:
    for rule, count in TOLD[release]["found"].items():
        tried = [one for one in TOLD[release]["tried"] if one["rule"] == rule]
        assert len(tried) >= min(5, count)
