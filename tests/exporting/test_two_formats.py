"""One export, read by Paddle's own paddle.jit.load on releases before and after PIR."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.releases import python_of, run_in

SCRIPT = Path(__file__).with_name("recurrent.py")


def run(release: str, *arguments: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(run_in(release, SCRIPT, *arguments).splitlines()[-1])
    return told


def saved_by(release: str, kind: str, folder: Path) -> Path:
    # 2.6 writes no PIR: a newer Paddle translates for it.
    helper = [python_of("3.3.1")] if release == "2.6.2" else []
    told = run(release, "save", str(folder), kind, *helper)
    assert {"legacy", "paddle==3.0.0"} <= {*told["formats"]}
    assert {"model.json", "model.pdmodel", "model.pdiparams.info"} <= {*told["files"]}
    return folder


@pytest.fixture(scope="module", params=["3.3.1", "2.6.2"])
def saved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved_by(request.param, "recurrent", tmp_path_factory.mktemp("saved"))


@pytest.fixture(scope="module", params=["3.3.1", "2.6.2"])
def parameterless(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved_by(request.param, "parameterless", tmp_path_factory.mktemp("saved"))


@pytest.mark.parametrize("release", ["2.6.2", "3.0.0", "3.3.1"])
def test_paddle_reads_it_itself(saved: Path, release: str) -> None:
    assert run(release, "load", str(saved))["difference"] < 1e-5


@pytest.mark.parametrize("release", ["2.6.2", "3.0.0", "3.3.1"])
def test_every_loader_reads_a_model_without_parameters(parameterless: Path, release: str) -> None:
    """3.0's predictor wants weights, and a legacy program must know whatever weights there are."""
    assert run(release, "load", str(parameterless))["difference"] == 0
    suffixes = [".pdmodel"] if release == "2.6.2" else [".pdmodel", ".json"]
    for suffix in suffixes:
        assert run(release, "predict", str(parameterless), suffix)["difference"] == 0
