"""Programs that nobody changes: Paddle's three loaders become the safe ones.

``install()`` may be called before or after Paddle is imported; ``uninstall()`` puts everything
back. ``compatload run`` does the same for a whole program and the Pythons that it starts.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Collection
from importlib import import_module

from compatload.interception import replacement
from compatload.interception.import_hook import PaddleFinder

__all__ = ["install", "installed", "uninstall"]

_lock = threading.RLock()
_finder: PaddleFinder | None = None


def install(*, trusted_operators: Collection[str] = ()) -> None:
    """Make Paddle's own three loaders the safe ones, now or as soon as Paddle is imported.

    ``paddle.jit.load``, ``paddle.static.load_inference_model`` and
    ``paddle.inference.create_predictor`` are replaced under every name that a module has for
    them, so ``from paddle.inference import create_predictor`` gets the safe one, too, and so is
    ``paddle.inference.PredictorPool``, whose predictors it makes. Imports nothing and costs nothing
    until Paddle is imported. Calling it twice is calling it once.

    Args:
        trusted_operators: exact names of operators that the safe loaders let in (see ``safe_load``;
            a program under ``compatload run`` names them in ``COMPATLOAD_TRUSTED_OPERATORS``,
            separated by commas). Calls add up.
    """
    global _finder
    with _lock:
        replacement.let_in(trusted_operators)
        if _finder is not None:
            return
        _finder = PaddleFinder(replacement.replace)
        sys.meta_path.insert(0, _finder)
        if "paddle" in sys.modules:
            # Another thread may be in the middle of that import; this waits until it is complete.
            import_module("paddle")
            replacement.replace()


def uninstall() -> None:
    """Put back what ``install()`` replaced. Nothing happens if nothing was installed.

    A reference that somebody kept to a safe loader calls Paddle's own from now on.
    """
    global _finder
    with _lock:
        if _finder is None:
            return
        if _finder in sys.meta_path:
            sys.meta_path.remove(_finder)
        _finder = None
        replacement.put_back()


def installed() -> bool:
    """Whether ``install()`` is in force."""
    return _finder is not None
