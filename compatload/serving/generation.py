"""One loaded model for as long as somebody uses it."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from compatload.loading.disposal import DISPOSAL
from compatload.loading.primitives import PRIMITIVES
from compatload.loading.report import LoadReport, load_report


class Generation:
    """A model, the calls that are inside it, and whether its successor has taken over.

    Args:
        number: 1 for the first model of a handle.
        concurrent: whether several threads may be inside the model at once.
    """

    def __init__(self, number: int, model: Any, *, concurrent: bool) -> None:
        self.number = number
        self.loaded_at = time.time()
        self.report: LoadReport | None = load_report(model)
        self._model: Any = model
        self._turn: Any = nullcontext() if concurrent else threading.RLock()
        self._kept: Any = PRIMITIVES.used if _is_predictor(model) else nullcontext
        self._changed = threading.Condition()
        self._users = 0
        self._retired = self._closed = False

    @property
    def users(self) -> int:
        """How many calls are inside it, or wait for their turn."""
        return self._users

    def enter(self) -> bool:
        """Count one more user; False if it was retired, and the successor has to be asked."""
        with self._changed:
            if self._retired:
                return False
            self._users += 1
            return True

    @contextmanager
    def entered(self) -> Iterator[Any]:
        """The model, for a user whom ``enter`` has counted."""
        try:
            with self._turn, self._kept():
                yield self._model
        finally:
            with self._changed:
                self._users -= 1
            self._let_go()

    def retire(self) -> None:
        """Let nobody in any more; the model is let go when the last user leaves."""
        with self._changed:
            self._retired = True
        self._let_go()

    def drained(self, timeout: float | None = None) -> bool:
        """Wait until a retired model is let go; False if ``timeout`` seconds were too short."""
        with self._changed:
            return self._changed.wait_for(lambda: self._closed, timeout)

    def _let_go(self) -> None:
        with self._changed:
            if not self._retired or self._users or self._model is None:
                return
            owned, self._model = [self._model], None
        if _is_predictor(owned[0]):
            DISPOSAL.let_go(owned, self._gone)
            return
        close = getattr(owned[0], "close", None)
        if callable(close):
            close()
        self._gone()

    def _gone(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()


def _is_predictor(model: object) -> bool:
    """Whether it is Paddle's own predictor, which is run by whoever asked for it."""
    paddle = sys.modules.get("paddle")
    return paddle is not None and isinstance(model, paddle.inference.Predictor)
