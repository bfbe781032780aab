"""What a Paddle installation and its machine are, as plain data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cpu:
    """``vendor`` as CPUID gives it, stripped (``HygonGenuine``, ``Shanghai``); ``features`` in
    Linux's lower-case names (``avx2``, ``fma``, ``avx512f``), only those the system enabled."""

    architecture: str
    vendor: str | None = None
    family: int | None = None
    model: int | None = None
    name: str | None = None
    features: frozenset[str] = frozenset()
    hypervisor: str | None = None


@dataclass(frozen=True)
class PaddleBuild:
    """An installed Paddle, read from its files. ``flavour`` is ``cpu``, ``cuda``, ``rocm``,
    ``xpu`` or ``custom``; ``toolkit`` is the CUDA, ROCm or XPU version it was built for."""

    version: str
    distribution: str
    flavour: str = "cpu"
    toolkit: str | None = None
    commit: str | None = None
    location: str | None = None
    custom_devices: tuple[str, ...] = ()


@dataclass(frozen=True)
class IrMode:
    """Whether Paddle's PIR is on. ``source``: ``"default"``, ``"environment"`` (the flag was set
    before import) or ``"imported"`` (read from the Paddle that runs in this process)."""

    pir: bool
    source: str


@dataclass(frozen=True)
class Device:
    """An accelerator that is present (``kind``: ``gpu``, ``dcu``, ``xpu``, ``npu`` …)."""

    kind: str
    index: int = 0
    name: str | None = None


@dataclass(frozen=True)
class Runtime:
    """Everything a plan needs to know of the place a model is to be loaded in.

    ``paddle`` is None where none is installed. ``imported`` says whether paddle was already
    imported in this process, when flags in the environment no longer have any effect.
    """

    paddle: PaddleBuild | None
    ir_mode: IrMode
    cpu: Cpu
    devices: tuple[Device, ...] = ()
    python: str = ""
    numpy: str | None = None
    platform: str = ""
    imported: bool = False
