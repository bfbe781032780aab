"""One model: judged, copied or converted aside, verified, put in its place whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from compatload.artifact.inspection import inspect_whole
from compatload.artifact.model import Artifact
from compatload.checking.artifacts import is_program_file
from compatload.checking.finding import ModelVerdict, Way
from compatload.checking.judgement import judge
from compatload.checking.target import Target as JudgedFor
from compatload.errors import CompatLoadError, UsageError
from compatload.exporting import side_by_side
from compatload.exporting.acceptance import check_numbers
from compatload.exporting.conversion import Verification
from compatload.exporting.convert import convert
from compatload.frozen import frozen
from compatload.migration import ledger
from compatload.migration.discovery import PossibleModel, own_names
from compatload.migration.report import (
    CONVERTED,
    COPIED,
    FAILED,
    TO_CONVERT,
    TO_COPY,
    ModelMigration,
    State,
)
from compatload.migration.trees import Tree, copied, joined
from compatload.programs.target import target_of

_BARE_NAMES = {"__model__": "model"}  # what a conversion calls them


@frozen
class Order:
    """What was asked of a migration, for workers; ``releases`` are the Paddles at hand."""

    target: Tree
    to: str
    judged_for: JudgedFor
    verify: bool = True
    interpreters: tuple[str, ...] = ()
    releases: tuple[str, ...] = ()
    trusted_operators: tuple[str, ...] = ()
    dry_run: bool = False
    version: str = ""

    @property
    def asked(self) -> dict[str, object]:
        """All that a result depends on but the files."""
        return {
            "to": self.to,
            "for": self.judged_for.described,
            "verify": self.verify,
            "paddles": list(self.releases),
            "trusted_operators": list(self.trusted_operators),
            "compatload": self.version,
        }


@frozen
class Work:
    """A candidate with the tree that it lies in, and the folder that it comes to in the target."""

    tree: Tree
    candidate: PossibleModel
    folder: str

    @property
    def key(self) -> str:
        return joined(self.folder, self.candidate.key)


class _FailedError(Exception):
    """A model that is not written."""

    def __init__(self, problem: str, action: str, rule: str | None = None) -> None:
        super().__init__(problem)
        self.problem, self.action, self.rule = problem, action, rule


def migrate_models(order: Order, batch: list[Work]) -> list[ModelMigration | None]:
    """What came of each; None of what is no model after all. For a worker."""
    return [_migrated(order, work) for work in batch]


def _migrated(order: Order, work: Work) -> ModelMigration | None:
    started = time.perf_counter()
    known: ledger.Entry | None = None
    candidate = work.candidate
    result = ModelMigration(
        path=joined(work.folder, candidate.stem),
        source=work.tree.shown(joined(candidate.folder, candidate.stem)),
        outcome=FAILED,
    )
    owned: frozenset[str] = own_names(candidate)
    try:
        known = ledger.read(order.target, work.key)
        if known is not None and _is_done(order, work, known):
            return replace(ModelMigration.from_dict(known.result), resumed=True)
        with work.tree.held(candidate.folder, candidate.names) as directory:
            programs = [n for n in candidate.programs if is_program_file(f"{directory}/{n}")]
            if not programs:
                _forget(order, work, known)
                order.target.remove(ledger.path_of(work.key))
                return None
            artifact = inspect_whole(
                _path_of(directory, candidate, programs),
                prefer=target_of(order.to, None).format.value,
            )
            owned = _owned(artifact, directory, candidate.names) | frozenset(programs)
            result = _carried_out(order, work, result, artifact, owned, known)
    except _FailedError as error:
        result = replace(result, problem=str(error), action=error.action, rule=error.rule)
    except CompatLoadError as error:
        told = "; ".join((error.problem, *getattr(error, "obstacles", ())))
        result = replace(result, problem=told, action=error.action, rule=error.rule)
    except (OSError, RecursionError, MemoryError) as error:
        told = f"{type(error).__name__}: {error}"
        result = replace(result, problem=told, action="Look at the disk and the file, run again.")
    if result.outcome == FAILED and not order.dry_run:
        # A link that leads out: nothing of ours is there. A full disk: the next run sees to it.
        with contextlib.suppress(UsageError, OSError):
            _forget(order, work, known)
        with contextlib.suppress(OSError):
            _keep(order, work, result, owned)
    return replace(result, seconds=round(time.perf_counter() - started, 3))


def _carried_out(
    order: Order,
    work: Work,
    result: ModelMigration,
    artifact: Artifact,
    owned: frozenset[str],
    known: ledger.Entry | None,
) -> ModelMigration:
    before = _judged(order, artifact)
    result = replace(result, before=State.of(before))
    if before.way is Way.NONE:
        raise _FailedError(
            f"no Paddle {order.judged_for.version} loads it{_listed(before.obstacles)}",
            "Save it again with compatload.safe_save, in the Paddle that is to load it.",
        )
    native = before.way is Way.NATIVE
    if order.dry_run:
        return replace(result, outcome=TO_COPY if native else TO_CONVERT)
    with order.target.scratch() as scratch:
        made = scratch / "model"
        made.mkdir()
        names: Sequence[str] = ()
        if not native:
            result, names = _converted(order, work, result, artifact, before, made)
        if not names:
            result, names = _copied(order, result, artifact, owned, made)
        taken = set(names) & (set(work.candidate.names) - owned)
        if taken:
            raise _FailedError(
                f"{', '.join(sorted(taken))} is to be written, and lies beside the model as "
                "something else",
                "Give that file another name.",
            )
        _forget(order, work, known)
        files = tuple(joined(work.folder, name) for name in names)
        for name, path in zip(names, files):  # the program last
            order.target.put(made / name, path)
        result = replace(result, files=files)
        _keep(order, work, result, owned, scratch)
    return result


def _converted(
    order: Order,
    work: Work,
    result: ModelMigration,
    artifact: Artifact,
    before: ModelVerdict,
    made: Path,
) -> tuple[ModelMigration, Sequence[str]]:
    """Converted into ``made``; nothing where Paddle would load the result no better."""
    stem = work.candidate.stem
    done = convert(
        artifact.files.program if work.candidate.is_bare else artifact.path,
        made / _BARE_NAMES.get(stem, stem),
        to=order.to,
        verify=order.verify,
        interpreters=order.interpreters,
        trusted_operators=order.trusted_operators,
    )
    after = _judged(order, inspect_whole(done.target, prefer=done.target_format))
    if _badness(after) >= _badness(before):
        for path in done.files:
            os.unlink(path)
        return result, ()
    told = tuple(f"{c.operator}: {c.what}" if c.operator else c.what for c in done.changes)
    result = replace(result, outcome=CONVERTED, after=State.of(after), changes=told)
    return _with(result, done.verification), [os.path.basename(path) for path in done.files]


def _copied(
    order: Order,
    result: ModelMigration,
    artifact: Artifact,
    owned: frozenset[str],
    made: Path,
) -> tuple[ModelMigration, Sequence[str]]:
    directory = os.path.dirname(artifact.files.program)
    program = os.path.basename(artifact.files.program)
    names = [*sorted(owned - {program}), program]
    for name in names:
        copied(directory or ".", name, made)
    copy = inspect_whole(
        str(made / os.path.relpath(artifact.path, directory or ".")), prefer=artifact.format.value
    )
    after = _judged(order, copy)
    result = replace(result, outcome=COPIED, after=State.of(after))
    if not order.verify or after.way is not Way.NATIVE:
        why = "verify=False" if not order.verify else "Paddle alone does not load it there"
        return replace(result, verification=f"not run: {why}"), names
    known = side_by_side.interpreters(order.interpreters)
    with tempfile.TemporaryDirectory(prefix="compatload-") as aside:
        verification = check_numbers(
            artifact,
            copy,
            target_of(order.to, None),
            Verification(asked=True, structure=()),
            Path(aside),
            known,
        )
    return _with(result, verification), names


def _with(result: ModelMigration, verification: Verification) -> ModelMigration:
    differences = [one.difference for one in verification.trials if one.difference is not None]
    agrees = verification.outcome == "agrees"
    return replace(
        result,
        verification="agrees" if agrees else f"not run: {verification.reason}",
        difference=max(differences, default=None),
        paddle=tuple(filter(None, (verification.source_paddle, verification.result_paddle))),
    )


def _judged(order: Order, artifact: Artifact) -> ModelVerdict:
    return judge(artifact, order.judged_for, artifact.path)[0]


def _badness(verdict: ModelVerdict) -> tuple[bool, int]:
    return verdict.way is Way.NONE, sum(one.alone != "ok" for one in verdict.loaders)


def _path_of(directory: str, candidate: PossibleModel, programs: Sequence[str]) -> str:
    several = len(programs) > 1
    return os.path.join(directory, candidate.stem if several else programs[0])


def _owned(artifact: Artifact, directory: str, names: Collection[str]) -> frozenset[str]:
    """Names of all files that make up the model; refused where one of them is none of ``names``."""
    parts = (artifact, *artifact.method_artifacts.values())
    paths = {identity.path for part in parts for identity in part.identities}
    for part in parts:
        files = part.files
        paths |= {files.program, *files.parameters, *files.others}
        paths |= {path for path in (files.info, files.meta, files.record) if path}
    owned = {os.path.relpath(path, directory).replace(os.sep, "/") for path in paths}
    strange = sorted(owned - set(names))
    if strange:
        raise _FailedError(
            f"{strange[0]}, which belongs to it, is no file of its own in its folder",
            "Put the file itself there, or name a source that holds both.",
        )
    return frozenset(owned)


def _is_done(order: Order, work: Work, known: ledger.Entry) -> bool:
    """Whether it was done as asked, of these very files, and lies there unchanged."""
    if known.asked != order.asked or known.names != work.candidate.names:
        return False
    if not known.files:
        return False  # it failed: perhaps it does not now
    folder = work.candidate.folder
    return all(
        work.tree.identity(joined(folder, name)) == identity
        for name, identity in known.sources.items()
    ) and all(order.target.identity(path) == identity for path, identity in known.files.items())


def _forget(order: Order, work: Work, known: ledger.Entry | None) -> None:
    """Take away what an earlier run wrote of this model, the program first."""
    for path in reversed(known.result["files"] if known else ()):
        order.target.remove(path)


def _keep(
    order: Order,
    work: Work,
    result: ModelMigration,
    owned: frozenset[str],
    scratch: Path | None = None,
) -> None:
    if scratch is None:
        with order.target.scratch() as scratch:
            _keep(order, work, result, owned, scratch)
        return
    folder = work.candidate.folder
    sources = {name: work.tree.identity(joined(folder, name)) or "" for name in sorted(owned)}
    entry = ledger.Entry(
        asked=order.asked,
        names=work.candidate.names,
        sources=sources,
        files={path: order.target.identity(path) or "" for path in result.files},
        result=result.to_dict(),
    )
    ledger.write(order.target, work.key, entry, scratch)


def _listed(obstacles: Sequence[str]) -> str:
    return f": {'; '.join(obstacles[:3])}" if obstacles else ""
