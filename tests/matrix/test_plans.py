"""The plans of today beside those that the committed cells were run with."""

from __future__ import annotations

from dataclasses import replace

import pytest

from matrix import plans
from matrix.cells import Cell, Result
from matrix.machines import machines_of
from matrix.plans import Steps, compared, gone_through, planned
from matrix.results import RESULTS, read

FULL = RESULTS / "full"


@pytest.fixture(scope="module")
def fixtures() -> dict[Cell, Result]:
    """Cells of compatload whose networks lie in this checkout."""
    return {
        cell: result
        for cell, result in read(FULL).items()
        if cell.caller == "compatload" and cell.model.startswith("fixture:")
    }


def test_fixtures_are_planned_as_they_were_run(fixtures: dict[Cell, Result]) -> None:
    found = list(compared(fixtures, machines_of(FULL)))
    assert len(found) > 300
    assert [(cell.id, before, now) for cell, before, now in found if before != now] == []


def test_a_cell_that_went_another_way_is_told(
    fixtures: dict[Cell, Result],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    cell = next(cell for cell, one in sorted(fixtures.items()) if one.steps == ("convert",))
    told = {cell: replace(fixtures[cell], steps=("native",), rules=("CL202",))}
    monkeypatch.setattr(plans, "read", lambda folder: told)
    assert plans.main(["--list"]) == 1
    assert capsys.readouterr().out.split() == [cell.id]
    assert plans.main([]) == 1
    said = capsys.readouterr().out
    assert "1 cells: native (CL202) → convert" in said
    assert "1 plans, 0 as they were run" in said


def test_nothing_to_compare_is_no_agreement(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = Cell("2.6.2", "no such network", "3.3.1", "jit", "compatload")
    monkeypatch.setattr(plans, "read", lambda folder: {absent: Result("ok", steps=("native",))})
    assert plans.main([]) == 2
    assert "no saved network is here" in capsys.readouterr().err


def test_repairs_are_no_part_of_a_plan() -> None:
    ran = Result("ok", steps=("failed: native", "fill-in"), rules=("CL110", "CL216"))
    assert gone_through(ran) == Steps(("native", "fill-in"), ("CL216",))


def test_a_refusal_is_its_rule() -> None:
    from compatload.plan import Api, Plan, Refusal

    refusal = Refusal("IncompatibleError", "too old", "Save it again.", "CL104")
    plan = Plan("m", "pir", "3.3.1", "paddle", Api.LAYER, "cpu", refusal=refusal)
    assert planned(plan, 0) == Steps((), ("CL104",))
