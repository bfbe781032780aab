"""oneDNN's primitives: all predictors of a process keep theirs in one place of Paddle.

Each pass over a legacy program empties that place, for every predictor, also for one that another
thread is running, which then reads what is gone and ends in SIGSEGV: two threads of Paddle's own
API, one that runs a small model and one that creates predictors, live for 1 to 4 seconds (3.1.1,
3.2.2, 3.3.1; 15 seconds did no harm to 2.6.2 and 3.0.0, which empty it, too). PIR programs are
optimised without it. Deleting a predictor may empty it as well (see ``disposal``). So whoever runs
a predictor here says so, and a legacy predictor is created while nobody does.

In 3.x a loop or branch of a legacy program asks, each time that it runs, that the next emptying be
left out, and nothing in it empties. So the passes over a later program leave what deleted
predictors have kept, weights of fully connected layers in memory that is gone, and a predictor that
comes to lie where one of these lay computes with that: 1e28 or NaN from the first call to the last,
without an error (3.0.0, 3.2.1 and 3.3.1, a decoder beside a model with a loop: 1 to 2 of 20
predictors). Each deleted executor is such an emptying: see ``held_off``.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

logger = logging.getLogger("compatload")

# A run that takes longer has perhaps stopped for good; loads cannot wait for it for ever.
_PATIENCE = 60.0
# Emptyings that are made up for before a predictor is created: at least so many, and so many for
# each second in which loops may have run, up to a limit of 0.7 s.
_FEWEST, _EACH_SECOND, _MOST = 20_000, 2_000, 1_000_000


class _Inside(threading.local):
    depth = 0


class Primitives:
    """Used by many threads at once, or cleared by one; who wants to clear them comes first.

    Args:
        patience: seconds to wait for those who use them before they are cleared all the same.
    """

    def __init__(self, patience: float = _PATIENCE) -> None:
        self._patience = patience
        self._use = _Use(self)
        self.reset()

    def reset(self) -> None:
        """Nobody uses them: in a forked process none of those threads is there."""
        self._changed = threading.Condition()
        self._clearing = threading.RLock()
        self._users = 0
        self._clearers = 0
        self._inside = _Inside()
        self._since: float | None = None

    def held_off(self) -> None:
        """A legacy program with loops or branches is made: emptyings may be left out now."""
        if self._since is None:
            self._since = time.monotonic()

    def make_up(self, core: Any) -> None:
        """Have those emptyings that are to be left out behind us; within ``cleared``.

        Args:
            core: Paddle's, for its executors.
        """
        if self._since is None:
            return
        passed, self._since = time.monotonic() - self._since, time.monotonic()
        place = core.Place()
        place.set_place(core.CPUPlace())
        for _ in range(min(_FEWEST + int(_EACH_SECOND * passed), _MOST)):
            core.Executor(place)

    @property
    def used_by_this_thread(self) -> bool:
        return self._inside.depth > 0

    def used(self) -> AbstractContextManager[None]:
        """They stay for the scope. Entering waits while somebody clears them or is about to."""
        return self._use

    @contextmanager
    def cleared(self) -> Iterator[None]:
        """They may go in the scope: it waits until nobody but this thread uses them.

        One thread at a time. The log says if the wait was given up.
        """
        with self._changed:
            self._clearers += 1
        try:
            with self._clearing:
                self._wait_for_users()
                self.enter(waiting=False)  # what this thread runs meanwhile waits not for itself
                try:
                    yield
                finally:
                    self.leave()
        finally:
            with self._changed:
                self._clearers -= 1
                self._changed.notify_all()

    def _wait_for_users(self) -> None:
        mine = self._inside.depth
        with self._changed:
            if not self._changed.wait_for(lambda: self._users <= mine, self._patience):
                logger.warning(
                    "a predictor is created while %d calls are inside others, which have not come "
                    "back for %.0f seconds",
                    self._users - mine,
                    self._patience,
                )

    def enter(self, *, waiting: bool = True) -> None:
        with self._changed:
            if waiting and self._clearers and not self._inside.depth:
                self._changed.wait_for(lambda: not self._clearers)
            self._users += 1
        self._inside.depth += 1

    def leave(self) -> None:
        self._inside.depth -= 1
        with self._changed:
            self._users -= 1
            if self._clearers:
                self._changed.notify_all()


class _Use(AbstractContextManager[None]):
    """One for all scopes: a generator for each would take longer than all the rest of them."""

    def __init__(self, primitives: Primitives) -> None:
        self._primitives = primitives

    def __enter__(self) -> None:
        self._primitives.enter()

    def __exit__(self, *_: object) -> None:
        self._primitives.leave()


PRIMITIVES = Primitives()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=PRIMITIVES.reset)
