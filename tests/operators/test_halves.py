"""Which kernels of half precision a CPU lacks: the packed table, and what the wheels say now."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compatload.artifact.model import Format
from compatload.operators.halves import HALVES, boundaries, lacking, of_onednn
from compatload.operators.registry import legacy_operators, pir_operators
from tests.releases import releases, run_in

SCRIPT = Path(__file__).resolve().parents[2] / "matrix/derive_kernels.py"


@pytest.mark.parametrize("release", releases())
def test_table_is_what_the_wheel_says(release: str, tmp_path: Path) -> None:
    output = tmp_path / "kernels.json"
    run_in(release, SCRIPT, str(output))
    probed = json.loads(output.read_text(encoding="utf-8"))
    assert probed["version"] == release
    tables = {Format.LEGACY: legacy_operators(release), Format.PIR: pir_operators(release)}
    for form in (Format.LEGACY, Format.PIR)[: 2 if release >= "3" else 1]:
        own = probed["own"][form.value]
        names = {name.rpartition(".")[2].rstrip("_") for name in tables[form]}
        known = {name for name in names & {*own["float32"]} if not name.endswith("_grad")}
        for kind in HALVES:
            assert known - {*own[kind]} == lacking(form, kind, release) & known


def test_releases_differ_as_they_do() -> None:
    old, new = (lacking(Format.PIR, "float16", release) for release in ("3.1.1", "3.3.1"))
    assert {"bmm", "sin", "unsqueeze"} <= new
    assert "floor" in old - new  # which came with 3.2
    assert "concat" not in old | new
    assert "3.2.0" in boundaries()
    assert "matmul" in of_onednn(Format.PIR) & lacking(Format.PIR, "bfloat16", "3.3.1")


def test_of_a_release_that_nobody_measured_the_newest_tells() -> None:
    assert lacking(Format.LEGACY, "float16", "9.9") == lacking(Format.LEGACY, "float16", "3.3.1")
