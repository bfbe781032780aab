"""What Paddle converts of the code that a model calls, and what it leaves as it is.

Code of Python's own library holds no control flow of Tensors. Paddle knows some modules of it by
name, and converts the rest: 2.6 follows ``logger.warning(...)`` into the module, until it meets a
line that it cannot convert. What ``functools.partial`` calls it leaves.
"""

from __future__ import annotations

import functools
import sys
import sysconfig
from pathlib import Path
from typing import Any

_LIBRARY = Path(sysconfig.get_path("stdlib"))
_INSTALLED = frozenset({"site-packages", "dist-packages"})


class CalledCode:
    """Within its scope, in any thread, code of Python's library is called as it is, and calls of
    ``functools.partial`` are seen; what these call is converted where that is asked for."""

    def __init__(self) -> None:
        self.has_partials = self.converts_partials = False

    def told(self) -> tuple[str, ...]:
        if not self.converts_partials:
            return ()
        return ("converted as well: what functools.partial calls, which Paddle leaves as it is",)

    def __enter__(self) -> None:
        from paddle.jit import dy2static

        self._convert = dy2static.Call
        dy2static.Call = self._call

    def __exit__(self, *_: object) -> None:
        from paddle.jit import dy2static

        dy2static.Call = self._convert

    def _call(self, function: Any) -> Any:
        if isinstance(function, functools.partial):
            self.has_partials = True
            if self.converts_partials:
                inner = self._call(function.func)
                return functools.partial(inner, *function.args, **function.keywords)
        if is_of_library(function):
            return function
        return self._convert(function)


def is_of_library(function: Any) -> bool:
    """Whether a function or a method is Python's own code. What its decorators wrap bears the
    module of what is wrapped, and is not."""
    if not hasattr(function, "__code__"):
        return False
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    path = Path(getattr(module, "__file__", None) or "")
    return _LIBRARY in path.parents and _INSTALLED.isdisjoint(path.parts)
