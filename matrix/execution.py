"""Runs cells: in workers, in parallel, each once; crashes are seen twice before they count."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import groupby

from matrix.artifacts import Artifact, source_digest
from matrix.cells import Cell, Result
from matrix.environments import Environment, home
from matrix.journal import Journal
from matrix.pool import Worker, WorkerError
from matrix.progress import progress

# A worker takes this many cells at most, so that the last ones are spread over the cores.
CHUNK = 150
_OWN = ("matrix/calls.py", "matrix/comparison.py", "matrix/worker.py")
# What a cell's result depends on; of compatload, the packages that a load goes through.
_LOADING = ("artifact", "faults", "loading", "operators", "programs", "runtime")
CODE = {
    "paddle": _OWN,
    "compatload": (*_OWN, "compatload/*.py", *(f"compatload/{one}/**/*" for one in _LOADING)),
}


# How matrix.handed calls what a cell calls by Paddle's part; a cell with a Config has no recording.
_RECORDED_AS = {"jit": "layer", "static": "program", "predictor": "predictor"}

OUT_OF_TIME = "the run was given too little time to reach it"


@dataclass(frozen=True)
class Options:
    """``without``: rules that compatload leaves out. ``any_code``: results of other code count.
    ``unchanged``: loads (``saver/network/release/api``) to which code of now and of then hands the
    same (``matrix.handed``), and whose results count for that.

    ``until``: when to start no further cell, as ``time.monotonic`` counts.
    """

    jobs: int
    timeout: float
    without: tuple[str, ...] = ()
    any_code: bool = False
    unchanged: frozenset[str] = frozenset()
    until: float = math.inf


class Job:
    """What a run works with."""

    def __init__(
        self,
        environments: Mapping[str, Environment],
        unavailable: Mapping[str, str],
        artifacts: Sequence[Artifact],
        journal: Journal,
        options: Options,
    ) -> None:
        self.environments = environments
        self.unavailable = unavailable
        self.artifacts = {(one.saver, one.model): one for one in artifacts}
        self.journal = journal
        self.options = options
        self._code = {caller: source_digest(patterns) for caller, patterns in CODE.items()}

    def impossible(self, cell: Cell) -> str | None:
        """Why a cell cannot be run here, or None."""
        return self.artifacts[cell.saver, cell.model].error or self.unavailable.get(cell.loader)

    def key(self, cell: Cell) -> str:
        """Names the cell, and everything but code that its result depends on."""
        artifact = self.artifacts[cell.saver, cell.model]
        without = self.options.without if cell.caller == "compatload" else ()
        parts = (artifact.digest, self.environments[cell.loader].digest, *without)
        return f"{cell.id}@{'.'.join(parts)}"

    def code(self, cell: Cell) -> str:
        """The digest of the code that its result depends on."""
        return self._code[cell.caller]

    def known(self, cell: Cell) -> Result | None:
        """What came of it before, if that still holds."""
        counts = self.options.any_code or self.is_unchanged(cell)
        return self.journal.get(self.key(cell), None if counts else self.code(cell))

    def is_unchanged(self, cell: Cell) -> bool:
        """Whether it is known that compatload hands the same to Paddle as when it was run."""
        load = f"{cell.saver}/{cell.model}/{cell.loader}/{_RECORDED_AS.get(cell.api)}"
        return cell.caller == "compatload" and load in self.options.unchanged

    def is_current(self, cell: Cell) -> bool:
        """Whether what is known of it holds for the code as it is now."""
        return (
            self.is_unchanged(cell) or self.journal.get(self.key(cell), self.code(cell)) is not None
        )

    def record(self, cell: Cell, result: Result) -> None:
        self.journal.add(self.key(cell), self.code(cell), result)

    def request(self, cell: Cell) -> dict[str, object]:
        """What a worker is asked for it."""
        artifact = self.artifacts[cell.saver, cell.model]
        return {
            "do": "load",
            "folder": str(artifact.folder),
            "api": cell.api,
            "caller": cell.caller,
            "timeout": self.options.timeout,
            "without": list(self.options.without),
        }


def execute(job: Job, cells: Sequence[Cell]) -> dict[Cell, Result]:
    """What came of each cell: from the journal, from now, or that it cannot be run."""
    found: dict[Cell, Result] = {}
    waiting: list[Cell] = []
    for cell in cells:
        reason = job.impossible(cell)
        known = None if reason else job.known(cell)
        if reason:
            found[cell] = Result("not run", error=reason)
        elif known:
            found[cell] = known
        else:
            waiting.append(cell)
    if waiting:
        with (
            progress("cells", len(waiting)) as advance,
            ThreadPoolExecutor(job.options.jobs) as threads,
        ):
            for results in threads.map(lambda chunk: _run(job, chunk, advance), _chunks(waiting)):
                found.update(results)
    return found


def _chunks(cells: Sequence[Cell]) -> Iterator[list[Cell]]:
    """Cells of one loader and caller, which one worker can answer for."""

    def place(cell: Cell) -> tuple[str, str]:
        return cell.loader, cell.caller

    for _, group in groupby(sorted(cells, key=lambda c: (place(c), c)), key=place):
        same = list(group)
        for start in range(0, len(same), CHUNK):
            yield same[start : start + CHUNK]


def _run(job: Job, cells: Sequence[Cell], advance: Callable[[], None]) -> dict[Cell, Result]:
    found = {}
    with _worker(job, cells[0]) as worker:
        for cell in cells:
            if time.monotonic() >= job.options.until:
                found[cell] = Result("not run", error=OUT_OF_TIME)
                continue
            try:
                result = _ask(worker, job.request(cell))
            except WorkerError as error:
                found[cell] = Result("not run", error=str(error))  # not recorded: it was not run
            else:
                job.record(cell, result)
                found[cell] = result
            advance()
    return found


def _ask(worker: Worker, request: Mapping[str, object]) -> Result:
    """A worker that dies of old age gets one successor."""
    try:
        return Result.from_dict(worker.ask(request))
    except WorkerError:
        return Result.from_dict(worker.ask(request))


def _worker(job: Job, cell: Cell) -> Worker:
    log = home() / f"logs/{cell.loader}-{cell.caller}.log"
    return Worker(job.environments[cell.loader].python, cell.caller, home(), log=log)


def confirm(job: Job, found: Mapping[Cell, Result]) -> dict[Cell, Result]:
    """See every crash and hang again in a process that has done nothing else.

    Cells that died of the same cause in the same place stand for each other; if the one that is
    tried does not die again, each of them is tried, and what is seen then counts.
    """
    groups: dict[tuple[str, ...], list[Cell]] = {}
    for cell, result in found.items():
        if result.outcome in ("crash", "hang") and result.confirmed is None:
            cause = (cell.loader, cell.api, cell.caller, result.outcome, result.error or "")
            groups.setdefault(cause, []).append(cell)
    seen = dict(found)
    if not groups:
        return seen
    with (
        progress("confirming", len(groups)) as advance,
        ThreadPoolExecutor(job.options.jobs) as threads,
    ):
        for results in threads.map(lambda cells: _confirm(job, found, cells), groups.values()):
            seen.update(results)
            advance()
    for cell in (cell for cells in groups.values() for cell in cells):
        job.record(cell, seen[cell])
    return seen


def _confirm(job: Job, found: Mapping[Cell, Result], cells: Sequence[Cell]) -> dict[Cell, Result]:
    if _fresh(job, cells[0]) is None:
        return {cell: replace(found[cell], confirmed=True) for cell in cells}
    again = {cell: _fresh(job, cell) for cell in cells}
    return {
        cell: replace(found[cell], confirmed=True) if result is None else result
        for cell, result in again.items()
    }


def _fresh(job: Job, cell: Cell) -> Result | None:
    """What a fresh process says; None if it dies or hangs."""
    answer = _worker(job, cell).ask_fresh(job.request(cell))
    return None if answer is None else Result.from_dict(answer)
