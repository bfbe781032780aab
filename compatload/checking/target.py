"""The Paddle that a check judges for; it need not be installed."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from packaging.version import InvalidVersion, Version

from compatload.errors import UsageError
from compatload.frozen import frozen
from compatload.releases import MEASURED
from compatload.runtime.detection import detect_runtime, runtime_for
from compatload.runtime.model import Fact, Runtime
from compatload.runtime.release import inferred_from, is_too_old, measured_as, standing
from compatload.store.measured import measured as facts_of

_NAMES = ("paddle", "paddlepaddle", "paddlepaddle-gpu", "paddlepaddle-xpu", "paddlepaddle-dcu")


@frozen
class Target:
    """A Paddle release, the device and CPU that models are to run on there, and the operators that
    are let in there by name (see ``safe_load``). ``measured_here``: what ``compatload selftest``
    found, where that very Paddle is installed here."""

    version: Version
    device: str = "cpu"
    cpu: str | None = None
    trusted_operators: tuple[str, ...] = ()
    measured_here: tuple[Fact, ...] = ()

    def __str__(self) -> str:
        return f"paddle {self.version}"

    @property
    def described(self) -> str:
        """With the device and CPU, and the release that it is judged as, where those matter."""
        parts = [] if self.device == "cpu" else [f"on {self.device}"]
        parts += [f"on {self.cpu}"] if self.cpu else []
        parts += [f"which {standing(self.inferred_from)}"] if self.inferred_from else []
        parts += ["as measured here by `compatload selftest`"] if self.measured_here else []
        return f"{self} ({', '.join(parts)})" if parts else str(self)

    @property
    def measured(self) -> str:
        """The measured release that stands for this one: itself, else the newest before it."""
        return measured_as(str(self.version))

    @property
    def inferred_from(self) -> str | None:
        """The measured release whose facts are taken to hold; None: this one was measured, or is
        refused for its age."""
        version = str(self.version)
        return None if is_too_old(version) else inferred_from(version)

    @property
    def runtime(self) -> Runtime:
        """What a plan is made for: the release, on the device and CPU named.

        Raises:
            UsageError: the device or the CPU is unknown.
        """
        composed = runtime_for(f"paddle=={self.version}", self.device, self.cpu)
        return replace(composed, measured=self.measured_here)


def as_measured_here(target: Target) -> Target:
    """The target with what was measured here of it; as it is where it is not this very place."""
    here = detect_runtime()
    if here.paddle is None or target.cpu or here.paddle.version != str(target.version):
        return target
    kind = target.device.partition(":")[0]
    facts = tuple(fact for fact in facts_of(here) if fact.device == kind)
    return replace(target, measured_here=facts)


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
