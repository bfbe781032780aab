"""Converted fixtures in OpenVINO and paddle2onnx, where their environments are there.

``COMPATLOAD_MATRIX_ENVS`` names the folder with ``openvino`` (openvino and numpy) and
``paddle2onnx`` (paddle2onnx 1.3.1, onnxruntime and the paddlepaddle that it imports).
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from matrix.families.convert import convert
from matrix.readers import report

ROOT = Path(__file__).resolve().parents[3]
# A recurrent layer, convolutions, attention, a loop.
FIXTURES = ("classifier", "transformer", "while_loop", "gru", "detector")
# What a reader does not know: these are no faults of the files, which Paddle 2.6.2 runs.
UNKNOWN: dict[str, set[str]] = {"openvino": {"gru"}, "paddle2onnx": set()}


@pytest.mark.parametrize("reader", ["openvino", "paddle2onnx"])
def test_converted_fixtures_give_the_same_outputs(reader: str, tmp_path: Path) -> None:
    python = Path(os.environ.get("COMPATLOAD_MATRIX_ENVS", "/nowhere")) / reader / "bin/python"
    if not python.exists():
        pytest.skip(f"no environment with {reader}")
    wanted = [name for name in FIXTURES if name not in UNKNOWN[reader]]
    for name in wanted:
        convert(ROOT / "tests/fixtures/3.3.1" / name, tmp_path / "converted" / name, "legacy")
    answers = tmp_path / "answers.json"
    module = ["-W", "ignore", "-m", f"matrix.readers.{reader}"]
    subprocess.run(
        [str(python), *module, str(tmp_path / "converted"), str(answers)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        check=True,
        timeout=300,
    )
    found = json.loads(answers.read_text())["answers"]
    assert {name: found[name][0] for name in wanted} == dict.fromkeys(wanted, "ok"), found


def test_the_committed_page_is_that_of_the_committed_answers() -> None:
    assert report.TARGET.read_text(encoding="utf-8") == report.page()
