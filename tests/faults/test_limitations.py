"""The table of CL4xx says what was measured, no more and no less."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compatload.faults.limitations import LIMITATIONS, Limitation, Measured, outcome
from compatload.releases import MEASURED

ROOT = Path(__file__).parents[2]
RELEASES = json.loads((ROOT / "matrix" / "results" / "limitations.json").read_text("utf-8"))[
    "releases"
]
CELLS = {
    (cell["row"], cell["form"], cell["full_graph"], cell["stage"], release): cell["outcome"]
    for release, measured in RELEASES.items()
    for cell in measured["cells"]
}
MEASUREMENTS = [
    pytest.param(row, measured, id=f"{row.id}-{variant}" if variant else row.id)
    for row in LIMITATIONS
    for variant, measured in row.measured.items()
]


def test_every_release_was_measured() -> None:
    assert tuple(RELEASES) == MEASURED


@pytest.mark.parametrize(("row", "measured"), MEASUREMENTS)
def test_the_table_is_what_was_measured(row: Limitation, measured: Measured) -> None:
    uses = {
        (True, "call"): measured.full_graph,
        (False, "call"): measured.traced,
        (True, "export"): measured.exported,
        (False, "export"): (
            measured.exported if measured.exported_traced is None else measured.exported_traced
        ),
    }
    for release in MEASURED:
        for (full_graph, stage), outcomes in uses.items():
            known = CELLS[row.case, measured.form, full_graph, stage, release]
            assert outcome(outcomes, release) == known, (release, full_graph, stage)


@pytest.mark.parametrize(("row", "measured"), MEASUREMENTS)
def test_the_table_says_what_safe_save_saves(row: Limitation, measured: Measured) -> None:
    saved = {release for release in MEASURED if measured.is_saved(release)}
    cells = {
        release: CELLS[row.case, measured.form, True, "safe_save", release] for release in RELEASES
    }
    assert saved == {release for release, happens in cells.items() if happens == "ok"}


def test_no_failing_program_is_missing_from_the_table() -> None:
    known = {(row.case, m.form) for row in LIMITATIONS for m in row.measured.values()}
    failing = {(row, form) for (row, form, *_), happens in CELLS.items() if happens != "ok"}
    assert failing <= known


def test_every_recommended_form_works_everywhere() -> None:
    assert not {
        (row, form, release)
        for (row, form, _, _, release), happens in CELLS.items()
        if form.startswith("Recommended") and happens != "ok"
    }


def test_ids_are_unique_and_follow_the_rows() -> None:
    assert [row.id for row in LIMITATIONS] == [f"CL4{int(row.case[3:5]):02}" for row in LIMITATIONS]
    assert len({row.id for row in LIMITATIONS}) == len(LIMITATIONS)
