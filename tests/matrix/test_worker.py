"""What a worker says of a process that dies, hangs or answers; no Paddle is needed for that."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from typing import Any

import pytest

from compatload.errors import ConversionError, LoadError
from matrix import worker
from matrix.calls import clean, crash_line, error_line

REQUEST = {"do": "load", "timeout": 5.0}


def ask(monkeypatch: pytest.MonkeyPatch, act: Any, **changed: Any) -> dict[str, Any]:
    monkeypatch.setattr(worker, "answer", act)
    with tempfile.TemporaryFile() as output:
        return worker.in_children([{**REQUEST, **changed}], output)[0]


def test_an_answer_comes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask(monkeypatch, lambda request: {"outcome": "ok"}) == {"outcome": "ok"}


def test_a_long_answer_comes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    long = {"outcome": "error", "error": "x" * 1_000_000}
    assert ask(monkeypatch, lambda request: long) == long


def test_a_signal_is_a_crash_with_its_innermost_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    def die(request: object) -> None:
        os.write(2, b"C++ Traceback (most recent call last):\n---\n0   outer()\n1   inner(int)\n\n")
        os.kill(os.getpid(), signal.SIGKILL)

    expected = {"outcome": "crash", "error": "SIGKILL in inner(int)"}
    assert ask(monkeypatch, die) == expected


def test_an_exit_is_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    found = ask(monkeypatch, lambda request: os._exit(3))
    assert found == {"outcome": "crash", "error": "exit status 3: "}


def test_a_hang_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    started = time.monotonic()
    found = ask(monkeypatch, lambda request: time.sleep(60), timeout=0.3)
    assert found == {"outcome": "hang", "error": "no answer in 0.3 s"}
    assert time.monotonic() - started < 10


def test_a_save_that_dies_says_why_and_not_what_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    found = ask(monkeypatch, lambda request: os._exit(1), do="save")
    assert found == {"error": "exit status 1: "}


def test_one_cell_does_not_see_the_output_of_the_one_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with tempfile.TemporaryFile() as output:
        monkeypatch.setattr(worker, "answer", lambda request: {"wrote": os.write(1, b"secret")})
        worker.in_child([REQUEST], output)
        monkeypatch.setattr(worker, "answer", lambda request: os._exit(1))
        assert worker.in_child([REQUEST], output)[0]["error"] == "exit status 1: "


def test_who_dies_leaves_the_others_to_another(monkeypatch: pytest.MonkeyPatch) -> None:
    def act(request: dict[str, Any]) -> dict[str, Any]:
        if request["number"] == 1:
            os._exit(3)
        return {"number": request["number"], "by": os.getpid()}

    monkeypatch.setattr(worker, "answer", act)
    requests = [{**REQUEST, "number": number} for number in range(4)]
    with tempfile.TemporaryFile() as output:
        first, died, *others = worker.in_children(requests, output)
    assert [one["number"] for one in (first, *others)] == [0, 2, 3]
    assert "exit status 3" in died["error"]
    assert len({one["by"] for one in others}) == 1 != first["by"]


def test_the_cause_is_found_behind_a_native_traceback() -> None:
    error = RuntimeError(
        "\n\n---\nC++ Traceback (most recent call last):\n0 f()\n\n----------------------\n"
        "Error Message Summary:\n----------------------\nInvalidArgumentError: no such thing\n more"
    )
    assert error_line(error) == "RuntimeError: InvalidArgumentError: no such thing"
    quoting = ValueError("In user code:\n\n    InvalidArgumentError: no such dtype\n [operator]")
    assert error_line(quoting) == "ValueError: InvalidArgumentError: no such dtype"
    refused = ConversionError("1 obstacle(s).", obstacles=["pd_op.auc (block 0)", "another"])
    assert error_line(refused) == "ConversionError: 1 obstacle(s). pd_op.auc (block 0)"
    failed = LoadError("It does not load:", attempts=[("native", "SystemError: no auc\nat …")])
    assert error_line(failed) == "LoadError: It does not load: SystemError: no auc"


def test_lines_are_the_same_on_every_machine() -> None:
    assert clean("at 0x7f00a1 in /home/me/envs/paddle/x.cc:3") == "at 0x… in …/x.cc:3"
    assert crash_line("SIGILL", "no traceback") == "SIGILL"
    assert len(clean("y" * 1000)) == 300
