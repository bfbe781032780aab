"""Where Paddle's own loaders are meant, although ``install()`` may have replaced them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _Depth(threading.local):
    value = 0


_depth = _Depth()


@contextmanager
def own_loaders() -> Iterator[None]:
    """In this thread, what stands in for Paddle's loaders hands every call through to them."""
    _depth.value += 1
    try:
        yield
    finally:
        _depth.value -= 1


def wanted() -> bool:
    """Whether this thread is inside ``own_loaders()``."""
    return _depth.value > 0
