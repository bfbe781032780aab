"""What a model is to be converted to: a format, and the release whose programs it takes."""

from __future__ import annotations

import re

from packaging.version import InvalidVersion, Version

from compatload.artifact.model import Format
from compatload.errors import UsageError
from compatload.frozen import frozen
from compatload.releases import (
    NEWEST_LEGACY,
    NEWEST_PIR_VERSION,
    OLDEST,
    OLDEST_PIR,
    PIR_VERSIONS,
)
from compatload.runtime.release import release_of

#: The release whose legacy programs are written; later 2.6 and all of 3.x read them.
LEGACY_RELEASE = NEWEST_LEGACY
_FIRST_PIR, _OLDEST = Version(OLDEST_PIR), Version(OLDEST)
_PIN = re.compile(r"paddle(?:paddle)?(?:-[a-z]+)?==(?P<version>[^,;\s]+)")
_FORMS = (
    f'Pass "legacy", "pir", "pir-v1" … "pir-v{NEWEST_PIR_VERSION}", or a release such as '
    '"paddle==3.0.0".'
)


@frozen
class ProgramTarget:
    """``asked`` is what the caller wrote; programs are written as ``release`` writes them."""

    asked: str
    format: Format
    release: str

    @property
    def suffix(self) -> str:
        return ".json" if self.format is Format.PIR else ".pdmodel"


def target_of(to: str, installed: str | None) -> ProgramTarget:
    """The target that ``to`` names.

    Args:
        to: ``"legacy"``, ``"pir"``, ``"pir-v1"`` … ``"pir-v4"``, or ``"paddle==X"``.
        installed: version of the Paddle that is installed, which ``"pir"`` refers to.

    Raises UsageError for anything else, and for ``"pir"`` without a Paddle that writes it.
    """
    if to == "legacy":
        return ProgramTarget(to, Format.LEGACY, LEGACY_RELEASE)
    if to == "pir":
        if installed is None or release_of(installed) < _FIRST_PIR:
            found = f"is {installed}" if installed else "is missing"
            raise UsageError(
                f'to="pir" means what the installed Paddle writes, which {found}.',
                action='Name the format or a release: to="pir-v4", to="paddle==3.0.0".',
            )
        return ProgramTarget(to, Format.PIR, installed)
    if to.startswith("pir-v"):
        releases = PIR_VERSIONS.get(int(to[5:])) if to[5:].isdecimal() else None
        if releases is None:
            raise UsageError(f"There is no PIR format {to!r}.", action=_FORMS)
        return ProgramTarget(to, Format.PIR, releases[-1])
    return _pinned(to)


def _pinned(to: str) -> ProgramTarget:
    match = _PIN.fullmatch(to)
    try:
        version = release_of(match["version"]) if match else None
    except InvalidVersion:
        version = None
    if match is None or version is None:
        raise UsageError(f"{to!r} is no format and no release.", action=_FORMS)
    if version >= _FIRST_PIR:
        return ProgramTarget(to, Format.PIR, match["version"])
    if version < _OLDEST:
        raise UsageError(
            f"Programs for Paddle {match['version']} are not written: {OLDEST} is the oldest.",
            action='Pass to="legacy", and try whether that release reads it.',
        )
    return ProgramTarget(to, Format.LEGACY, match["version"])
