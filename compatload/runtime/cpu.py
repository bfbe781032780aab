"""The CPU of this machine: vendor, family, model, and the features its system has enabled."""

from __future__ import annotations

import functools
import platform
import sys
from pathlib import Path

from compatload.runtime.cpuid import Cpuid, CpuidUnavailableError, register_text
from compatload.runtime.model import Cpu

# (leaf, subleaf, register): {bit: Linux's name}. Intel SDM vol. 2A and AMD APM vol. 3, "CPUID";
# only what decides whether compiled code runs, not every bit there is.
_FEATURE_BITS: dict[tuple[int, int, int], dict[int, str]] = {
    (1, 0, 3): {8: "cx8", 15: "cmov", 23: "mmx", 24: "fxsr", 25: "sse", 26: "sse2"},
    (1, 0, 2): {
        0: "pni",
        1: "pclmulqdq",
        9: "ssse3",
        12: "fma",
        13: "cx16",
        19: "sse4_1",
        20: "sse4_2",
        22: "movbe",
        23: "popcnt",
        25: "aes",
        26: "xsave",
        28: "avx",
        29: "f16c",
        30: "rdrand",
    },
    (7, 0, 1): {
        3: "bmi1",
        5: "avx2",
        8: "bmi2",
        9: "erms",
        16: "avx512f",
        17: "avx512dq",
        18: "rdseed",
        19: "adx",
        21: "avx512ifma",
        28: "avx512cd",
        29: "sha_ni",
        30: "avx512bw",
        31: "avx512vl",
    },
    (7, 0, 2): {
        1: "avx512vbmi",
        6: "avx512_vbmi2",
        8: "gfni",
        9: "vaes",
        10: "vpclmulqdq",
        11: "avx512_vnni",
        12: "avx512_bitalg",
        14: "avx512_vpopcntdq",
    },
    (7, 0, 3): {22: "amx_bf16", 23: "avx512_fp16", 24: "amx_tile", 25: "amx_int8"},
    (7, 1, 0): {4: "avx_vnni", 5: "avx512_bf16", 21: "amx_fp16"},
    (0x80000001, 0, 2): {
        0: "lahf_lm",
        5: "abm",
        6: "sse4a",
        8: "3dnowprefetch",
        11: "xop",
        16: "fma4",
    },
    (0x80000001, 0, 3): {20: "nx", 29: "lm"},
}
_OSXSAVE = 1 << 27  # leaf 1, ecx
_HYPERVISOR = 1 << 31  # leaf 1, ecx

# What the system must save across a context switch (bits of XCR0) before code may use it.
_AVX_STATE, _AVX512_STATE, _AMX_STATE = 0x6, 0xE6, 0x60000
_AVX_FEATURES = frozenset(
    {"avx", "avx2", "fma", "fma4", "xop", "f16c", "vaes", "vpclmulqdq", "avx_vnni"}
)

_HYPERVISORS = {
    "KVMKVMKVM": "KVM",
    "TCGTCGTCGTCG": "QEMU TCG",
    "Microsoft Hv": "Hyper-V",
    "VMwareVMware": "VMware",
    "XenVMMXenVMM": "Xen",
    "VBoxVBoxVBox": "VirtualBox",
    "bhyve bhyve": "bhyve",
    "prl hyperv": "Parallels",
    "lrpepyh  vr": "Parallels",
    "ACRNACRNACRN": "ACRN",
}
_X86 = frozenset({"x86_64", "amd64", "x86", "i386", "i686"})


@functools.lru_cache(maxsize=1)
def detect_cpu() -> Cpu:
    """This machine's CPU, asked once a process."""
    return read_cpu()


def read_cpu(root: str = "/", machine: str | None = None) -> Cpu:
    """Ask anew: CPUID first, then the operating system. ``root`` is for tests' fake trees."""
    architecture = _architecture(machine or platform.machine())
    if architecture == "x86_64" and root == "/":
        try:
            return cpu_from_cpuid()
        except CpuidUnavailableError:
            pass  # a hardened system: what it says itself is the next best
    return _cpu_from_system(architecture, root)


def cpu_from_cpuid() -> Cpu:
    """Ask the CPU itself; raises CpuidUnavailableError where that is refused."""
    with Cpuid() as cpuid:
        highest, ebx, ecx, edx = cpuid(0)
        vendor = register_text(ebx, edx, ecx)
        signature, _, features_ecx, _ = cpuid(1)
        highest_extended = cpuid(0x80000000)[0]
        state = cpuid.enabled_state() if features_ecx & _OSXSAVE else 0
        found = set()
        for (leaf, subleaf, register), names in _FEATURE_BITS.items():
            known = highest_extended if leaf & 0x80000000 else highest
            if leaf > known or (subleaf and subleaf > cpuid(leaf)[0]):
                continue
            value = cpuid(leaf, subleaf)[register]
            found |= {name for bit, name in names.items() if value >> bit & 1}
        name = None
        if highest_extended >= 0x80000004:
            words = [word for leaf in range(0x80000002, 0x80000005) for word in cpuid(leaf)]
            name = register_text(*words) or None
        hypervisor = None
        if features_ecx & _HYPERVISOR:
            text = register_text(*cpuid(0x40000000)[1:])
            hypervisor = _HYPERVISORS.get(text, text or "unknown")
    family, model = family_and_model(signature)
    return Cpu(
        architecture="x86_64",
        vendor=vendor,
        family=family,
        model=model,
        name=name,
        features=enabled_features(found, state),
        hypervisor=hypervisor,
    )


def enabled_features(features: set[str], state: int) -> frozenset[str]:
    """Those of ``features`` whose registers the system saves, given XCR0."""
    missing: set[str] = set()
    if state & _AVX_STATE != _AVX_STATE:
        missing |= _AVX_FEATURES
    if state & _AVX512_STATE != _AVX512_STATE:
        missing |= {name for name in features if name.startswith("avx512")}
    if state & _AMX_STATE != _AMX_STATE:
        missing |= {name for name in features if name.startswith("amx")}
    return frozenset(features - missing)


def family_and_model(signature: int) -> tuple[int, int]:
    """The displayed family and model in eax of CPUID leaf 1."""
    family, model = signature >> 8 & 0xF, signature >> 4 & 0xF
    # Intel: the extended model counts for families 6 and 15; AMD: for 15 only. Linux uses it
    # from family 6 on for all, and so do we, so that both ways of asking agree.
    if family >= 6:
        model |= (signature >> 16 & 0xF) << 4
    if family == 0xF:
        family += signature >> 20 & 0xFF
    return family, model


def _architecture(machine: str) -> str:
    lowered = machine.lower()
    if lowered in _X86:
        return "x86_64"
    return "aarch64" if lowered == "arm64" else lowered


def _cpu_from_system(architecture: str, root: str) -> Cpu:
    if root == "/" and sys.platform == "darwin":
        from compatload.runtime.system_cpu import cpu_from_sysctl

        return cpu_from_sysctl(architecture)
    if root == "/" and sys.platform == "win32":
        from compatload.runtime.system_cpu import cpu_from_windows

        return cpu_from_windows(architecture)
    try:
        text = (Path(root) / "proc/cpuinfo").read_text("utf-8", "replace")
    except OSError:
        return Cpu(architecture)
    return parse_cpuinfo(text, architecture)


def parse_cpuinfo(text: str, architecture: str) -> Cpu:
    """The first processor of a Linux ``/proc/cpuinfo``."""
    fields: dict[str, str] = {}
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        if colon:
            fields.setdefault(key.strip(), value.strip())
    features = frozenset((fields.get("flags") or fields.get("Features") or "").split())
    return Cpu(
        architecture=architecture,
        vendor=fields.get("vendor_id") or fields.get("CPU implementer"),
        family=_number(fields.get("cpu family") or fields.get("CPU architecture")),
        model=_number(fields.get("model") or fields.get("CPU part")),
        name=fields.get("model name") or fields.get("Model"),
        features=features - {"hypervisor"},
        hypervisor="unknown" if "hypervisor" in features else None,
    )


def _number(text: str | None) -> int | None:
    try:
        return int(text, 0) if text else None
    except ValueError:
        return None
