"""Weights are matched by their record headers alone."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compatload.artifact.files import OpenFile
from compatload.artifact.model import TensorSpec
from compatload.artifact.params import (
    BadRecordError,
    MemorySource,
    loose_path,
    match_combined,
    match_file,
    match_loose,
    read_record,
)
from compatload.artifact.program_proto import DATA_TYPES, message
from compatload.errors import (
    ArtifactNotFoundError,
    DamagedArtifactError,
    UnsafeArtifactError,
    WeightsMismatchError,
)

NUMBERS = {name: number for number, (name, _) in DATA_TYPES.items()}
SIZES = dict(DATA_TYPES.values())


def record(dtype: str, shape: tuple[int, ...], levels: tuple[bytes, ...] = ()) -> bytes:
    """One tensor as Paddle stores it, its description written by protobuf itself."""
    description = message("TensorDesc")
    description.data_type = NUMBERS[dtype]
    description.dims.extend(shape)
    encoded = description.SerializeToString()
    count = SIZES[dtype]
    for size in shape:
        count *= size
    head = struct.pack("<IQ", 0, len(levels))
    head += b"".join(struct.pack("<Q", len(level)) + level for level in levels)
    return head + struct.pack("<Ii", 0, len(encoded)) + encoded + bytes(count)


SPECS = (
    TensorSpec("a", "float32", (2, 3)),
    TensorSpec("b", "int64", (4,)),
    TensorSpec("c", "float32", ()),
)
STORED = b"".join(record(spec.dtype, spec.shape) for spec in SPECS)


def match(data: bytes, specs: tuple[TensorSpec, ...] = SPECS):
    return match_combined(MemorySource(data), specs, "m.json")


def test_places_are_those_of_the_raw_data() -> None:
    first, second, third = match(STORED)
    assert (first.nbytes, second.nbytes, third.nbytes) == (24, 32, 4)
    assert first.offset == len(record("float32", (2, 3))) - 24
    assert third.offset + third.nbytes == len(STORED)
    assert second.shape == (4,)


def test_a_size_that_a_run_tells_fits_any() -> None:
    """A layer that keeps what it computed declares it so (CL157)."""
    (parameter,) = match(record("float32", (2, 3)), (TensorSpec("a", "float32", (-1, 3)),))
    assert parameter.shape == (2, 3)
    for shape in ((2, 4), (2, 3, 1), (3,)):
        with pytest.raises(WeightsMismatchError, match=r"\[-1, 3\]"):
            match(record("float32", shape), (TensorSpec("a", "float32", (-1, 3)),))


def test_level_of_detail_data_is_skipped() -> None:
    data = record("float32", (2,), levels=(struct.pack("<3Q", 0, 1, 2), struct.pack("<Q", 5)))
    (parameter,) = match(data, (TensorSpec("a", "float32", (2,)),))
    assert parameter.offset == len(data) - 8


@given(
    st.sampled_from(sorted(NUMBERS)),
    st.lists(st.integers(0, 3), max_size=6).map(tuple),
    st.lists(st.binary(max_size=5).map(lambda b: b * 8), max_size=3).map(tuple),
)
def test_every_record_that_protobuf_writes_is_read(
    dtype: str, shape: tuple[int, ...], levels: tuple[bytes, ...]
) -> None:
    data = record(dtype, shape, levels)
    stored = read_record(MemorySource(data), 0)
    assert (stored.dtype, stored.shape) == (dtype, shape)
    assert stored.offset + stored.nbytes == len(data)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_record_or_none(data: bytes) -> None:
    try:
        stored = read_record(MemorySource(data), 0)
    except BadRecordError:
        return
    assert stored.nbytes >= 0
    assert 0 < stored.offset <= len(data)


def test_a_wrong_shape_names_the_first_tensor_that_differs() -> None:
    data = record("float32", (2, 3)) + record("int64", (5,)) + record("float32", ())
    with pytest.raises(WeightsMismatchError, match=r"wants int64 \[4\] for 'b'.*int64 \[5\]"):
        match(data)


def test_a_wrong_dtype_is_a_mismatch() -> None:
    with pytest.raises(WeightsMismatchError, match="'a'"):
        match(record("int32", (2, 3)) + STORED[44:])


def test_too_few_tensors_name_the_first_missing_one() -> None:
    data = record("float32", (2, 3))
    with pytest.raises(WeightsMismatchError, match=r"ends after 1 tensors.*'b'"):
        match(data)


def test_too_many_tensors_name_the_first_left_over() -> None:
    with pytest.raises(WeightsMismatchError, match=r"left over is int8 \[7\]"):
        match(STORED + record("int8", (7,)))


def test_bytes_behind_the_last_tensor() -> None:
    with pytest.raises(DamagedArtifactError, match="goes on for 3 bytes"):
        match(STORED + b"xyz")


@pytest.mark.parametrize("length", range(1, len(STORED)))
def test_no_truncation_is_accepted(length: int) -> None:
    with pytest.raises((DamagedArtifactError, WeightsMismatchError)):
        match(STORED[:length])


def test_an_empty_file_is_damage() -> None:
    with pytest.raises(DamagedArtifactError, match=r"is empty; m\.json wants 3 tensors"):
        match(b"")


def test_a_program_without_parameters_wants_no_bytes() -> None:
    assert match(b"", ()) == ()
    with pytest.raises(WeightsMismatchError):
        match(STORED, ())


def test_a_pickle_says_which_file_is_wanted() -> None:
    with pytest.raises(DamagedArtifactError, match="is a pickle") as caught:
        match(b"\x80\x04}q\x00.")
    assert ".pdiparams" in caught.value.action


def test_an_impossible_size_reads_nothing(tmp_path: Path) -> None:
    data = record("float32", (1,))[:-4]
    huge = data.replace(b"\x10\x01", b"\x10" + b"\xff" * 8 + b"\x7f")
    huge = huge[:16] + struct.pack("<i", len(huge) - 20) + huge[20:]
    with pytest.raises(DamagedArtifactError, match="cut short"):
        match(huge, (TensorSpec("a", "float32", (2**63 - 1,)),))


def test_large_weights_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cost is that of headers: 1 GiB of (sparse) weights, a few hundred bytes read."""
    path = tmp_path / "m.pdiparams"
    size = 2**28
    spec = TensorSpec("a", "float32", (size,))
    description = message("TensorDesc")
    description.data_type = NUMBERS["float32"]
    description.dims.append(size)
    encoded = description.SerializeToString()
    head = struct.pack("<IQIi", 0, 0, 0, len(encoded)) + encoded
    with path.open("wb") as file:
        file.write(head)
        file.truncate(len(head) + 4 * size)
    read: list[int] = []
    plain = OpenFile.read_at

    def counting(self: OpenFile, offset: int, length: int) -> bytes:
        read.append(length)
        return plain(self, offset, length)

    monkeypatch.setattr(OpenFile, "read_at", counting)
    (parameter,), identity = match_file(str(path), (spec,), "m.json")
    assert parameter.nbytes == 4 * size
    assert identity.size == len(head) + 4 * size
    assert sum(read) < 10_000


def test_loose_variables(tmp_path: Path) -> None:
    for spec in SPECS:
        (tmp_path / spec.name).write_bytes(record(spec.dtype, spec.shape))
    parameters, identities = match_loose(str(tmp_path), SPECS, "__model__")
    assert [parameter.file for parameter in parameters] == [str(tmp_path / n) for n in "abc"]
    assert [identity.path for identity in identities] == [str(tmp_path / n) for n in "abc"]
    (tmp_path / "b").unlink()
    with pytest.raises(ArtifactNotFoundError, match="'b' has no file"):
        match_loose(str(tmp_path), SPECS, "__model__")


@pytest.mark.parametrize(
    "name", ["../secret", "/etc/passwd", "a/../../b", "", "a\0b", "..", "..\\b", "C:\\b"]
)
def test_a_name_cannot_leave_the_folder(name: str) -> None:
    with pytest.raises(UnsafeArtifactError):
        loose_path("folder", name)
