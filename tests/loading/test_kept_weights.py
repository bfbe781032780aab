"""Loops make Paddle 3.x keep weights of deleted predictors, and others compute with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.releases import releases, run_in

SCRIPT = Path(__file__).with_name("kept_weights.py")


@pytest.mark.parametrize("release", [one for one in releases() if not one.startswith("2.")])
def test_a_predictor_computes_with_its_own_weights_beside_a_loop(
    release: str, tmp_path: Path
) -> None:
    run_in("2.6.2", SCRIPT, "save", str(tmp_path))
    assert run_in(release, SCRIPT, "load", str(tmp_path), anew=True).splitlines()[-1] == "0"
