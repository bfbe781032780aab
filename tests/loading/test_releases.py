"""Every fixture through the three drop-ins, in real releases, against its stored outputs."""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.fixtures.index import fixtures
from tests.releases import done_in, releases

APIS = ("layer", "program", "predictor")
WORKER = Path(__file__).with_name("worker.py")
WORKER_SECONDS = 1500


@cache
def verdicts(release: str) -> dict[tuple[str, str], dict[str, object]]:
    """What one process of that release says of all fixtures: (identity, api) → verdict."""
    every = [one.identity for one in fixtures()]
    result = done_in(release, WORKER, "compatload", ",".join(APIS), *every, seconds=WORKER_SECONDS)
    lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    assert lines, f"the worker said nothing; on standard error:\n{result.stderr[-2000:]}"
    return {(line["fixture"], line["api"]): line for line in lines}


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("identity", [one.identity for one in fixtures()])
@pytest.mark.parametrize("release", releases())
def test_computes_what_it_computed_at_home(release: str, identity: str, api: str) -> None:
    verdict = verdicts(release).get((identity, api))
    assert verdict is not None, "the worker died before it came to this fixture"
    assert verdict["outcome"] == "ok", verdict["detail"]


def test_nothing_here_imports_paddle() -> None:
    assert "paddle" not in sys.modules
