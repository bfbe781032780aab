"""Which release a version behaves like, and whether anybody looked.

This is the one policy for releases that were not measured: what holds for the nearest measured one
is taken to hold. ``inferred_from`` says which that is, for everything that judges a release.
"""

from __future__ import annotations

from functools import lru_cache

from packaging.version import InvalidVersion, Version

from compatload.releases import OLDEST, RELEASES, Release

# Stands for the development branch, which is ahead of every release.
_NEWEST = Version("99")


@lru_cache(maxsize=256)  # a load asks several times of one version
def release_of(version: str) -> Version:
    """The release that Paddle ``version`` leads to, or is a build of.

    Candidates and daily builds (3.0.0rc1, 3.0.0.dev20250101) count as the release they lead to,
    which PEP 440 puts after them; a build of the development branch calls itself 0.0.0 and counts
    as newer than every release.

    Raises InvalidVersion if it is no version.
    """
    parsed = Version(version)
    return _NEWEST if parsed.release[:1] == (0,) else Version(parsed.base_version)


@lru_cache(maxsize=64)
def known_as(version: str) -> Release:
    """The known release that stands for a version: the newest that is not above it, else the
    oldest. Raises InvalidVersion if it is no version."""
    return _nearest(version, RELEASES)


@lru_cache(maxsize=64)
def measured_as(version: str) -> str:
    """The measured release whose facts hold for a version, as ``known_as`` finds it."""
    return _nearest(version, tuple(one for one in RELEASES if one.measured)).version


def _nearest(version: str, among: tuple[Release, ...]) -> Release:
    asked = release_of(version)
    return next((one for one in reversed(among) if Version(one.version) <= asked), among[0])


@lru_cache(maxsize=64)
def inferred_from(version: str) -> str | None:
    """The measured release that a version's facts are taken from; None where it was measured.

    A build of a measured release (3.3.1.post1, 3.3.1+cu126) is that release; a candidate of it is
    not. What is no version is inferred from the newest.
    """
    try:
        measured, parsed = measured_as(version), Version(version)
    except InvalidVersion:
        return measured_as("0.0.0")
    same = not parsed.is_prerelease and Version(measured) == release_of(version)
    return None if same else measured


def standing(measured: str) -> str:
    """How a release that was not measured is judged, in words for all messages."""
    return f"has not been measured; what holds for {measured} is taken to hold"


@lru_cache(maxsize=64)
def is_too_old(version: str) -> bool:
    """Whether a version is older than every release that is supported."""
    try:
        return release_of(version) < Version(OLDEST)
    except InvalidVersion:
        return False
