"""Which release a version behaves like."""

from __future__ import annotations

from packaging.version import Version

# Stands for the development branch, which is ahead of every release.
_NEWEST = Version("99")


def release_of(version: str) -> Version:
    """The release that Paddle ``version`` behaves like.

    Candidates and daily builds (3.0.0rc1, 3.0.0.dev20250101) count as the release they lead to,
    which PEP 440 puts after them; a build of the development branch calls itself 0.0.0 and counts
    as newer than every release.

    Raises InvalidVersion if it is no version.
    """
    parsed = Version(version)
    return _NEWEST if parsed.release[:1] == (0,) else Version(parsed.base_version)
