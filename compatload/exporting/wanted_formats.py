"""Which formats a model must be written in, for those who are to load it."""

from __future__ import annotations

from collections.abc import Iterable

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from compatload.errors import UsageError
from compatload.releases import OLDEST_PIR, RELEASES
from compatload.runtime.release import release_of

FORMATS = ("pir", "legacy")
_FIRST_PIR = Version(OLDEST_PIR)


def wanted(
    native: str, release: str, formats: Iterable[str] | None, loadable_by: str | None
) -> tuple[str, ...]:
    """Targets as ``convert`` names them; ``native`` is what this Paddle writes, and comes first.

    ``"pir"`` is a PIR file of the release's own; ``"paddle==3.0.0"`` one for an older release.

    Raises:
        UsageError: a format or specifier makes no sense.
    """
    asked = [native] if formats is None else list(formats)
    for name in asked:
        if name not in FORMATS:
            raise UsageError(f"there is no format {name!r}.", action=f"Choose from {FORMATS}.")
    for_releases = releases_in(loadable_by)
    if any(Version(known) < _FIRST_PIR for known in for_releases):
        asked.append("legacy")
    pir = [known for known in for_releases if Version(known) >= _FIRST_PIR]
    if pir and (native == "legacy" or Version(pir[0]) < release_of(release)):
        asked.append(f"paddle=={pir[0]}")
    elif pir:
        asked.append("pir")
    ordered = [native, *asked] if native in asked else asked
    return tuple(dict.fromkeys(ordered))


def releases_in(loadable_by: str | None) -> list[str]:
    """The known releases of a range, which UsageError says of none; none where none is given."""
    if loadable_by is None:
        return []
    try:
        specifier = SpecifierSet(loadable_by)
    except InvalidSpecifier as error:
        raise UsageError(
            f"{loadable_by!r} is no range of releases.", action='Write it as ">=2.6" or "==3.0.0".'
        ) from error
    known = [one.version for one in RELEASES if specifier.contains(one.version)]
    if not known:
        raise UsageError(
            f"no release that compatload knows is in {loadable_by!r}.",
            action=f"Known are {', '.join(one.version for one in RELEASES)}.",
        )
    return known
