"""What a Paddle installation and its machine are, as plain data."""

from __future__ import annotations

import json

from compatload.frozen import frozen
from compatload.runtime import record

_FLAVOURS = ("cpu", "cuda", "rocm", "xpu", "custom")
_SOURCES = ("default", "environment", "imported")


@frozen
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

    def describe(self) -> str:
        """Vendor with family/model (``HygonGenuine 24/0``), or what else names it best."""
        if self.vendor and self.family is not None and self.model is not None:
            return f"{self.vendor} {self.family}/{self.model}"
        return self.vendor or self.name or self.architecture


@frozen
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


@frozen
class IrMode:
    """Whether Paddle's PIR is on. ``source``: ``"default"``, ``"environment"`` (the flag was set
    before import) or ``"imported"`` (read from the Paddle that runs in this process)."""

    pir: bool
    source: str


@frozen
class Device:
    """An accelerator that is present (``kind``: ``gpu``, ``dcu``, ``xpu``, ``npu`` …)."""

    kind: str
    index: int = 0
    name: str | None = None


@frozen
class Fact:
    """Whether a fault was seen on a device here (``present``), or seen to be gone."""

    rule: str
    device: str
    present: bool


@frozen
class Runtime:
    """Everything a plan needs to know of the place a model is to be loaded in.

    ``paddle`` is None where none is installed. ``imported`` says whether paddle was already
    imported in this process, when flags in the environment no longer have any effect;
    ``zlib_late``, whether it is a 2.6 that was imported before zlib and NumPy. ``notes``
    are findings in words, such as a broken or doubly installed Paddle. ``origin`` says where a
    runtime that was not detected here comes from (recorded on which machine, or composed).
    ``measured`` is what ``compatload selftest`` found on this build and machine.
    """

    paddle: PaddleBuild | None
    ir_mode: IrMode
    cpu: Cpu
    devices: tuple[Device, ...] = ()
    python: str = ""
    numpy: str | None = None
    platform: str = ""
    imported: bool = False
    zlib_late: bool = False
    notes: tuple[str, ...] = ()
    origin: str | None = None
    measured: tuple[Fact, ...] = ()

    def describe(self) -> str:
        """One line: ``paddlepaddle 3.3.1 (cpu) on HygonGenuine 24/0, PIR on by default``."""
        build = self.paddle
        if build is None:
            return f"no Paddle on {self.cpu.describe()}"
        made_for = f"{build.flavour} {build.toolkit}" if build.toolkit else build.flavour
        how = {"default": "by default", "environment": "by the environment"}.get(
            self.ir_mode.source, "in this process"
        )
        switch = "on" if self.ir_mode.pir else "off"
        return (
            f"{build.distribution} {build.version} ({made_for}) on {self.cpu.describe()}, "
            f"PIR {switch} {how}"
        )

    def to_dict(self) -> dict[str, object]:
        """Plain data for JSON, with the number of its schema."""
        told = {"schema": record.SCHEMA, **record.plain(self)}
        if not self.measured:
            del told["measured"]  # so that an earlier compatload reads it
        return told

    @classmethod
    def from_dict(cls, data: object) -> Runtime:
        """The runtime that ``to_dict`` recorded; raises UsageError for anything else."""
        runtime = record.built(Runtime, record.of_this_schema(data), "runtime")
        record.require_one_of("ir_mode.source", runtime.ir_mode.source, _SOURCES)
        if runtime.paddle is not None:
            record.require_one_of("paddle.flavour", runtime.paddle.flavour, _FLAVOURS)
        return runtime

    def to_json(self) -> str:
        """``to_dict`` as indented JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Runtime:
        """The runtime in a JSON text; raises UsageError if it holds none."""
        return cls.from_dict(record.parsed(text))
