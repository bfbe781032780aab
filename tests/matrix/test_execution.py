"""Runs that are killed go on, and what cannot be run is told and ends nothing."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from matrix import run
from matrix.artifacts import Artifact
from matrix.cells import Cell, Result
from matrix.environments import Environment
from matrix.execution import OUT_OF_TIME, Job, Options, confirm, execute
from matrix.journal import Journal
from matrix.pool import ROOT
from tests.matrix.run_cells import FIXTURES
from tests.releases import python_of

SCRIPT = Path(__file__).with_name("run_cells.py")
RELEASE = "3.3.1"


def started(home: Path) -> subprocess.Popen[str]:
    settings = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), str(home), RELEASE],
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )


def recorded(home: Path) -> list[str]:
    journal = home / "journal.jsonl"
    lines = journal.read_text().splitlines() if journal.exists() else []
    return [json.loads(line)["key"] for line in lines]


def test_a_run_killed_in_the_middle_goes_on_where_it_was(tmp_path: Path) -> None:
    python_of(RELEASE)
    first = started(tmp_path)
    end = time.monotonic() + 120
    while len(recorded(tmp_path)) < 5 and first.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    before = recorded(tmp_path)
    assert 5 <= len(before) < 3 * FIXTURES

    second = started(tmp_path)
    said, _ = second.communicate(timeout=300)
    assert said.split() == [str(3 * FIXTURES)] * 2
    after = recorded(tmp_path)
    assert after[: len(before)] == before
    # Nothing is lost, and nothing was run twice.
    assert len(after) == len(set(after)) == 3 * FIXTURES


CELL = Cell("2.6.2", "lstm", "9.9.9", "jit", "compatload")


def job(
    tmp_path: Path,
    journal: Journal,
    *,
    unavailable: str | None = None,
    until: float = math.inf,
    unchanged: frozenset[str] = frozenset(),
) -> Job:
    """One cell, for a release whose interpreter is gone, or that could not be installed."""
    environments = {"9.9.9": Environment("9.9.9", "/nowhere/bin/python", "", ())}
    reasons = {"9.9.9": unavailable} if unavailable else {}
    artifact = Artifact("2.6.2", "lstm", "recurrent", tmp_path, "d")
    options = Options(1, 5.0, until=until, unchanged=unchanged)
    return Job({} if unavailable else environments, reasons, [artifact], journal, options)


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Journal:
    monkeypatch.setenv("COMPATLOAD_MATRIX_HOME", str(tmp_path))
    return Journal(tmp_path / "journal.jsonl")


def test_a_release_that_is_not_there_is_told_in_its_cells(tmp_path: Path, journal: Journal) -> None:
    with journal:
        work = job(tmp_path, journal, unavailable="9.9.9: no such release")
        assert execute(work, [CELL]) == {CELL: Result("not run", error="9.9.9: no such release")}


def test_an_interpreter_that_went_missing_is_told_and_tried_again(
    tmp_path: Path, journal: Journal
) -> None:
    with journal:
        work = job(tmp_path, journal)
        (result,) = confirm(work, execute(work, [CELL])).values()
        said = "no worker could be started: No such file or directory"
        assert result == Result("not run", error=said)
        assert work.known(CELL) is None


def test_a_disk_too_full_for_a_log_is_told_in_the_cells(tmp_path: Path, journal: Journal) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/9.9.9-compatload.log").symlink_to("/dev/full")
    with journal:
        work = job(tmp_path, journal)
        (result,) = execute(work, [CELL]).values()
    assert result.outcome == "not run"


@pytest.mark.parametrize(("handed", "counts"), [("layer", True), ("predictor", False)])
def test_a_result_of_other_code_counts_where_the_same_is_handed_over(
    tmp_path: Path, journal: Journal, handed: str, counts: bool
) -> None:
    unchanged = frozenset({f"2.6.2/lstm/9.9.9/{handed}"})
    made = job(tmp_path, journal, unchanged=unchanged)
    with journal:
        journal.add(made.key(CELL), "other code", Result("ok"))
    assert (made.known(CELL) is not None) == made.is_current(CELL) == counts


def test_what_there_is_no_time_for_is_told(tmp_path: Path, journal: Journal) -> None:
    with journal:
        work = job(tmp_path, journal, until=-math.inf)
        assert execute(work, [CELL]) == {CELL: Result("not run", error=OUT_OF_TIME)}
        assert work.known(CELL) is None


def test_results_that_cannot_be_written_are_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    journal: Journal,
) -> None:
    journal.__exit__(None, None, None)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(run, "write", full)
    monkeypatch.setattr(run, "install", lambda table: ({}, {e.id: "no" for e in table}))
    monkeypatch.setattr(run, "install_packages", lambda: None)
    artifact = Artifact("2.6.2", "lstm", "recurrent", tmp_path, "d")
    monkeypatch.setattr(run, "save_zoo", lambda *_: [artifact])
    assert run.main(["--quick"]) == 1
    assert "No space left on device" in capsys.readouterr().err
