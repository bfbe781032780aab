"""Layers for inference in real releases: what inference_worker.py checks."""

from __future__ import annotations

import re
import tempfile
from functools import cache
from pathlib import Path

import pytest

from compatload.store.cache import VARIABLE
from tests.releases import done_in, releases

WORKER = Path(__file__).with_name("inference_worker.py")
CHECKS = re.findall(r"^def (check_\w+)", WORKER.read_text(), re.MULTILINE)
SECONDS = 1200


@cache
def said(release: str) -> tuple[str, str]:
    """Both outputs of one worker in that release."""
    with tempfile.TemporaryDirectory() as folder:
        cache_there = {VARIABLE: f"{folder}/cache"}
        done = done_in(release, WORKER, folder, seconds=SECONDS, environment=cache_there)
    return done.stdout, done.stderr


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("release", releases())
def test_in_a_real_paddle(release: str, check: str) -> None:
    told, errors = said(release)
    assert f"ok {check}\n" in told, errors[-3000:]
