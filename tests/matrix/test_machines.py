"""The CPUs that committed results are held against."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from matrix.cells import Cell
from matrix.machines import machines_of


def machine(*features: str) -> dict[str, Any]:
    return {"architecture": "x86_64", "features": list(features)}


def test_each_cell_has_the_cpu_of_the_last_run_that_it_joined(tmp_path: Path) -> None:
    joined = [
        {"machine": machine("avx2", "avx512f"), "only": ["*/outer*/*", "*/round/*"]},
        {"machine": machine("avx"), "only": ["2.6.2/round/3.3.1/predictor/paddle"]},
        {"machine": machine("fma"), "only": []},  # whatever was stale: nobody knows which
    ]
    told = {"machine": machine("avx2"), "joined": joined}
    (tmp_path / "run.json").write_text(json.dumps(told), encoding="utf-8")
    machines = machines_of(tmp_path)
    features = {
        name: set(machines.of(Cell.parse(name)).features)
        for name in (
            "2.6.2/lstm/3.3.1/jit/paddle",
            "3.0.0/outer_and_relu/3.3.1/predictor/paddle",
            "2.6.2/round/3.3.1/predictor/paddle",
            "2.6.2/round/3.0.0/predictor/paddle",
        )
    }
    assert [*features.values()] == [
        {"avx2"},
        {"avx2", "avx512f"},
        {"avx"},
        {"avx2", "avx512f"},
    ]


def test_a_machine_that_nobody_described_has_all(tmp_path: Path) -> None:
    told = {"machine": {"architecture": "x86_64"}}
    (tmp_path / "run.json").write_text(json.dumps(told), encoding="utf-8")
    assert "avx512f" in machines_of(tmp_path).first.features
