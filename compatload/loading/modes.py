"""Scopes that switch one of Paddle's process-wide modes and put it back, also on errors.

Every scope here is seen by all threads while it lasts. Threads that serve or train eagerly are not
disturbed (500 scoped loads beside them, 3.0.0 and 3.3.1); ``to_static`` tracing in another thread
at that moment fails or crashes. One lock keeps two scopes from interleaving.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from compatload.errors import IncompatibleError, ModeSwitchWarning
from compatload.runtime.ir_mode import running_ir_mode

MODE_LOCK = threading.RLock()


class _Forbidden(threading.local):
    depth = 0


_forbidden = _Forbidden()


@contextmanager
def without_switches() -> Iterator[None]:
    """In this thread, a switch of the IR mode is refused instead of made.

    For loads beside threads that may trace: nothing can make that safe, so it is not tried.
    """
    _forbidden.depth += 1
    try:
        yield
    finally:
        _forbidden.depth -= 1


def _before_switching(to_pir: bool) -> None:
    mode = running_ir_mode()
    if mode is None or mode.pir is to_pir:
        return
    if _forbidden.depth:
        raise IncompatibleError(
            "this load would switch Paddle's IR mode, which other threads would see",
            action="Convert the model first (`compatload convert`), or load it before serving.",
        )
    warnings.warn(
        "Paddle's IR mode is switched while this model is read: to_static in another thread "
        "would fail at that moment",
        ModeSwitchWarning,
        stacklevel=2,
    )


@contextmanager
def legacy_mode(paddle: ModuleType) -> Iterator[None]:
    """PIR off for the scope; other threads see legacy mode, too. Nothing to do if it is off."""
    from paddle.pir_utils import DygraphOldIrGuard

    _before_switching(to_pir=False)
    with MODE_LOCK, DygraphOldIrGuard():
        yield


@contextmanager
def pir_mode(paddle: ModuleType) -> Iterator[None]:
    """PIR on for the scope; other threads see it, too. Nothing to do if it is on."""
    from paddle.pir_utils import DygraphPirGuard

    _before_switching(to_pir=True)
    with MODE_LOCK, DygraphPirGuard():
        yield


@contextmanager
def dynamic_mode(paddle: ModuleType) -> Iterator[None]:
    """Dynamic graph for the scope, whatever the caller had."""
    with MODE_LOCK, _defaults(paddle):
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
    with MODE_LOCK, _defaults(paddle):
        if not paddle.in_dynamic_mode():
            yield
            return
        paddle.enable_static()
        try:
            yield
        finally:
            paddle.disable_static()


@contextmanager
def _defaults(paddle: ModuleType) -> Iterator[None]:
    """Put back what switching modes replaces: the default programs in 2.6, and everywhere what
    counts the names of parameters, without which two layers get one name, and one state of an
    optimiser."""
    static, names = paddle.static, paddle.utils.unique_name
    main, startup = static.default_main_program(), static.default_startup_program()
    counted = names.switch()
    names.switch(*counted)
    try:
        yield
    finally:
        names.switch(*counted)
        if static.default_main_program() is not main:
            _home_of(main).switch_main_program(main)
        if static.default_startup_program() is not startup:
            _home_of(startup).switch_startup_program(startup)


def _home_of(program: object) -> ModuleType:
    """The module of Paddle that keeps default programs of this kind (legacy or PIR)."""
    from importlib import import_module

    legacy = import_module("paddle.base.framework")
    if isinstance(program, legacy.Program):
        return legacy
    return import_module("paddle.pir.core")


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
