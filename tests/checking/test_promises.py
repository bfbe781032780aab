"""`check`, plans and loads agree: what `check` says loads through compatload does so, with the
numbers it had at home, in every loader and every method; and what it says does not, does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fixtures.index import fixtures

from tests.releases import releases, run_in

SCRIPT = Path(__file__).with_name("promised_loads.py")
# Each release loads every third model, and all that have more than one method.
EVERY = 3


@pytest.mark.parametrize("release", releases())
def test_check_keeps_its_promises(release: str) -> None:
    offset = releases().index(release)
    chosen = [
        one.identity
        for number, one in enumerate(fixtures())
        if number % EVERY == offset % EVERY or len(one.methods) > 1
    ]
    told = json.loads(run_in(release, SCRIPT, *chosen, seconds=600).splitlines()[-1])
    assert {identity: broken for identity, broken in told.items() if broken} == {}
    assert len(told) > 30
