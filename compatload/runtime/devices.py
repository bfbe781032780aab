"""Accelerators that are present, found in the file system: no driver call, no subprocess.

Every function takes ``root``, so that tests can point it at a fake ``/dev``, ``/proc``, ``/sys``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from compatload.runtime.model import Device, PaddleBuild

# Environment variables that hide devices, per kind; the first that is set decides.
_VISIBILITY: dict[str, tuple[str, ...]] = {
    "gpu": ("CUDA_VISIBLE_DEVICES",),
    "dcu": ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"),
    "rocm": ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"),
    "xpu": ("XPU_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"),
    "npu": ("ASCEND_RT_VISIBLE_DEVICES",),
    "mlu": ("MLU_VISIBLE_DEVICES",),
    "iluvatar_gpu": ("CUDA_VISIBLE_DEVICES",),
}
# Kinds that are plain numbered nodes in /dev.
_NODES: dict[str, re.Pattern[str]] = {
    "xpu": re.compile(r"xpu(\d+)"),  # not xpuctrl
    "npu": re.compile(r"davinci(\d+)"),  # not davinci_manager
    "mlu": re.compile(r"cambricon_dev(\d+)"),
    "iluvatar_gpu": re.compile(r"iluvatar(\d+)"),
}
_NVIDIA_NODE = re.compile(r"nvidia(\d+)")
_KFD_NODES = "sys/class/kfd/kfd/topology/nodes"
_HYGON_PCI_VENDOR = 0x1D94  # pci.ids: Chengdu Haiguang (Hygon), maker of the DCU

# Kinds that a build's flavour can drive; a custom build drives what its plug-ins name.
_KINDS_OF_FLAVOUR: dict[str, frozenset[str]] = {
    "cpu": frozenset(),
    "cuda": frozenset({"gpu"}),
    "rocm": frozenset({"dcu", "rocm"}),
    "xpu": frozenset({"xpu"}),
}


def detect_devices(
    root: str = "/", environment: Mapping[str, str] | None = None
) -> tuple[Device, ...]:
    """Accelerators that this process may use, numbered as Paddle numbers them, from 0 a kind."""
    environment = os.environ if environment is None else environment
    found = _present_here(_changed()) if root == "/" else _present(root)
    devices: list[Device] = []
    for kind in dict.fromkeys(device.kind for device in found):
        of_kind = [device for device in found if device.kind == kind]
        devices += visible(of_kind, _hidden_by(kind, environment))
    return tuple(devices)


def _changed() -> int | None:
    """When a node came or went, as far as the file system tells."""
    try:
        return os.stat("/dev").st_mtime_ns
    except OSError:
        return None


@lru_cache(maxsize=1)
def _present_here(changed: int | None) -> tuple[Device, ...]:
    return _present("/")


def _present(root: str) -> tuple[Device, ...]:
    base = Path(root)
    nodes = _nodes(base)
    found = [*_nvidia(base, nodes), *_kfd(base, nodes)]
    for kind, pattern in _NODES.items():
        found += [Device(kind, index) for index in _numbered(nodes, pattern)]
    return tuple(found)


def usable_devices(build: PaddleBuild | None, devices: tuple[Device, ...]) -> tuple[Device, ...]:
    """Those of ``devices`` that this build can drive."""
    if build is None:
        return ()
    kinds = _KINDS_OF_FLAVOUR.get(build.flavour, frozenset(build.custom_devices))
    return tuple(device for device in devices if device.kind in kinds)


def visible(devices: list[Device], mask: str | None) -> list[Device]:
    """What a ``*_VISIBLE_DEVICES`` mask leaves, in the mask's order and renumbered from 0.

    As CUDA reads it: an entry that names no device hides itself and all after it; identifiers
    (``GPU-…``, ``MIG-…``) cannot be matched from the file system and count as present.
    """
    if mask is None:
        return [Device(device.kind, n, device.name) for n, device in enumerate(devices)]
    chosen: list[Device] = []
    for entry in (part.strip() for part in mask.split(",")):
        if entry.startswith(("GPU-", "MIG-")) and len(chosen) < len(devices):
            name = devices[0].name if len({device.name for device in devices}) == 1 else None
            chosen.append(Device(devices[0].kind, len(chosen), name))
        elif entry.isdecimal() and int(entry) < len(devices):
            device = devices[int(entry)]
            chosen.append(Device(device.kind, len(chosen), device.name))
        else:
            break
    return chosen


def _hidden_by(kind: str, environment: Mapping[str, str]) -> str | None:
    for name in _VISIBILITY.get(kind, ()):
        if name in environment:
            return environment[name]
    return None


def _nodes(base: Path) -> list[str]:
    try:
        return os.listdir(base / "dev")
    except OSError:
        return []


def _nvidia(base: Path, nodes: Sequence[str]) -> list[Device]:
    """By device nodes, which a container limits; names by minor number from the driver."""
    names: dict[int, str] = {}
    for folder in _entries(base / "proc/driver/nvidia/gpus"):
        fields = _fields(folder / "information", ":")
        minor = fields.get("Device Minor", "")
        if minor.isdecimal() and "Model" in fields:
            names[int(minor)] = fields["Model"]
    minors = _numbered(nodes, _NVIDIA_NODE)
    if not minors and "dxg" in nodes and _wsl_cuda(base):
        minors = [0]  # WSL 2 has one node for all adapters and no driver folder
    return [Device("gpu", n, names.get(minor)) for n, minor in enumerate(minors)]


def _wsl_cuda(base: Path) -> bool:
    return any(
        (base / "usr/lib/wsl/lib" / name).exists() for name in ("libcuda.so.1", "libcuda.so")
    )


def _kfd(base: Path, nodes: Sequence[str]) -> list[Device]:
    """AMD and Hygon GPUs: nodes of the compute driver's topology that have SIMD units."""
    if "kfd" not in nodes:
        return []
    devices: list[Device] = []
    folders = [entry for entry in _entries(base / _KFD_NODES) if entry.name.isdecimal()]
    for folder in sorted(folders, key=lambda entry: int(entry.name)):
        fields = _fields(folder / "properties", None)
        if fields.get("simd_count", "0") == "0":
            continue  # the CPU is a node too
        vendor = fields.get("vendor_id", "")
        kind = "dcu" if vendor.isdecimal() and int(vendor) == _HYGON_PCI_VENDOR else "rocm"
        version = fields.get("gfx_target_version", "")
        devices.append(Device(kind, len(devices), gfx_name(version)))
    return devices


def gfx_name(version: str) -> str | None:
    """``gfx906`` for the driver's ``90006`` (major × 10000 + minor × 100 + stepping)."""
    if not version.isdecimal() or version == "0":
        return None
    number = int(version)
    return f"gfx{number // 10000}{number // 100 % 100:x}{number % 100:x}"


def _numbered(nodes: Sequence[str], pattern: re.Pattern[str]) -> list[int]:
    matches = map(pattern.fullmatch, nodes)
    return sorted(int(match[1]) for match in matches if match)


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _fields(path: Path, separator: str | None) -> dict[str, str]:
    """``key<separator>value`` lines; {} if the file cannot be read."""
    try:
        lines = path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return {}
    pairs = (line.split(separator, 1) for line in lines)
    return {pair[0].strip(): pair[1].strip() for pair in pairs if len(pair) == 2}
