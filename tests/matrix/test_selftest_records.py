"""Records of selftests in the report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from compatload.faults.catalogue import load_rules
from compatload.plan import Api
from compatload.releases import MEASURED
from compatload.runtime.model import Runtime
from compatload.selftest.bundle import OWN, read_bundle
from compatload.selftest.outcome import PADDLE, Cell, CellRun, differences, elsewhere, failures
from matrix.results import RESULTS
from matrix.selftest_records import records, selftest_table

BUNDLE = read_bundle(OWN)
RECORDS = sorted((RESULTS / "selftest").glob("*.json"))


def test_a_record_is_a_row(tmp_path: Path) -> None:
    assert "None was run" in selftest_table(records(tmp_path))
    record = {
        "runtime": {
            "paddle": {"version": "3.4.0", "distribution": "paddlepaddle-gpu"},
            "cpu": {"name": "Hygon C86", "architecture": "x86_64"},
        },
        "device": "gpu:0",
        "complete": False,
        "facts": [
            {"rule": "CL202", "device": "gpu", "present": True},
            {"rule": "CL204", "device": "gpu", "present": False},
        ],
        "cells": [
            ["2.6.2/linear", "layer", "default", "paddle", "crash", [], "SIGSEGV"],
            ["2.6.2/linear", "layer", "default", "compatload", "ok", [], ""],
        ],
    }
    (tmp_path / "a.json").write_text(json.dumps(record))
    assert selftest_table(records(tmp_path)).splitlines()[-1] == (
        "| paddlepaddle-gpu 3.4.0 (not finished) | gpu:0 | Hygon C86 | 0 of 1 ok, 1 crash | "
        "1 of 1 ok | CL202 | CL204 |"
    )


def test_every_release_from_2_6_2_on_has_one() -> None:
    there = {path.stem for path in RECORDS}
    assert {release for release in MEASURED if release >= "2.6.2"} <= there


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_record_agrees_with_the_matrix(path: Path) -> None:
    record = json.loads(path.read_text(encoding="utf-8"))
    known = {network.id for network in BUNDLE.networks}
    found = {
        Cell(one[0], Api(one[1]), one[2], one[3]): CellRun(one[4], one[6], tuple(one[5]))
        for one in record["cells"]
        if one[0] in known  # the bundle may have lost it since
    }
    assert record["complete"]
    assert found
    assert failures(found) == ()
    others = elsewhere(Runtime.from_dict(record["runtime"]))
    # Faults that the CPU has and that of the matrix has not, such as oneDNN's without FMA.
    of_cpus = {
        rule.id for rule in load_rules() if any(one.cpu_has or one.cpu_lacks for one in rule.when)
    }
    mended = {replace(c, caller=PADDLE) for c, ran in found.items() if of_cpus & set(ran.rules)}
    otherwise = differences(BUNDLE, found, record["compared_with"], others)
    assert {one.cell for one in otherwise} <= mended
    assert all(fact["present"] for fact in record["facts"])
