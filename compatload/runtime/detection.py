"""What is installed here, and what an installation elsewhere would be."""

from __future__ import annotations

import os
import platform
import sys
from types import ModuleType
from weakref import WeakKeyDictionary

from packaging.version import InvalidVersion, Version

from compatload.errors import UsageError
from compatload.runtime.cpu import detect_cpu
from compatload.runtime.devices import detect_devices
from compatload.runtime.distributions import find_distributions
from compatload.runtime.ir_mode import ir_mode, pir_by_default, running_ir_mode
from compatload.runtime.model import Cpu, Device, IrMode, PaddleBuild, Runtime
from compatload.runtime.named_cpus import named_cpu
from compatload.runtime.paddle_build import PaddleSearch, find_paddle

# Device asked for → (flavour, distribution, kind of the device).
_TARGETS = {
    "cpu": ("cpu", "paddlepaddle", None),
    "gpu": ("cuda", "paddlepaddle-gpu", "gpu"),
    "dcu": ("rocm", "paddlepaddle-dcu", "dcu"),
    "rocm": ("rocm", "paddlepaddle-rocm", "rocm"),
    "xpu": ("xpu", "paddlepaddle-xpu", "xpu"),
    "npu": ("custom", "paddlepaddle", "npu"),
}
_ANY_CPU = "x86-64-v3"
_LIBPADDLE = "paddle.base.libpaddle"


def detect_runtime() -> Runtime:
    """The Paddle and the machine of this process. Imports neither paddle nor numpy."""
    search = _search()
    version = search.build.version if search.build else None
    running = running_ir_mode()
    return Runtime(
        paddle=search.build,
        ir_mode=running or ir_mode(version, os.environ),
        cpu=detect_cpu(),
        devices=detect_devices(),
        python=platform.python_version(),
        numpy=_numpy_version(),
        platform=platform_name(),
        imported=running is not None,
        zlib_late=running is not None and not pir_by_default(version) and _zlib_late(),
        notes=search.notes,
    )


# What was found out about a Paddle once it is imported: it does not change any more.
_IMPORTED: WeakKeyDictionary[ModuleType, PaddleSearch] = WeakKeyDictionary()
_ZLIB_LATE: WeakKeyDictionary[ModuleType, bool] = WeakKeyDictionary()


def _search() -> PaddleSearch:
    imported = sys.modules.get("paddle")
    if imported is None or running_ir_mode() is None:
        return find_paddle()
    search = _IMPORTED.get(imported)
    if search is None:
        search = _IMPORTED[imported] = find_paddle()
    return search


def runtime_for(spec: str, device: str = "cpu", cpu: Cpu | str | None = None) -> Runtime:
    """The Runtime of a target that is not installed here, such as ``"paddle==3.3.1"``.

    Args:
        spec: a release (``"3.3.1"``) or a pin (``"paddlepaddle-gpu==2.6.2"``).
        device: ``"cpu"``, ``"gpu"``, ``"gpu:0"``, ``"dcu"``, ``"xpu"``, ``"npu"`` …
        cpu: a Cpu, or a name that ``named_cpu`` knows; an ordinary AVX2 machine if not given.

    Raises UsageError if the release is not pinned, or the device or CPU is unknown.
    """
    version, name = _pinned(spec)
    kind = device.partition(":")[0].lower()
    if name == "paddlepaddle-gpu" and kind == "cpu":
        flavour, distribution, present = "cuda", name, None  # a GPU build without a GPU
    elif kind in _TARGETS:
        flavour, distribution, present = _TARGETS[kind]
    else:
        raise UsageError(
            f"unknown device {device!r}", action=f"Use one of {', '.join(sorted(_TARGETS))}."
        )
    plugins = (present,) if flavour == "custom" and present else ()
    return Runtime(
        paddle=PaddleBuild(version, distribution, flavour, custom_devices=plugins),
        ir_mode=IrMode(pir=pir_by_default(version), source="default"),
        cpu=cpu if isinstance(cpu, Cpu) else named_cpu(cpu or _ANY_CPU),
        devices=(Device(present),) if present else (),
        origin=f"composed for the target {spec}, {device}",
    )


def platform_name() -> str:
    """``linux``, ``darwin`` or ``win32``, with the machine: ``linux-x86_64``."""
    return f"{sys.platform}-{platform.machine().lower()}"


def _pinned(spec: str) -> tuple[str, str]:
    """Release and distribution named by ``spec``."""
    text = spec.strip()
    try:
        return str(Version(text)), "paddlepaddle"
    except InvalidVersion:
        pass  # then it is a requirement
    # Only planning for a target needs it, and it takes 40 ms to import.
    from packaging.requirements import InvalidRequirement, Requirement

    action = 'Name one release, for example "paddle==3.3.1".'
    try:
        requirement = Requirement(text)
    except InvalidRequirement as error:
        raise UsageError(f"{spec!r} names no Paddle release ({error})", action=action) from error
    name = requirement.name.lower().replace("_", "-")
    if name != "paddle" and not name.startswith("paddlepaddle"):
        raise UsageError(f"{spec!r} is not Paddle", action=action)
    pins = [pin for pin in requirement.specifier if pin.operator == "=="]
    if len(requirement.specifier) != 1 or len(pins) != 1 or pins[0].version.endswith(".*"):
        raise UsageError(f"{spec!r} does not pin one release", action=action)
    return str(Version(pins[0].version)), "paddlepaddle" if name == "paddle" else name


def _zlib_late() -> bool:
    """Modules stand in the order in which their imports came to an end."""
    paddle = sys.modules["paddle"]
    late = _ZLIB_LATE.get(paddle)
    if late is None:
        either = ("zlib", "numpy", _LIBPADDLE)
        first = next((name for name in list(sys.modules) if name in either), "")
        late = _ZLIB_LATE[paddle] = first == _LIBPADDLE
    return late


def _numpy_version() -> str | None:
    loaded = getattr(sys.modules.get("numpy"), "__version__", None)
    if isinstance(loaded, str):
        return loaded
    installed = find_distributions(sys.path, "numpy")
    return next((found.version for found in installed if found.name == "numpy"), None)
