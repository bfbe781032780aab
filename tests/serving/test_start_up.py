"""Eight workers of a service start at once on a cold cache: one conversion, one preflight."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from compatload.store.cache import VARIABLE
from tests.releases import python_of, releases

ROOT = Path(__file__).resolve().parents[2]
WORKERS = 8
SECONDS = 600

# Python imports it in every process that finds it on its path, also in those of a preflight.
_COUNTING = f"""
import os, sys
sys.path.insert(0, {str(ROOT)!r})
from compatload.serving import preflight
from compatload.loading import cached

def counted(what, original):
    def call(*arguments):
        with open(os.environ["COUNTED"], "a") as told:
            told.write(what + "\\n")
        return original(*arguments)
    return call

cached.prepare = counted("conversion", cached.prepare)
preflight.run_child = counted("child", preflight.run_child)
"""
_WORKER = """
import numpy as np, paddle, compatload
from tests.fixtures.index import fixture
detector = fixture("3.3.1/detector")
layer = compatload.safe_load(str(detector.path), inference_only=True, preflight=True)
given = layer(*map(paddle.to_tensor, detector.inputs(0).values()))
(expected,) = detector.outputs(0)
print(np.abs(given.numpy() - expected).max() <= 1e-5 * np.abs(expected).max())
"""


@pytest.mark.parametrize("release", [one for one in releases() if one == "2.6.2"])
def test_one_conversion_and_one_preflight(release: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(_COUNTING)
    told = tmp_path / "told"
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": str(tmp_path),
        "COUNTED": str(told),
        VARIABLE: str(tmp_path / "cache"),
    }
    command = [python_of(release), "-c", _WORKER]
    workers = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(WORKERS)
    ]
    answers = [worker.communicate(timeout=SECONDS)[0].strip() for worker in workers]
    assert answers == ["True"] * WORKERS
    assert sorted(told.read_text().split()) == ["child", "conversion"]
