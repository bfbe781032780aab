"""Records of selftests in the report."""

from __future__ import annotations

import json
from pathlib import Path

from matrix.selftest_records import records, selftest_table


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
