"""Truths and roundings of integers, saved by one release and computed by another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.releases import releases, run_in, saved_by

SCRIPT = Path(__file__).with_name("whole_numbers.py")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("whole_numbers")


@pytest.mark.parametrize(
    ("saver", "loader"),
    [(saver, loader) for saver in ("2.6.2", "3.3.1") for loader in releases()],
)
def test_integers_are_what_they_were(saver: str, loader: str, folder: Path) -> None:
    place = saved_by(saver, folder, SCRIPT)
    told = json.loads(run_in(loader, SCRIPT, str(place), "load").splitlines()[-1])
    assert told
    assert set(told.values()) == {True}
