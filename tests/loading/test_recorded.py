"""A model held against its record: files, and the numbers of the sample. No Paddle."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from compatload.artifact.inspection import inspect_artifact
from compatload.artifact.record import Record, stored, stored_file, write_record
from compatload.errors import DamagedArtifactError
from compatload.loading.recorded import difference_from, require_recorded_files, sample_inputs

FIXTURE = Path(__file__).parents[1] / "fixtures/3.3.1/classifier"
NAMES = ("model.json", "model.pdiparams")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in NAMES:
        shutil.copy(FIXTURE / name, tmp_path / name)
    record = Record(
        release="3.3.1",
        format="pir",
        pir_version=4,
        device="cpu",
        flags={},
        inputs=({"name": "x", "dtype": "float32", "shape": [-1, 3]},),
        files={name: stored_file(str(tmp_path / name)) for name in NAMES},
        outputs=(stored(np.ones((2, 3), "float32")),),
        seed=0,
        sizes=(2, 8),
    )
    write_record(record, str(tmp_path / "model.compatload"))
    return tmp_path


def flip_last(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def test_unchanged_files_pass(folder: Path) -> None:
    artifact = inspect_artifact(folder / "model")
    for whole in (False, True):
        record = require_recorded_files(artifact, whole=whole)
        assert record is not None
        assert record.release == "3.3.1"


def test_no_record_is_no_trouble() -> None:
    assert require_recorded_files(inspect_artifact(FIXTURE / "model"), whole=True) is None


def test_a_flipped_weight_is_seen_by_its_hash_only(folder: Path) -> None:
    flip_last(folder / "model.pdiparams")
    artifact = inspect_artifact(folder / "model")
    assert require_recorded_files(artifact, whole=False) is not None
    with pytest.raises(DamagedArtifactError, match=r"model\.pdiparams .* changed since"):
        require_recorded_files(artifact, whole=True)


def test_another_program_is_always_seen(folder: Path) -> None:
    text = (folder / "model.json").read_text()
    (folder / "model.json").write_text(text.replace('"version":4', '"version":3'))
    with pytest.raises(DamagedArtifactError, match=r"model\.json"):
        require_recorded_files(inspect_artifact(folder / "model"), whole=False)


def test_a_record_that_is_none(folder: Path) -> None:
    (folder / "model.compatload").write_text("{}")
    with pytest.raises(DamagedArtifactError, match="no record"):
        require_recorded_files(inspect_artifact(folder / "model"), whole=False)


def test_the_sample_is_the_same_every_time(folder: Path) -> None:
    record = require_recorded_files(inspect_artifact(folder / "model"), whole=False)
    assert record is not None
    first, second = sample_inputs(record), sample_inputs(record)
    assert first is not None
    assert second is not None
    assert first[0].shape == (2, 3)
    assert np.array_equal(first[0], second[0])


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (np.ones((2, 3), "float32"), ""),
        (np.full((2, 3), 1.0001, "float32"), ""),
        (np.full((2, 3), 1.1, "float32"), "differs by 0.1"),
        (np.ones((3, 2), "float32"), "has shape (3, 2)"),
        (np.ones((2, 3), "int64"), "another type"),
    ],
)
def test_numbers(folder: Path, found: np.ndarray, says: str) -> None:
    record = require_recorded_files(inspect_artifact(folder / "model"), whole=False)
    assert record is not None
    told = difference_from(record, [found])
    assert (says in told) if says else told == ""
