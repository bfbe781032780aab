"""Which of the known releases stand for all of them, where not all can be run."""

from __future__ import annotations

from compatload.releases import MEASURED


def _series(release: str) -> str:
    return release.rpartition(".")[0]


#: The last release of each series, and every one of the newest.
REPRESENTATIVES = tuple(
    release
    for number, release in enumerate(MEASURED)
    if _series(release) == _series(MEASURED[-1])
    or _series(release) not in map(_series, MEASURED[number + 1 :])
)
