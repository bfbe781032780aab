"""A predictor whose program had to be rewritten can be cloned, as any other."""

from __future__ import annotations

import json
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
