"""CL182: what was saved in half precision computes on a CPU, whatever kernels it has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compatload.artifact.model import Format
from compatload.operators.halves import boundaries, lacking, of_onednn
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


def test_table_has_what_the_registries_say() -> None:
    old, new = (lacking(Format.PIR, "float16", release) for release in ("3.1.1", "3.3.1"))
    assert {"bmm", "sin", "unsqueeze"} <= new
    assert "floor" in old - new  # which came with 3.2
    assert "concat" not in old | new
    assert "3.2.0" in boundaries()
    assert "matmul" in of_onednn(Format.PIR) & lacking(Format.PIR, "bfloat16", "3.3.1")
    # Of a release that nobody has measured, what the newest has is known.
    assert lacking(Format.LEGACY, "float16", "9.9") == lacking(Format.LEGACY, "float16", "3.3.1")
