"""How answers of emulated Paddles are judged, kept and told. Runs no emulator and no Paddle."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from matrix.emulation import rows as rows_module
from matrix.emulation.cpus import ROWS, CpuRow
from matrix.emulation.launch import (
    Ending,
    command,
    environment,
    guest_script,
    read_ending,
    read_result,
    start_server,
)
from matrix.emulation.questions import FIXTURES, LOAD_RELEASES, MODELS, Probe, Way, probes
from matrix.emulation.report import read_rows, report
from matrix.emulation.rows import RESULTS, Results, judge

HOST = ROWS[0]
LOAD = Probe("3.3.1", "load", "2.6.2/classifier", "layer")


@pytest.mark.parametrize(
    ("code", "signal"),
    [(0, None), (1, None), (-4, "SIGILL"), (132, "SIGILL"), (139, "SIGSEGV"), (-11, "SIGSEGV")],
)
def test_a_signal_is_seen_however_it_is_reported(code: int, signal: str | None) -> None:
    assert Ending.of(code, "").signal == signal


def test_a_killed_hang_is_no_crash() -> None:
    assert Ending.of(-9, "", timed_out=True).signal is None


def test_emulated_python_keeps_its_environment(tmp_path: Path) -> None:
    python = tmp_path / "bin/python"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    words = command(CpuRow("x", "X", "Dhyana,-topoext"), python, ["a.py"])
    assert words[1:] == [
        "-cpu",
        "Dhyana,-topoext",
        "-0",
        str(python),
        str(Path(sys.executable).resolve()),
        "a.py",
    ]
    assert command(HOST, python, ["a.py"]) == [str(python), "a.py"]


def test_flags_of_the_caller_stay_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAGS_enable_pir_api", "0")
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Zen")
    inherited = environment({"ONEDNN_MAX_CPU_ISA": "AVX"})
    assert "FLAGS_enable_pir_api" not in inherited
    assert "OPENBLAS_CORETYPE" not in inherited
    assert inherited["ONEDNN_MAX_CPU_ISA"] == "AVX"


def served(tmp_path: Path, arguments: list[str], seconds: float = 60) -> Ending | None:
    """One question, answered by the server with this interpreter, which has no Paddle."""
    question = {"arguments": arguments, "environment": {}, "fresh": True}
    (tmp_path / "jobs.json").write_text(json.dumps([question]))
    start_server(HOST, Path(sys.executable), tmp_path, seconds, None).wait()
    return read_ending(tmp_path, 0)


def test_what_a_probe_raises_is_its_result(tmp_path: Path) -> None:
    result = tmp_path / "0.json"
    assert served(tmp_path, [str(result), "import"]) == Ending(0, None, False, "")
    said = read_result(result)
    assert (said["stage"], said["error"]) == ("import", "ModuleNotFoundError")


def test_a_probe_that_hangs_is_killed(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"  # opening it for writing waits for a reader that never comes
    os.mkfifo(fifo)
    ending = served(tmp_path, [str(fifo), "import"], seconds=1)
    assert ending is not None
    assert ending.timed_out


def test_the_guest_runs_under_the_same_settings() -> None:
    script = guest_script(Path("/some where/bin/python"), 30)
    assert "export OMP_NUM_THREADS=1" in script
    assert "'/some where/bin/python'" in script
    assert "--serve /run/job 30" in script


def outputs(path: Path, offset: float) -> Path:
    with np.load(FIXTURES / LOAD.model / "io.npz", allow_pickle=False) as stored:
        np.savez(path, stored["0/forward/out/0"] + np.float32(offset))
    return path


def test_numbers_decide(tmp_path: Path) -> None:
    host = outputs(tmp_path / "host.npz", 0)
    right, wrong = outputs(tmp_path / "a.npz", 1e-7), outputs(tmp_path / "b.npz", 1e-2)
    done = Ending(0, None, False, "")
    cell = judge(LOAD, done, {"stage": "done"}, right, host)
    assert cell["outcome"] == "ok"
    assert 0 <= cell["difference_to_host"] < 1e-6
    assert judge(LOAD, done, {"stage": "done"}, wrong, None)["outcome"] == "wrong"
    np.savez(tmp_path / "c.npz", np.zeros(3))
    cell = judge(LOAD, done, {"stage": "done"}, tmp_path / "c.npz", None)
    assert (cell["outcome"], cell["difference"]) == ("wrong", "different shape")


@pytest.mark.parametrize(
    ("ending", "said", "outcome"),
    [
        (Ending(-4, "SIGILL", False, "boom"), {"stage": "import"}, "crash"),
        (Ending(3, None, False, ""), {"stage": "load"}, "crash"),
        (Ending(-9, None, True, ""), {"stage": "run"}, "hang"),
        (Ending(0, None, False, ""), {"error": "CpuUnsupportedError"}, "refused"),
        (Ending(0, None, False, ""), {"error": "ValueError", "message": "no"}, "error"),
        (None, {}, "not run"),
        (Ending(127, None, False, "qemu: assertion failed"), {}, "not run"),
    ],
)
def test_endings(tmp_path: Path, ending: Ending, said: dict[str, Any], outcome: str) -> None:
    assert judge(LOAD, ending, said, tmp_path / "none.npz", None)["outcome"] == outcome


def test_an_ending_is_read_only_when_it_is_complete(tmp_path: Path) -> None:
    assert read_ending(tmp_path, 0) is None
    (tmp_path / "0.ending.json").write_text('{"code": ')
    assert read_ending(tmp_path, 0) is None
    (tmp_path / "0.ending.json").write_text('{"code": -11, "timed_out": false}')
    (tmp_path / "0.err").write_text("qemu-x86_64: warning: TCG doesn't support requested\nreal")
    assert read_ending(tmp_path, 0) == Ending(-11, "SIGSEGV", False, "real")


def test_every_question_is_asked_once() -> None:
    for row in ROWS:
        keys = [probe.key for probe in probes(row, ("classifier", "detector"), ("2.6.2", "3.3.1"))]
        assert len(keys) == len(set(keys))
    own = [p for p in probes(HOST, ("classifier",), ("3.3.1",)) if p.way.name == "paddle"]
    assert {p.model for p in own if p.task == "load"} == {"3.3.1/classifier", "2.6.2/classifier"}


def test_options_reach_the_probe() -> None:
    way = Way("without", "compatload", disabled="CL205")
    words = Probe("3.3.1", "load", "2.6.2/lstm", "layer", way).arguments(Path("r"), Path("o"))
    assert words[-2:] == ["--disable", "CL205"]
    assert "--disable" not in LOAD.arguments(Path("r"), Path("o"))


def test_results_survive_and_are_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_module, "RESULTS", tmp_path)
    first = Results("row", {"row": "row"})
    first.put("a", {"outcome": "ok"})
    first.put("b", {"outcome": "crash"})
    again = Results("row", {"row": "row"})
    assert list(again.cells) == ["a", "b"]
    again.put("a", {"outcome": "wrong"})
    assert [path.name for path in tmp_path.iterdir()] == ["row.json"]
    stored = json.loads((tmp_path / "row.json").read_text())
    assert [cell["outcome"] for cell in stored["cells"]] == ["wrong", "crash"]


def cell(way: str, outcome: str, **more: object) -> dict[str, object]:
    fields = {"release": "3.3.1", "task": "load", "model": "m", "api": "layer", "way": way}
    return {"key": way + outcome, **fields, "outcome": outcome, **more}


def test_report_counts() -> None:
    row = {
        "row": "x",
        "label": "CPU X",
        "kind": "emulated",
        "cells": [
            {**cell("paddle", "crash", signal="SIGILL"), "task": "import"},
            cell("paddle", "crash"),
            cell("compatload", "ok", difference_to_host=3e-8),
            cell("compatload", "refused"),
            cell("compatload without CL205", "crash"),
        ],
    }
    text = report([row])
    assert "| CPU X | emulated | – | – | – | – | – | – | – | – | SIGILL |" in text
    assert "0/1 (1 crash) → 1/2 (1 refused)" in text
    assert "3.0e-08" in text
    assert "- CPU X, compatload without CL205: 1 crash" in text


# What must come out of the committed rows, whoever runs them again: the releases whose questions
# all have an answer. Rows grow into this table as they are run; REPORT.md says what is missing.
COMPLETE = {
    "host": LOAD_RELEASES,
    "hygon-dhyana": LOAD_RELEASES,
    "nehalem": LOAD_RELEASES,
    "epyc": ("3.3.1",),
    "haswell": ("3.3.1",),
    "sandy-bridge": LOAD_RELEASES,
}


def committed(name: str) -> dict[str, dict[str, Any]]:
    cells = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))["cells"]
    return {one["key"]: one for one in cells}


@pytest.mark.parametrize("name", COMPLETE)
def test_every_question_has_an_answer(name: str) -> None:
    row = next(row for row in ROWS if row.name == name)
    asked = {probe.key for probe in probes(row, MODELS, COMPLETE[name])}
    answered = {key for key, one in committed(name).items() if one["outcome"] != "not run"}
    assert asked <= answered


def test_what_was_not_run_is_not_committed_as_an_answer() -> None:
    for row in read_rows(RESULTS):
        assert all(one["outcome"] != "not run" for one in row["cells"]), row["row"]


def test_rows_without_a_file_are_named() -> None:
    text = report([row for row in read_rows(RESULTS) if row["row"] != "nehalem"])
    assert "Intel Nehalem (no AVX)" in text.splitlines()[-1]


@pytest.mark.parametrize("name", COMPLETE)
def test_compatload_never_crashes_and_is_never_wrong(name: str) -> None:
    # 3.x needs AVX2 and 2.6 needs AVX; Nehalem has neither, Sandy Bridge only the second.
    refused = {"nehalem": LOAD_RELEASES, "sandy-bridge": LOAD_RELEASES[1:]}.get(name, ())
    cells = [one for one in committed(name).values() if one["release"] in COMPLETE[name]]
    safe = [one for one in cells if one["way"] == "compatload"]
    assert safe
    for one in safe:
        assert one["outcome"] == ("refused" if one["release"] in refused else "ok"), one["key"]
    assert all(one["difference"] <= 1e-5 for one in safe if one["outcome"] == "ok")


def test_nehalem_is_refused_where_paddle_dies() -> None:
    cells = committed("nehalem").values()
    own = [one for one in cells if one["way"] == "paddle" and one["task"] != "runtime"]
    assert {one["signal"] for one in own} == {"SIGILL"}
    rules = {(one["release"], one["rule"]) for one in cells if one["outcome"] == "refused"}
    assert rules == {("2.6.2", "CL502"), ("3.0.0", "CL501"), ("3.3.1", "CL501")}
