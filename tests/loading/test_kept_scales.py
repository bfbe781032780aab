"""A quantiser keeps its scale in a parameter: sound where it was saved, and right in 3.x."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.releases import releases, run_in

SCRIPT = Path(__file__).with_name("thrice.py")
SAVER = "2.6.2"
NETWORKS = ("weight_rounded", "weight_rounded_by_channel")


@pytest.mark.skipif(SAVER not in releases(), reason="3.x does not trace these layers")
def test_a_kept_scale_is_no_damage_and_has_no_name(tmp_path: Path) -> None:
    place = tmp_path / SAVER
    assert json.loads(run_in(SAVER, SCRIPT, "save", str(place), *NETWORKS).splitlines()[-1]) == {}
    for loader, ways in (
        (SAVER, "layer"),
        (releases()[-1], "layer,program,predictor"),
    ):
        wanted = [f"{name}={ways}" for name in NETWORKS]
        said = run_in(loader, SCRIPT, "load", str(place), *wanted).splitlines()[-1]
        assert json.loads(said) == {}
