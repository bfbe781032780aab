"""Layers in forked processes: their executors' threads are not there.

A layer of Paddle 3 that was run waits for those threads for ever in a fork of its process (seen in
3.0.0 to 3.3.1). Its next call there makes an executor anew, if what it keeps from its runs is gone.
"""

from __future__ import annotations

import os
import sys
import weakref
from typing import Any

_layers: weakref.WeakSet[Any] = weakref.WeakSet()


def keep_usable_in_forks(layer: Any) -> None:
    """A fork may call the layer, too; that costs nothing until there is a fork."""
    _layers.add(layer)


def _forget_runs() -> None:
    for layer in list(_layers):
        getattr(layer, "_partial_program_layers", {}).clear()
        for holder in getattr(layer, "_program_holder_dict", {}).values():
            if hasattr(holder, "_inner_scope"):
                holder._inner_scope = sys.modules["paddle"].base.core.Scope()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_runs)
