"""Damaged artifacts in real Paddles: no process dies, no weights that do not fit are loaded."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests.releases import python_of, releases

SCRIPT = Path(__file__).with_name("load_damaged.py")
SEED = 2026
# Per release; with the three releases of an ordinary run 2,400 loads of damaged artifacts.
CASES = {"layer": 500, "predictor": 150, "program": 150}
SECONDS = 1200


@pytest.mark.parametrize("api", CASES)
@pytest.mark.parametrize("release", releases())
def test_damaged_artifacts_end_in_documented_errors(release: str, api: str) -> None:
    result = subprocess.run(
        [python_of(release), str(SCRIPT), api, str(CASES[api]), str(SEED)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    assert len(lines) == CASES[api], result.stderr[-2000:]
    bad = [line for line in lines if line["outcome"] in ("crash", "hang", "undocumented")]
    bad += [line for line in lines if line["outcome"] == "loaded" and line["detail"]]
    assert not bad
    # A generator that damages nothing would pass the lines above.
    assert Counter(line["outcome"] for line in lines)["refused"] > CASES[api] // 2
