from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from compatload.errors import UsageError
from compatload.runtime.detection import detect_runtime, runtime_for
from compatload.runtime.devices import usable_devices
from compatload.runtime.model import Cpu, Device, Runtime

ROOT = Path(__file__).parent.parent.parent


def detected_by(python: str, code: str, **environment: str) -> dict[str, object]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("FLAGS_")}
    done = subprocess.run(
        [python, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**clean, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **environment},
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    assert isinstance(result, dict)
    return result


DETECT = """
import json, sys
from compatload.runtime import detection as runtime
found = runtime.detect_runtime()
assert not {"paddle", "numpy", "subprocess"} & set(sys.modules), "imported too much"
print(json.dumps(found.to_dict()))
"""


def test_detection_imports_neither_paddle_nor_numpy() -> None:
    data = detected_by(sys.executable, DETECT)
    assert Runtime.from_dict(data).imported is False


def test_this_machine() -> None:
    runtime = detect_runtime()
    assert runtime.python == sys.version.split()[0]
    assert runtime.platform.startswith(sys.platform)
    assert runtime.cpu.architecture
    assert "\n" not in runtime.describe()


def test_a_target_that_is_not_installed() -> None:
    runtime = runtime_for("paddle==3.3.1", cpu="hygon-dhyana")
    assert runtime.describe() == (
        "paddlepaddle 3.3.1 (cpu) on HygonGenuine 24/0, PIR on by default"
    )
    assert runtime_for("2.6.2").describe() == (
        "paddlepaddle 2.6.2 (cpu) on x86-64-v3, PIR off by default"
    )
    assert runtime_for("paddlepaddle==3.0.0", cpu=Cpu("aarch64")).cpu == Cpu("aarch64")


@pytest.mark.parametrize(
    ("spec", "device", "distribution", "flavour", "kind"),
    [
        ("paddle==3.3.1", "gpu:0", "paddlepaddle-gpu", "cuda", "gpu"),
        ("paddlepaddle-gpu==2.6.2", "cpu", "paddlepaddle-gpu", "cuda", None),
        ("3.2.1", "dcu", "paddlepaddle-dcu", "rocm", "dcu"),
        ("3.2.1", "xpu", "paddlepaddle-xpu", "xpu", "xpu"),
        ("3.2.1", "npu", "paddlepaddle", "custom", "npu"),
    ],
)
def test_target_devices(
    spec: str, device: str, distribution: str, flavour: str, kind: str | None
) -> None:
    runtime = runtime_for(spec, device)
    assert runtime.paddle is not None
    assert (runtime.paddle.distribution, runtime.paddle.flavour) == (distribution, flavour)
    expected = (Device(kind),) if kind else ()
    assert usable_devices(runtime.paddle, runtime.devices) == expected


@pytest.mark.parametrize(
    "spec", ["", "paddle", "paddle>=3", "paddle==3.*", "torch==2.0", "paddle==3.0,<4", "???", "==3"]
)
def test_targets_that_name_no_release(spec: str) -> None:
    with pytest.raises(UsageError):
        runtime_for(spec)


@pytest.mark.parametrize("device", ["", "cuda", "tpu:0"])
def test_unknown_devices(device: str) -> None:
    with pytest.raises(UsageError, match="unknown device"):
        runtime_for("3.3.1", device)


def test_no_paddle_is_described() -> None:
    runtime = Runtime.from_dict({**runtime_for("3.3.1", cpu="haswell").to_dict(), "paddle": None})
    assert runtime.describe() == "no Paddle on GenuineIntel 6/60"
