"""A load that cannot run fails as a load, not when the layer is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.releases import releases, run_in

SCRIPT = Path(__file__).with_name("last_resort.py")


@pytest.mark.parametrize("release", [one for one in releases() if not one.startswith("2.")])
def test_what_no_way_can_run_is_no_layer(release: str, tmp_path: Path) -> None:
    run_in("2.6.2", SCRIPT, "save", str(tmp_path))
    said = run_in(release, SCRIPT, "load", str(tmp_path)).splitlines()
    assert [one for one in said if one.startswith(("LoadError", "outputs"))] == [
        "LoadError True True",
        "outputs 2",
    ]
