"""Texts of Paddle's errors, as the releases wrote them, lead to the row that they belong to."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from compatload.exporting.diagnosis import diagnosed, rules_for
from compatload.faults.limitations import LIMITATIONS

ROOT = Path(__file__).parents[2]
RELEASES = json.loads((ROOT / "matrix" / "results" / "limitations.json").read_text("utf-8"))[
    "releases"
]
RULES = {row.case: row.id for row in LIMITATIONS}
OWN_TEXTS = (  # what these raise is their own
    ("row26_raise_in_branch", "Said"),
    ("row26_raise_in_branch", "SaidSize"),
)
SAID = sorted(
    {
        (RULES[cell["row"]], cell["detail"])
        for measured in RELEASES.values()
        for cell in measured["cells"]
        if cell["outcome"] == "error" and cell["stage"] == "export"
        if (cell["row"], cell["form"]) not in OWN_TEXTS
    }
)


@pytest.mark.parametrize(("rule", "text"), SAID)
def test_every_measured_text_is_known(rule: str, text: str) -> None:
    assert rule in rules_for(text)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("CL418", "[DictVariable]: received <code object forward at 0x7f> as key"),
        ("CL451", "RuntimeError: SOT is only supported when running in PIR mode"),
    ],
)
def test_reported_texts_are_known(rule: str, text: str) -> None:
    assert rules_for(text) == (rule,)


def test_an_unknown_text_is_told_as_it_is() -> None:
    error = diagnosed(ValueError("something new\n"), "p/m", "paddle 3.3.1", [])
    assert error.rule is None
    assert "something new" in str(error)
    assert error.action
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
