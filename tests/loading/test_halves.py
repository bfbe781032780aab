"""CL182: what was saved in half precision computes on a CPU, whatever kernels it has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.releases import releases, run_in

SCRIPT = Path(__file__).with_name("halves.py")
SAVER = "2.6.2"
# bfloat16 holds eight bits.
NEAR = {"float16": 0.01, "bfloat16": 0.06}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("halves")
    run_in(SAVER, SCRIPT, "save", str(folder))
    return folder


@pytest.mark.parametrize("release", releases())
def test_networks_compute_by_every_api(release: str, saved: Path) -> None:
    found = json.loads(run_in(release, SCRIPT, "load", str(saved)).splitlines()[-1])
    assert len(found) == 4
    for name, apis in found.items():
        for api, off in apis.items():
            assert isinstance(off, float), f"{name} as {api}: {off}"
            assert off < NEAR[name.rpartition(".")[2]], f"{name} as {api}"
