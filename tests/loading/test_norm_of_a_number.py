"""CL139: the norm along an axis of a number is the sum of nothing."""

from __future__ import annotations

import json
from pathlib import Path

from tests.releases import releases, run_in

SCRIPT = Path(__file__).with_name("norm_of_a_number.py")


def test_it_is_0_in_every_release(tmp_path: Path) -> None:
    run_in("3.3.1", SCRIPT, "save", str(tmp_path))
    for release in releases():
        found = json.loads(run_in(release, SCRIPT, "load", str(tmp_path)).splitlines()[-1])
        assert found == [[0.5, 0.0]] * 2, release
