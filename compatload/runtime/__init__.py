"""What is installed here: Paddle, its IR mode, the CPU, the accelerators. Imports no paddle."""

from compatload.runtime.detection import detect_runtime, runtime_for
from compatload.runtime.model import Cpu, Device, Fact, IrMode, PaddleBuild, Runtime
from compatload.runtime.named_cpus import named_cpu

__all__ = [
    "Cpu",
    "Device",
    "Fact",
    "IrMode",
    "PaddleBuild",
    "Runtime",
    "detect_runtime",
    "named_cpu",
    "runtime_for",
]
