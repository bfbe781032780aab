"""Notice when Paddle has been imported, without importing it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_PACKAGE = "paddle"


class PaddleFinder(MetaPathFinder):
    """Stands first in ``sys.meta_path`` and calls ``imported`` once ``paddle`` is complete.

    Everything else, and the search for Paddle itself, is left to the finders behind it.
    """

    def __init__(self, imported: Callable[[], None]) -> None:
        self._imported = imported

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Paddle's spec as the other finders give it, with a loader that tells."""
        if fullname != _PACKAGE:
            return None
        for finder in list(sys.meta_path):
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _TellingLoader(spec.loader, self._imported)
                return spec
        return None


class _TellingLoader(Loader):
    """Stands in for a module's loader until the module is executed, and leaves no trace."""

    def __init__(self, loader: Loader, executed: Callable[[], None]) -> None:
        self._loader = loader
        self._executed = executed

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._executed()

    def __getattr__(self, name: str) -> Any:
        # get_data, is_package and the rest, for those who only look at the spec.
        return getattr(self._loader, name)
