from __future__ import annotations

import pytest

from compatload.errors import UsageError
from compatload.runtime.named_cpus import NAMED_CPUS, named_cpu


@pytest.mark.parametrize(
    ("name", "vendor", "has", "lacks"),
    [
        ("hygon-dhyana", "HygonGenuine", {"avx2", "fma"}, {"aes", "avx512f"}),
        ("zhaoxin", "Shanghai", {"avx2"}, {"fma"}),
        ("zhaoxin-zhangjiang", "CentaurHauls", {"avx2"}, {"fma"}),
        ("zhaoxin-yongfeng", "Shanghai", {"avx2", "fma"}, {"avx512f"}),
        ("epyc", "AuthenticAMD", {"avx2", "fma"}, {"avx512f"}),
        ("epyc-genoa", "AuthenticAMD", {"avx512f", "avx512_bf16"}, {"amx_tile"}),
        ("haswell", "GenuineIntel", {"avx2", "fma"}, {"avx512f"}),
        ("sandy-bridge", "GenuineIntel", {"avx"}, {"avx2", "fma"}),
        ("nehalem", "GenuineIntel", {"sse4_2"}, {"avx", "aes"}),
        ("sapphire-rapids", "GenuineIntel", {"amx_bf16", "avx512_fp16"}, {"xop"}),
    ],
)
def test_what_decides(name: str, vendor: str, has: set[str], lacks: set[str]) -> None:
    cpu = named_cpu(name)
    assert cpu.vendor == vendor
    assert has <= cpu.features
    assert not lacks & cpu.features


def test_levels_of_x86_64_grow() -> None:
    levels = [named_cpu(f"x86-64-v{level}").features for level in (1, 2, 3, 4)]
    assert all(lower < upper for lower, upper in zip(levels, levels[1:]))
    beyond = {name for name, cpu in NAMED_CPUS.items() if levels[0] <= cpu.features}
    assert {name for name, cpu in NAMED_CPUS.items() if cpu.architecture == "x86_64"} == beyond


def test_names_are_forgiving_and_complete() -> None:
    assert named_cpu(" Hygon_Dhyana ") == NAMED_CPUS["hygon-dhyana"]
    with pytest.raises(UsageError, match=r"unknown CPU 'pentium'(.|\n)*hygon-dhyana"):
        named_cpu("pentium")
