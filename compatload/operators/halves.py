"""Which operators a CPU has no kernel for in half precision. Pure; no Paddle.

Read out of the kernel registries of each release (``matrix/derive_kernels.py``). A GPU computes
nearly all operators in float16 and bfloat16, so what was saved there asks for them.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources

from packaging.version import Version

from compatload.artifact.model import Format

HALVES = ("float16", "bfloat16")
OLDEST = "2.6.0"  # of those that were read


@cache
def _table(form: Format, kind: str) -> dict[str, str | None]:
    """Operators that a release computes in float32 only → the first that computes in ``kind``."""
    known: dict[str, str | None] = _tables()[form.value][kind]
    return known


@cache
def of_onednn(form: Format) -> frozenset[str]:
    """Those that oneDNN computes in bfloat16 where Paddle's own kernels do not."""
    return frozenset(_tables()[form.value]["onednn"])


@cache
def boundaries() -> tuple[str, ...]:
    """Releases that brought such kernels, oldest first."""
    brought = {
        release
        for form in (Format.LEGACY, Format.PIR)
        for kind in HALVES
        for release in _table(form, kind).values()
        if release
    }
    return tuple(sorted(brought, key=Version))


@cache
def lacking(form: Format, kind: str, release: str) -> frozenset[str]:
    """Operators, by their names without a dialect, that Paddle itself does not compute in ``kind``
    on a CPU in ``release``; what oneDNN computes is among them."""
    at = Version(release)
    return frozenset(
        name for name, first in _table(form, kind).items() if first is None or at < Version(first)
    )


@cache
def _tables() -> dict[str, dict[str, dict[str, str | None]]]:
    text = resources.files("compatload.operators").joinpath("data/halves.json").read_text("utf-8")
    found: dict[str, dict[str, dict[str, str | None]]] = json.loads(text)
    return found
