"""A server that loads its model after it has set its handlers of signals keeps them."""

from __future__ import annotations

import sys

import pytest

from tests.fixtures.index import fixture
from tests.releases import releases, run_in

LOAD = """
import os, signal, sys
import compatload

seen = []
signal.signal(signal.SIGTERM, lambda *_: seen.append("told"))
compatload.safe_load(sys.argv[1], inference_only=True)
os.kill(os.getpid(), signal.SIGTERM)
print(*seen, "and alive")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize("release", releases())
def test_what_was_set_before_the_first_load_is_called(release: str) -> None:
    told = run_in(release, "-c", LOAD, str(fixture("2.6.2/classifier").path), anew=True)
    assert told.splitlines()[-1] == "told and alive"
