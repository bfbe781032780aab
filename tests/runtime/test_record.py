from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from compatload.errors import UsageError
from compatload.runtime.model import Cpu, Device, Fact, IrMode, PaddleBuild, Runtime
from compatload.runtime.record import MAXIMUM_BYTES, SCHEMA

FULL = Runtime(
    paddle=PaddleBuild("3.3.1", "paddlepaddle", "custom", "8.0", "abc", "/x", ("npu",)),
    ir_mode=IrMode(pir=True, source="default"),
    cpu=Cpu("x86_64", "Shanghai", 7, 59, "KX-6000", frozenset({"avx2", "avx"}), "KVM"),
    devices=(Device("npu", 0, "910B"), Device("npu", 1)),
    python="3.11.2",
    numpy="2.4.6",
    platform="linux-x86_64",
    imported=True,
    zlib_late=True,
    notes=("ü",),
    origin="written by hand",
    measured=(Fact("CL201", "cpu", present=True),),
)
BARE = Runtime(None, IrMode(pir=True, source="default"), Cpu("aarch64"))


@pytest.mark.parametrize("runtime", [FULL, BARE])
def test_round_trip(runtime: Runtime) -> None:
    assert Runtime.from_dict(runtime.to_dict()) == runtime
    assert Runtime.from_json(runtime.to_json()) == runtime
    assert Runtime.from_json(runtime.to_json().encode()) == runtime


def test_plain_and_stable() -> None:
    data: Any = FULL.to_dict()
    assert data["schema"] == SCHEMA
    assert data["cpu"]["features"] == ["avx", "avx2"]
    assert json.loads(FULL.to_json()) == data


def test_every_field_is_read() -> None:
    for value in (FULL, FULL.paddle, FULL.ir_mode, FULL.cpu, FULL.devices[0], FULL.measured[0]):
        assert value is not None
        said = {field.name: field.default for field in dataclasses.fields(value)}
        left = [name for name in said if getattr(value, name) == said[name] and name != "index"]
        assert left == []  # so that the round trip above goes through all of them


def test_fields_with_defaults_may_be_left_out() -> None:
    data = {
        "schema": 1,
        "paddle": {"version": "2.6.2", "distribution": "paddlepaddle"},
        "ir_mode": {"pir": False, "source": "default"},
        "cpu": {"architecture": "x86_64"},
    }
    assert Runtime.from_dict(data).paddle == PaddleBuild("2.6.2", "paddlepaddle")


def changed(where: str, value: object) -> dict[str, Any]:
    data: Any = FULL.to_dict()
    target = data
    *path, last = where.split(".")
    for step in path:
        target = target[int(step)] if step.isdigit() else target[step]
    if value is KeyError:
        del target[last]
    else:
        target[last] = value
    return data  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("where", "value", "complaint"),
    [
        ("surprise", 1, "unknown fields: surprise"),
        ("cpu.surprise", 1, "runtime.cpu has unknown fields"),
        ("cpu", KeyError, "lacks cpu"),
        ("paddle.version", KeyError, "runtime.paddle lacks version"),
        ("paddle.version", 3.3, "runtime.paddle.version is not a string"),
        ("cpu.family", "7", "runtime.cpu.family is not a whole number"),
        ("cpu.family", True, "runtime.cpu.family is not a whole number"),
        ("imported", 1, "runtime.imported is neither"),
        ("ir_mode.pir", "yes", "runtime.ir_mode.pir is neither"),
        ("ir_mode.source", "guess", "ir_mode.source is 'guess'"),
        ("paddle.flavour", "vulkan", "paddle.flavour is 'vulkan'"),
        ("cpu.features", "avx2", "runtime.cpu.features is not a list"),
        ("cpu.features", [1], "runtime.cpu.features[0] is not a string"),
        ("devices.0.index", None, "runtime.devices[0].index is not a whole number"),
        ("devices", [3], "runtime.devices[0] is not an object"),
        ("paddle", [], "runtime.paddle is not an object"),
        ("schema", KeyError, "no schema number"),
        ("schema", True, "no schema number"),
        ("schema", 2, "has schema 2; this compatload reads 1"),
    ],
)
def test_strict(where: str, value: object, complaint: str) -> None:
    with pytest.raises(UsageError) as caught:
        Runtime.from_dict(changed(where, value))
    assert complaint in str(caught.value)
    assert caught.value.action


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", "3", b"\xff\xfe\x00", "[" * 50_000, " " * (MAXIMUM_BYTES + 1)]
)
def test_no_runtime(text: str | bytes) -> None:
    with pytest.raises(UsageError):
        Runtime.from_json(text)


RECORDED = sorted((Path(__file__).parent.parent / "runtimes").glob("*.json"))


def test_recorded_runtimes_are_all_there() -> None:
    assert [path.stem for path in RECORDED] == [
        "aarch64",
        "cuda",
        "dcu",
        "gpu-build-without-gpu",
        "host",
        "hygon-dhyana",
        "macos",
        "nehalem",
        "npu",
        "sandy-bridge",
        "xpu",
        "zhaoxin-without-fma",
    ]


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_recorded_runtimes_say_where_they_come_from(path: Path) -> None:
    runtime = Runtime.from_json(path.read_text("utf-8"))
    assert runtime.origin is not None
    assert runtime.origin.startswith(("recorded on ", "recorded under emulation ", "composed "))
    assert runtime.to_json() + "\n" == path.read_text("utf-8")
