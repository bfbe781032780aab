"""A plain layer that was run before a fork: Paddle 3's own waits for ever in the child."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fixtures.index import fixture
from tests.releases import python_of

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
@pytest.mark.parametrize(
    ("release", "model", "pir"),
    [
        ("2.6.2", "2.6.2/classifier", ""),
        ("3.0.0", "2.6.2/classifier", "0"),
        ("3.3.1", "2.6.2/classifier", "0"),  # Paddle's layer of a legacy program
        ("3.3.1", "2.6.2/classifier", "1"),  # that of a PIR program
    ],
)
def test_a_layer_runs_before_and_after_a_fork(release: str, model: str, pir: str) -> None:
    flags = {"FLAGS_enable_pir_api": pir} if pir else {}
    path = str(fixture(model).path)
    done = subprocess.run(
        [python_of(release), "-W", "ignore", "-m", "tests.loading.forked_layer", path],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", **flags},
    )
    assert done.returncode == 0, done.stdout + done.stderr
