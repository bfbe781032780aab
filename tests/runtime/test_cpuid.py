"""The machine code, against what the kernel says of the same CPU."""

from __future__ import annotations

import ctypes
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from compatload.runtime.cpu import _FEATURE_BITS, cpu_from_cpuid, parse_cpuinfo
from compatload.runtime.cpuid import Cpuid, code, executable, register_text

ROOT = Path(__file__).parent.parent.parent
needs_x86_linux = pytest.mark.skipif(
    platform.machine() != "x86_64" or sys.platform != "linux",
    reason="compares with Linux's /proc/cpuinfo on x86",
)


@needs_x86_linux
def test_cpuid_and_the_kernel_agree() -> None:
    with open("/proc/cpuinfo") as stream:
        system = parse_cpuinfo(stream.read(), "x86_64")
    asked = cpu_from_cpuid()
    known = {name for names in _FEATURE_BITS.values() for name in names.values()}
    # The kernel hides an instruction that it knows to be broken (rdseed on Zen 5).
    assert asked.features - {"rdseed"} == (system.features & known) - {"rdseed"}
    assert (asked.vendor, asked.family, asked.model, asked.name) == (
        system.vendor,
        system.family,
        system.model,
        system.name,
    )
    assert (asked.hypervisor is None) == (system.hypervisor is None)


@needs_x86_linux
def test_callee_saved_registers_survive_many_calls() -> None:
    with Cpuid() as cpuid:
        first = cpuid(0)
        assert all(cpuid(0) == first for _ in range(10_000))
        assert register_text(first[1], first[3], first[2]) == cpu_from_cpuid().vendor


# mov rcx,rdi; mov rax,rdx; mov rdx,rsi; mov r8,rax: from System V's registers to Windows's.
TO_WINDOWS = bytes.fromhex("4889f9 4889d0 4889f2 4989c0")


@needs_x86_linux
def test_the_windows_variant_reads_the_same_registers() -> None:
    place, release = executable(TO_WINDOWS + code("windows"))
    try:
        out = (ctypes.c_uint32 * 4)()
        call = ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_void_p)(place)
        with Cpuid() as cpuid:
            for leaf, subleaf in ((0, 0), (7, 0), (0x80000002, 0)):
                call(leaf, subleaf, out)
                assert tuple(out) == cpuid(leaf, subleaf)
    finally:
        release()


# PR_SET_MDWE (65) with PR_MDWE_REFUSE_EXEC_GAIN (1): from then on the kernel itself refuses to
# make a page executable, which is what SELinux's execmem and systemd's hardening do.
_HARDENED = """
import ctypes, sys
if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0):
    sys.exit(77)
from compatload.runtime.cpu import read_cpu
from compatload.runtime.cpuid import Cpuid, CpuidUnavailableError
try:
    with Cpuid():
        sys.exit("the page became executable")
except CpuidUnavailableError as error:
    assert "mprotect refused" in str(error), error
cpu = read_cpu()
assert cpu.vendor and cpu.family and "sse2" in cpu.features, cpu
"""


@needs_x86_linux
def test_a_hardened_process_falls_back_to_the_kernel() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _HARDENED],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    if done.returncode == 77:
        pytest.skip("this kernel has no PR_SET_MDWE (Linux 6.3)")
    assert done.returncode == 0, done.stderr


def test_register_text_drops_padding() -> None:
    # "  Shanghai  ", as Zhaoxin's CPUs say it: ebx, edx, ecx.
    words = [int.from_bytes(part, "little") for part in (b"  Sh", b"angh", b"ai  ")]
    assert register_text(*words) == "Shanghai"
    assert register_text(int.from_bytes(b"TCG\0", "little")) == "TCG"
