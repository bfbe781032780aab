"""What lies beside the models: configurations, dictionaries, labels; copied as it is."""

from __future__ import annotations

from compatload.errors import CompatLoadError
from compatload.frozen import frozen
from compatload.migration import ledger
from compatload.migration.discovery import candidates
from compatload.migration.model import Order
from compatload.migration.trees import Folder, Tree, copied, joined


@frozen
class Rest:
    """A folder whose models are dealt with, and the one that it comes to in the target."""

    tree: Tree
    folder: Folder
    into: str


@frozen
class Copied:
    """How many files lie beside the models, how many were written; what could not be, and why."""

    beside: int
    written: int
    problems: tuple[tuple[str, str], ...] = ()


def copy_rest(order: Order, batch: list[Rest]) -> list[Copied]:
    """Copy what belongs to no model; for a worker."""
    return [_copied(order, rest) for rest in batch]


def _copied(order: Order, rest: Rest) -> Copied:
    names = set(rest.folder.names)
    for candidate in candidates(rest.folder.path, rest.folder.names):
        entry = ledger.read(order.target, joined(rest.into, candidate.key))
        names -= entry.sources.keys() if entry else set()
    key = joined(rest.into, "/")
    known = ledger.read(order.target, key)
    before, was = (known.sources, known.files) if known else ({}, {})
    sources: dict[str, str] = {}
    files: dict[str, str] = {}
    written, problems = 0, []
    with order.target.scratch() as scratch:
        for name in sorted(names):
            source, path = joined(rest.folder.path, name), joined(rest.into, name)
            identity = rest.tree.identity(source)
            if identity is None:
                problems.append((rest.tree.shown(source), "cannot be read"))
                continue
            there = order.target.identity(path)
            if there is None or before.get(name) != identity or was.get(path) != there:
                try:
                    with rest.tree.held(rest.folder.path, (name,)) as directory:
                        order.target.put(copied(directory, name, scratch), path)
                except (OSError, CompatLoadError) as error:
                    problem = getattr(error, "problem", None) or getattr(error, "strerror", None)
                    reason = problem or str(error)
                    problems.append((rest.tree.shown(source), reason))
                    continue
                there = order.target.identity(path)
                written += 1
            sources[name], files[path] = identity, there or ""
        if names or known:
            ledger.write(order.target, key, ledger.Entry({}, (), sources, files, {}), scratch)
    return Copied(len(files), written, tuple(problems))
