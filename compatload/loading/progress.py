"""Word from what takes long: a conversion, a translation in a child process, a preflight."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from compatload.loading.report import logger

# Nobody wonders before that, and a log of hours stays readable.
FIRST, LONGEST = 5.0, 60.0


@dataclass(eq=False)
class _Task:
    """``due``: when to tell of it next; ``pause``: for how long that was put off."""

    what: str
    started: float
    pause: float
    due: float


class _Watch:
    """Tasks that are going on, and one thread that tells of all of them.

    The thread starts with a task if there is none, and ends when it wakes and finds nothing: most
    loads are over before that, and those that follow find it still there.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._tasks: set[_Task] = set()
        self._wakes: float | None = None  # None: there is no thread

    def add(self, task: _Task) -> None:
        with self._changed:
            self._tasks.add(task)
            if self._wakes is None:
                self._wakes = task.due
                threading.Thread(target=self._tell, name="compatload-progress", daemon=True).start()
            elif task.due < self._wakes:
                self._changed.notify()

    def remove(self, task: _Task) -> None:
        with self._changed:
            self._tasks.discard(task)

    def _tell(self) -> None:
        while (late := self._wait()) is not None:
            for task in late:
                seconds = time.monotonic() - task.started
                logger.info("%s: %.0f s and still at it", task.what, seconds)

    def _wait(self) -> list[_Task] | None:
        """Sleeps until a task is due; those that are, or None when nothing is going on."""
        with self._changed:
            if not self._tasks:
                self._wakes = None
                return None
            self._wakes = min(task.due for task in self._tasks)
            self._changed.wait(max(0.0, self._wakes - time.monotonic()))
            now = time.monotonic()
            late = [task for task in self._tasks if task.due <= now]
            for task in late:
                task.pause = min(2 * task.pause, LONGEST)
                task.due = now + task.pause
            return late


_watch = _Watch()


def _forget() -> None:
    """A forked process has neither the thread nor the tasks of its parent."""
    global _watch
    _watch = _Watch()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


@contextmanager
def progress(what: str, first: float = FIRST) -> Iterator[None]:
    """Log that ``what`` still goes on after ``first`` seconds, then at doubling intervals."""
    now = time.monotonic()
    task, watch = _Task(what, now, first, now + first), _watch
    watch.add(task)
    try:
        yield
    finally:
        watch.remove(task)
