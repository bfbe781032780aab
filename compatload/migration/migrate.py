"""The one entry of a migration: trees in, a tree out, on any executor."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout

from compatload._version import __version__
from compatload.checking.check import printable
from compatload.checking.finding import Skipped
from compatload.checking.target import parse_target
from compatload.errors import ArtifactNotFoundError, UsageError
from compatload.executors.batches import carried_out
from compatload.exporting import side_by_side
from compatload.migration import ledger
from compatload.migration.discovery import candidates
from compatload.migration.model import Order, Work, migrate_models
from compatload.migration.report import FAILED, MigrationReport, ModelMigration
from compatload.migration.rest import Rest, copy_rest
from compatload.migration.trees import KEPT, Folder, LocalTree, RemoteTree, Tree, joined
from compatload.programs.target import target_of
from compatload.remote import RemotePlace, is_url, require_folder

# Another run's workers take this long to die with it.
_LOCK_SECONDS = 20.0

#: Called with the number of models dealt with so far, and of all.
Progress = Callable[[int, int], None]


def migrate(
    sources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    target: str | os.PathLike[str],
    *,
    to: str,
    verify: bool = True,
    interpreters: Sequence[str] = (),
    device: str = "cpu",
    cpu: str | None = None,
    trusted_operators: Collection[str] = (),
    executor: Executor | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> MigrationReport:
    """Make ``target`` a copy of whole trees in which Paddle's own loaders read every model.

    Models that the release reads by itself are copied, others are converted as ``convert`` does;
    what lies beside them is copied. Each model is written whole and verified, or not at all, and
    one that fails stops no other. The same call again goes on where one was ended, even by a kill:
    what is done and unchanged, by content, is skipped.

    Args:
        sources: folders; what is in one folder comes to lie in ``target``, what is in several in
            folders of their names there.
        target: empty, not there yet, or an earlier migration's.
        to: a release, ``"paddle==3.3.1"``.
        verify: run source and result in child processes and compare, where a Paddle at hand runs
            both.
        interpreters: further Pythons, whose Paddles may translate, and run either side.
        device, cpu: what the models are to run on there, as for ``check``.
        trusted_operators: exact names of operators to let in, as for ``safe_load``.
        executor: any ``concurrent.futures.Executor``; without one the caller's thread works.
        dry_run: only tell what would be done; nothing is written.
        progress: called after every batch.

    Raises:
        ArtifactNotFoundError: a source is no folder.
        UsageError: ``to`` names no release, or ``target`` is taken or being written to.
    """
    named = [sources] if isinstance(sources, (str, os.PathLike)) else list(sources)
    trees = _placed([os.fspath(one) for one in named])
    place = _tree(os.fspath(target))
    _require_apart([tree for _, tree in trees], place)
    judged_for = parse_target(to, device=device, cpu=cpu, trusted_operators=trusted_operators)
    _ = judged_for.runtime
    to = f"paddle=={judged_for.version}"
    target_of(to, None)
    known = side_by_side.interpreters(interpreters)
    order = Order(
        target=place,
        to=to,
        judged_for=judged_for,
        verify=verify,
        interpreters=tuple(interpreters),
        releases=tuple(one.release for one in known),
        trusted_operators=tuple(trusted_operators),
        dry_run=dry_run,
        version=__version__,
    )
    with _opened(order):
        return _carried_out(order, trees, executor, progress)


def _carried_out(
    order: Order,
    trees: Sequence[tuple[str, Tree]],
    executor: Executor | None,
    progress: Progress | None,
) -> MigrationReport:
    total = sum(1 for _ in _works(trees, [])) if progress else 0
    models: list[ModelMigration] = []
    skipped: list[Skipped] = []
    dealt_with = 0
    works = _works(trees, skipped)
    for done in carried_out(works, partial(migrate_models, order), executor, first=1):
        dealt_with += len(done.items)
        results = [_lost(done.items[0])] if done.result is None else done.result
        models += (one for one in results if one is not None)
        if progress:
            progress(dealt_with, total)
    beside = written = 0
    if not order.dry_run:
        for rests in carried_out(_rests(trees), partial(copy_rest, order), executor, first=1):
            if rests.result is None:
                rest = rests.items[0]
                skipped.append(Skipped(rest.tree.shown(rest.folder.path), "its process died"))
            for copied in rests.result or ():
                beside, written = beside + copied.beside, written + copied.written
                skipped += (Skipped(path, reason) for path, reason in copied.problems)
    return MigrationReport(
        target=printable(order.target.shown("")),
        release=order.judged_for.described,
        models=tuple(sorted(models, key=lambda model: model.path)),
        skipped=tuple(sorted(skipped, key=lambda entry: (entry.path, entry.reason))),
        beside=beside,
        written=written,
        dry_run=order.dry_run,
    )


def _lost(work: Work) -> ModelMigration:
    return ModelMigration(
        path=joined(work.folder, work.candidate.stem),
        source=work.tree.shown(joined(work.candidate.folder, work.candidate.stem)),
        outcome=FAILED,
        problem="every process that worked on it died",
        action="Give it more memory, or convert it alone: compatload convert.",
    )


def _folders(
    trees: Sequence[tuple[str, Tree]], skipped: list[Skipped]
) -> Iterator[tuple[Tree, Folder, str]]:
    for top, tree in trees:
        for folder in tree.folders():
            if isinstance(folder, Skipped):
                skipped.append(folder)
            else:
                into = "/".join(part for part in (top, folder.path) if part)
                yield tree, folder, into


def _works(trees: Sequence[tuple[str, Tree]], skipped: list[Skipped]) -> Iterator[Work]:
    for tree, folder, into in _folders(trees, skipped):
        for candidate in candidates(folder.path, folder.names):
            yield Work(tree, candidate, into)


def _rests(trees: Sequence[tuple[str, Tree]]) -> Iterator[Rest]:
    for tree, folder, into in _folders(trees, []):
        yield Rest(tree, folder, into)


def _placed(sources: Sequence[str]) -> list[tuple[str, Tree]]:
    """Each source with its folder in the target."""
    if not sources:
        raise UsageError("there is nothing to migrate.", action="Name a folder.")
    trees = [_tree(source) for source in sources]
    for source, tree in zip(sources, trees):
        if not _is_folder(tree):
            raise ArtifactNotFoundError(
                f"{source} is no folder.",
                action="Name one; `compatload convert` takes a single model.",
                artifact=source,
            )
    if len(trees) == 1:
        return [("", trees[0])]
    names = [
        os.path.basename(
            source.partition("::")[0].rstrip("/") if is_url(source) else os.path.abspath(source)
        )
        for source in sources
    ]
    twice = {name for name in names if not name or names.count(name) > 1}
    if twice:
        raise UsageError(
            f"several sources are called {sorted(twice)[0]!r}.",
            action="Migrate them one by one, to targets of their own.",
        )
    return list(zip(names, trees))


def _is_folder(tree: Tree) -> bool:
    if not isinstance(tree, RemoteTree):
        return os.path.isdir(tree.shown(""))
    try:
        require_folder(tree.place)
    except FileNotFoundError:
        return False
    return True


def _tree(path: str) -> Tree:
    return RemoteTree(RemotePlace(path)) if is_url(path) else LocalTree(path)


def _require_apart(sources: Sequence[Tree], target: Tree) -> None:
    if not isinstance(target, LocalTree):
        for source in sources:
            one, other = f"{source.shown('')}/", f"{target.shown('')}/"
            if one.startswith(other) or other.startswith(one):
                raise UsageError(
                    f"{target.shown('')} and {source.shown('')} lie in one another.",
                    action="Name a target outside of all sources.",
                )
        return
    place = Path(os.path.realpath(target.root))
    if place.exists() and not place.is_dir():
        raise UsageError(f"{target.root} is no folder.", action="Name another target.")
    for source in sources:
        if isinstance(source, LocalTree):
            own = Path(os.path.realpath(source.root))
            if own == place or own in place.parents or place in own.parents:
                raise UsageError(
                    f"{target.root} and {source.root} lie in one another.",
                    action="Name a target outside of all sources.",
                )


@contextlib.contextmanager
def _opened(order: Order) -> Iterator[None]:
    """The target, this run's alone; what a killed one left aside is removed."""
    target = order.target
    if order.dry_run:
        ledger.open_target(target, order.to, None)
        yield
        return
    if not isinstance(target, LocalTree):
        with target.scratch() as scratch:
            ledger.open_target(target, order.to, scratch)
        yield
        return
    ledger.open_target(target, order.to, None)
    kept = Path(target.root, KEPT)
    try:
        kept.mkdir(parents=True, exist_ok=True)
        lock = FileLock(kept / "lock", timeout=_LOCK_SECONDS)
        with lock:
            shutil.rmtree(kept / "work", ignore_errors=True)
            with target.scratch() as scratch:
                ledger.open_target(target, order.to, scratch)
            yield
            shutil.rmtree(kept / "work", ignore_errors=True)
    except Timeout:
        raise UsageError(
            f"{target.root} is being migrated to by another process.",
            action="Wait for it, or name another target.",
        ) from None
    except OSError as error:
        raise UsageError(
            f"{error.filename or target.root} cannot be written: {error.strerror}.",
            action="Make it writable, or name another target.",
        ) from error
