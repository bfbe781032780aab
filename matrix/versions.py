"""The releases of ``versions.toml``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import tomllib
from packaging.version import Version

TABLE = Path(__file__).resolve().parent / "versions.toml"
TIERS = ("quick", "full", "extra")


@dataclass(frozen=True)
class Entry:
    """One Paddle: how it is installed and what it is asked to do."""

    id: str
    release: Version
    distribution: str
    pythons: tuple[str, ...]
    pins: tuple[str, ...] = ()
    tier: str = "full"
    roles: tuple[str, ...] = ("save", "load")
    missing: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()

    @property
    def environment(self) -> str:
        """The entry in whose environment it runs: another only saves by other flags."""
        return str(self.release) if self.flags else self.id

    @property
    def requirements(self) -> tuple[str, ...]:
        """What the installer is given."""
        return (f"{self.distribution}=={self.release}", *self.pins)


def entries(table: Path = TABLE) -> list[Entry]:
    """Every entry, as written; ValueError for a field or value that means nothing."""
    return [_entry(raw) for raw in tomllib.loads(table.read_text(encoding="utf-8"))["paddle"]]


def _entry(raw: dict[str, object]) -> Entry:
    known = {field.name for field in fields(Entry)}
    if unknown := set(raw) - known:
        raise ValueError(f"{raw.get('release')}: unknown fields {sorted(unknown)}")
    release = str(raw["release"])
    entry = Entry(
        id=str(raw.get("id", release)),
        release=Version(release),
        distribution=str(raw["distribution"]),
        pythons=_strings(raw["pythons"]),
        pins=_strings(raw.get("pins", ())),
        tier=str(raw.get("tier", "full")),
        roles=_strings(raw.get("roles", ("save", "load"))),
        missing=_strings(raw.get("missing", ())),
        flags=_strings(raw.get("flags", ())),
    )
    if entry.tier not in TIERS:
        raise ValueError(f"{entry.id}: tier {entry.tier} is none of {TIERS}")
    return entry


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"expected a list, not {value!r}")
    return tuple(str(one) for one in value)


def of_tier(tier: str, table: Sequence[Entry]) -> list[Entry]:
    """The entries that a run of this tier includes: ``full`` includes ``quick``."""
    return [entry for entry in table if TIERS.index(entry.tier) <= TIERS.index(tier)]


def quick_releases(table: Sequence[Entry]) -> frozenset[str]:
    return frozenset(entry.id for entry in of_tier("quick", table))


# Of each family, one network of so many is in a quick run, which is to take less than ten minutes
# on two cores.
QUICK_SHARE = 8


def meets(network_tier: str, releases: Iterable[str], quick: frozenset[str]) -> bool:
    """Whether a network of that tier is saved or loaded by those releases, unless it is asked for
    by name: networks of the full tier are many, and meet only the quick releases."""
    return network_tier == "quick" or quick.issuperset(releases)
