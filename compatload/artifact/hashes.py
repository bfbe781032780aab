"""Hashes of files that are not taken again until the file is touched."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

# Two changes within one tick of a file system's clock (10 ms and less) may bear the same time.
_TICK_NS = 100_000_000
_MOST = 1024


class Hashes:
    """Of files by their state: place, size, and both times of change.

    Whoever writes into a file can put the first of the times back, not the second.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[int, ...], str] = {}

    def __len__(self) -> int:
        return len(self._known)

    def clear(self) -> None:
        self._known.clear()

    def of(self, status: os.stat_result, compute: Callable[[], str]) -> str:
        """What ``compute`` says of the file in that state; it is asked once a state."""
        state = (
            *(status.st_dev, status.st_ino, status.st_size),
            *(status.st_mtime_ns, status.st_ctime_ns),
        )
        if state in self._known:
            return self._known[state]
        hashing = time.time_ns()
        result = compute()
        if hashing - status.st_ctime_ns > _TICK_NS:
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[state] = result
        return result
