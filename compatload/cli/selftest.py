"""Try a bundle of saved networks in the Paddle that is installed here, and keep what was found.

Plans and checks then take what was measured here before what is inferred from other releases.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Optional

from compatload.errors import UsageError
from compatload.selftest.bundle import OWN
from compatload.selftest.outcome import Results, failures
from compatload.selftest.running import Report, selftest
from compatload.selftest.table import findings, plain, table
from compatload.store.measured import as_text, keep, write_whole

Progress = Optional[Callable[[int, int], object]]

EXIT_CODES = (
    "exit codes: 0 all is right with compatload, 1 something is not, 2 usage, or it could not be "
    "run or its record not be written"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--device", default="cpu", help="cpu (default), gpu:0, xpu, auto …")
    parser.add_argument("--output", metavar="FILE", help="write the record there, too")
    parser.add_argument("--bundle", metavar="FILE", help="other networks than compatload's own")
    parser.add_argument(
        "--network",
        action="append",
        default=[],
        metavar="ID",
        help="only this one, such as 2.6.2/linear; nothing is kept then",
    )
    parser.add_argument("--timeout", type=float, default=30.0, metavar="SECONDS", help="a network")
    parser.add_argument("--json", action="store_true", help="the record, for programs")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")


def run(arguments: argparse.Namespace) -> int:
    if not arguments.timeout > 0:
        raise UsageError(f"--timeout {arguments.timeout:g}", action="Give a number above 0.")
    keeper = _Keeper(arguments)
    with _progress(arguments) as progress:

        def found(report: Report) -> None:
            keeper.keep(report)
            if progress:
                progress(len(report.results), len(report.asked))

        try:
            report = selftest(
                arguments.device,
                bundle=Path(arguments.bundle) if arguments.bundle else OWN,
                networks=arguments.network,
                found=found,
                timeout=arguments.timeout,
            )
        except OSError as error:
            raise UsageError(
                f"the selftest could not go on: {error}",
                action="Make room in the temporary folder, and run it again.",
            ) from error
    if arguments.json:
        print(as_text(report.to_dict()))
    else:
        _show(report)
    keeper.finish()
    return 1 if failures(report.results) else 0


class _Keeper:
    """Writes the record each time that something was found; a full disk ends nothing."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._output = Path(arguments.output) if arguments.output else None
        self._cached = not arguments.network
        self._written: Results | None = None
        self._problem: OSError | None = None

    def keep(self, report: Report) -> None:
        if report.results == self._written:  # what was tried again counts as well
            return
        self._written = report.results
        record = report.to_dict()
        self._problem = None
        try:
            if self._cached:
                keep(report.runtime, report.device.partition(":")[0], record)
        except OSError as error:
            self._problem = error
        try:
            if self._output:
                write_whole(self._output, as_text(record))
        except OSError as error:
            self._problem = error

    def finish(self) -> None:
        """Raises UsageError where the last record could not be written."""
        if self._problem is not None:
            raise UsageError(
                f"the record could not be written: {self._problem}",
                action="Make room, or name another file with --output, and run it again.",
            ) from self._problem


def _show(report: Report) -> None:
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:  # rich belongs to compatload[check]; the report is the same without
        print(plain(report))
    else:
        head, rows = table(report)
        shown = Table(*head)
        for row in rows:
            shown.add_row(*row)
        Console().print(shown)
    print("\n".join(findings(report)))


@contextmanager
def _progress(arguments: argparse.Namespace) -> Iterator[Progress]:
    """A bar on standard error, where that is a terminal and rich is installed."""
    if arguments.no_progress or not sys.stderr.isatty():
        yield None
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar
    except ImportError:
        yield None
        return
    columns = (MofNCompleteColumn(), BarColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("trying")
        yield lambda done, total: shown.update(task, completed=done, total=total)
