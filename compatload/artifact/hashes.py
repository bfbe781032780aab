"""Hashes of files that are not taken again until the file is touched."""

from __future__ import annotations

import time
from collections.abc import Callable

from compatload.artifact.files import FileIdentity

# Two changes within one tick of a file system's clock (10 ms and less) may bear the same time.
_TICK_NS = 100_000_000
_MOST = 1024


class Hashes:
    """Of files by their state, whatever path leads to them."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, ...], str] = {}

    def __len__(self) -> int:
        return len(self._known)

    def clear(self) -> None:
        self._known.clear()

    def of(self, identity: FileIdentity, compute: Callable[[], str]) -> str:
        """What ``compute`` says of the file in that state; it is asked once a state."""
        state = identity.state
        if state in self._known:
            return self._known[state]
        hashing = time.time_ns()
        result = compute()
        if hashing - identity.ctime_ns > _TICK_NS:
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[state] = result
        return result
