"""What macOS and Windows say about the CPU, where CPUID cannot be executed."""

from __future__ import annotations

import sys
from typing import Any

from compatload.runtime.model import Cpu

# sysctl names its features after Intel's manuals; the rest are Linux's names in capitals.
_SYSCTL_FEATURES = {
    "AVX1.0": "avx",
    "SSE3": "pni",
    "SSE4.1": "sse4_1",
    "SSE4.2": "sse4_2",
    "LZCNT": "abm",
    "SHA": "sha_ni",
}
_SYSCTL_FEATURE_LISTS = (
    "machdep.cpu.features",
    "machdep.cpu.leaf7_features",
    "machdep.cpu.extfeatures",
)
_SYSCTL_ARM = {
    "hw.optional.AdvSIMD": "asimd",
    "hw.optional.arm.FEAT_DotProd": "asimddp",
    "hw.optional.arm.FEAT_FP16": "asimdhp",
    "hw.optional.arm.FEAT_BF16": "bf16",
    "hw.optional.arm.FEAT_I8MM": "i8mm",
}

# winnt.h, PF_*: IsProcessorFeaturePresent already takes the system's support into account. It
# has no number for FMA, so a CPU asked this way seems to lack it, which costs speed, not safety.
_WINDOWS_FEATURES = {
    6: "sse",
    10: "sse2",
    13: "pni",
    36: "ssse3",
    37: "sse4_1",
    38: "sse4_2",
    39: "avx",
    40: "avx2",
    41: "avx512f",
    19: "asimd",
    43: "asimddp",
}
_WINDOWS_CPU_KEY = r"HARDWARE\DESCRIPTION\System\CentralProcessor\0"


def cpu_from_sysctl(architecture: str) -> Cpu:
    """macOS; Rosetta shows as hypervisor, since it hides AVX from x86 processes."""
    names = " ".join(filter(None, map(_sysctl_text, _SYSCTL_FEATURE_LISTS))).split()
    features = {_SYSCTL_FEATURES.get(name, name.lower().replace(".", "_")) for name in names}
    features |= {name for key, name in _SYSCTL_ARM.items() if _sysctl_number(key)}
    translated = _sysctl_number("sysctl.proc_translated")
    apple = "Apple" if architecture == "aarch64" else None
    return Cpu(
        architecture=architecture,
        vendor=_sysctl_text("machdep.cpu.vendor") or apple,
        family=_sysctl_number("machdep.cpu.family"),
        model=_sysctl_number("machdep.cpu.model"),
        name=_sysctl_text("machdep.cpu.brand_string"),
        features=frozenset(features),
        hypervisor="Rosetta" if translated else None,
    )


def cpu_from_windows(architecture: str) -> Cpu:
    """Windows: names from the registry, features from the kernel."""
    if sys.platform != "win32":
        return Cpu(architecture)
    import ctypes
    import winreg

    values: dict[str, str] = {}
    with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, _WINDOWS_CPU_KEY) as key:
        for name in ("VendorIdentifier", "Identifier", "ProcessorNameString"):
            try:
                values[name] = str(winreg.QueryValueEx(key, name)[0]).strip()
            except OSError:
                continue  # older systems have fewer values
    family, model = windows_family_and_model(values.get("Identifier", ""))
    present = ctypes.WinDLL("kernel32").IsProcessorFeaturePresent
    return Cpu(
        architecture=architecture,
        vendor=values.get("VendorIdentifier"),
        family=family,
        model=model,
        name=values.get("ProcessorNameString"),
        features=frozenset(name for number, name in _WINDOWS_FEATURES.items() if present(number)),
    )


def windows_family_and_model(identifier: str) -> tuple[int | None, int | None]:
    """From ``"AMD64 Family 24 Model 0 Stepping 1"``."""
    words = identifier.split()

    def after(word: str) -> int | None:
        at = words.index(word) + 1 if word in words else len(words)
        return int(words[at]) if at < len(words) and words[at].isdecimal() else None

    return after("Family"), after("Model")


def _sysctl(name: str) -> bytes | None:
    import ctypes

    libc: Any = ctypes.CDLL(None)
    size = ctypes.c_size_t()
    if libc.sysctlbyname(name.encode(), None, ctypes.byref(size), None, 0):
        return None
    buffer = ctypes.create_string_buffer(size.value)
    if libc.sysctlbyname(name.encode(), buffer, ctypes.byref(size), None, 0):
        return None
    return buffer.raw[: size.value]


def _sysctl_text(name: str) -> str | None:
    raw = _sysctl(name)
    return raw.rstrip(b"\0").decode("utf-8", "replace") if raw else None


def _sysctl_number(name: str) -> int | None:
    raw = _sysctl(name)
    return int.from_bytes(raw, sys.byteorder) if raw else None
