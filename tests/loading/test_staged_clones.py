"""A predictor whose program had to be rewritten can be cloned, as any other."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.fixtures.index import fixture
from tests.releases import run_in

SCRIPT = Path(__file__).with_name("staged_clones.py")


@pytest.mark.parametrize("release", ["3.0.0", "3.2.2"])
@pytest.mark.parametrize("name", ["3.3.1/transformer", "3.3.1/classifier"])
def test_clones_compute_the_same_and_leave_nothing(release: str, name: str, tmp_path: Path) -> None:
    found = fixture(name)
    inputs = {n: np.asarray(a) for n, a in found.inputs(0).items()}
    np.savez(tmp_path / "inputs.npz", **inputs)
    said = run_in(release, SCRIPT, found.path, tmp_path / "inputs.npz")
    told = json.loads(said.splitlines()[-1])
    assert "CL104" in told["rules"]  # a program of 3.3, rewritten for an older release
    assert max(told["differences"]) < 1e-6
    assert told["while_alive"] > 0
    assert told["after"] == 0


@pytest.mark.parametrize("release", ["3.0.0", "3.3.1"])
def test_clones_are_of_what_was_inspected(release: str, tmp_path: Path) -> None:
    """Paddle reads the program's file anew for each clone of a PIR predictor."""
    found, other = fixture(f"{release}/classifier"), fixture(f"{release}/transformer")
    np.savez(tmp_path / "inputs.npz", **{n: np.asarray(a) for n, a in found.inputs(0).items()})
    ends = (".json", ".pdiparams")
    for one, name in ((found, "model"), (other, "other")):
        for end in ends:
            shutil.copyfile(f"{one.path}{end}", tmp_path / (name + end))
    said = run_in(
        release,
        SCRIPT,
        tmp_path / "model",
        tmp_path / "inputs.npz",
        *(tmp_path / ("other" + end) for end in ends),
    )
    told = json.loads(said.splitlines()[-1])
    assert max(told["differences"]) < 1e-6
    assert (told["while_alive"] > 0, told["after"]) == (True, 0)
