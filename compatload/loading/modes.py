"""Scopes that switch one of Paddle's process-wide modes and put it back, also on errors.

Every scope here is seen by all threads while it lasts. Threads that serve or train eagerly are not
disturbed (500 scoped loads beside them, 3.0.0 and 3.3.1); ``to_static`` tracing in another thread
at that moment fails or crashes. One lock keeps two scopes from interleaving.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

MODE_LOCK = threading.RLock()


@contextmanager
def legacy_mode(paddle: ModuleType) -> Iterator[None]:
    """PIR off for the scope; other threads see legacy mode, too. Nothing to do if it is off."""
    from paddle.pir_utils import DygraphOldIrGuard

    with MODE_LOCK, DygraphOldIrGuard():
        yield


@contextmanager
def pir_mode(paddle: ModuleType) -> Iterator[None]:
    """PIR on for the scope; other threads see it, too. Nothing to do if it is on."""
    from paddle.pir_utils import DygraphPirGuard

    with MODE_LOCK, DygraphPirGuard():
        yield


@contextmanager
def dynamic_mode(paddle: ModuleType) -> Iterator[None]:
    """Dynamic graph for the scope, whatever the caller had."""
    with MODE_LOCK:
        if paddle.in_dynamic_mode():
            yield
            return
        paddle.disable_static()
        try:
            yield
        finally:
            paddle.enable_static()


@contextmanager
def static_mode(paddle: ModuleType) -> Iterator[None]:
    """Static graph for the scope, whatever the caller had."""
    with MODE_LOCK:
        if not paddle.in_dynamic_mode():
            yield
            return
        paddle.enable_static()
        try:
            yield
        finally:
            paddle.disable_static()


@contextmanager
def device_scope(paddle: ModuleType, device: str | None) -> Iterator[None]:
    """``device`` as Paddle's current one for the scope; None leaves it alone."""
    if device is None:
        yield
        return
    with MODE_LOCK:
        before = paddle.device.get_device()
        paddle.device.set_device(device)
        try:
            yield
        finally:
            paddle.device.set_device(before)
