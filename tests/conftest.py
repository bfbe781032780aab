"""Makes ``fixtures.index`` and ``matrix`` importable wherever pytest is started from."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
# Tests of the cache make their own; loads in all others must not leave anything in the user's.
os.environ["COMPATLOAD_CACHE"] = "off"
# They take more than half a minute each, and come first: a worker that meets one last keeps the
# others waiting.
LONGEST = (
    *("loading/test_releases.py", "matrix/test_rules.py", "interception/test_paddleocr_3.py"),
    *("faults/test_fusions.py", "attacks/test_load_damaged.py", "attacks/test_crafted.py"),
    *("docs/test_commands.py", "selftest/test_selftest.py", "serving/test_primitives.py"),
    *("exporting/test_safe_save.py", "serving/test_preflight_releases.py"),
    *("loading/test_exchanged_weights.py", "engines/test_engines.py"),
    *("interception/test_unmodified_programs.py", "loading/test_conversion_chain.py"),
    "serving/test_folding.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    place = {HERE / name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path, len(place)))
