"""A load by predictors that took long is looked at, so that the next one does not."""

from __future__ import annotations

import time
from typing import TypeVar

from compatload.loading.folded import SLOW
from compatload.loading.request import Request

_Loaded = TypeVar("_Loaded")


def looked_at(request: Request, loaded: _Loaded, since: float) -> _Loaded:
    """What was loaded; ``since``: ``time.thread_time()`` when that began."""
    if time.thread_time() - since >= SLOW:
        # Only such loads need it.
        from compatload.serving.folding_later import fold_later

        fold_later(request, loaded)
    return loaded
