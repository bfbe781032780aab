"""Make the runtimes in this folder anew: record what can be run here, compose the rest.

    python tests/runtimes/make_runtimes.py ENVIRONMENTS [GPU_SITE]

ENVIRONMENTS holds ``<release>/bin/python``; GPU_SITE is a folder into which paddlepaddle-gpu
2.6.2 was installed (``pip install --no-deps --target``). The emulated ones need Debian's
qemu-user. What is composed comes from public facts, each named in its ``origin``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from compatload.runtime.model import Cpu, Device, IrMode, PaddleBuild, Runtime
from compatload.runtime.named_cpus import named_cpu

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DETECT = (
    "from compatload.runtime.detection import detect_runtime; print(detect_runtime().to_json())"
)

# Name → QEMU's CPU model (TCG leaves out what it cannot do) and the release recorded with it.
EMULATED = {
    "hygon-dhyana": ("Dhyana,-misalignsse,-topoext,-xsavec", "3.3.1"),
    "zhaoxin-without-fma": ("Haswell,-hle,-rtm,-fma,vendor=  Shanghai  ", "3.3.1"),
    "sandy-bridge": ("SandyBridge", "3.3.1"),
    "nehalem": ("Nehalem", "2.6.2"),
}

ON = IrMode(pir=True, source="default")
COMPOSED = {
    "cuda": Runtime(
        PaddleBuild("3.0.0", "paddlepaddle-gpu", "cuda", "12.6"),
        ON,
        named_cpu("sapphire-rapids"),
        (Device("gpu", 0, "NVIDIA H100 80GB HBM3"), Device("gpu", 1, "NVIDIA H100 80GB HBM3")),
        python="3.10.16",
        numpy="1.26.4",
        platform="linux-x86_64",
        origin="composed from Paddle's index of wheels (cu126) and NVIDIA's driver documentation",
    ),
    "dcu": Runtime(
        PaddleBuild("3.0.0", "paddlepaddle-dcu", "rocm"),
        ON,
        named_cpu("hygon-dhyana"),
        (Device("dcu", 0, "gfx926"),),
        python="3.10.14",
        numpy="1.26.4",
        platform="linux-x86_64",
        origin="composed from Paddle's DCU installation guide (a Hygon CPU with a K100 DCU)",
    ),
    "xpu": Runtime(
        PaddleBuild("3.2.1", "paddlepaddle-xpu", "xpu", "5.0.21.21"),
        ON,
        named_cpu("ice-lake-server"),
        (Device("xpu", 0), Device("xpu", 1)),
        python="3.10.14",
        numpy="1.26.4",
        platform="linux-x86_64",
        origin="composed from Paddle's XPU installation guide and PaddleOCR issue 18353 (P800)",
    ),
    "npu": Runtime(
        PaddleBuild("3.0.0", "paddlepaddle", "custom", custom_devices=("npu",)),
        ON,
        named_cpu("kunpeng-920"),
        (Device("npu", 0),),
        python="3.10.14",
        numpy="1.26.4",
        platform="linux-aarch64",
        origin="composed from PaddleCustomDevice's guide for Ascend (paddle-custom-npu)",
    ),
    "aarch64": Runtime(
        PaddleBuild("3.2.2", "paddlepaddle"),
        ON,
        named_cpu("aarch64"),
        python="3.11.9",
        numpy="2.2.6",
        platform="linux-aarch64",
        origin="composed from PyPI's wheels and Paddle issue 78744",
    ),
    "macos": Runtime(
        PaddleBuild("3.0.0", "paddlepaddle"),
        ON,
        Cpu("aarch64", "Apple", name="Apple M1", features=named_cpu("apple-m1").features),
        python="3.11.9",
        numpy="2.2.6",
        platform="darwin-arm64",
        origin="composed from PyPI's wheels (macosx_11_0_arm64) and Apple's sysctl documentation",
    ),
}


def recorded(python: Path, prefix: tuple[str, ...] = (), site: str | None = None) -> Runtime:
    """What detect_runtime says in that interpreter."""
    paths = [str(ROOT), *([site] if site else [])]
    text = subprocess.run(
        [*prefix, str(python.resolve() if prefix else python), "-c", DETECT],
        check=True,
        capture_output=True,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(paths)},
    ).stdout
    return Runtime.from_json(text)


def write(name: str, runtime: Runtime) -> None:
    # Where it was installed is nobody's business and would differ on every machine.
    build = replace(runtime.paddle, location=None) if runtime.paddle else None
    text = replace(runtime, paddle=build).to_json()
    (HERE / f"{name}.json").write_text(text + "\n", "utf-8")


def main() -> None:
    environments = Path(sys.argv[1])
    host = recorded(environments / "3.3.1/bin/python")
    write("host", replace(host, origin="recorded on the machine that made these files"))
    for name, (model, release) in EMULATED.items():
        python = environments / release / "bin/python"
        emulator = ("qemu-x86_64", "-cpu", model, "-0", str(python))
        origin = f"recorded under emulation by qemu-user -cpu {model!r}"
        write(name, replace(recorded(python, emulator), origin=origin))
    if len(sys.argv) > 2:
        python = environments / "2.6.2/bin/python"
        origin = "recorded on a machine without a GPU, with paddlepaddle-gpu 2.6.2 from PyPI"
        found = recorded(python, site=sys.argv[2])
        write("gpu-build-without-gpu", replace(found, origin=origin))
    for name, runtime in COMPOSED.items():
        write(name, runtime)


if __name__ == "__main__":
    main()
