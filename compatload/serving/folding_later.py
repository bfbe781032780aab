"""A slow start is the last one: whether a model is better folded is found out behind its back.

A load of a predictor that took long is followed, once its process has been at work for a while, by
a child process of the lowest priority (``serving.folding``), unless that was found out before. The
next start uses it. A process that ends before takes its child along, and nothing is kept.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from compatload.artifact.model import MEMORY, Format
from compatload.loading.folded import SLOW, Folding, FoldingPlace, is_off
from compatload.loading.recall import folding_place
from compatload.loading.report import load_report
from compatload.loading.request import FOLDED, Request
from compatload.store.cache import OFF, VARIABLE, ConversionCache
from compatload.store.measured import runtime_here

logger = logging.getLogger("compatload")

# Seconds that a process has to itself before.
REST = 10.0
# Memory of the child: Paddle, and the weights so many times (measured: 3 to 4).
_PADDLE, _TIMES = 512 << 20, 5
_GROUPS, _OWN_GROUP = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
# Some servers put their own program there, which would start once more.
_INTERPRETER = re.compile(r"(python|pypy)[\d.]*(w|t|d)*")
# Models that this process has looked at: one that exchanges weights all the time does so once.
_looked_at: set[tuple[object, ...]] = set()
_one_at_a_time = threading.Lock()


def fold_later(request: Request, loaded: object) -> None:
    """Called after a load by predictors that took long; returns at once."""
    report, path = load_report(loaded), os.fsdecode(request.path)
    if report is None or report.attempts or FOLDED in report.notes or not _can_be_tried():
        return
    if request.anew or path == MEMORY or report.plan.format != Format.PIR.value:
        return
    request = replace(request, path=os.path.abspath(path))
    place = (request.path, request.program, request.params)
    if place in _looked_at:
        return
    _looked_at.add(place)
    with suppress(RuntimeError):  # the interpreter is ending, or has too many of them
        threading.Thread(
            target=_after_a_while, args=(request,), name="compatload-folding", daemon=True
        ).start()


def _can_be_tried() -> bool:
    """Whether there are a cache and a Python to start; elsewhere than on POSIX a child could
    outlive this process."""
    python = os.path.basename(sys.executable or "")
    is_python = _INTERPRETER.fullmatch(python) and not getattr(sys, "frozen", False)
    wanted = not is_off() and os.environ.get(VARIABLE) != OFF
    return bool(is_python and wanted and hasattr(os, "fork"))


def _after_a_while(request: Request) -> None:
    time.sleep(REST)
    try:
        with _one_at_a_time:
            _find_out(request)
    except Exception as error:  # whatever it is: nobody waits for it
        logger.debug("%s was not tried in its folded form: %s", os.fsdecode(request.path), error)


def _find_out(request: Request) -> None:
    place, path = folding_place(request, runtime_here()), os.fsdecode(request.path)
    if place is None or place.verdict() is not None:
        return
    left, needed = _memory_left(), _PADDLE + _TIMES * place.weights.size
    if left is not None and left < needed:
        logger.debug("%s was not tried in its folded form: %d bytes are left", path, left)
        return
    with ConversionCache().alone(place.key) as alone:
        if alone and place.verdict() is None:
            _try(request, place, path)


def _try(request: Request, place: FoldingPlace, path: str) -> None:
    # A load that is slow for another reason does not need them.
    from compatload.serving.folding import FUNCTION, SECONDS, arguments, told
    from compatload.trials.children import run

    quiet = {**os.environ, "OMP_NUM_THREADS": "1"}
    ended = run(
        FUNCTION, *arguments(request, SLOW, politely=True), timeout=SECONDS, environment=quiet
    )
    verdict = place.verdict()
    if verdict is None:  # not to be tried again by each process
        found = told(ended)
        problem = found.problem if found else f"the child process {ended.how}"
        verdict = Folding(problem or "the child process had another runtime")
        place.keep(verdict, path)
    if verdict.problem:
        logger.debug("%s is loaded as it was saved: %s", path, verdict.problem)
    else:
        logger.info("%s will be folded as it is loaded, with the same numbers", path)


def _memory_left() -> int | None:
    """Bytes, of the machine and of the control group; None where nobody says."""
    return min((*_left_of_machine(), *_left_of_group()), default=None)


def _left_of_machine() -> Iterator[int]:
    with suppress(OSError, ValueError, IndexError):
        said = Path("/proc/meminfo").read_text(encoding="ascii")
        yield int(said.partition("MemAvailable:")[2].split()[0]) << 10


def _left_of_group() -> Iterator[int]:
    with suppress(OSError, ValueError, IndexError):
        own = _OWN_GROUP.read_text(encoding="utf-8").partition("0::")[2]
        folder = _GROUPS / own.splitlines()[0].strip("/")
        limit, used, told = (
            (folder / f"memory.{name}").read_text(encoding="ascii")
            for name in ("max", "current", "stat")
        )
        # What was read of files goes where memory is needed.
        files = int(told.partition("inactive_file ")[2].split()[0])
        yield int(limit) - int(used) + files
