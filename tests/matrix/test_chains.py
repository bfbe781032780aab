"""The search over chains of operators, on chains of which one is known to go wrong."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from matrix import chains
from tests.releases import releases

LOST = "chain:bare.gelu.relu"  # CL223
FINE = "chain:conv.relu.mean1"
UNFIT = "chain:conv.rows.max_pool"


@pytest.mark.parametrize("release", [one for one in releases() if one == "2.6.2"])
def test_a_wrong_chain_is_told_and_not_with_compatload(
    release: str, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = ["--jobs", "1", "--chain", LOST, FINE, UNFIT]
    assert chains.main([release, "--caller", "paddle", *chosen]) == 1
    told = capsys.readouterr()
    assert told.out.startswith(f"{LOST}  wrong  ")
    assert len(told.out.splitlines()) == 1
    assert "1 cannot be saved" in told.err
    assert chains.main([release, *chosen]) == 0
    assert capsys.readouterr().out == ""


def test_counts_of_one_search_stand_beside_those_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chains, "COUNTS", tmp_path / "chains.json")
    chains.record("a", Counter(ok=2), [])
    chains.record("b", Counter(ok=1, wrong=1), [LOST])
    chains.record("a", Counter(ok=3), [])
    text = (tmp_path / "chains.json").read_text()
    assert text.count('"ok"') == 2
    assert '"ok": 3' in text
    assert LOST in text
