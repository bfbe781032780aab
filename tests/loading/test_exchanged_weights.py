"""Weights that change or go while they are loaded, in real releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.releases import releases, run_in

SCRIPT = Path(__file__).with_name("exchanged_weights.py")


@pytest.mark.parametrize("api", ["layer", "program", "predictor"])
@pytest.mark.parametrize("check", ["between", "rewritten", "fifo"])
@pytest.mark.parametrize("release", releases())
def test_other_numbers_are_an_error_and_a_fifo_stops_nothing(
    release: str, check: str, api: str, tmp_path: Path
) -> None:
    assert run_in(release, SCRIPT, check, api, str(tmp_path)).strip().endswith("ok")


@pytest.mark.parametrize("release", releases())
def test_clones_need_no_more_files_than_in_paddles_own_hands(release: str, tmp_path: Path) -> None:
    assert run_in(release, SCRIPT, "clones", "predictor", str(tmp_path)).strip().endswith("ok")
