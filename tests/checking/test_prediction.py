"""Predictions from the committed fixtures, beside what Paddle was measured to do with them."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from compatload.artifact.inspection import inspect_artifact
from compatload.artifact.model import Artifact
from compatload.checking.finding import Severity
from compatload.checking.judgement import judge
from compatload.checking.prediction import Outcome, native_faults, predict
from compatload.checking.target import parse_target
from compatload.faults.texts import rule_texts
from compatload.plan import Api
from compatload.runtime.detection import runtime_for
from matrix.artifacts import FIXTURES
from matrix.cells import Cell
from matrix.predictions import is_as_foretold
from matrix.results import RESULTS, read

APIS = {"jit": Api.LAYER, "static": Api.PROGRAM, "predictor": Api.PREDICTOR}


@cache
def fixture(saver: str, name: str) -> Artifact:
    folder = FIXTURES / saver / name
    prefix = json.loads((folder / "case.json").read_text(encoding="utf-8"))["prefix"]
    return inspect_artifact(folder / prefix if prefix else folder)


def measured() -> dict[Cell, str]:
    """Cells of Paddle's own calls on fixtures, in the committed results."""
    return {
        cell: result.outcome.replace("hang", "crash")
        for cell, result in read(RESULTS / "full").items()
        if cell.caller == "paddle" and cell.model.startswith("fixture:") and "-" not in cell.loader
        if result.outcome != "not run"
    }


def test_every_measured_cell_of_a_fixture_is_predicted() -> None:
    cells = measured()
    wrong = {}
    for cell, seen in cells.items():
        artifact = fixture(cell.saver, cell.model.partition(":")[2])
        runtime = runtime_for(f"paddle=={cell.loader}")
        told = predict(artifact, runtime, APIS[cell.api])
        if not is_as_foretold(told, seen):
            wrong[cell.id] = (seen, told)
    assert wrong == {}
    counts = Counter(cells.values())
    assert counts["ok"] > 300
    assert min(counts[outcome.value] for outcome in Outcome) > 3


def test_every_fault_names_a_rule_that_can_be_explained() -> None:
    texts = rule_texts()
    assert {fault.rule for fault in native_faults()} <= set(texts)
    assert all(fault.outcome is not Outcome.OK for fault in native_faults())
    by_data = [fault.outcome for fault in native_faults() if fault.by_data]
    assert by_data
    assert set(by_data) == {Outcome.WRONG, Outcome.ERROR}


def test_what_data_decide_is_a_warning_for_some_inputs() -> None:
    """2.6 rounds halves away from zero, 3.3 to even numbers: of other numbers nobody sees it."""
    artifact, runtime = fixture("2.6.2", "round"), runtime_for("paddle==3.3.1")
    told = predict(artifact, runtime, Api.PREDICTOR)
    assert (told.outcome, told.rule, told.by_data) == (Outcome.OK, "CL122", Outcome.WRONG)
    verdict, findings = judge(artifact, parse_target("paddle==3.3.1"), "model")
    found = next(one for one in findings if one.rule == "CL122")
    assert found.severity is Severity.WARNING
    assert "create_predictor gives wrong numbers for some inputs on" in found.message
    (predictor,) = (one for one in verdict.loaders if one.api == "predictor")
    assert (predictor.alone, predictor.rule) == ("ok", "CL122")


@pytest.mark.parametrize(
    ("name", "release", "device", "cpu", "outcome"),
    [
        ("3.3.1/detector", "3.3.1", "gpu", None, "ok"),  # oneDNN belongs to the CPU
        ("3.3.1/classifier", "3.3.1", "cpu", "sandy-bridge", "crash"),
        ("3.3.1/classifier", "3.3.1", "cpu", "zhaoxin", "crash"),
        ("3.3.1/classifier", "3.3.1", "cpu", "hygon-dhyana", "ok"),
        ("2.6.2/classifier", "2.6.2", "cpu", "sandy-bridge", "ok"),
    ],
)
def test_hardware_decides(
    name: str, release: str, device: str, cpu: str | None, outcome: str
) -> None:
    saver, _, model = name.partition("/")
    runtime = runtime_for(f"paddle=={release}", device, cpu)
    told = predict(fixture(saver, model), runtime, Api.PREDICTOR, device)
    assert told.outcome.value == outcome


def test_what_3_1_1_does_not_raise_in_older_files() -> None:
    """Measured: SIGSEGV in pir::Int64Attribute::data(), and errors in the other two loaders."""
    artifact = fixture("3.0.0", "attribute_types")  # holds a kthvalue
    told = {
        (release, api): predict(artifact, runtime_for(release), api).outcome.value
        for release in ("3.1.0", "3.1.1", "3.2.2")
        for api in Api
    }
    assert told == {
        **dict.fromkeys(told, "ok"),
        ("3.1.1", Api.LAYER): "error",
        ("3.1.1", Api.PROGRAM): "crash",
        ("3.1.1", Api.PREDICTOR): "error",
    }


def test_places_are_operators_of_the_program() -> None:
    artifact = fixture("3.3.1", "group_norm")
    told = predict(artifact, runtime_for("paddle==3.0.0"), Api.PROGRAM)
    assert told.rule == "CL104"
    assert {*told.places} <= {operator.position for operator in artifact.program.operators}
    assert told.outcome is Outcome.CRASH
    assert Path(artifact.files.program).exists()
