"""A model's folded form: the same numbers, used where it belongs and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from compatload.artifact.inspection import inspect_artifact
from compatload.loading.folded import Folding
from compatload.programs.folding import FoldOutcome, fold
from compatload.serving import folding_later
from tests.fixtures.index import fixture
from tests.releases import releases, run_in

SCRIPT = Path(__file__).with_name("folded_starts.py")
ABLE = [release for release in releases() if not release.startswith("2.")]


@pytest.mark.parametrize("release", ABLE)
def test_a_folded_model_is_the_same_model(
    release: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("model", "temporary"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("COMPATLOAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    assert run_in(release, SCRIPT, str(tmp_path / "model")).strip().endswith("ok")


@pytest.mark.parametrize("name", ["2.6.2/classifier", "3.3.1/while_loop", "3.3.1/transformer"])
def test_nothing_is_written_where_nothing_is_folded(name: str, tmp_path: Path) -> None:
    assert fold(inspect_artifact(fixture(name).path), tmp_path) == FoldOutcome()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "null",
        Folding(folded=1).to_json().replace("1", '"1"'),
        Folding(delete_passes=("",)).to_json().replace('""]', "0]"),
    ],
)
def test_what_is_no_verdict(text: str) -> None:
    with pytest.raises(ValueError, match=r"verdict|names|Expecting"):
        Folding.from_json(text)
    kept = Folding("", 2, 77, 1.5, 0.5, True, ("one_pass",))
    assert Folding.from_json(kept.to_json()) == kept


@pytest.mark.parametrize(
    ("limit", "left"), [("max", None), ("1000", 700), ("2000", 1700)], ids=["none", "low", "high"]
)
def test_memory_of_a_control_group(
    limit: str, left: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = tmp_path / "group"
    group.mkdir()
    for name, text in (("max", limit), ("current", "500"), ("stat", "anon 1\ninactive_file 200\n")):
        (group / f"memory.{name}").write_text(f"{text}\n")
    own = tmp_path / "cgroup"
    own.write_text("0::/group\n")
    monkeypatch.setattr(folding_later, "_OWN_GROUP", own)
    monkeypatch.setattr(folding_later, "_GROUPS", tmp_path)
    assert list(folding_later._left_of_group()) == ([] if left is None else [left])
