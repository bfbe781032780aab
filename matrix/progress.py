"""How far a run is: a bar through rich where it is installed, a line now and then where not."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SECONDS_BETWEEN_LINES = 10.0


def say(text: str) -> None:
    """One line for people, which does not mix with results on standard output."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def progress(title: str, total: int) -> Iterator[Callable[[], None]]:
    """Gives a function to be called once for each thing done, from any thread."""
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
    except ImportError:
        yield _lines(title, total)
        return
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines(title, total)
        return
    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(title, total=total)
        yield lambda: bar.advance(task)


def _lines(title: str, total: int) -> Callable[[], None]:
    lock = threading.Lock()
    done = 0
    last = time.monotonic()

    def advance() -> None:
        nonlocal done, last
        with lock:
            done += 1
            if done == total or time.monotonic() - last > SECONDS_BETWEEN_LINES:
                last = time.monotonic()
                say(f"{title}: {done} of {total}")

    return advance
