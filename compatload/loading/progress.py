"""Word from what takes long: a conversion, a translation in a child process, a preflight."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from compatload.loading.report import logger

# Nobody wonders before that, and a log of hours stays readable.
FIRST, LONGEST = 5.0, 60.0


@contextmanager
def progress(what: str, first: float = FIRST) -> Iterator[None]:
    """Log that ``what`` still goes on after ``first`` seconds, then at doubling intervals.

    The thread that does so sleeps until then, and most loads are over before it wakes.
    """
    finished = threading.Event()
    started = time.monotonic()

    def tell() -> None:
        pause = first
        while not finished.wait(pause):
            logger.info("%s: %.0f s and still at it", what, time.monotonic() - started)
            pause = min(2 * pause, LONGEST)

    thread = threading.Thread(target=tell, name="compatload-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()
