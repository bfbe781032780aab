"""Predictors are let go in a thread that stays, while no other one runs.

Paddle clears the primitives (see ``primitives``) of the executor that ran last in the thread that
deletes a predictor, and once more as that thread ends; if none ran there, it clears all of them,
also those of a predictor that another thread is running, which ends in SIGSEGV (2.6.2 to 3.3.1,
legacy and PIR programs). So a thread that ran nothing, and any that is about to end, hands its
predictor over.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from compatload.loading.primitives import PRIMITIVES


class _Goodbye(NamedTuple):
    owned: list[Any]
    ended: threading.Thread | None
    done: Callable[[], None]


class Disposal:
    """One thread that deletes what it is given, and never ends."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """In a forked process the thread is not there."""
        self._goodbyes: queue.SimpleQueue[_Goodbye] = queue.SimpleQueue()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def let_go(
        self,
        owned: list[Any],
        done: Callable[[], None],
        *,
        ended: threading.Thread | None = None,
    ) -> None:
        """Empty ``owned``, which holds the last references, and call ``done``; returns at once.

        Args:
            ended: the thread that ran the predictors; it is about to end, and does so before.
        """
        with self._starting:
            if self._thread is None:
                # A daemon: a run that hangs must not keep the interpreter from ending.
                self._thread = threading.Thread(
                    target=_keep_deleting,
                    args=(self._goodbyes,),
                    name="compatload disposal",
                    daemon=True,
                )
                self._thread.start()
        self._goodbyes.put(_Goodbye(owned, ended, done))


def _keep_deleting(goodbyes: queue.SimpleQueue[_Goodbye]) -> None:
    while True:
        goodbye = goodbyes.get()
        with PRIMITIVES.cleared():
            if goodbye.ended is not None:
                goodbye.ended.join()
            goodbye.owned.clear()
        goodbye.done()
        del goodbye


DISPOSAL = Disposal()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=DISPOSAL.reset)
