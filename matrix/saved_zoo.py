"""Has every release save the zoo, once, and tells what there is and what could not be saved."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

from packaging.version import Version

from matrix.artifacts import Artifact, fixtures, note_origin, saved_already, source_digest
from matrix.environments import Environment, home
from matrix.pool import Worker, WorkerError
from matrix.progress import progress, say
from matrix.provided import provided
from matrix.versions import Entry, meets, quick_releases

SAVE_SECONDS = 300.0
# What a saved network depends on, beside the environment.
SHARED = ("matrix/zoo/registry.py", "matrix/network.py", "matrix/saving.py")
# And what shows a fault.
OF_FAULTS = "matrix/zoo/layers.py"
SOURCES = ("matrix/zoo/*", "matrix/zoo/faults/*", "matrix/worker.py", *SHARED)
# What a release writes is not what it was asked for: nothing in the file tells the right answer.
LOST: Mapping[tuple[str, str], str] = {
    (saver, "kthvalue_keep"): f"{saver} writes keepdim=False into the file, whatever was asked for"
    for saver in ("2.6.2", "3.0.0-legacy", "3.1.1-legacy", "3.3.1-legacy")
}
Listing = Mapping[str, Mapping[str, Any]]


def save_zoo(
    table: Sequence[Entry],
    environments: Mapping[str, Environment],
    unavailable: Mapping[str, str],
    jobs: int,
    tiers: Sequence[str],
    patterns: Sequence[str] = (),
    share: int = 1,
) -> list[Artifact]:
    """Every network of every saver, and the committed fixtures.

    Args:
        tiers: of the networks that are wanted.
        patterns: of cells; networks that no pattern can mean are left out.
        share: of each family, one network of so many is wanted, and so of the fixtures.
    """
    savers = [entry for entry in table if "save" in entry.roles]
    quick = quick_releases(table)
    listing = networks(environments)
    found = [
        one for one in fixtures(e.id for e in savers) if _meant(one.saver, one.model, patterns)
    ]
    kept = sorted({one.model for one in found})[::share]
    found = [one for one in found if one.model in kept]
    wanted = drawn(listing, tiers, share)
    waiting: dict[str, list[str]] = {}
    origins = {name: source_digest(_sources(str(about["file"]))) for name, about in listing.items()}
    for entry in savers:
        for name, about in listing.items():
            if name not in wanted or not _meant(entry.id, name, patterns):
                continue
            if about["savers"] and entry.id not in about["savers"]:
                continue
            if not (patterns or meets(about["tier"], [entry.id], quick)):
                continue
            ready = _ready(entry, name, about, environments, unavailable, origins[name])
            if ready is None:
                waiting.setdefault(entry.id, []).append(name)
            else:
                found.append(ready)
    found += [one for one in provided(environments) if _meant(one.saver, one.model, patterns)]
    total = sum(map(len, waiting.values()))
    if total:
        with progress("saving", total) as advance, ThreadPoolExecutor(jobs) as threads:
            save = partial(_save, listing=listing, origins=origins, advance=advance)
            flags = {entry.id: entry.flags for entry in savers}
            for artifacts in threads.map(
                lambda s: save(environments[s], waiting[s], flags=flags[s]), waiting
            ):
                found += artifacts
    return sorted(found, key=lambda one: (one.saver, one.family, one.model))


def _sources(file: str) -> tuple[str, ...]:
    return (file, *SHARED, OF_FAULTS) if "/faults/" in file else (file, *SHARED)


def drawn(listing: Listing, tiers: Sequence[str], share: int) -> frozenset[str]:
    """One network of so many in each family, the first among them; the same every time."""
    families: dict[str, list[str]] = {}
    for name, about in listing.items():
        if about["tier"] in tiers:
            families.setdefault(str(about["family"]), []).append(name)
    return frozenset(name for names in families.values() for name in names[::share])


def networks(environments: Mapping[str, Environment]) -> Listing:
    """Name, family and limits of every network, as any of the environments tells them."""
    memory = home() / f"networks-{source_digest(SOURCES)}.json"
    if memory.exists():
        known: Listing = json.loads(memory.read_text(encoding="utf-8"))
        return known
    for environment in environments.values():
        log = home() / "logs/listing.log"
        with Worker(environment.python, "save", home(), log=log) as worker:
            try:
                listing: Listing = worker.ask({"do": "list", "timeout": 120})["networks"]
            except (WorkerError, KeyError) as error:
                say(f"{environment.id} cannot list the zoo: {error}")
                continue
        memory.write_text(json.dumps(listing), encoding="utf-8")
        return listing
    return {}


def _meant(saver: str, model: str, patterns: Sequence[str]) -> bool:
    heads = ["/".join(pattern.split("/")[:2]) for pattern in patterns]
    return not patterns or any(fnmatchcase(f"{saver}/{model}", head) for head in heads)


def _folder(saver: str, name: str) -> Path:
    return home() / "artifacts" / saver / name


def _ready(
    entry: Entry,
    name: str,
    about: Mapping[str, Any],
    environments: Mapping[str, Environment],
    unavailable: Mapping[str, str],
    origin: str,
) -> Artifact | None:
    """What is there already, or never will be; None if it is still to be saved."""
    folder = _folder(entry.id, name)
    artifact = partial(Artifact, entry.id, name, str(about["family"]), folder, tier=about["tier"])
    if entry.id in unavailable:
        return artifact(error=unavailable[entry.id])
    if entry.release < Version(str(about["since"])):
        return artifact(error=f"what it is made of is new in {about['since']}")
    if lost := LOST.get((entry.id, name)):
        return artifact(error=lost)
    digest = saved_already(folder, f"{origin}.{environments[entry.id].digest}")
    return artifact(digest) if digest else None


def _save(
    environment: Environment,
    names: Sequence[str],
    *,
    flags: Sequence[str],
    listing: Listing,
    origins: Mapping[str, str],
    advance: Callable[[], None],
) -> list[Artifact]:
    """Have one release save those networks, one after the other."""
    found = []
    log = home() / f"logs/{environment.id}-save.log"
    with Worker(environment.python, "save", home(), log=log, flags=flags) as worker:
        for name in names:
            folder = _folder(environment.id, name)
            about = listing[name]
            request = {"do": "save", "network": name, "folder": str(folder)}
            artifact = partial(
                Artifact, environment.id, name, str(about["family"]), folder, tier=about["tier"]
            )
            try:
                error = worker.ask({**request, "timeout": SAVE_SECONDS}).get("error")
                digest = (
                    "" if error else note_origin(folder, f"{origins[name]}.{environment.digest}")
                )
            except (WorkerError, OSError) as failed:
                error, digest = str(failed), ""
            found.append(artifact(digest, error=f"not saved: {error}" if error else None))
            advance()
    return found
