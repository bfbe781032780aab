"""Every rule says what shows it, or that nothing here does."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.catalogue import load_rules
from matrix.cells import Cell, Result
from matrix.rule_table import rule_table

CELL = Cell("2.6.2", "lstm", "3.3.1", "jit", "compatload")


def line(rule: str, text: str) -> str:
    (found,) = [one for one in text.splitlines() if one.startswith(f"| {rule} ")]
    return found


def test_every_rule_has_a_line() -> None:
    text = rule_table({}, {})
    assert len(text.splitlines()) == 2 + len(load_rules())


def test_a_rule_from_a_report_says_so() -> None:
    assert "from a report, not reproduced: PaddlePaddle/" in line("CL206", rule_table({}, {}))


def test_a_rule_that_only_acts_is_not_shown() -> None:
    text = rule_table({CELL: Result("ok", rules=("CL101",))}, {"CL101": {"tried": 1, "shown": []}})
    assert "| not reproduced by a cell; measured elsewhere: " in line("CL101", text)


def test_a_cell_that_fails_without_the_rule_shows_it() -> None:
    shown = {"CL101": {"shown": [{"cell": CELL.id, "without": {"outcome": "crash"}}]}}
    text = rule_table({CELL: Result("ok", rules=("CL101",))}, shown)
    assert line("CL101", text).endswith(f"| `{CELL.id}` | crash: `difference None` |")


def test_a_cpu_shows_a_rule() -> None:
    answers = [
        {"outcome": "refused", "rule": "CL501", "way": "compatload"},
        {"outcome": "crash", "way": "compatload without CL205"},
        {"outcome": "ok", "way": "compatload without CL502"},
    ]
    text = rule_table({}, {}, [{"row": "old-cpu", "cells": answers}])
    assert "shown by the CPUs old-cpu" in line("CL501", text)
    assert "shown by the CPUs old-cpu" in line("CL205", text)
    assert "old-cpu" not in line("CL502", text)


def test_what_no_release_shows_an_entry_beside_them_may() -> None:
    beside = {replace(CELL, saver="3.3.1-legacy"): Result("ok", rules=("CL101", "CL125"))}
    text = rule_table({CELL: Result("ok", rules=("CL101",))}, {}, further=beside)
    assert "`3.3.1-legacy/" in line("CL125", text)
    assert "`2.6.2/" in line("CL101", text)
