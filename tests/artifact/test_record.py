"""The record beside a model: what is written can be read, and nothing else can."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy
import pytest

from compatload.artifact import record as records
from compatload.artifact.record import (
    MOST_VALUES,
    Record,
    changed_files,
    read_record,
    stored,
    stored_file,
    write_record,
)
from compatload.errors import DamagedArtifactError, UnsafeArtifactError
from compatload.loading.recorded import sample_inputs


def made(folder: Path) -> Record:
    (folder / "m.json").write_bytes(b"{}")
    return Record(
        release="3.3.1",
        format="pir",
        pir_version=4,
        device="cpu",
        flags={"FLAGS_enable_pir_api": True},
        inputs=({"name": "x", "dtype": "float32", "shape": [-1, 4]},),
        files={"m.json": stored_file(str(folder / "m.json"))},
        outputs=(stored(numpy.arange(6, dtype="float32").reshape(2, 3)),),
        seed=0,
        sizes=(2, 32),
        difference=1e-7,
        remedies=("saved in eval mode",),
        warnings=("CL405 …",),
        compatload="0.1.0",
    )


def test_what_is_written_is_read(tmp_path: Path) -> None:
    record = made(tmp_path)
    path = tmp_path / "m.compatload"
    write_record(record, str(path))
    assert read_record(str(path)) == record
    assert not (tmp_path / "m.compatload.part").exists()


@pytest.mark.parametrize("dtype", ["float32", "float16", "int64", "bool", "float64"])
def test_small_arrays_are_kept_whole(dtype: str) -> None:
    array = numpy.arange(12).reshape(3, 4).astype(dtype)
    kept = stored(array)
    assert kept.step == 1
    assert numpy.array_equal(kept.array().reshape(kept.shape), array)


def test_of_large_arrays_some_values_are_kept() -> None:
    array = numpy.random.default_rng(0).random((100, 1000), "float32")
    kept = stored(array)
    assert kept.array().size <= MOST_VALUES
    assert numpy.array_equal(kept.array(), kept.same_places(array))


def test_an_empty_and_a_scalar_array() -> None:
    assert stored(numpy.zeros((0, 3), "float32")).array().size == 0
    assert stored(numpy.float32(2).reshape(())).array().tolist() == [2.0]


def damaged(table: dict[str, Any], field: str, value: object) -> dict[str, Any]:
    return {**table, field: value}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("schema", 99),
        ("release", 3),
        ("pir_version", "4"),
        ("files", {"../m.json": {"size": 1, "sha256": "x"}}),
        ("files", {"m.json": {"size": True, "sha256": "x"}}),
        ("files", []),
        ("outputs", [{"dtype": "float32", "shape": [2], "step": 0, "values": ""}]),
        ("outputs", [{"dtype": "float32", "shape": [2], "step": 1, "values": "?!"}]),
        ("sizes", [1]),
        ("inputs", 3),
        ("difference", "small"),
    ],
)
def test_a_damaged_record_is_refused(tmp_path: Path, field: str, value: object) -> None:
    path = tmp_path / "m.compatload"
    table = json.loads(json.dumps(made(tmp_path).to_dict()))
    path.write_text(json.dumps(damaged(table, field, value)), "utf-8")
    with pytest.raises(DamagedArtifactError):
        read_record(str(path))


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff", b"{", b'{"schema": 1}', b"[" * 100_000])
def test_what_is_no_record_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "m.compatload"
    path.write_bytes(data)
    with pytest.raises(DamagedArtifactError, match="safe_save"):
        read_record(str(path))


def test_reading_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.compatload"
    write_record(made(tmp_path), str(path))
    monkeypatch.setattr(records, "LARGEST", 10)
    with pytest.raises(DamagedArtifactError, match="at most 10"):
        read_record(str(path))


def test_changed_and_missing_files_are_named(tmp_path: Path) -> None:
    record = made(tmp_path)
    assert changed_files(record, str(tmp_path)) == []
    (tmp_path / "m.json").write_bytes(b"{ }")
    assert changed_files(record, str(tmp_path)) == ["m.json"]
    gone = replace(record, files={"gone": record.files["m.json"]})
    assert changed_files(gone, str(tmp_path)) == ["gone"]


@pytest.mark.parametrize(
    "changes",
    [
        {"sizes": [-1, 32]},
        {"sizes": [1 << 62, 32]},
        {"seed": -1},
        {"inputs": [{"name": "x", "dtype": "float32", "shape": [1 << 40, 1 << 40]}]},
        {"inputs": [{"name": "x", "dtype": "float32", "shape": [-2]}]},
        {"inputs": [{"name": "x", "dtype": "no type", "shape": [2]}]},
        {"inputs": [{"name": "x", "dtype": "float32", "shape": [1 << 62] * 300_000}]},
        {"sample_inputs": [{"dtype": "float32", "shape": [1 << 40], "step": 1, "values": ""}]},
        {"sample_inputs": [{"dtype": "O", "shape": [1], "step": 1, "values": "AAAAAAAAAAA="}]},
        {"outputs": [{"dtype": "float32", "shape": [-1], "step": 1, "values": "AAAA"}]},
        {"difference": 10**400},
    ],
)
def test_a_sample_that_no_machine_could_make_is_refused(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    path = tmp_path / "m.compatload"
    path.write_text(json.dumps({**made(tmp_path).to_dict(), **changes}), "utf-8")
    with pytest.raises(DamagedArtifactError):
        sample_inputs(read_record(str(path)))


def test_a_fifo_is_no_record(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "m.compatload")
    with pytest.raises(UnsafeArtifactError):
        read_record(str(tmp_path / "m.compatload"))
