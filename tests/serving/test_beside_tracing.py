"""A handle never switches Paddle's IR mode, which would break to_static in another thread."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.fixtures.index import fixture
from tests.releases import python_of, releases

SCRIPT = Path(__file__).with_name("beside_tracing.py")
ROOT = SCRIPT.parents[2]
SECONDS = 300


@pytest.mark.parametrize("release", [one for one in releases() if one != "2.6.2"])
def test_reloads_beside_a_tracing_thread(release: str) -> None:
    saved = "3.0.0/classifier" if release.startswith("3.0") else "3.3.1/classifier"
    done = subprocess.run(
        [python_of(release), str(SCRIPT), str(fixture(saved).path)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "FLAGS_enable_pir_api": "0",
            "OMP_NUM_THREADS": "1",
        },
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads([line for line in done.stdout.splitlines() if line.startswith("{")][-1])
    # The layer needs the switch: refused in a handle, and with a warning outside of one.
    assert "switch Paddle's IR mode" in said["layer"]
    assert said["warned"] == ["ModeSwitchWarning"]
    # The predictor needs none.
    assert not said["switched"]
    assert said["reloads"] == 20
    assert said["same"]
    assert said["failures"] == []
    assert said["traced"] > 0
