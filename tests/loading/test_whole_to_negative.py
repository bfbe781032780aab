"""CL148: refused by name is what would never come back, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.releases import releases, run_in

SCRIPT = Path(__file__).with_name("whole_to_negative.py")
HANGING = {"negative", "negative_int32"}


@pytest.mark.parametrize("release", releases())
def test_is_refused_exactly_where_it_hangs(release: str, tmp_path: Path) -> None:
    found = json.loads(run_in(release, SCRIPT, str(tmp_path)).splitlines()[-1])
    told = {name: told for name, told in found.items() if told != ["ok", "ok"]}
    assert told == {name: ["IncompatibleError CL148", "hang"] for name in HANGING}
