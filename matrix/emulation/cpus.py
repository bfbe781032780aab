"""The CPU rows of the matrix, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CpuRow:
    """One CPU. ``model`` is QEMU's ``-cpu`` argument, None for the machine itself.

    The flags taken away in ``model`` are those that software emulation lacks anyway; naming them
    silences its warnings.
    """

    name: str
    label: str
    model: str | None

    @property
    def emulated(self) -> bool:
        return self.model is not None


ROWS = (
    CpuRow("host", "the machine that ran the matrix", None),
    CpuRow("hygon-dhyana", "Hygon Dhyana", "Dhyana,-misalignsse,-topoext,-xsavec"),
    # QEMU 7.2 has no Zhaoxin CPU before YongFeng's predecessors; what matters of them is AVX2
    # without FMA and the vendor, which is how the KX-5000 and KX-6000 look to compiled code.
    CpuRow(
        "zhaoxin-without-fma",
        "Zhaoxin, as Haswell without FMA",
        "Haswell,-hle,-rtm,-fma,vendor=  Shanghai  ",
    ),
    CpuRow("epyc", "AMD EPYC (Naples)", "EPYC,-misalignsse,-topoext,-xsavec"),
    CpuRow("haswell", "Intel Haswell", "Haswell,-hle,-rtm"),
    CpuRow("sandy-bridge", "Intel Sandy Bridge (AVX only)", "SandyBridge"),
    CpuRow("nehalem", "Intel Nehalem (no AVX)", "Nehalem"),
)
