"""docs/limitation-dresses.md: layers that meet limitations, and what the check says of them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.skipif(
    sys.version_info < (3, 10), reason="before_match.py is parsed from Python 3.10 on"
)


@pytest.fixture(scope="module")
def dresses() -> ModuleType:
    place = Path(__file__).parents[2] / "matrix" / "limitations" / "dresses.py"
    spec = importlib.util.spec_from_file_location("limitations_dresses", place)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_there_are_150_layers_and_every_one_was_run(dresses: ModuleType) -> None:
    outcomes = dresses.measured(None, False)
    assert len(outcomes) >= 150
    told = {cell["outcome"] for cells in outcomes.values() for cell in cells.values()}
    assert told == {"ok", "wrong", "error", "crash", "timeout"}
    assert all(tuple(cells) == dresses.RELEASES for cells in outcomes.values())


def test_the_document_is_what_the_rules_say_now(dresses: ModuleType) -> None:
    assert dresses.DOCUMENT.read_text("utf-8") == dresses.table(dresses.measured(None, False))


@pytest.mark.parametrize("release", ["2.6.2", "3.0.0", "3.3.1"])
def test_most_of_what_fails_is_told_and_hardly_anything_else(
    dresses: ModuleType, release: str
) -> None:
    told, false_alarms = dresses.shares(dresses.measured(None, False), release)
    assert told >= 0.85
    assert false_alarms <= 0.03
