"""A model's folded form: the same numbers, used where it belongs and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from compatload.artifact.inspection import inspect_artifact
from compatload.programs.folding import fold
from tests.fixtures.index import fixture
from tests.releases import releases, run_in

SCRIPT = Path(__file__).with_name("folded_starts.py")
NEWEST = [release for release in releases() if not release.startswith("2.")][-1:]


@pytest.mark.parametrize("release", NEWEST)
def test_a_folded_model_is_the_same_model(
    release: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPATLOAD_CACHE", str(tmp_path / "cache"))
    assert run_in(release, SCRIPT, str(tmp_path)).strip().endswith("ok")


@pytest.mark.parametrize("name", ["2.6.2/classifier", "3.3.1/while_loop", "3.3.1/transformer"])
def test_nothing_is_written_where_nothing_is_folded(name: str, tmp_path: Path) -> None:
    assert fold(inspect_artifact(fixture(name).path), tmp_path) == 0
    assert not list(tmp_path.iterdir())
