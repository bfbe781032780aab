"""Which files lie under some paths: sorted, each once, without loops, without leaving the tree."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from compatload.artifact.locate import LEGACY_SUFFIX, PIR_SUFFIX
from compatload.checking.finding import Skipped

# Folders that hold copies or caches, never what somebody wants judged.
PRUNED = frozenset(
    {".git", ".hg", ".svn", "__pycache__", ".tox", ".nox", "node_modules"}
    | {".mypy_cache", ".ruff_cache", ".pytest_cache"}
)
# Deeper trees are loops that are not links (bind mounts), or made to exhaust a reader.
DEEPEST = 64

Exclude = Callable[[str], bool]


def walk(paths: Iterable[str], exclude: Exclude = lambda path: False) -> Iterator[str | Skipped]:
    """Every regular file at or under the paths; what cannot be entered comes as Skipped.

    Links to files are followed; links to folders only inside the tree that they stand in, and
    each folder is entered once, so a loop ends. ``exclude`` gets every path, folders included. A
    path that is none stands for the programs saved under it, as Paddle's own loaders take it.
    """
    entered: set[tuple[int, int]] = set()
    for path in paths:
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError) as error:
            programs = saved_under(path)
            yield from programs
            if not programs:
                yield Skipped(path, _reason(error))
            continue
        if stat.S_ISDIR(mode):
            yield from _walk_folder(path, exclude, entered)
        elif stat.S_ISREG(mode):
            yield path
        else:
            yield Skipped(path, "not a regular file")


def saved_under(prefix: str) -> list[str]:
    """The programs whose files begin with it: ``models/net`` of ``models/net.pdmodel``."""
    programs = [prefix + end for end in (PIR_SUFFIX, LEGACY_SUFFIX)]
    try:
        return [file for file in programs if os.path.isfile(file)]
    except ValueError:  # a path with a null byte
        return []


def _walk_folder(
    top: str, exclude: Exclude, entered: set[tuple[int, int]]
) -> Iterator[str | Skipped]:
    root = os.path.realpath(top)
    pending = [(top, 0)]
    while pending:
        folder, depth = pending.pop()
        try:
            identity = os.stat(folder)
            if (identity.st_dev, identity.st_ino) in entered:
                yield Skipped(folder, "a link back into the tree")
                continue
            entered.add((identity.st_dev, identity.st_ino))
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            yield Skipped(folder, _reason(error))
            continue
        folders = []
        for entry in entries:
            if entry.name in PRUNED or exclude(entry.path):
                continue
            if _is_folder(entry):
                if entry.is_symlink() and not _inside(entry.path, root):
                    yield Skipped(entry.path, "a link to a folder outside of the tree")
                elif depth >= DEEPEST:
                    yield Skipped(entry.path, f"more than {DEEPEST} folders deep")
                else:
                    folders.append((entry.path, depth + 1))
                continue
            problem = _problem(entry)
            yield Skipped(entry.path, problem) if problem else entry.path
        pending += reversed(folders)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that loops onto itself: _problem names it
        return False


def _problem(entry: os.DirEntry[str]) -> str:
    """Why an entry that is no folder cannot be read, or ``""``."""
    try:
        if entry.is_file():
            return ""
        return "a dangling link" if entry.is_symlink() else "not a regular file"
    except OSError as error:
        return _reason(error)


def _inside(path: str, root: str) -> bool:
    target = Path(os.path.realpath(path))
    return target == Path(root) or Path(root) in target.parents


def _reason(error: OSError | ValueError) -> str:
    """Short words without the path, so that the same reason counts as one."""
    return (getattr(error, "strerror", None) or str(error)).lower()
