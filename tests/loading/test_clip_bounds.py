"""CL261: bounds of a clip in single precision, as Paddle's translator writes them."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from compatload.artifact.inspection import inspect_artifact
from compatload.checking.prediction import predict
from compatload.plan import Api
from compatload.runtime.cpu import detect_cpu
from compatload.runtime.detection import runtime_for
from tests.releases import done_in, releases, run_in

SCRIPT = Path(__file__).with_name("clip_bounds.py")


@pytest.mark.parametrize("release", [one for one in releases() if one >= "3"])
def test_paddle_dies_of_them_and_compatload_is_right(release: str, tmp_path: Path) -> None:
    dead = done_in(release, SCRIPT, "paddle", str(tmp_path))
    assert dead.returncode == -signal.SIGSEGV
    said = run_in(release, SCRIPT, "compatload", str(tmp_path)).splitlines()[-1]
    assert float(said) < 1e-6
    runtime = runtime_for(release, cpu=detect_cpu())
    told = predict(inspect_artifact(tmp_path / "model"), runtime, Api.PREDICTOR)
    assert (told.outcome, told.rule) == ("crash", "CL261")
