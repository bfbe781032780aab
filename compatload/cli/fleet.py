"""What the verbs that work on many files have in common: processes, clusters, progress."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor
from contextlib import contextmanager
from pathlib import Path

from compatload.errors import UsageError
from compatload.executors.named import executor_of

#: Told how many are dealt with, and of how many, where that is known.
Shown = Callable[..., None]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", type=int, metavar="N", help="processes (default: one a core)")
    parser.add_argument(
        "--executor",
        metavar="URL",
        help="a cluster: dask://host:port, ray://host:port, ray://auto, ray://local",
    )
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")


def require_jobs(arguments: argparse.Namespace) -> None:
    if arguments.jobs is not None and arguments.jobs < 1:
        raise UsageError(f"--jobs {arguments.jobs}", action="Give 1 or more.")


@contextmanager
def executor(arguments: argparse.Namespace, *, alone: bool = False) -> Iterator[Executor | None]:
    """What --jobs and --executor ask for; ``alone``: by default there is too little work to share.

    Raises:
        UsageError: nobody answers there, or workers keep dying.
    """
    jobs = 1 if alone else arguments.jobs or os.cpu_count() or 1
    try:
        with executor_of(arguments.executor, jobs) as made:
            yield made
    except BrokenExecutor as error:
        raise UsageError(
            "a worker process died (the system kills the largest one when memory runs out).",
            action="Run it again with --jobs 1.",
        ) from error


@contextmanager
def progress(arguments: argparse.Namespace, what: str) -> Iterator[Shown | None]:
    """A bar on standard error, where that is a terminal and rich is installed."""
    if arguments.no_progress or arguments.quiet or not sys.stderr.isatty():
        yield None
        return
    try:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
    except ImportError:  # rich belongs to compatload[check]; the report is the same without
        yield None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def shown(done: int, total: int | None = None) -> None:
            bar.update(task, completed=done, total=total)

        yield shown


def write_report(path: str, pieces: Iterable[str]) -> None:
    """Raises UsageError where it cannot be written."""
    try:
        with Path(path).open("w", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines(pieces)
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror}", action="Choose another file."
        ) from error
