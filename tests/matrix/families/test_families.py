"""What the drivers over model families decide, without Paddle."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from matrix.families import convert, report
from matrix.readers.comparison import difference


def saved(folder: Path, program: dict[str, object]) -> Path:
    folder.mkdir(parents=True)
    (folder / "model.json").write_text(json.dumps(program))
    (folder / "io.npz").write_bytes(b"")
    (folder / "case.json").write_text(json.dumps({"prefix": "model", "format": "pir"}))
    return folder


def test_what_cannot_be_converted_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    saved(tmp_path / "saved/strange", {"base_code": {"magic": "other"}})
    assert convert.main(tmp_path / "saved", tmp_path / "converted", "legacy", []) == 0
    assert list(json.loads((tmp_path / "converted/refused.json").read_text())) == ["strange"]
    assert not (tmp_path / "converted/strange").exists()


def test_the_page_counts_what_agrees_in_all_three_loaders() -> None:
    good = {api: ["ok", 2e-7, ""] for api in report.LOADERS}
    bad = {**good, "predictor": ["wrong", 0.5, "fused"]}
    record = {"answers": {"one": good, "two": bad}, "refused": {"three": "no such operator"}}
    page = report.page({"3.3.1-2.6.2-converted": record})
    counts = "| 3 | 1 | 1 | 2 (≤ 2.0e-07) | 2 (≤ 2.0e-07) | 1 (≤ 2.0e-07); 1 wrong |"
    assert f"| 3.3.1 → 2.6.2, converted {counts}" in page
    assert "- two (3.3.1 → 2.6.2, converted): predictor wrong 0.5 fused" in page
    assert "- three (3.3.1 → 2.6.2, converted): refused: no such operator" in page


def test_the_committed_page_is_that_of_the_committed_answers() -> None:
    assert report.TARGET.read_text(encoding="utf-8") == report.page(report.read())


def test_differences_are_relative_to_the_scale_of_an_output() -> None:
    want = np.array([100.0, 0.0], "float32")
    found, cause = difference([want + np.float32(0.001)], [want])
    assert cause == ""
    assert found == pytest.approx(1e-5, rel=0.1)


@pytest.mark.parametrize(
    ("got", "want", "told"),
    [
        (np.zeros((2, 3), "f4"), np.zeros((3, 2), "f4"), "shape"),
        (np.array([1, 2]), np.array([1, 3]), "differs"),
    ],
)
def test_other_shapes_and_other_integers_are_wrong(
    got: np.ndarray, want: np.ndarray, told: str
) -> None:
    found, cause = difference([got], [want])
    assert found == float("inf")
    assert told in cause
