"""The thread that looks after the files of a handle."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING

from compatload.errors import CompatLoadError
from compatload.loading.report import logger

if TYPE_CHECKING:
    from compatload.serving.file_state import ModelState
    from compatload.serving.handle import ModelHandle


class Watch:
    """Reloads a handle when its files have changed and have come to rest.

    A file that is still being written changes from one look to the next. The wait is counted by a
    monotonic clock, so a clock that is set does no harm. The thread ends with the handle.
    """

    def __init__(self, handle: ModelHandle, seconds: float) -> None:
        self._handle = weakref.ref(handle)
        self._seconds = seconds
        self._stopped = threading.Event()
        self._thread = threading.Thread(
            target=self._run, name=f"compatload-watch-{handle.name}", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """End the thread; a reload that it is in the middle of is finished first."""
        self._stopped.set()
        if self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        seen: ModelState | None = None
        while not self._stopped.wait(self._seconds):
            handle = self._handle()
            if handle is None:
                return
            try:
                now = handle.current_state()
                if now == seen:  # at rest since the last look
                    handle.reload_if_changed()
                seen = now
            except CompatLoadError as error:
                if handle.status().closed:
                    return
                logger.warning("%s: cannot look after the model: %s", handle.path, error)
            except OSError as error:
                logger.warning("%s: cannot look after the model: %s", handle.path, error)
            del handle
