"""CL215: which additions the passes spoil, and that no other one costs a model its passes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compatload.artifact.inspection import inspect_artifact
from compatload.checking.prediction import predict
from compatload.plan import Api
from compatload.runtime.cpu import detect_cpu
from compatload.runtime.detection import runtime_for
from tests.releases import releases, run_in, saved_by

SCRIPT = Path(__file__).with_name("aligned_networks.py")
NEWER = [release for release in releases() if not release.startswith("2.")][-1:]
SPOILED = {"spatial", "read twice", "read twice, sigmoid"}
# The size of the image decides there, or who reads the result: it is not told in advance.
CAREFUL = SPOILED | {"read twice, one channel", "spatial, biased read twice"}

Seen = tuple[str, Path, dict[str, Any]]


@pytest.fixture(scope="module", params=NEWER)
def seen(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    folder = saved_by("2.6.2", tmp_path_factory.mktemp("aligned"), SCRIPT, "save")
    return request.param, folder, json.loads(run_in(request.param, SCRIPT, "load", str(folder)))


def test_all_are_right_at_the_first_try(seen: Seen) -> None:
    for name, told in seen[2].items():
        assert told["off"] < 1e-5, name
        assert not told["attempts"], name


def test_passes_are_left_out_where_they_may_do_harm(seen: Seen) -> None:
    assert {name for name, told in seen[2].items() if "CL215" in told["rules"]} == CAREFUL


def test_what_paddle_does_alone_is_predicted(seen: Seen) -> None:
    release, folder, networks = seen
    runtime = runtime_for(f"paddle=={release}", cpu=detect_cpu())
    assert {name for name, told in networks.items() if told["own"] == "error"} == SPOILED
    for name, told in networks.items():
        predicted = predict(inspect_artifact(folder / name / "model"), runtime, Api.PREDICTOR)
        assert predicted.outcome.value == told["own"], name
