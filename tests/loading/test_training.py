"""What was saved by 2.6 or 3.x is trained in 3.x as the layer was; in 2.6 no loaded layer is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.releases import releases, run_in

SCRIPT = Path(__file__).with_name("trained.py")
TRAINING = tuple(one for one in releases() if not one.startswith("2."))


@pytest.mark.parametrize("saver", ["2.6.2", *TRAINING[-1:]])
@pytest.mark.parametrize("release", TRAINING)
def test_a_loaded_layer_learns_as_the_saved_one(saver: str, release: str, tmp_path: Path) -> None:
    run_in(saver, SCRIPT, "save", str(tmp_path))
    told = run_in(release, SCRIPT, "load", str(tmp_path)).splitlines()
    assert [one for one in told if " INFO]" not in one] == ["ok"]
