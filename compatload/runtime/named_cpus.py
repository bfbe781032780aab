"""CPUs by name, to plan for machines that nobody has at hand.

Vendor, family and model as CPUID gives them; features are those that decide whether Paddle's
wheels run. Sources: Intel SDM and AMD APM (CPUID), Linux ``arch/x86/include/asm/intel-family.h``
and ``arch/x86/kernel/cpu/{hygon,zhaoxin,centaur}.c``, QEMU's CPU models.
"""

from __future__ import annotations

from compatload.errors import UsageError
from compatload.runtime.model import Cpu


def _named(names: str) -> frozenset[str]:
    return frozenset(names.split())


_V1 = _named("cx8 cmov mmx fxsr sse sse2 lm nx")
_V2 = _V1 | _named("pni ssse3 sse4_1 sse4_2 cx16 popcnt lahf_lm")
_NEHALEM = _V2
_WESTMERE = _NEHALEM | {"aes", "pclmulqdq"}
_SANDY_BRIDGE = _WESTMERE | {"avx", "xsave"}
_IVY_BRIDGE = _SANDY_BRIDGE | {"f16c", "rdrand", "erms"}
_HASWELL = _IVY_BRIDGE | _named("avx2 fma bmi1 bmi2 movbe abm")
_SKYLAKE_SERVER = _HASWELL | _named("adx rdseed avx512f avx512dq avx512cd avx512bw avx512vl")
_ICE_LAKE_SERVER = _SKYLAKE_SERVER | _named(
    "avx512_vnni avx512ifma avx512vbmi avx512_vbmi2 avx512_bitalg avx512_vpopcntdq "
    "gfni vaes vpclmulqdq sha_ni"
)
_SAPPHIRE_RAPIDS = _ICE_LAKE_SERVER | _named(
    "avx_vnni avx512_bf16 avx512_fp16 amx_tile amx_int8 amx_bf16"
)
_ZEN = (_HASWELL - {"erms"}) | _named("sse4a 3dnowprefetch adx rdseed sha_ni")
# Hygon took AES, PCLMULQDQ and SHA out of Zen (so QEMU's Dhyana, made by Hygon itself).
_DHYANA = _ZEN - {"aes", "pclmulqdq", "sha_ni"}
_ZEN2 = _ZEN
_ZEN3 = _ZEN2 | {"erms", "vaes", "vpclmulqdq"}
_ZEN4 = _ZEN3 | _named(
    "gfni avx512f avx512dq avx512cd avx512bw avx512vl avx512ifma avx512vbmi avx512_vbmi2 "
    "avx512_vnni avx512_bitalg avx512_vpopcntdq avx512_bf16"
)
_BULLDOZER = _SANDY_BRIDGE | _named("xop fma4 sse4a abm 3dnowprefetch")
_PILEDRIVER = _BULLDOZER | _named("fma f16c bmi1")
# ZX-C to KX-6000 have AVX2 and no FMA; YongFeng (KX-7000) and later have both.
_ZHANGJIANG = (_HASWELL - {"fma"}) | {"rdseed", "adx"}
_YONGFENG = _HASWELL | _named("rdseed adx sha_ni")


def _x86(
    vendor: str, family: int | None, model: int | None, name: str, features: frozenset[str]
) -> Cpu:
    return Cpu("x86_64", vendor, family, model, name, features)


_INTEL, _AMD, _HYGON, _ZHAOXIN = "GenuineIntel", "AuthenticAMD", "HygonGenuine", "Shanghai"

NAMED_CPUS: dict[str, Cpu] = {
    "x86-64-v1": Cpu("x86_64", name="x86-64-v1", features=_V1),
    "x86-64-v2": Cpu("x86_64", name="x86-64-v2", features=_V2),
    "x86-64-v3": Cpu("x86_64", name="x86-64-v3", features=_HASWELL),
    "x86-64-v4": Cpu("x86_64", name="x86-64-v4", features=_SKYLAKE_SERVER),
    "nehalem": _x86(_INTEL, 6, 26, "Intel Nehalem", _NEHALEM),
    "westmere": _x86(_INTEL, 6, 44, "Intel Westmere", _WESTMERE),
    "sandy-bridge": _x86(_INTEL, 6, 42, "Intel Sandy Bridge", _SANDY_BRIDGE),
    "ivy-bridge": _x86(_INTEL, 6, 58, "Intel Ivy Bridge", _IVY_BRIDGE),
    "haswell": _x86(_INTEL, 6, 60, "Intel Haswell", _HASWELL),
    "broadwell": _x86(_INTEL, 6, 61, "Intel Broadwell", _HASWELL | {"adx", "rdseed"}),
    "skylake-server": _x86(_INTEL, 6, 85, "Intel Skylake-SP", _SKYLAKE_SERVER),
    "ice-lake-server": _x86(_INTEL, 6, 106, "Intel Ice Lake-SP", _ICE_LAKE_SERVER),
    "sapphire-rapids": _x86(_INTEL, 6, 143, "Intel Sapphire Rapids", _SAPPHIRE_RAPIDS),
    "bulldozer": _x86(_AMD, 21, 1, "AMD Bulldozer", _BULLDOZER),
    "piledriver": _x86(_AMD, 21, 2, "AMD Piledriver", _PILEDRIVER),
    "epyc": _x86(_AMD, 23, 1, "AMD EPYC (Naples)", _ZEN),
    "epyc-rome": _x86(_AMD, 23, 49, "AMD EPYC (Rome)", _ZEN2),
    "epyc-milan": _x86(_AMD, 25, 1, "AMD EPYC (Milan)", _ZEN3),
    "epyc-genoa": _x86(_AMD, 25, 17, "AMD EPYC (Genoa)", _ZEN4),
    "hygon-dhyana": _x86(_HYGON, 24, 0, "Hygon C86 (Dhyana)", _DHYANA),
    "zhaoxin-zhangjiang": _x86("CentaurHauls", 7, 27, "Zhaoxin ZX-C/KX-5000", _ZHANGJIANG),
    "zhaoxin": _x86(_ZHAOXIN, 7, 59, "Zhaoxin KaiXian KX-6000", _ZHANGJIANG),
    "zhaoxin-yongfeng": _x86(_ZHAOXIN, 7, 91, "Zhaoxin KaiXian KX-7000 (YongFeng)", _YONGFENG),
    "aarch64": Cpu("aarch64", name="Armv8-A", features=frozenset({"fp", "asimd"})),
    "kunpeng-920": Cpu(
        "aarch64",
        "0x48",
        8,
        0xD01,
        "HiSilicon Kunpeng 920",
        _named("fp asimd aes pmull sha1 sha2 crc32 atomics fphp asimdhp asimddp"),
    ),
    "apple-m1": Cpu(
        "aarch64",
        "Apple",
        name="Apple M1",
        features=frozenset({"asimd", "asimddp", "asimdhp"}),
    ),
}


def named_cpu(name: str) -> Cpu:
    """The CPU of that name; raises UsageError, listing what there is, for any other."""
    cpu = NAMED_CPUS.get(name.strip().lower().replace("_", "-"))
    if cpu is None:
        raise UsageError(
            f"unknown CPU {name!r}", action=f"Use one of: {', '.join(sorted(NAMED_CPUS))}."
        )
    return cpu
