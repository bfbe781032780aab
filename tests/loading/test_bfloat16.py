"""CL181, CL267, CL640: convolutions and outputs in bfloat16, which no API gets wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.releases import releases, run_in

SCRIPT = Path(__file__).with_name("bfloat16.py")
HALVES = {"given": ["bfloat16"], "given_twice": ["bfloat16", "float32"]}


@pytest.mark.parametrize("release", releases())
def test_is_right_by_every_api(release: str, tmp_path: Path) -> None:
    found = json.loads(run_in(release, SCRIPT, str(tmp_path)).splitlines()[-1])
    assert len(found) >= 6
    for name, apis in found.items():
        kinds = HALVES.get(name, ["float32"])
        for api, told in apis.items():
            # NumPy has no bfloat16, so handles give float32.
            assert told == [["float32"] * len(kinds) if api == "predictor" else kinds, 0.0], (
                f"{name} as {api}"
            )
