"""Remedies as a dimension of the matrix: which there are, which are taken, what is counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compatload import planning
from compatload.artifact.inspection import inspect_artifact
from compatload.faults.catalogue import load_rules
from compatload.plan import Plan
from compatload.planning import plan_load
from compatload.runtime.detection import runtime_for
from matrix import remedies
from matrix.cells import WITH, Cell, Result, is_remedy
from matrix.forced import forced
from tests.fixtures.index import fixture

CLASSIFIER = inspect_artifact(str(fixture("3.3.1/classifier").path))


def rules(named: str, release: str) -> set[str]:
    with forced(named):
        plan: Plan = plan_load(CLASSIFIER, runtime_for(f"paddle=={release}"), "predictor")
    return {rule for step in plan.steps for rule in step.rules}


def test_a_remedy_is_no_config() -> None:
    assert is_remedy("CL203")
    assert is_remedy("CL203,CL213")
    assert not is_remedy("paddlex")
    assert not is_remedy("CL203,paddlex")


def test_a_remedy_is_taken_where_nothing_asks_for_it() -> None:
    assert "CL213" not in rules("CL999", "3.3.1")
    assert "CL213" in rules("CL213", "3.3.1")
    assert {"CL213", "CL240"} <= rules("CL240,CL213", "3.3.1")


def test_what_the_plan_adds_to_a_remedy_is_added() -> None:
    assert "CL232" in rules("CL213", "3.3.1")


def test_a_remedy_of_other_releases_is_not_taken() -> None:
    assert "CL203" not in rules("CL203", "3.3.1")


def test_nothing_is_forced_afterwards() -> None:
    before = planning.matching_rules
    with pytest.raises(RuntimeError), forced("CL213"):
        raise RuntimeError
    assert planning.matching_rules is before


def test_each_thing_that_is_left_out_is_tried_once_a_release() -> None:
    catalogue = load_rules()
    left_out = {rule.id: (rule.action, frozenset(rule.parameters)) for rule in catalogue}
    newest = remedies.remedies(catalogue, "3.3.1", "3.3.1")
    assert len({left_out[one] for one in newest}) == len(newest)
    assert left_out["CL213"] in {left_out[one] for one in newest}
    assert "CL213" not in remedies.remedies(catalogue, "2.6.2", "2.6.2")


def test_what_runs_as_a_legacy_program_has_its_own() -> None:
    assert "CL234" in remedies.remedies(load_rules(), "2.6.2", "3.3.1")
    assert "CL234" not in remedies.remedies(load_rules(), "3.3.1", "3.3.1")
    assert "CL229" in remedies.remedies(load_rules(), "3.3.1", "3.3.1")


def test_pairs_are_the_same_every_time() -> None:
    single = ["CL1", "CL2", "CL3", "CL4"]
    drawn = remedies.drawn(single, 3, seed=5)
    assert len(set(drawn)) == 3
    assert drawn == remedies.drawn(single, 3, seed=5)
    assert all(map(is_remedy, drawn))
    assert len(remedies.drawn(single, 100, seed=5)) == 6


def test_counts_of_other_remedies_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remedies, "FILE", tmp_path / "remedies.json")

    def cell(model: str, remedy: str) -> Cell:
        return Cell("3.3.1", model, "3.3.1", f"predictor{WITH}{remedy}", "compatload")

    remedies.write(
        {
            cell("a", "CL1"): Result("wrong", 0.5),
            cell("a", "CL2"): Result("error", error="why"),
            cell("b", "CL2"): Result("error", error="IncompatibleError: [CL144]"),
        }
    )
    remedies.write({cell("a", "CL1"): Result("ok", 0.0), cell("b", "CL1"): Result("ok", 0.0)})
    told = json.loads((tmp_path / "remedies.json").read_text(encoding="utf-8"))
    assert told["counts"] == {
        "3.3.1 → 3.3.1": {"CL1": {"ok": 2}, "CL2": {"error": 1, "refused": 1}}
    }
    assert told["not ok"] == [[cell("a", "CL2").id, "error", "why"]]
    assert told["cells"] == 4
