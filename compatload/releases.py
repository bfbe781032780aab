"""The releases of Paddle, one entry each. A new release is one new entry; all else derives from it.

A module, which takes 0.7 ms: importing tomllib takes 6.5 ms, and Python has none before 3.11.
"""

from __future__ import annotations

from collections.abc import Mapping

from compatload.frozen import frozen


@frozen
class Release:
    """One release.

    ``pir_version`` is the ``base_code.version`` of the programs that it writes; None where it
    writes legacy programs. ``operators`` is the release whose registries (``operators/data``) hold
    for it, where it has none of its own. ``measured``: the matrix and the limitation programs were
    run on it. Of a release that was not, what holds for the nearest measured one is taken to hold.
    """

    version: str
    pir_version: int | None = None
    operators: str = ""
    measured: bool = True


# Oldest first.
RELEASES = (
    Release("2.6.0", operators="2.6.2"),
    Release("2.6.1", operators="2.6.2"),
    Release("2.6.2"),
    Release("3.0.0", pir_version=1),
    Release("3.1.0", pir_version=2),
    Release("3.1.1", pir_version=2),
    Release("3.2.0", pir_version=3),
    Release("3.2.1", pir_version=3),
    Release("3.2.2", pir_version=3),
    Release("3.3.0", pir_version=4),
    Release("3.3.1", pir_version=4),
)

MEASURED = tuple(one.version for one in RELEASES if one.measured)
OLDEST = RELEASES[0].version
#: The last release that writes legacy programs; all later ones read them.
NEWEST_LEGACY = [one.version for one in RELEASES if one.pir_version is None][-1]
OLDEST_PIR = next(one.version for one in RELEASES if one.pir_version is not None)


def _pir_versions() -> dict[int, tuple[str, ...]]:
    versions: dict[int, tuple[str, ...]] = {}
    for one in RELEASES:
        if one.pir_version is not None:
            known = versions.get(one.pir_version, ())
            versions[one.pir_version] = (*known, one.version)
    return versions


#: PIR file version (``base_code.version``) → releases that write it, oldest first.
PIR_VERSIONS: Mapping[int, tuple[str, ...]] = _pir_versions()
NEWEST_PIR_VERSION = max(PIR_VERSIONS)


def writers(pir_version: int) -> str | None:
    """The PEP 440 range of releases that write that PIR version; None where nobody knows any."""
    releases = PIR_VERSIONS.get(pir_version)
    if releases is None:
        return None
    first, last = ([int(part) for part in one.split(".")] for one in (releases[0], releases[-1]))
    return f">={first[0]}.{first[1]},<{last[0]}.{last[1] + 1}"


def known_pir_versions() -> str:
    """``"1 (written by 3.0.0), 2 (3.1.0, 3.1.1) …"``, for messages."""
    return ", ".join(
        f"{number} (paddle {', '.join(releases)})" for number, releases in PIR_VERSIONS.items()
    )
