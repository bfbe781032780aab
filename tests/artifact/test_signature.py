"""Files are known by their content, and each that is no program is told what to do."""

from __future__ import annotations

import pickle
import struct

import pytest

from compatload.artifact.signature import (
    PROGRAMS,
    Kind,
    not_a_program,
    recognise,
)
from compatload.errors import DamagedArtifactError, UnsupportedFormatError

TORCH_ZIP = b"PK\x03\x04" + b"\x00" * 22 + struct.pack("<HH", 16, 0) + b"archive/data.pkl" + b"\x80"
ONNX = b"\x08\x07\x12\x07pytorch\x1a\x052.1.0"

HEADS = {
    "nothing": (b"", "", Kind.EMPTY),
    "pir": (b'{"base_code":{"magic":"pir","version":4}}', "", Kind.PIR),
    "pir, indented": (b'{\n    "base_code": {\n        "magic": "pir"', "", Kind.PIR),
    "pir with a byte order mark": (b'\xef\xbb\xbf{"magic":"pir"}', "", Kind.PIR),
    "settings": (b'{"model_type": "llama"}', "config.json", Kind.JSON),
    "legacy": (b"\x0a\x80\x01\x08\x00", "", Kind.LEGACY),
    "legacy text": (b"# saved\nblocks {\n  idx: 0\n", "", Kind.LEGACY_TEXT),
    "weights": (struct.pack("<IQIi", 0, 0, 0, 4) + b"\x08\x05\x10\x03", "", Kind.WEIGHTS),
    "weights with levels": (struct.pack("<IQQ", 0, 1, 16), "", Kind.WEIGHTS),
    "state": (pickle.dumps({"a": 1}, 2), "m.pdparams", Kind.PICKLE),
    "state, protocol 4": (pickle.dumps({"a": 1}, 4), "", Kind.PICKLE),
    "safetensors": (struct.pack("<Q", 60) + b'{"__metadata__":{}', "", Kind.SAFETENSORS),
    "lite": (struct.pack("<H", 2) + b"v2.12\x00" + bytes(10), "m.nb", Kind.PADDLE_LITE),
    "encrypted": (b"PADDLE1.0" + bytes(20), "", Kind.ENCRYPTED),
    "encrypted, by name": (b"\x91\x17\x03", "__model__.encrypted", Kind.ENCRYPTED),
    "checkpoint": (pickle.dumps({}, 4), "0_0.distcp", Kind.DISTRIBUTED_CHECKPOINT),
    "checkpoint metadata": (pickle.dumps({}, 4), "0.metadata", Kind.DISTRIBUTED_CHECKPOINT),
    "onnx": (ONNX, "", Kind.ONNX),
    "torch": (TORCH_ZIP, "m.pt", Kind.TORCH),
    "torch, old": (pickle.dumps(0x1950A86A20F9469CFC6C, 2), "m.pth", Kind.TORCH),
    "zip": (b"PK\x03\x04" + bytes(100), "", Kind.ZIP),
    "tar": (b"inference.pdmodel".ljust(257, b"\x00") + b"ustar\x00", "", Kind.TAR),
    "gzip": (b"\x1f\x8b\x08\x00", "", Kind.GZIP),
    "hdf5": (b"\x89HDF\r\n\x1a\n", "", Kind.HDF5),
    "lfs": (b"version https://git-lfs.github.com/spec/v1\n", "m.pdmodel", Kind.LFS_POINTER),
    "web page": (b"<!DOCTYPE html>\n<html>", "m.pdmodel", Kind.HTML),
    "noise": (b"\xde\xad\xbe\xef", "m.pdmodel", Kind.UNKNOWN),
}


@pytest.mark.parametrize("name", sorted(HEADS))
def test_content_decides(name: str) -> None:
    head, path, kind = HEADS[name]
    assert recognise(head, path) is kind


def test_every_kind_is_recognised_somewhere() -> None:
    assert {kind for _, _, kind in HEADS.values()} == set(Kind)


@pytest.mark.parametrize("kind", sorted(set(Kind) - PROGRAMS.keys()))
def test_each_kind_that_is_no_program_has_one_thing_to_do(kind: Kind) -> None:
    error = not_a_program("some/file", kind)
    assert isinstance(error, (UnsupportedFormatError, DamagedArtifactError))
    assert kind.value in str(error)
    assert "some/file" in str(error)
    assert error.action
