"""The Paddle that a check judges for; it need not be installed."""

from __future__ import annotations

import re
from collections.abc import Collection

from packaging.version import InvalidVersion, Version

from compatload.errors import UsageError
from compatload.frozen import frozen
from compatload.runtime.detection import runtime_for
from compatload.runtime.model import Runtime

# Releases that the limitation programs and the matrix were run on, oldest first.
MEASURED = ("2.6.2", "3.0.0", "3.1.0", "3.1.1", "3.2.0", "3.2.1", "3.2.2", "3.3.0", "3.3.1")
_NAMES = ("paddle", "paddlepaddle", "paddlepaddle-gpu", "paddlepaddle-xpu", "paddlepaddle-dcu")


@frozen
class Target:
    """A Paddle release, the device and CPU that models are to run on there, and the operators that
    are let in there by name (see ``safe_load``)."""

    version: Version
    device: str = "cpu"
    cpu: str | None = None
    trusted_operators: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"paddle {self.version}"

    @property
    def described(self) -> str:
        """With the device and CPU, and the release that it is judged as, where those matter."""
        parts = [] if self.device == "cpu" else [f"on {self.device}"]
        parts += [f"on {self.cpu}"] if self.cpu else []
        if Version(self.measured) != self.version:
            parts.append(f"judged as {self.measured}, the nearest that was measured")
        return f"{self} ({', '.join(parts)})" if parts else str(self)

    @property
    def measured(self) -> str:
        """The measured release that stands for this one: itself, else the newest before it."""
        older = [name for name in MEASURED if Version(name) <= self.version]
        return older[-1] if older else MEASURED[0]

    @property
    def runtime(self) -> Runtime:
        """What a plan is made for: the measured release, on the device and CPU named.

        Raises:
            UsageError: the device or the CPU is unknown.
        """
        return runtime_for(f"paddle=={self.measured}", self.device, self.cpu)


def parse_target(
    text: str | None,
    *,
    device: str = "cpu",
    cpu: str | None = None,
    trusted_operators: Collection[str] = (),
) -> Target:
    """``"paddle==3.3.1"``, ``"paddlepaddle-gpu==2.6.2"`` or ``"3.3.1"``; None: the newest measured.

    Raises:
        UsageError: it names no Paddle, or no release.
    """
    if text is None:
        return Target(Version(MEASURED[-1]), device, cpu, tuple(trusted_operators))
    match = re.fullmatch(
        r"\s*(?:(?P<name>[A-Za-z][\w.-]*)\s*={2,3}\s*)?(?P<version>[^\s=]+)\s*", text
    )
    if match is None or (match["name"] or "paddle").lower().replace("_", "-") not in _NAMES:
        raise UsageError(f"{text!r} names no release of Paddle.", action=_EXAMPLE)
    try:
        return Target(Version(match["version"]), device, cpu, tuple(trusted_operators))
    except InvalidVersion:
        raise UsageError(
            f"{match['version']!r} in {text!r} is no version.", action=_EXAMPLE
        ) from None


_EXAMPLE = 'Write it as "paddle==3.3.1".'
