from __future__ import annotations

import sys
from pathlib import Path

import pytest

from compatload.runtime.cpu import (
    detect_cpu,
    enabled_features,
    family_and_model,
    parse_cpuinfo,
    read_cpu,
)
from compatload.runtime.system_cpu import cpu_from_sysctl, windows_family_and_model

# What Linux 6.1 printed on QEMU's Dhyana (qemu-system-x86_64 -cpu Dhyana).
HYGON = (Path(__file__).parent / "cpuinfo/hygon-dhyana.txt").read_text("utf-8")
ZHAOXIN = "vendor_id\t:   Shanghai  \ncpu family\t: 7\nmodel\t\t: 59\nflags\t\t: sse2 avx avx2\n"
KUNPENG = """processor\t: 0
BogoMIPS\t: 200.00
Features\t: fp asimd evtstrm aes asimddp
CPU implementer\t: 0x48
CPU architecture: 8
CPU variant\t: 0x1
CPU part\t: 0xd01
"""


def test_first_processor_of_cpuinfo_counts() -> None:
    cpu = parse_cpuinfo(HYGON + "vendor_id\t: SomethingElse\n", "x86_64")
    assert cpu.describe() == "HygonGenuine 24/0"
    assert cpu.name == "Hygon Dhyana Processor"
    assert {"sse2", "avx", "avx2", "fma"} <= cpu.features
    assert not {"hypervisor", "avx512f"} & cpu.features
    assert cpu.hypervisor == "unknown"


def test_zhaoxin_vendor_is_stripped() -> None:
    cpu = parse_cpuinfo(ZHAOXIN, "x86_64")
    assert cpu.vendor == "Shanghai"
    assert cpu.hypervisor is None


def test_arm_cpuinfo() -> None:
    cpu = parse_cpuinfo(KUNPENG, "aarch64")
    assert (cpu.vendor, cpu.family, cpu.model) == ("0x48", 8, 0xD01)
    assert "asimddp" in cpu.features


@pytest.mark.parametrize("text", ["", "nonsense", "flags\nvendor_id", ": : :", "cpu family: many"])
def test_odd_cpuinfo_gives_an_empty_cpu(text: str) -> None:
    cpu = parse_cpuinfo(text, "x86_64")
    assert (cpu.vendor, cpu.family, cpu.features) == (None, None, frozenset())


def test_read_from_a_fake_tree(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cpuinfo").write_text(HYGON)
    assert read_cpu(str(tmp_path), "x86_64").vendor == "HygonGenuine"
    assert read_cpu(str(tmp_path / "nothing"), "arm64").architecture == "aarch64"


FOUND = {"sse2", "avx", "avx2", "fma", "avx512f", "amx_tile"}


@pytest.mark.parametrize(
    ("state", "enabled"),
    [
        (0x0, {"sse2"}),  # the system saves nothing: not even AVX may be used
        (0x3, {"sse2"}),  # x87 and SSE only
        (0x7, {"sse2", "avx", "avx2", "fma"}),
        (0x67, {"sse2", "avx", "avx2", "fma"}),  # AVX-512 in part is AVX-512 not at all
        (0xE7, {"sse2", "avx", "avx2", "fma", "avx512f"}),
        (0x600E7, FOUND),
    ],
)
def test_features_need_the_systems_support(state: int, enabled: set[str]) -> None:
    assert enabled_features(set(FOUND), state) == enabled


@pytest.mark.parametrize(
    ("signature", "expected"),
    [
        (0x00900F02, (24, 0)),  # Hygon Dhyana
        (0x00800F12, (23, 1)),  # EPYC Naples
        (0x000306C3, (6, 60)),  # Haswell
        (0x000106A5, (6, 26)),  # Nehalem
        (0x000307B0, (7, 59)),  # Zhaoxin KX-6000
    ],
)
def test_family_and_model(signature: int, expected: tuple[int, int]) -> None:
    assert family_and_model(signature) == expected


def test_windows_identifier() -> None:
    assert windows_family_and_model("AMD64 Family 24 Model 0 Stepping 1") == (24, 0)
    assert windows_family_and_model("") == (None, None)
    assert windows_family_and_model("Family Model") == (None, None)


@pytest.mark.skipif(sys.platform != "darwin", reason="sysctlbyname is macOS's")
def test_sysctl() -> None:
    assert cpu_from_sysctl("aarch64").name


def test_detection_is_cached() -> None:
    assert detect_cpu() is detect_cpu()
