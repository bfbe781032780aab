"""The one entry of a check: paths in, report out, on any executor."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TypeVar

from compatload.checking.archives import ExhaustedError, is_archive, members
from compatload.checking.artifacts import ArtifactChecker
from compatload.checking.checker import (
    LARGEST_KEPT,
    Checker,
    DiskFile,
    Judgement,
    Readable,
)
from compatload.checking.finding import CheckReport, Finding, ModelVerdict, Skipped
from compatload.checking.settings import (
    Settings,
    find_settings,
    ignored_by_comment,
    ignored_lines,
)
from compatload.checking.sources import LARGEST, check_source, is_source
from compatload.checking.target import Target, parse_target
from compatload.checking.urls import Part, RemoteModels, UrlFile, parts
from compatload.checking.walk import walk
from compatload.collection import collection_paused
from compatload.executors.batches import carried_out
from compatload.frozen import frozen
from compatload.remote import is_url

# Files of the first batch: enough to hide the cost of sending, few enough to share out.
BATCH = 64

# Bytes of an archive's members that are kept at once.
MOST_KEPT = 256 << 20

Progress = Callable[[int], None]
_Told = TypeVar("_Told", Finding, Skipped, ModelVerdict)


@frozen
class SourceChecker:
    """Python files."""

    kind: str = "source"

    def recognises(self, name: str) -> bool:
        return is_source(name)

    def keeps(self, name: str) -> bool:
        return False

    def check_together(self, kept: Mapping[str, bytes | None], target: Target) -> Judgement:
        return Judgement()

    def check(self, file: Readable, target: Target) -> Judgement:
        data = file.read(LARGEST + 1)
        result = check_source(file.name, data, target)
        if isinstance(result, Skipped):
            return Judgement(skipped=[result])
        verdict = Judgement(checked=Counter({self.kind: 1}))
        if result:
            comments = ignored_lines(data)
            verdict.findings = [f for f in result if not ignored_by_comment(f, comments)]
            verdict.suppressed = len(result) - len(verdict.findings)
        return verdict


def all_checkers() -> tuple[Checker, ...]:
    """Sources and saved models."""
    return SourceChecker(), ArtifactChecker()


def check(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    target: str | Target | None = None,
    settings: Settings | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    checkers: Sequence[Checker] | None = None,
) -> CheckReport:
    """Judge files, folders and archives for a Paddle that need not be installed.

    Args:
        paths: one, or several of them.
        target: ``"paddle==3.3.1"``; by default what pyproject.toml says, else the newest
            release that was measured.
        settings: by default those of the pyproject.toml above the first path.
        executor: any ``concurrent.futures.Executor``; without one the caller's thread works.
        progress: called with the number of files dealt with so far.
        checkers: by default those for sources and for saved models.

    Raises:
        UsageError: the target or the settings make no sense.
    """
    several = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    named = [os.fspath(path) for path in several]
    if settings is None:
        settings = find_settings(named[0] if named else ".")
    if not isinstance(target, Target):
        target = parse_target(
            target or settings.target, device=settings.device or "cpu", cpu=settings.cpu
        )
    _ = target.runtime  # an unknown device or CPU is told before anything is read
    chosen = all_checkers() if checkers is None else tuple(checkers)
    total = Judgement()
    files = _files(named, settings, total)
    work = partial(check_files, target=target, checkers=chosen)
    done = 0
    for batch in carried_out(files, work, executor, first=BATCH, alone=_is_large):
        if batch.result is None:
            (lost,) = batch.items
            name = lost.place.shown(lost.folder) if isinstance(lost, Part) else lost
            total.skipped.append(Skipped(name, "every process that judged it died"))
        else:
            total.add(batch.result)
        done += _count(batch.items)
        if progress is not None:
            progress(done)
    return _report(total, target, settings)


def _files(paths: list[str], settings: Settings, told: Judgement) -> Iterator[str | Part]:
    """Every file to judge, and parts of what lies behind URLs. What is skipped goes to ``told``."""
    local = [path for path in paths if not is_url(path)]
    behind = (part for path in paths if is_url(path) for part in parts(path))
    for entry in chain(walk(local, settings.excludes), behind):
        if isinstance(entry, Skipped):
            told.skipped.append(entry)
        else:
            yield entry


def _is_large(entry: str | Part) -> bool:
    return isinstance(entry, Part) or is_archive(entry)


def _count(entries: list[str | Part]) -> int:
    return sum(len(one.files) if isinstance(one, Part) else 1 for one in entries)


def check_files(
    paths: list[str | Part], target: Target, checkers: tuple[Checker, ...]
) -> Judgement:
    """Judge some files, archives member by member; what a worker does."""
    verdict = Judgement()
    # Syntax trees are millions of objects: walking them for nothing is a tenth of a check's time.
    with collection_paused():
        for path in paths:
            if isinstance(path, Part):
                verdict.add(_check_part(path, target, checkers))
            elif is_archive(path):
                verdict.add(_check_archive(path, target, checkers))
            else:
                verdict.add(_check_file(DiskFile(path), target, checkers))
    return verdict


def _check_archive(path: str, target: Target, checkers: tuple[Checker, ...]) -> Judgement:
    """Member by member; what belongs together is kept, up to MOST_KEPT bytes, and judged last."""
    verdict = Judgement()
    kept: dict[Checker, dict[str, bytes | None]] = {}
    room = MOST_KEPT
    for member in members(path):
        if isinstance(member, Skipped):
            verdict.skipped.append(member)
            continue
        keeper = next((one for one in checkers if one.keeps(member.name)), None)
        if keeper is None:
            verdict.add(_check_file(member, target, checkers))
            continue
        try:
            inert = not keeper.recognises(member.name)
            data = member.read(min(LARGEST_KEPT, room) + 1, inert=inert)
        except ExhaustedError:
            continue  # said once, for the archive
        except OSError as error:
            verdict.skipped.append(Skipped(member.name, str(error)))
            continue
        fits = len(data) <= min(LARGEST_KEPT, room)
        room -= len(data) if fits else 0
        kept.setdefault(keeper, {})[member.name] = data if fits else None
    for keeper, group in kept.items():
        verdict.add(keeper.check_together(group, target))
    return verdict


def _check_part(part: Part, target: Target, checkers: tuple[Checker, ...]) -> Judgement:
    """As an archive's members; of what is kept, only what is looked at is read."""
    verdict = Judgement()
    kept: dict[Checker, dict[str, int]] = {}
    for name, size in part.files:
        file = UrlFile(part.place, part.path(name))
        keeper = next((one for one in checkers if one.keeps(name)), None)
        if keeper is not None:
            kept.setdefault(keeper, {})[name] = size
        elif is_archive(name):
            verdict.skipped.append(Skipped(file.name, "an archive behind a URL: give zip://::URL"))
        else:
            verdict.add(_check_file(file, target, checkers))
    for keeper, names in kept.items():
        verdict.add(keeper.check_together(RemoteModels(part, names, LARGEST_KEPT), target))
    return verdict


def _check_file(file: Readable, target: Target, checkers: tuple[Checker, ...]) -> Judgement:
    for checker in checkers:
        if checker.recognises(file.name):
            try:
                return checker.check(file, target)
            except ExhaustedError:
                return Judgement()  # said once, for the archive
            except OSError as error:
                reason = (error.strerror or str(error)).lower()
                return Judgement(skipped=[Skipped(file.name, reason)])
    return Judgement(passed_over=1)


def printable(path: str) -> str:
    """The path with bytes that are no UTF-8 replaced: every output must be able to hold it."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _report(total: Judgement, target: Target, settings: Settings) -> CheckReport:
    kept = [finding for finding in total.findings if not settings.ignores(finding)]
    return CheckReport(
        target=target.described,
        models=_shown(sorted(total.models, key=lambda model: model.path)),
        findings=_shown(sorted(kept, key=lambda finding: finding.order)),
        skipped=_shown(sorted(total.skipped, key=lambda entry: (entry.path, entry.reason))),
        checked=dict(sorted(total.checked.items())),
        passed_over=total.passed_over,
        suppressed=total.suppressed + len(total.findings) - len(kept),
    )


def _shown(told: Iterable[_Told], shown: Callable[[str], str] = printable) -> tuple[_Told, ...]:
    """With paths as they are shown; what need not change is not copied."""
    return tuple(
        one if (path := shown(one.path)) == one.path else replace(one, path=path) for one in told
    )


def relative_to(report: CheckReport, folder: str | os.PathLike[str]) -> CheckReport:
    """The same report with paths relative to a folder, where they lie inside of it."""
    base = Path(folder).resolve()

    def shortened(path: str) -> str:
        if is_url(path):
            return path
        try:
            return Path(path).resolve().relative_to(base).as_posix()
        except (ValueError, OSError):
            return path

    return replace(
        report,
        findings=_shown(report.findings, shortened),
        skipped=_shown(report.skipped, shortened),
        models=_shown(report.models, shortened),
    )
